// Reads IP addresses and networks as an operator lists them. It is pure.
#pragma once

#include <boost/asio/ip/address.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Returns the address as a person writes it: an IPv4 address in the form of an IPv6 one ("::ffff:10.0.0.1") becomes an
// IPv4 address.
boost::asio::ip::address plain_address(const boost::asio::ip::address& from);
// Reads an address and returns its plain form. Returns nothing if the text is anything else, or names a zone.
std::optional<boost::asio::ip::address> parse_plain_address(std::string_view text);

class Networks {
  public:
    // Adds an address such as "192.168.1.2" or "2001:db8::7", or a network such as "10.0.0.0/8". If the text is
    // neither, it says in words what is wrong and adds nothing.
    std::optional<std::string> add(std::string_view text);

    bool contain(const boost::asio::ip::address& one) const;
    bool empty() const noexcept { return networks_.empty(); }

  private:
    // IPv4 addresses are kept among the IPv6 ones, as ::ffff:0:0/96.
    using Bytes = boost::asio::ip::address_v6::bytes_type;
    struct Network {
        Bytes first{};
        unsigned length = 0;  // the length of its prefix, in bits
    };
    static Bytes bytes_of(const boost::asio::ip::address& from);

    std::vector<Network> networks_;
};

}  // namespace gateway
