// IP addresses and networks of them, as an operator lists them. Pure.
#pragma once

#include <boost/asio/ip/address.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// The address as a person writes it: an IPv4 address that came as an IPv6 one ("::ffff:10.0.0.1") is an IPv4 address.
boost::asio::ip::address plain_address(const boost::asio::ip::address& from);
// An address, brought to its plain form; nothing where the text is anything else, or names a zone.
std::optional<boost::asio::ip::address> parse_plain_address(std::string_view text);

class Networks {
  public:
    // An address such as "192.168.1.2" or "2001:db8::7", or a network such as "10.0.0.0/8". What is wrong with it, in
    // words, and then nothing is added.
    std::optional<std::string> add(std::string_view text);

    bool contain(const boost::asio::ip::address& one) const;
    bool empty() const noexcept { return networks_.empty(); }

  private:
    // IPv4 addresses stand among the IPv6 ones, as ::ffff:0:0/96.
    using Bytes = boost::asio::ip::address_v6::bytes_type;
    struct Network {
        Bytes first{};
        unsigned length = 0;  // of its prefix, in bits
    };
    static Bytes bytes_of(const boost::asio::ip::address& from);

    std::vector<Network> networks_;
};

}  // namespace gateway
