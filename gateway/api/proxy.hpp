// GET /v1/provider/<path>: the provider's own answer to a GET, token added, for the paths that the operator allows, and
// among these for the families of the terminal that asks, and for no establishment that only other terminals have.
#pragma once

#include "api/terminals.hpp"
#include "base/clock.hpp"
#include "http/router.hpp"
#include "provider/provider.hpp"

#include <string>
#include <vector>

namespace gateway {

struct ProxyApiOptions {
    std::vector<std::string> allow;  // exact paths, or prefixes that end in /*
    Duration timeout{15'000};
};

class ProxyApi {
  public:
    // Every reference must outlive the api and its routes.
    ProxyApi(ProxyApiOptions options, Provider& provider, const Terminals& terminals, Clock& clock);

    void add_to(http::Router& router);

  private:
    boost::asio::awaitable<http::Response> get(http::Request& request);
    // Why the terminal may not ask for this path, a sentence; empty where it may.
    std::string_view objection(const http::Request& request, std::string_view path, const Terminal& terminal) const;

    const ProxyApiOptions options_;
    Provider& provider_;
    const Terminals& terminals_;
    Clock& clock_;
};

// Whether a normalised path is one of `allow`. None is that leads elsewhere where an encoded slash, backslash or dot is
// decoded, however often it was encoded.
bool is_allowed(const std::vector<std::string>& allow, std::string_view path);

}  // namespace gateway
