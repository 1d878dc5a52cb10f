// A proxy in front says who the caller is, with a PROXY header, which must be read the same in whatever pieces it comes
// and never beyond its own bytes, or with X-Forwarded-For, which only trusted proxies may set. The first byte says how
// the input is cut.
#include "fuzz/fuzz.hpp"
#include "http/server/forwarded.hpp"
#include "http/server/proxy_header.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

struct Reading {
    ProxyHeader header;
    std::size_t taken = 0;
};

Reading read(std::string_view bytes, std::size_t piece) {
    Reading reading;
    auto& header = reading.header;
    while (!bytes.empty() && header.state() == ProxyHeader::State::more) {
        const auto next = bytes.substr(0, piece);
        const auto taken = header.feed(next);
        CHECK(taken <= next.size() && (taken == next.size() || header.state() != ProxyHeader::State::more));
        bytes.remove_prefix(taken);
        reading.taken += taken;
    }
    CHECK(reading.taken <= ProxyHeader::binary_limit);
    return reading;
}

void check_forwarded(std::string_view bytes) {
    const auto stranger = boost::asio::ip::make_address("203.0.113.7");
    const auto proxy = boost::asio::ip::make_address("192.168.1.2");
    Networks trusted;
    CHECK(!trusted.add("192.168.1.2") && !trusted.add("10.0.0.0/8"));
    Fields fields;
    for (std::size_t begin = 0; begin <= bytes.size();) {
        const auto end = std::min(bytes.find('\n', begin), bytes.size());
        fields.insert("X-Forwarded-For", bytes.substr(begin, end - begin));
        begin = end + 1;
    }
    CHECK(caller_of(fields, stranger, trusted) == stranger);
    const auto caller = caller_of(fields, proxy, trusted);
    CHECK(caller == plain_address(caller));
    fields.insert("X-Forwarded-For", "203.0.113.7, 10.1.1.1");
    CHECK(caller_of(fields, proxy, trusted) == stranger);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const auto piece = input.choice(64) + 1;
    const auto bytes = input.rest();
    const auto whole = read(bytes, std::max<std::size_t>(bytes.size(), 1));
    const auto pieces = read(bytes, piece);
    CHECK(whole.header.state() == pieces.header.state() && whole.header.source() == pieces.header.source());
    if (whole.header.state() == ProxyHeader::State::complete) {
        CHECK(whole.taken == pieces.taken && is_proxy_header(bytes));
    }
    check_forwarded(bytes);
    Networks any;
    if (any.add(bytes.substr(0, bytes.find('\n')))) CHECK(any.empty());
    return 0;
}
