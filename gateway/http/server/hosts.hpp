// Says for which hosts a listener that asks nobody for a key answers. A web page can have its own name resolved to this
// machine's address, and make the browser that shows it call us ("DNS rebinding"). The call then carries that name. An
// address, or a name that the store gave, cannot be misused in that way. It is pure.
#pragma once

#include "http/server/message.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gateway::http {

class Hosts {
  public:
    // Besides IP addresses and localhost, these names are accepted. They are compared as a whole, in any letter case.
    // `key` is their name in the configuration.
    Hosts(std::vector<std::string> names, std::string key) : names_(std::move(names)), key_(std::move(key)) {}

    // Tells whether every host that the request names, in its Host field and in a target with a scheme, is accepted. A
    // request that names none is accepted: only HTTP/1.0 allows that, which load balancers use for their checks and no
    // browser does.
    bool include(const Request& request) const;
    // Answers a request whose host is not accepted.
    Response refuse(const Request& request) const;

  private:
    // Tells whether the host, which may have a port, is accepted.
    bool include(std::string_view authority) const;

    std::vector<std::string> names_;
    std::string key_;
};

}  // namespace gateway::http
