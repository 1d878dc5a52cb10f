// Which hosts a listener answers to that asks nobody for a key. A page from anywhere can have its own name looked up as
// this machine's address, and lets the browser that shows it call us ("DNS rebinding"); the call then carries that
// name. An address or a name that the store gave cannot be had in that way. Pure.
#pragma once

#include "http/server/message.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gateway::http {

class Hosts {
  public:
    // Besides IP addresses and localhost, these names: compared whole, in whatever letter case. `key` is what the
    // configuration calls them.
    Hosts(std::vector<std::string> names, std::string key) : names_(std::move(names)), key_(std::move(key)) {}

    // Whether every host that the request names, in its Host field and in a target with a scheme, is one of them. One
    // that names none is taken: only HTTP/1.0 allows that, which load balancers' checks speak and no browser does.
    bool include(const Request& request) const;
    // What a request is answered whose host is none of them.
    Response refuse(const Request& request) const;

  private:
    // A host and perhaps a port.
    bool include(std::string_view authority) const;

    std::vector<std::string> names_;
    std::string key_;
};

}  // namespace gateway::http
