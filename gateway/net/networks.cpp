#include "net/networks.hpp"

#include "base/ascii.hpp"
#include "base/told.hpp"

#include <algorithm>
#include <utility>

namespace gateway {
namespace {

using boost::asio::ip::address;

constexpr unsigned v6_bits = 128;
constexpr unsigned v4_bits = 32;

// Returns the bytes with everything after the first `length` bits set to zero.
template <class Bytes>
Bytes masked(Bytes bytes, unsigned length) {
    for (unsigned i = 0; i < bytes.size(); ++i) {
        const auto kept = std::min(8U, length - std::min(length, 8 * i));
        bytes[i] = static_cast<unsigned char>(bytes[i] & (0xff00U >> kept));
    }
    return bytes;
}

}  // namespace

address plain_address(const address& from) {
    if (from.is_v6() && from.to_v6().is_v4_mapped())
        return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, from.to_v6());
    return from;
}

std::optional<address> parse_plain_address(std::string_view text) {
    if (text.find('%') != std::string_view::npos) return std::nullopt;
    boost::system::error_code error;
    const auto parsed = boost::asio::ip::make_address(text, error);
    return error ? std::nullopt : std::optional(plain_address(parsed));
}

Networks::Bytes Networks::bytes_of(const address& from) {
    if (from.is_v6()) return from.to_v6().to_bytes();
    return boost::asio::ip::make_address_v6(boost::asio::ip::v4_mapped, from.to_v4()).to_bytes();
}

std::optional<std::string> Networks::add(std::string_view text) {
    const auto slash = text.find('/');
    const auto first = parse_plain_address(text.substr(0, slash));
    const std::string neither(told("is neither an IP address nor a network such as 10.0.0.0/8"));
    if (!first) return neither;
    const unsigned bits = first->is_v4() ? v4_bits : v6_bits;
    unsigned length = bits;
    if (slash != std::string_view::npos) {
        length = parse_number<unsigned>(text.substr(slash + 1)).value_or(bits + 1);
        if (length > bits) return neither;
    }
    const Network network{bytes_of(*first), v6_bits - bits + length};
    if (masked(network.first, network.length) != network.first)
        return std::string(
            told("has bits set behind its prefix: name the first address of the network, or leave the prefix out"));
    networks_.push_back(network);
    return std::nullopt;
}

bool Networks::contain(const address& one) const {
    const auto bytes = bytes_of(one);
    return std::ranges::any_of(networks_,
                               [&](const Network& network) { return masked(bytes, network.length) == network.first; });
}

}  // namespace gateway
