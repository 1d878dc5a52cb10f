#include "http/server/body.hpp"

#include "base/ascii.hpp"
#include "http/syntax.hpp"

#include <boost/beast/http/chunk_encode.hpp>
#include <fmt/format.h>

#include <charconv>

namespace gateway::http {
namespace {

// A chunk's size with its extensions, or one line of a trailer, may have so many bytes. No caller needs more.
constexpr std::size_t line_limit = 256;
constexpr std::size_t trailer_limit = 4096;
// A chunk's size may have so many hexadecimal digits. That is 4 GiB, more than any limit for a body.
constexpr std::size_t size_digits = 8;

constexpr Refusal bad_chunk = bad_request("the body is not chunked as it says");

// Returns a chunk's size. Returns nothing if the line is not a size, with nothing or only extensions after it.
std::optional<std::uint64_t> parse_size(std::string_view line) {
    if (!is_field_value(line)) return std::nullopt;
    const auto digits = line.substr(0, length_before(line, [](char c) { return hex_value(c) < 0; }));
    if (digits.empty() || digits.size() > size_digits) return std::nullopt;
    std::uint64_t size = 0;
    (void)std::from_chars(digits.data(), digits.data() + digits.size(), size, 16);
    boost::beast::http::chunk_extensions extensions;
    boost::system::error_code wrong;
    extensions.parse(line.substr(digits.size()), wrong);
    return wrong ? std::nullopt : std::optional(size);
}

bool is_field_line(std::string_view line) {
    return is_token(line.substr(0, line.find(':'))) && line.find(':') != std::string_view::npos && is_field_value(line);
}

}  // namespace

BodyReader::BodyReader(const Head& head, std::size_t limit) : limit_(limit) {
    switch (head.framing) {
        case Framing::none: return;
        case Framing::chunked: state_ = State::chunk_size; return;
        case Framing::length:
            if (head.content_length > limit) refusal_ = payload_too_large(head.content_length);
            remaining_ = head.content_length;
            state_ = remaining_ == 0 ? State::complete : State::data;
            return;
    }
}

std::size_t BodyReader::read(std::string_view bytes, std::string& body) {
    std::size_t taken = 0;
    while (!refusal_ && !complete()) {
        const auto step_taken = step(bytes.substr(taken), body);
        if (step_taken == 0) break;
        taken += step_taken;
    }
    return taken;
}

// Returns 0 if more bytes are needed, or if these are wrong.
std::size_t BodyReader::step(std::string_view bytes, std::string& body) {
    switch (state_) {
        case State::data: return read_data(bytes, body, State::complete);
        case State::chunk_size: return read_size(bytes, body.size());
        case State::chunk_data: return read_data(bytes, body, State::chunk_end);
        case State::chunk_end: return read_chunk_end(bytes);
        case State::trailer: return read_trailer(bytes);
        case State::complete: return 0;
    }
    return 0;
}

std::size_t BodyReader::read_data(std::string_view bytes, std::string& body, State next) {
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, bytes.size()));
    body.append(bytes.substr(0, taken));
    remaining_ -= taken;
    if (remaining_ == 0) state_ = next;
    return taken;
}

std::size_t BodyReader::read_size(std::string_view bytes, std::size_t body_size) {
    const auto text = line(bytes);
    if (!text) return 0;
    const auto size = parse_size(*text);
    if (!size) {
        refusal_ = bad_chunk;
    } else if (*size > limit_ - body_size) {
        refusal_ = payload_too_large(body_size + *size);
    } else {
        remaining_ = *size;
        state_ = *size == 0 ? State::trailer : State::chunk_data;
    }
    return text->size() + 2;
}

std::size_t BodyReader::read_chunk_end(std::string_view bytes) {
    constexpr std::string_view end = "\r\n";
    if (bytes.substr(0, end.size()) != end.substr(0, bytes.size())) refusal_ = bad_chunk;
    if (bytes.size() < end.size()) return 0;
    state_ = State::chunk_size;
    return end.size();
}

std::size_t BodyReader::read_trailer(std::string_view bytes) {
    const auto text = line(bytes);
    if (!text) return 0;
    trailer_size_ += text->size();
    if (text->empty()) {
        state_ = State::complete;
    } else if (!is_field_line(*text) || trailer_size_ > trailer_limit) {
        refusal_ = bad_chunk;
    }
    return text->size() + 2;
}

// Returns the line at the front of `bytes` without its CR LF. Returns nothing if the line is not complete, or is wrong.
std::optional<std::string_view> BodyReader::line(std::string_view bytes) {
    const auto start = bytes.substr(0, line_limit);
    const auto end = start.find_first_of("\r\n");
    if (end == std::string_view::npos || (start[end] == '\r' && end + 1 == start.size())) {
        if (start.size() == line_limit) refusal_ = bad_chunk;
        return std::nullopt;
    }
    if (start[end] == '\n' || start[end + 1] != '\n') {
        refusal_ = bad_chunk;
        return std::nullopt;
    }
    return start.substr(0, end);
}

std::string too_large_in_words(const Refusal& refusal, std::size_t limit, std::string_view key) {
    auto words = refusal.announced > 0 ? fmt::format("{}: {} bytes were announced, and at most {} are taken",
                                                     refusal.detail, refusal.announced, limit)
                                       : fmt::format("{}: at most {} bytes are taken", refusal.detail, limit);
    if (!key.empty()) words += fmt::format("; {} in the gateway's configuration says how many", key);
    return words;
}

}  // namespace gateway::http
