#include "http/server/head.hpp"

#include "base/ascii.hpp"
#include "base/check.hpp"
#include "http/server/target.hpp"
#include "http/syntax.hpp"

#include <boost/beast/core/string.hpp>

#include <charconv>

namespace gateway::http {
namespace {

using boost::beast::iequals;

constexpr std::string_view line_end = "\r\n";

// These fields decide where the message ends and what becomes of the connection.
struct Framers {
    std::optional<std::string_view> content_length;
    std::optional<std::string_view> transfer_encoding;
    std::optional<std::string_view> host;
    bool coded = false;  // the body is compressed, or encoded in another way
    bool close = false;
    bool keep_alive = false;
    bool expects_continue = false;
};

std::string_view next_line(std::string_view& bytes) {
    const auto end = bytes.find(line_end);
    CHECK(end != std::string_view::npos);
    const auto line = bytes.substr(0, end);
    bytes.remove_prefix(end + line_end.size());
    return line;
}

// A target is printable ASCII, or raw UTF-8 as a person types it into a tool. set_target() refuses what is not UTF-8.
bool is_target(std::string_view text) noexcept {
    return !text.empty() &&
           std::none_of(text.begin(), text.end(), [](char c) { return is_control(c) || c == ' ' || c == '#'; });
}

bool is_version(std::string_view text) noexcept {
    return text.size() == 8 && text.starts_with("HTTP/") && is_digit(text[5]) && text[6] == '.' && is_digit(text[7]);
}

std::optional<Refusal> parse_request_line(std::string_view line, Request& request, Head& head) {
    const auto first = line.find(' ');
    const auto second = line.find(' ', first == std::string_view::npos ? first : first + 1);
    if (second == std::string_view::npos) return bad_request("the request line is not \"verb target version\"");
    const auto method = line.substr(0, first);
    const auto target = line.substr(first + 1, second - first - 1);
    const auto version = line.substr(second + 1);
    if (!is_token(method)) return bad_request("the verb is not a token");
    request.method = boost::beast::http::string_to_verb(method);
    if (!is_target(target)) return bad_request("the target is empty or has a character that must be encoded");
    if (!is_version(version)) return bad_request("the version is not that of an HTTP/1 request");
    // A minor version that we do not know is read as the highest one that we know (RFC 9110, section 2.5).
    if (!version.starts_with("HTTP/1."))
        return Refusal{status::http_version_not_supported, "http_version_not_supported", "HTTP/1.1 is spoken here"};
    head.http_1_0 = version == "HTTP/1.0";
    if (!set_target(request, target)) return bad_request("the target cannot be decoded");
    return std::nullopt;
}

bool is_host(std::string_view text) noexcept {
    // The text is a name, an address or "[v6]", and a port (RFC 3986, section 3.2.2 and 3.2.3). It may be empty.
    static constexpr std::string_view marks = "-._~%!$&'()*+,;=:[]";
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return is_alphanumeric(c) || marks.find(c) != std::string_view::npos; });
}

void read_connection(std::string_view value, Framers& framers) {
    while (!value.empty()) {
        const auto option = next_member(value, ',');
        if (iequals(option, "close")) framers.close = true;
        if (iequals(option, "keep-alive")) framers.keep_alive = true;
    }
}

// Sets `slot`. Returns false if it was set before: these fields may come only once, even with the same value.
bool set_once(std::optional<std::string_view>& slot, std::string_view value) {
    return !std::exchange(slot, value);
}

std::optional<Refusal> note(std::string_view name, std::string_view value, Framers& framers) {
    if (iequals(name, "Content-Length")) {
        if (!set_once(framers.content_length, value)) return bad_request("Content-Length came twice");
    } else if (iequals(name, "Transfer-Encoding")) {
        if (!set_once(framers.transfer_encoding, value)) return bad_request("Transfer-Encoding came twice");
    } else if (iequals(name, "Host")) {
        if (!set_once(framers.host, value)) return bad_request("Host came twice");
        if (!is_host(value)) return bad_request("Host is not a host");
    } else if (iequals(name, "Content-Encoding")) {
        framers.coded = framers.coded || !iequals(value, "identity");
    } else if (iequals(name, "Connection")) {
        read_connection(value, framers);
    } else if (iequals(name, "Expect")) {
        framers.expects_continue = framers.expects_continue || iequals(value, "100-continue");
    }
    return std::nullopt;
}

std::optional<Refusal> parse_field(std::string_view line, Request& request, Framers& framers) {
    if (line.front() == ' ' || line.front() == '\t') return bad_request("a header line is folded");
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return bad_request("a header line has no colon");
    const auto name = line.substr(0, colon);
    if (!is_token(name)) return bad_request("a header's name is not a token");
    const auto value = trim(line.substr(colon + 1));
    if (!is_field_value(value)) return bad_request("a header's value has a control character");
    request.headers.insert(name, value);
    return note(name, value, framers);
}

std::optional<Refusal> take_length(std::string_view text, Head& head) {
    if (!is_digits(text)) return bad_request("Content-Length is not a number");
    const auto read = std::from_chars(text.data(), text.data() + text.size(), head.content_length);
    if (read.ec == std::errc::result_out_of_range) return payload_too_large(0);
    head.framing = Framing::length;
    return std::nullopt;
}

// Only "chunked" is understood. With any other coding nobody knows where the body ends. A coding after "chunked" is
// worse than unknown: a caller that sends it has two ends of the body in mind (RFC 9112, section 6.3).
std::optional<Refusal> take_codings(std::string_view codings, Head& head) {
    if (iequals(codings, "chunked")) {
        head.framing = Framing::chunked;
        return std::nullopt;
    }
    bool unknown = false;
    bool ended = false;
    for (auto rest = codings; !rest.empty();) {
        const auto coding = next_member(rest, ',');
        const auto name = trim(coding.substr(0, coding.find(';')));
        if (!is_token(name) || ended)
            return bad_request("Transfer-Encoding is not a list of codings that chunked ends");
        ended = iequals(name, "chunked");
        unknown = unknown || !ended;
    }
    if (unknown)
        return Refusal{status::not_implemented, "not_implemented",
                       "the only transfer coding taken here is \"chunked\""};
    return bad_request("Transfer-Encoding is not a list of codings that chunked ends");
}

std::optional<Refusal> conclude(const Framers& framers, Head& head) {
    if (!framers.host && !head.http_1_0) return bad_request("Host is missing");
    if (framers.transfer_encoding) {
        if (framers.content_length) return bad_request("Content-Length and Transfer-Encoding came together");
        if (head.http_1_0) return bad_request("Transfer-Encoding came with HTTP/1.0");
        if (auto refusal = take_codings(*framers.transfer_encoding, head)) return refusal;
    } else if (framers.content_length) {
        if (auto refusal = take_length(*framers.content_length, head)) return refusal;
    }
    if (framers.coded && head.framing != Framing::none)
        return Refusal{status::unsupported_media_type, "unsupported_media_type",
                       "a body is taken as it is: send it without Content-Encoding"};
    head.keep_alive = !framers.close && (!head.http_1_0 || framers.keep_alive);
    head.expects_continue = framers.expects_continue && !head.http_1_0 && head.framing != Framing::none;
    return std::nullopt;
}

}  // namespace

std::size_t HeadScanner::refuse(const Refusal& why) {
    refusal_ = why;
    return 0;
}

std::size_t HeadScanner::scan(std::string_view bytes) {
    while (!refusal_) {
        // If the first byte cannot begin a request (a TLS greeting, for example), there is no point in waiting for the
        // rest.
        if (line_ < bytes.size() && first_line_ && bytes[line_] != '\r' && !is_token_char(bytes[line_]))
            return refuse(bad_request("this is not an HTTP request"));
        const auto feed = bytes.find('\n', scanned_);
        scanned_ = feed == std::string_view::npos ? bytes.size() : feed + 1;
        if (first_line_ && scanned_ - line_ > std::min(request_line_limit, limit_)) return refuse(uri_too_long);
        if (scanned_ > limit_) return refuse(header_too_large);
        if (feed == std::string_view::npos) return 0;
        if (feed == line_ || bytes[feed - 1] != '\r') return refuse(bad_request("a line ends in a bare line feed"));
        const bool empty = feed == line_ + 1;
        if (empty && line_ > 0) return scanned_;
        // One empty line may come before the request line (RFC 9112, section 2.2).
        first_line_ = empty;
        line_ = scanned_;
    }
    return 0;
}

std::optional<Refusal> parse_head(std::string_view bytes, Request& request, Head& head) {
    if (bytes.starts_with(line_end)) bytes.remove_prefix(line_end.size());
    if (auto refusal = parse_request_line(next_line(bytes), request, head)) return refusal;
    Framers framers;
    std::size_t fields = 0;
    for (auto line = next_line(bytes); !line.empty(); line = next_line(bytes)) {
        if (++fields > field_limit) return header_too_large;
        if (auto refusal = parse_field(line, request, framers)) return refusal;
    }
    CHECK(bytes.empty());
    return conclude(framers, head);
}

}  // namespace gateway::http
