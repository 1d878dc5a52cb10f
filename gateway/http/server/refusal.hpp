// Says why the server itself does not take a request that is unreadable or too large, and how it answers. The
// connection is closed after the answer, because nobody can tell where the next request would begin.
#pragma once

#include "http/server/message.hpp"

#include <cstdint>
#include <string_view>

namespace gateway::http {

// The texts live for ever, and never quote what was sent.
struct Refusal {
    http::status status = http::status::bad_request;
    std::string_view code = "bad_request";
    std::string_view detail;
    std::uint64_t announced = 0;  // the size of a body that is too large, in bytes; 0 if it cannot be counted
};

constexpr Refusal bad_request(std::string_view detail) {
    return {status::bad_request, "bad_request", detail};
}
constexpr Refusal payload_too_large(std::uint64_t announced) {
    return {status::payload_too_large, "payload_too_large", "the body is larger than allowed", announced};
}
constexpr Refusal header_too_large{status::request_header_fields_too_large, "header_too_large",
                                   "the header is larger than allowed"};
constexpr Refusal uri_too_long{status::uri_too_long, "uri_too_long", "the request line is longer than allowed"};
constexpr Refusal request_timeout{status::request_timeout, "request_timeout", "the request did not come in time"};

constexpr Refusal tls_on_a_plain_port = bad_request(
    "this port speaks plain HTTP, and what came is the beginning of TLS: call it with http://, not https://");
constexpr Refusal clear_on_a_tls_port = bad_request(
    "this port speaks TLS, and the request came in clear, with the key that it may carry: call it with "
    "https://, not http://");

}  // namespace gateway::http
