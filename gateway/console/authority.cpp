#include "console/authority.hpp"

#include "console/pages.hpp"

namespace gateway {

boost::asio::awaitable<http::Response> AuthorityApi::get(http::Request&) {
    http::Response answer{.status = http::status::no_content};
    if (auto der = authority_(); !der.empty())
        answer = {.content_type = "application/x-x509-ca-cert", .body = std::move(der)};
    answer.with("Cache-Control", "no-cache");
    co_return secured(std::move(answer));
}

}  // namespace gateway
