#include "api/openapi.hpp"

namespace gateway {

std::string_view terminals_openapi() noexcept {
    return
#include "terminals_openapi.inc"
        ;
}

std::string_view admin_openapi() noexcept {
    return
#include "admin_openapi.inc"
        ;
}

void add_openapi(http::Router& router, std::string_view document) {
    const auto serve = [document](http::Request&) -> boost::asio::awaitable<http::Response> {
        co_return http::Response{.document = document};
    };
    router.add(http::verb::get, "/openapi.json", serve, http::Access::everybody);
}

}  // namespace gateway
