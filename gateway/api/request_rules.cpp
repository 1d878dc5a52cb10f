#include "api/request_rules.hpp"

#include "api/sale_answer.hpp"
#include "base/strict_json.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

constexpr std::size_t longest_key = 64;
// "Prefer: wait=N" can ask for no longer wait than this.
constexpr std::chrono::seconds longest_wait{120};

bool is_json_in_utf8(const http::Request& request) {
    const auto said = request.header("Content-Type");
    if (said == "application/json") return true;  // nearly everybody says it so
    const auto type = http::parse_media_type(said);
    return type && type->name == "application/json" && (type->charset.empty() || type->charset == "utf-8");
}

// Says what is wrong with a body that is not JSON in UTF-8. A till that writes Latin-1 stumbles over its first accent,
// far from any mistake that it can see.
std::string what_is_wrong(std::string_view body, const std::string& as_json) {
    if (body.starts_with(byte_order_mark))
        return "The body begins with a byte order mark (the bytes EF BB BF): send it without one.";
    const auto fault = utf8_before_fault(body);
    if (fault == body.size()) return "The body is not valid JSON: " + as_json + ".";
    return fmt::format("The body is not UTF-8 (byte 0x{:02X} at offset {}): send it as UTF-8.",
                       static_cast<unsigned char>(body[fault]), fault);
}

}  // namespace

bool is_key(std::string_view text) noexcept {
    return !text.empty() && text.size() <= longest_key &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

ResultOrResponse<boost::json::object> json_object_body(const http::Request& request, boost::json::storage_ptr storage) {
    using http::status;
    if (request.body.empty())
        return refuse(request, status::bad_request, "invalid_json",
                      "The body is empty: send a JSON object, with Content-Type: application/json.");
    if (!is_json_in_utf8(request))
        return refuse(request, status::unsupported_media_type, "unsupported_media_type",
                      "The body must be JSON in UTF-8, sent with Content-Type: application/json.");
    auto value = parse_strict_json(request.body, usual_json_depth, std::move(storage));
    if (value.has_error())
        return refuse(request, status::bad_request, "invalid_json", what_is_wrong(request.body, value.error()));
    if (!value->is_object())
        return refuse(request, status::unprocessable_entity, "invalid_request", "The body must be a JSON object.",
                      {{.pointer = "", .detail = "must be an object"}});
    return std::move(value->get_object());
}

ResultOrResponse<std::string> idempotency_key(const http::Request& request) {
    const auto count = request.headers.count("Idempotency-Key");
    const auto key = request.header("Idempotency-Key");
    if (count == 0)
        return refuse(request, http::status::bad_request, "missing_idempotency_key",
                      "The header Idempotency-Key is missing: send one that is different for every sale.");
    if (count > 1 || !is_key(key))
        return refuse(request, http::status::bad_request, "invalid_idempotency_key",
                      "Idempotency-Key must be one value of 1 to 64 visible ASCII characters.");
    return std::string(key);
}

ResultOrResponse<void> no_body(const http::Request& request) {
    if (request.body.empty()) return {};
    const auto fields = json_object_body(request);
    if (fields.has_value() && fields->empty()) return {};
    return refuse(request, http::status::bad_request, "bad_request",
                  "This call takes no fields: send no body, or an empty JSON object.");
}

ResultOrResponse<void> no_web_page(const http::Request& request) {
    if (request.headers.count("Origin") == 0 || !request.principal.empty()) return {};
    return refuse(request, http::status::forbidden, "forbidden",
                  "No web page may send this: send it without an Origin header.");
}

std::string decided_by(const http::Request& request, std::string named) {
    if (!request.principal.empty()) return request.principal;
    return named;
}

http::Response unauthorized_answer(const http::Request& request, std::string detail) {
    return refuse(request, http::status::unauthorized, "unauthorized", std::move(detail))
        .with("WWW-Authenticate", "Bearer");
}

http::Response too_many_guesses(const http::Request& request, std::string_view what, Duration wait) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
    return refuse(request, http::status::too_many_requests, "rate_limited",
                  fmt::format("Too many wrong {} came from this address.", what))
        .with("Retry-After", std::to_string(seconds));
}

http::Response unknown_terminal_answer(const http::Request& request) {
    return unauthorized_answer(request, "This terminal is not known any more.");
}

Duration patience(const http::Request& request, Duration otherwise) {
    const auto wait = http::preferred_wait(request, longest_wait);
    return wait ? std::chrono::duration_cast<Duration>(*wait) : otherwise;
}

http::Response with_heeded_wait(http::Response response, const http::Request& request) {
    if (const auto wait = http::preferred_wait(request, longest_wait))
        response.with("Preference-Applied", "wait=" + std::to_string(wait->count()));
    return response;
}

}  // namespace gateway
