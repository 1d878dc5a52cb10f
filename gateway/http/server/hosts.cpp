#include "http/server/hosts.hpp"

#include "base/ascii.hpp"
#include "http/server/problem.hpp"
#include "http/server/target.hpp"

#include <boost/beast/core/string.hpp>

#include <algorithm>

namespace gateway::http {
namespace {

using boost::asio::ip::make_address_v4;
using boost::asio::ip::make_address_v6;
using boost::beast::iequals;

struct Authority {
    std::string_view host;  // an IPv6 address has its brackets
    bool well_formed = false;
};

Authority take_apart(std::string_view text) {
    const auto end = text.starts_with('[') ? text.find(']') : std::string_view::npos;
    const auto colon = text.find(':', end == std::string_view::npos ? 0 : end);
    const auto port = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    return {text.substr(0, colon), std::all_of(port.begin(), port.end(), is_digit)};
}

// Tells whether the host is an IP address as RFC 3986, section 3.2.2, writes one: four decimal numbers, or an IPv6
// address in brackets, which has no zone. A browser looks everything else up, perhaps even "127.0.0.1." and
// "2130706433".
bool is_ip_literal(std::string_view host) {
    boost::system::error_code error;
    if (!host.starts_with('[')) {
        make_address_v4(host, error);
        return !error;
    }
    if (!host.ends_with(']') || host.find('%') != std::string_view::npos) return false;
    make_address_v6(host.substr(1, host.size() - 2), error);
    return !error;
}

}  // namespace

bool Hosts::include(const Request& request) const {
    const auto host = request.headers.find("Host");
    const auto named = authority_of(request.target);
    return (!host || include(*host)) && (!named || include(*named));
}

bool Hosts::include(std::string_view authority) const {
    const auto [host, well_formed] = take_apart(authority);
    if (!well_formed) return false;
    return is_ip_literal(host) || iequals(host, "localhost") ||
           std::ranges::any_of(names_, [host = host](const std::string& name) { return iequals(host, name); });
}

Response Hosts::refuse(const Request& request) const {
    const Problem problem{status::misdirected_request, "misdirected_request",
                          "This listener answers only to a Host that is an IP address, localhost or one of " + key_ +
                              " in the gateway's configuration."};
    return to_response(problem, request);
}

}  // namespace gateway::http
