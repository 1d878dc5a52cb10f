#include "http/server/proxy_header.hpp"

#include <gtest/gtest.h>

namespace gateway::http {
namespace {

using namespace std::string_literals;
using State = ProxyHeader::State;

const auto magic = "\r\n\r\n\0\r\nQUIT\n"s;
const auto v4_addresses = "\xcb\x00\x71\x07\xc0\x00\x02\x01\xc8\x22\x1f\x90"s;  // 203.0.113.7, 192.0.2.1, 51234, 8080

std::string binary(char command, char family, const std::string& rest) {
    return magic + command + family + static_cast<char>(rest.size() / 256) + static_cast<char>(rest.size() % 256) +
           rest;
}

struct Outcome {
    State state = State::more;
    std::string source;     // "own" where the proxy speaks for itself
    std::size_t taken = 0;  // how many of the bytes were taken
};

Outcome feed(const std::string& bytes, std::size_t piece) {
    ProxyHeader header;
    Outcome outcome;
    for (std::size_t at = 0; at < bytes.size() && header.state() == State::more; at += piece) {
        const auto part = std::string_view(bytes).substr(at, piece);
        const auto taken = header.feed(part);
        EXPECT_TRUE(taken == part.size() || header.state() != State::more) << "what is taken is at most the header";
        outcome.taken += taken;
    }
    outcome.state = header.state();
    outcome.source = header.source() ? header.source()->to_string() : "own";
    return outcome;
}

// Returns the source, which is the same in whatever pieces the header comes. The bytes behind it are left alone.
std::string source_of(const std::string& header) {
    const auto whole = feed(header + "\x16\x03\x01GET / HTTP/1.1\r\n", 100'000);
    EXPECT_EQ(whole.state, State::complete) << header;
    EXPECT_EQ(whole.taken, header.size());
    for (const std::size_t piece : {1, 2, 5, 16, 17}) {
        const auto pieces = feed(header, piece);
        EXPECT_EQ(pieces.state, State::complete) << piece;
        EXPECT_EQ(pieces.source, whole.source);
        EXPECT_EQ(feed(header.substr(0, header.size() - 1), piece).state, State::more);
    }
    return whole.source;
}

void expect_refused(const std::string& bytes) {
    for (const std::size_t piece : {std::size_t(1), std::size_t(7), bytes.size()})
        EXPECT_EQ(feed(bytes, piece).state, State::refused) << bytes;
}

TEST(ProxyHeader, ALineNamesTheSource) {
    EXPECT_EQ(source_of("PROXY TCP4 203.0.113.7 192.0.2.1 51234 8080\r\n"), "203.0.113.7");
    EXPECT_EQ(source_of("PROXY TCP6 2001:db8::7 2001:db8::1 51234 8080\r\n"), "2001:db8::7");
    EXPECT_EQ(source_of("PROXY TCP6 ::ffff:203.0.113.7 ::ffff:192.0.2.1 1 65535\r\n"), "203.0.113.7");
    EXPECT_EQ(source_of("PROXY TCP4 0.0.0.0 255.255.255.255 0 0\r\n"), "0.0.0.0");
}

TEST(ProxyHeader, AnUnknownSourceIsTheProxysOwn) {
    EXPECT_EQ(source_of("PROXY UNKNOWN\r\n"), "own");
    EXPECT_EQ(source_of("PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n"), "own");
    EXPECT_EQ(source_of("PROXY UNKNOWN " + std::string(ProxyHeader::line_limit - 16, 'x') + "\r\n"), "own");
}

TEST(ProxyHeader, ALineThatIsNotOfTheProtocolIsRefused) {
    for (const auto* line : {"GET / HTTP/1.1\r\n",
                             "PROXY \r\n",
                             "PROXY\r\n",
                             "proxy TCP4 1.1.1.1 1.1.1.1 1 1\r\n",
                             "PROXY TCP4 203.0.113.7 192.0.2.1 51234 8080\n",
                             "PROXY TCP4\r\n",
                             "PROXY TCP4 203.0.113.7\r\n",
                             "PROXY TCP4 203.0.113.7 192.0.2.1 51234\r\n",
                             "PROXY TCP4 203.0.113.7 192.0.2.1 51234 8080 x\r\n",
                             "PROXY TCP4 203.0.113.7 192.0.2.1 51234 8080 \r\n",
                             "PROXY TCP4 203.0.113.7  192.0.2.1 51234 8080\r\n",
                             "PROXY TCP4 203.0.113.7 192.0.2.1 65536 8080\r\n",
                             "PROXY TCP4 203.0.113.7 192.0.2.1 -1 8080\r\n",
                             "PROXY TCP4 2001:db8::7 2001:db8::1 51234 8080\r\n",
                             "PROXY TCP6 203.0.113.7 192.0.2.1 51234 8080\r\n",
                             "PROXY TCP4 gateway.store 192.0.2.1 51234 8080\r\n",
                             "PROXY TCP6 fe80::1%eth0 ::1 51234 8080\r\n",
                             "PROXY UDP4 203.0.113.7 192.0.2.1 51234 8080\r\n",
                             "PROXY UNKNOWNX\r\n",
                             "PROXY UNKNOWN\n"})
        expect_refused(line);
    expect_refused("PROXY UNKNOWN " + std::string(ProxyHeader::line_limit, 'x'));
    expect_refused("PROXY UNKNOWN " + std::string(ProxyHeader::line_limit - 15, 'x') + "\r\n");
    expect_refused("X");
}

TEST(ProxyHeader, TheBinaryFormNamesTheSource) {
    EXPECT_EQ(source_of(binary('\x21', '\x11', v4_addresses)), "203.0.113.7");
    EXPECT_EQ(source_of(binary('\x21', '\x11', v4_addresses + "\x03\x00\x04more"s)), "203.0.113.7") << "with a TLV";
    const auto v6 = "\x20\x01\x0d\xb8"s + std::string(11, '\0') + "\x07"s + std::string(16, '\1') + "\1\2\3\4"s;
    EXPECT_EQ(source_of(binary('\x21', '\x21', v6)), "2001:db8::7");
    const auto mapped = std::string(10, '\0') + "\xff\xff\xcb\x00\x71\x07"s + std::string(20, '\1');
    EXPECT_EQ(source_of(binary('\x21', '\x21', mapped)), "203.0.113.7");
    const auto most = v4_addresses + std::string(ProxyHeader::binary_limit - 16 - v4_addresses.size(), '\n');
    EXPECT_EQ(source_of(binary('\x21', '\x11', most)), "203.0.113.7");
}

TEST(ProxyHeader, ABinaryOneWithoutASourceIsTheProxysOwn) {
    EXPECT_EQ(source_of(binary('\x20', '\x00', "")), "own") << "a look whether we are there";
    EXPECT_EQ(source_of(binary('\x20', '\x11', v4_addresses)), "own") << "LOCAL, whatever it names";
    EXPECT_EQ(source_of(binary('\x21', '\x00', "")), "own");
    EXPECT_EQ(source_of(binary('\x21', '\x31', std::string(216, '/'))), "own");
}

TEST(ProxyHeader, ABinaryOneThatIsNotOfTheProtocolIsRefused) {
    expect_refused(binary('\x11', '\x11', v4_addresses));  // it has another version
    expect_refused(binary('\x22', '\x11', v4_addresses));  // it has another command
    expect_refused(binary('\x21', '\x12', v4_addresses));  // it is about datagrams
    expect_refused(binary('\x21', '\x41', v4_addresses));
    expect_refused(binary('\x21', '\x11', v4_addresses.substr(1)));  // it is too short for its addresses
    expect_refused(binary('\x21', '\x21', v4_addresses));
    expect_refused(binary('\x21', '\x31', v4_addresses));
    expect_refused("\r\n\r\nGET / HTTP/1.1\r\n");
    auto other = binary('\x21', '\x11', v4_addresses);
    other[11] = '\r';
    expect_refused(other);
}

TEST(ProxyHeader, ALengthThatIsTooLargeIsRefusedBeforeItIsWaitedFor) {
    EXPECT_EQ(feed(magic + "\x21\x11\xff\xff"s, 100).state, State::refused);
    EXPECT_EQ(feed(magic + "\x21\x11\x0f\xf0"s, 100).state, State::more) << "as long as may be";
    EXPECT_EQ(feed(magic + "\x21\x11\x0f\xf1"s, 100).state, State::refused);
}

TEST(ProxyHeader, IsKnownByItsFirstBytes) {
    EXPECT_TRUE(is_proxy_header("PROXY TCP4 "));
    EXPECT_TRUE(is_proxy_header(magic));
    for (const auto& bytes : {""s, "PROXY"s, "POST / HTTP/1.1"s, "\r\n\r\n"s, "PROXYX /"s})
        EXPECT_FALSE(is_proxy_header(bytes)) << bytes;
}

}  // namespace
}  // namespace gateway::http
