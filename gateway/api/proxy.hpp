// GET /v1/provider/<path> gives the provider's own answer to a GET, with the token added: for the paths that the
// operator allows, among these for the families of the terminal that asks, and for no establishment that only other
// terminals have.
#pragma once

#include "api/terminals.hpp"
#include "base/clock.hpp"
#include "http/server/message.hpp"
#include "provider/provider.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gateway {

struct ProxyApiOptions {
    std::vector<std::string> allow;  // exact paths, or prefixes that end in /*
};

class ProxyApi {
  public:
    // Every reference must outlive the api and its routes.
    ProxyApi(ProxyApiOptions options, Provider& provider, const Terminals& terminals, Clock& clock);

    boost::asio::awaitable<http::Response> get(http::Request& request);
    // Everybody who waits for the provider goes without its answer, now and from now on.
    void hurry();

  private:
    // This is a GET that is under way. It goes on by itself; the caller who asked only waits for it.
    struct Call {
        std::optional<Reply> reply;
        std::exception_ptr fault;
        std::unique_ptr<Timer> done;
    };

    // Returns nothing where nobody may wait any longer.
    boost::asio::awaitable<std::optional<Reply>> fetch(std::string target, std::string accept, std::string request_id);
    // Says in a sentence why the terminal may not ask for this path; empty where it may.
    std::string_view objection(const http::Request& request, std::string_view path, const Terminal& terminal) const;

    ProxyApiOptions options_;
    Provider& provider_;
    const Terminals& terminals_;
    Clock& clock_;
    std::set<std::shared_ptr<Call>> calls_;
    bool hurried_ = false;
};

// Tells whether a normalised path is one of `allow`. A path is not where it leads elsewhere once an encoded slash,
// backslash or dot is decoded, however often it was encoded.
bool is_allowed(const std::vector<std::string>& allow, std::string_view path);

}  // namespace gateway
