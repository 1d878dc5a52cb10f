#include "http/server/target.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "http/syntax.hpp"

namespace gateway::http {
namespace {

// Returns the byte that the "%XX" at `at` stands for, or -1.
int encoded_byte(std::string_view text, std::size_t at) noexcept {
    if (at + 2 >= text.size()) return -1;
    const int high = hex_value(text[at + 1]);
    const int low = hex_value(text[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

// Does what RFC 3986, sections 6.2.2.1 and 6.2.2.2, say.
std::optional<std::string> normalise_encoding(std::string_view path) {
    std::string out;
    out.reserve(path.size());
    for (std::size_t i = 0; i < path.size(); ++i) {
        char c = path[i];
        bool encode = static_cast<unsigned char>(c) >= 0x80;
        if (c == '%') {
            const int byte = encoded_byte(path, i);
            if (byte < 0) return std::nullopt;
            c = static_cast<char>(byte);
            i += 2;
            encode = !is_unreserved(c);
        }
        if (is_control(c)) return std::nullopt;
        if (encode) {
            append_percent_encoded(out, c);
        } else {
            out += c;
        }
    }
    return out;
}

// Does what RFC 3986, section 5.2.4, says for a path that begins with "/".
std::string remove_dot_segments(std::string_view path) {
    std::string out;
    out.reserve(path.size());
    for (std::size_t begin = 1; begin <= path.size();) {
        const auto end = std::min(path.find('/', begin), path.size());
        const auto segment = path.substr(begin, end - begin);
        const bool last = end == path.size();
        if (segment == "..") out.resize(out.empty() ? 0 : out.rfind('/'));
        if (segment == "." || segment == "..") {
            if (last) out += '/';
        } else {
            out += '/';
            out += segment;
        }
        begin = end + 1;
    }
    return out;
}

// Returns what begins with the path in "http://host/path?query", and an empty text for anything else. The Host field is
// not used for this, so that it need not be replaced.
std::string without_authority(std::string_view target) {
    const auto authority = authority_of(target);
    if (!authority) return {};
    const auto rest = target.substr(static_cast<std::size_t>(authority->end() - target.begin()));
    // An empty path means the same as "/".
    return rest.starts_with('/') ? std::string(rest) : "/" + std::string(rest);
}

// Takes what stands before the next separator off the front, together with the separator.
std::string_view take_until(std::string_view& rest, char separator) {
    const auto end = rest.find(separator);
    const auto taken = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    return taken;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            const int byte = encoded_byte(text, i);
            if (byte < 0) return std::nullopt;
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += plus && text[i] == '+' ? ' ' : text[i];
        }
    }
    return out;
}

std::optional<std::string> normalise_path(std::string_view path) {
    if (!path.starts_with('/')) return std::nullopt;
    auto encoded = normalise_encoding(path);
    if (!encoded) return std::nullopt;
    if (encoded->find('%') != std::string::npos && !is_utf8(*percent_decode(*encoded))) return std::nullopt;
    if (encoded->find("/.") == std::string::npos) return encoded;
    return remove_dot_segments(*encoded);
}

std::optional<std::vector<std::pair<std::string, std::string>>> decode_query(std::string_view query) {
    std::vector<std::pair<std::string, std::string>> pairs;
    while (!query.empty()) {
        auto pair = take_until(query, '&');
        if (pair.empty()) continue;
        auto name = percent_decode(take_until(pair, '='), true);
        auto value = percent_decode(pair, true);
        if (!name || !value || !is_utf8(*name) || !is_utf8(*value)) return std::nullopt;
        if (pairs.size() == query_limit) return std::nullopt;
        pairs.emplace_back(std::move(*name), std::move(*value));
    }
    return pairs;
}

std::optional<std::string_view> authority_of(std::string_view target) {
    const auto colon = target.find(':');
    const auto scheme = to_lower(target.substr(0, colon));
    if (scheme != "http" && scheme != "https") return std::nullopt;
    auto rest = target.substr(scheme.size());
    if (!rest.starts_with("://")) return std::nullopt;
    rest.remove_prefix(3);
    const auto end = std::min(rest.find_first_of("/?"), rest.size());
    if (end == 0) return std::nullopt;
    return rest.substr(0, end);
}

bool set_target(Request& request, std::string_view target) {
    request.target = target;
    if (target == "*" && request.method == verb::options) {
        request.path = target;
        return true;
    }
    const auto stripped = target.starts_with('/') ? std::string() : without_authority(target);
    if (!stripped.empty()) target = stripped;
    auto path = normalise_path(take_until(target, '?'));
    auto query = decode_query(target);
    if (!path || !query) return false;
    request.path = std::move(*path);
    request.query = std::move(*query);
    return true;
}

}  // namespace gateway::http
