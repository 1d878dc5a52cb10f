#include "api/openapi.hpp"

#include "api/openapi/document.hpp"
#include "api/openapi/shared.hpp"

#include <boost/json/serialize.hpp>

namespace gateway {

boost::asio::awaitable<http::Response> OpenapiApi::terminals(http::Request&) {
    co_return http::Response{.document = document(on_terminals)};
}

boost::asio::awaitable<http::Response> OpenapiApi::admin(http::Request&) {
    co_return http::Response{.document = document(on_admin)};
}

const std::string& OpenapiApi::document(ListenerSet listener) {
    auto& made = listener == on_terminals ? of_terminals_ : of_admin_;
    if (made.empty()) made = boost::json::serialize(openapi::document(listener, calls_, schemas_));
    return made;
}

namespace openapi {
namespace {

constexpr Type openapi_document{R"("type":"object","required":["openapi","info","paths"],)"
                                R"("properties":{"openapi":{"const":"3.1.0"}})"};

}  // namespace

Description get_openapi() {
    return {.id = "getOpenapi",
            .summary = "This document",
            .tag = "Description",
            .text = "Asks for no key.",
            .answers = {gives(200, "This document.", openapi_document, {})}};
}

Description get_openapi_for_operators() {
    return {.id = "getOpenapi",
            .summary = "This document",
            .tag = "Description",
            .text = "The terminals listener serves one of its own.",
            .answers = {gives(200, "This document.", openapi_document, {})}};
}

}  // namespace openapi

}  // namespace gateway
