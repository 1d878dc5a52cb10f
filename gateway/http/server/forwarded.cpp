#include "http/server/forwarded.hpp"

#include "base/ascii.hpp"

#include <boost/beast/core/string.hpp>

#include <iterator>

namespace gateway::http {
namespace {

using boost::asio::ip::address;

// Takes the last member off a list and returns it trimmed.
std::string_view last_member(std::string_view& list) {
    const auto comma = list.rfind(',');
    const auto member = comma == std::string_view::npos ? list : list.substr(comma + 1);
    list = comma == std::string_view::npos ? std::string_view() : list.substr(0, comma);
    return trim(member);
}

// Reads "192.0.2.7", "192.0.2.7:4711", "2001:db8::7", "[2001:db8::7]" or "[2001:db8::7]:4711": some proxies write the
// port.
std::optional<address> address_in(std::string_view text) {
    const auto bracket = text.starts_with('[') ? text.find(']') : std::string_view::npos;
    auto port = std::string_view::npos;
    if (bracket != std::string_view::npos) {
        if (bracket + 1 < text.size()) port = bracket + 1;
    } else if (text.find(':') == text.rfind(':')) {
        port = text.find(':');
    }
    if (port != std::string_view::npos && (text[port] != ':' || !is_digits(text.substr(port + 1)))) return std::nullopt;
    auto host = text.substr(0, port);
    if (bracket == std::string_view::npos) return parse_plain_address(host);
    host = host.substr(1, bracket - 1);
    return host.find(':') == std::string_view::npos ? std::nullopt : parse_plain_address(host);
}

}  // namespace

address caller_of(const Fields& fields, const address& peer, const Networks& trusted) {
    auto caller = peer;
    for (auto field = std::make_reverse_iterator(fields.end()); field != std::make_reverse_iterator(fields.begin());
         ++field) {
        if (!boost::beast::iequals(field->first, "X-Forwarded-For")) continue;
        for (std::string_view rest = field->second; !rest.empty();) {
            if (!trusted.contain(caller)) return caller;
            const auto member = last_member(rest);
            if (member.empty()) continue;  // RFC 9110, section 5.6.1.2: an empty member does not count
            const auto named = address_in(member);
            if (!named) return caller;
            caller = *named;
        }
    }
    return caller;
}

}  // namespace gateway::http
