#include "http/server/proxy_header.hpp"

#include "base/ascii.hpp"
#include "net/networks.hpp"

#include <algorithm>
#include <array>

namespace gateway::http {
namespace {

using namespace std::string_view_literals;
using boost::asio::ip::address;

constexpr auto line_begin = "PROXY "sv;
constexpr auto header_end = "\r\n"sv;
constexpr auto signature = "\r\n\r\n\0\r\nQUIT\n"sv;
// In version 2 these are the signature, version and command, family and protocol, and the length of what follows.
constexpr std::size_t binary_head = 16;

// Tells whether one of them begins with the other.
bool agree(std::string_view a, std::string_view b) noexcept {
    const auto common = std::min(a.size(), b.size());
    return a.substr(0, common) == b.substr(0, common);
}

unsigned byte_at(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

// Reads an address of the family that the line names.
std::optional<address> parse_address(std::string_view text, bool v6) {
    const bool written_as_v6 = text.find(':') != std::string_view::npos;
    return written_as_v6 == v6 ? parse_plain_address(text) : std::nullopt;
}

template <class Address>
address address_at(std::string_view text, std::size_t at) {
    typename Address::bytes_type bytes{};
    std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(at), bytes.size(), bytes.begin());
    return plain_address(Address(bytes));
}

}  // namespace

bool is_proxy_header(std::string_view bytes) noexcept {
    return bytes.starts_with(line_begin) || bytes.starts_with(signature);
}

std::size_t ProxyHeader::feed(std::string_view bytes) {
    std::size_t taken = 0;
    while (state_ == State::more && taken < bytes.size()) {
        const auto rest = bytes.substr(taken);
        const bool line = (text_.empty() ? rest : text_).front() == line_begin.front();
        const auto line_ends = line ? std::min(rest.find('\n'), rest.size() - 1) + 1 : rest.size();
        const auto count = std::min(missing(), line_ends);
        text_ += rest.substr(0, count);
        taken += count;
        conclude();
    }
    return taken;
}

// Returns how many more bytes a line may have, or how many more the binary form certainly has.
std::size_t ProxyHeader::missing() const {
    if (text_.starts_with(line_begin.front())) return line_limit - text_.size();
    if (text_.size() < binary_head) return binary_head - text_.size();
    return binary_head + byte_at(text_, 14) * 256 + byte_at(text_, 15) - text_.size();
}

void ProxyHeader::conclude() {
    const bool line = agree(text_, line_begin);
    bool good = line || agree(text_, signature);
    bool whole = false;
    if (good && line) {
        whole = text_.ends_with('\n');
        good = whole ? text_.size() > line_begin.size() && text_.ends_with(header_end) && read_line(text_)
                     : text_.size() < line_limit;
    } else if (good && text_.size() >= binary_head) {
        whole = missing() == 0;
        good = text_.size() + missing() <= binary_limit && (!whole || read_binary());
    }
    if (!good) state_ = State::refused;
    if (good && whole) state_ = State::complete;
}

// Reads "PROXY TCP4 192.0.2.7 192.0.2.1 51234 8080", or the same with TCP6, or "PROXY UNKNOWN" and anything.
bool ProxyHeader::read_line(std::string_view line) {
    line.remove_prefix(line_begin.size());
    line.remove_suffix(header_end.size());
    if (line == "UNKNOWN" || line.starts_with("UNKNOWN ")) return true;
    std::array<std::string_view, 5> words;
    for (auto& word : words) {
        const bool last = &word == &words.back();
        const auto end = last ? line.size() : std::min(line.find(' '), line.size());
        word = line.substr(0, end);
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    const auto& [protocol, source, destination, source_port, destination_port] = words;
    const bool v6 = protocol == "TCP6";
    source_ = parse_address(source, v6);
    return (v6 || protocol == "TCP4") && source_ && parse_address(destination, v6) &&
           parse_number<std::uint16_t>(source_port) && parse_number<std::uint16_t>(destination_port);
}

bool ProxyHeader::read_binary() {
    constexpr unsigned local = 0x20;  // the proxy's own connection, by which it checks whether we are there
    constexpr unsigned proxy = 0x21;
    const auto command = byte_at(text_, 12);
    const auto length = text_.size() - binary_head;
    if (command == local) return true;
    if (command != proxy) return false;
    // There are two addresses and, except for the last case, two ports. What follows them is not for us.
    switch (byte_at(text_, 13)) {
        case 0x00: return true;  // the proxy does not know
        case 0x11:               // TCP over IPv4
            if (length < 12) return false;
            source_ = address_at<boost::asio::ip::address_v4>(text_, binary_head);
            return true;
        case 0x21:  // TCP over IPv6
            if (length < 36) return false;
            source_ = address_at<boost::asio::ip::address_v6>(text_, binary_head);
            return true;
        case 0x31: return length >= 216;  // a socket of the proxy's machine, which has no address
    }
    return false;  // datagrams, or something that the protocol does not know
}

}  // namespace gateway::http
