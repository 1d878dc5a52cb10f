#include "http/server/head.hpp"

#include "http/server/target.hpp"
#include "unit/support/seeded_random.hpp"

#include <boost/beast/http.hpp>
#include <gtest/gtest.h>

namespace gateway::http {
namespace {

struct ReadHead {
    Request request;
    Head head;
    std::optional<Refusal> refusal;
    std::size_t size = 0;
};

// Reads as a session does; `bytes` may have a body behind the head.
ReadHead read(std::string_view bytes, std::size_t limit = 16384) {
    ReadHead result;
    HeadScanner scanner(limit);
    result.size = scanner.scan(bytes);
    result.refusal = scanner.refusal();
    if (result.size > 0) result.refusal = parse_head(bytes.substr(0, result.size), result.request, result.head);
    return result;
}

unsigned status_of(std::string_view bytes) {
    const auto result = read(bytes);
    if (result.refusal) return static_cast<unsigned>(result.refusal->status);
    return result.size > 0 ? 200 : 0;
}

std::string with(std::string_view field_lines) {
    return "POST /v1/sell HTTP/1.1\r\nHost: x\r\n" + std::string(field_lines) + "\r\n\r\n";
}

TEST(Head, OrdinaryRequestIsRead) {
    const auto got = read(
        "POST /v1/sell?a=b HTTP/1.1\r\nHost: gateway:8080\r\nContent-Length: 12\r\nX-Y:\t v w "
        "\t\r\nEmpty:\r\n\r\n{...");
    ASSERT_FALSE(got.refusal) << got.refusal->detail;
    EXPECT_EQ(got.request.method, verb::post);
    EXPECT_EQ(got.request.target, "/v1/sell?a=b");
    EXPECT_EQ(got.request.path, "/v1/sell");
    EXPECT_EQ(got.request.header("host"), "gateway:8080");
    EXPECT_EQ(got.request.header("x-y"), "v w");
    EXPECT_EQ(got.request.header("Empty"), "");
    EXPECT_EQ(got.head.framing, Framing::length);
    EXPECT_EQ(got.head.content_length, 12U);
    EXPECT_TRUE(got.head.keep_alive);
    EXPECT_FALSE(got.head.expects_continue);
}

TEST(Head, EndIsFoundWhereverTheBytesAreCut) {
    const std::string bytes = "\r\nGET / HTTP/1.1\r\nHost: x\r\nA: b\r\n\r\nGET /next";
    const auto end = bytes.find("\r\n\r\n") + 4;
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        HeadScanner scanner(1000);
        const auto early = scanner.scan(std::string_view(bytes).substr(0, cut));
        EXPECT_EQ(early, cut >= end ? end : 0) << cut;
        if (early == 0) {
            EXPECT_EQ(scanner.scan(bytes), end) << cut;
        }
        EXPECT_FALSE(scanner.refusal());
    }
}

TEST(Head, EndIsFoundByteByByte) {
    const std::string bytes = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    HeadScanner scanner(1000);
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_EQ(scanner.scan(std::string_view(bytes).substr(0, size)), 0U) << size;
    EXPECT_EQ(scanner.scan(bytes), bytes.size());
}

TEST(Head, OneEmptyLineMayComeBeforeARequest) {
    EXPECT_EQ(status_of("\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"), 200U);
    EXPECT_EQ(status_of("\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"), 400U);
}

TEST(Head, FoldedLinesAreRefused) {
    EXPECT_EQ(status_of(with("A: b\r\n c")), 400U);
    EXPECT_EQ(status_of(with("A: b\r\n\tc: d")), 400U);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\n Host: x\r\n\r\n"), 400U);
}

TEST(Head, BareLineFeedsAreRefusedAsSoonAsTheyCome) {
    EXPECT_EQ(status_of("GET / HTTP/1.1\n"), 400U);
    EXPECT_EQ(status_of("\nGET / HTTP/1.1\r\n"), 400U);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: x\n"), 400U);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: x\r\n\n"), 400U);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: x\r\nA: b\nC: d\r\n\r\n"), 400U);
}

TEST(Head, BareCarriageReturnsAreRefused) {
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: x\r\nA: b\rC: d\r\n\r\n"), 400U);
    EXPECT_EQ(status_of("GET / HTTP/1.1\rHost: x\r\n\r\n"), 400U);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\r\nHost: x\r\n\r\n"), 400U);
    EXPECT_EQ(status_of("\rGET / HTTP/1.1\r\nHost: x\r\n\r\n"), 400U);
}

TEST(Head, WhatIsNoFieldIsRefused) {
    for (const auto* line : {"A : b", "A\t: b", ": b", "A", "A b: c", "A\x01: b", "\xc3\xa3: b", "A(b): c", "A\"b: c",
                             "A: b\x01", "A: \x7f"})
        EXPECT_EQ(status_of(with(line)), 400U) << line;
    EXPECT_EQ(status_of(with(std::string("A: b\0c", 6))), 400U);
}

TEST(Head, LengthGivenTwiceIsRefusedEvenWhenEqual) {
    EXPECT_EQ(status_of(with("Content-Length: 5\r\nContent-Length: 6")), 400U);
    EXPECT_EQ(status_of(with("Content-Length: 5\r\ncontent-length: 5")), 400U);
    EXPECT_EQ(status_of(with("Content-Length: 5, 5")), 400U);
    EXPECT_EQ(status_of(with("Content-Length: 5, 6")), 400U);
}

TEST(Head, LengthThatIsNoNumberIsRefused) {
    for (const auto* value : {"", "+5", "-5", "0x5", "5a", "5 5", "1e3", "\xd9\xa5"})
        EXPECT_EQ(status_of(with("Content-Length: " + std::string(value))), 400U) << value;
    EXPECT_EQ(status_of(with("Content-Length: 005")), 200U);
    EXPECT_EQ(status_of(with("Content-Length: 18446744073709551616")), 413U);
}

TEST(Head, LengthWithTransferCodingIsRefused) {
    EXPECT_EQ(status_of(with("Content-Length: 5\r\nTransfer-Encoding: chunked")), 400U);
    EXPECT_EQ(status_of(with("Transfer-Encoding: chunked\r\nContent-Length: 5")), 400U);
    EXPECT_EQ(status_of(with("Transfer-Encoding: identity\r\nContent-Length: 5")), 400U);
}

TEST(Head, OnlyChunkedIsATransferCoding) {
    EXPECT_EQ(read(with("Transfer-Encoding: Chunked")).head.framing, Framing::chunked);
    for (const auto* value : {"", "chunked, chunked", "chunked, identity", "gzip, chunked, gzip", "\"chunked\"",
                              "chunked;q=1", ",chunked", "chunked,"})
        EXPECT_EQ(status_of(with("Transfer-Encoding: " + std::string(value))), 400U) << value;
    for (const auto* value : {"gzip", "gzip, chunked", "gzip, br", "xchunked", "gzip;q=1"})
        EXPECT_EQ(status_of(with("Transfer-Encoding: " + std::string(value))), 501U) << value;
    EXPECT_EQ(status_of(with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked")), 400U);
    EXPECT_EQ(status_of(with("Transfer-Encoding:\x0b"
                             "chunked")),
              400U);
    EXPECT_EQ(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400U);
}

TEST(Head, HostComesOnce) {
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400U);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"), 400U);
    EXPECT_EQ(status_of("GET / HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n"), 400U);
    EXPECT_EQ(status_of("GET / HTTP/1.0\r\n\r\n"), 200U);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost:\r\n\r\n"), 200U);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"), 200U);
    for (const auto* host : {"a b", "a/b", "user@x", "x?y", "x#y", "a\"b", "\xc3\xa3"})
        EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"), 400U) << host;
}

TEST(Head, BrokenRequestLinesAreRefused) {
    for (const auto* line : {"GET", "GET /", "GET  / HTTP/1.1", "GET / HTTP/1.1 ", "GET /  HTTP/1.1", " GET / HTTP/1.1",
                             "GET /a b HTTP/1.1", "GET / http/1.1", "GET / HTTP/1", "GET / HTTP/1.10", "GET / HTTP/11",
                             "GET / HTTPS/1.1", "GET\t/ HTTP/1.1", "G@T / HTTP/1.1", "GET gateway HTTP/1.1",
                             "GET * HTTP/1.1", "GET /%zz HTTP/1.1", "GET /?a=%f HTTP/1.1", "CONNECT x:1 HTTP/1.1"})
        EXPECT_EQ(status_of(std::string(line) + "\r\nHost: x\r\n\r\n"), 400U) << line;
}

TEST(Head, ControlCharactersAndFragmentsInATargetAreRefused) {
    for (char c = 1; c < 0x20; ++c)
        EXPECT_EQ(status_of(std::string("GET /a") + c + "b HTTP/1.1\r\nHost: x\r\n\r\n"), 400U) << static_cast<int>(c);
    EXPECT_EQ(status_of("GET /\x7f HTTP/1.1\r\nHost: x\r\n\r\n"), 400U);
    EXPECT_EQ(status_of(std::string("GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n", 28)), 400U);
    EXPECT_EQ(status_of("GET /#a HTTP/1.1\r\nHost: x\r\n\r\n"), 400U);
    EXPECT_EQ(status_of("GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n"), 400U);
}

TEST(Head, ABodyWithAContentCodingIsNotTaken) {
    for (const auto* value : {"gzip", "br", "identity, gzip", "x"})
        EXPECT_EQ(status_of(with("Content-Length: 5\r\nContent-Encoding: " + std::string(value))), 415U) << value;
    EXPECT_EQ(status_of(with("Transfer-Encoding: chunked\r\nContent-Encoding: gzip")), 415U);
    EXPECT_EQ(status_of(with("Content-Length: 5\r\nContent-Encoding: Identity")), 200U);
    EXPECT_EQ(status_of(with("Content-Encoding: gzip")), 200U) << "there is no body";
}

TEST(Head, AMinorVersionThatIsNotKnownIsReadAsTheHighestThatIs) {
    const auto got = read("GET / HTTP/1.2\r\nHost: x\r\n\r\n");
    EXPECT_FALSE(got.refusal);
    EXPECT_TRUE(got.head.keep_alive);
    EXPECT_EQ(status_of("GET / HTTP/1.9\r\n\r\n"), 400U) << "Host is missing";
}

TEST(Head, OtherVersionsAreNotSpoken) {
    for (const auto* version : {"HTTP/0.9", "HTTP/2.0", "HTTP/9.9"})
        EXPECT_EQ(status_of("GET / " + std::string(version) + "\r\nHost: x\r\n\r\n"), 505U) << version;
    EXPECT_EQ(status_of("PRI * HTTP/2.0\r\n\r\n"), 505U);
}

TEST(Head, WhatIsNoHttpIsRefusedAtItsFirstByte) {
    EXPECT_EQ(status_of("\x16\x03\x01"), 400U);
    EXPECT_EQ(status_of(" "), 400U);
    EXPECT_EQ(status_of("{"), 400U);
}

TEST(Head, UnknownVerbsAreReadAsSuch) {
    EXPECT_EQ(read("BREW / HTTP/1.1\r\nHost: x\r\n\r\n").request.method, verb::unknown);
    EXPECT_EQ(read("get / HTTP/1.1\r\nHost: x\r\n\r\n").request.method, verb::unknown);
    EXPECT_EQ(status_of("BREW / HTTP/1.1\r\nHost: x\r\n\r\n"), 200U);
}

TEST(Head, ConnectionStaysUnlessSomebodyWantsItClosed) {
    EXPECT_TRUE(read(with("Connection: keep-alive")).head.keep_alive);
    EXPECT_FALSE(read(with("Connection: close")).head.keep_alive);
    EXPECT_FALSE(read(with("Connection: foo, CLOSE")).head.keep_alive);
    EXPECT_FALSE(read(with("Connection: keep-alive\r\nConnection: close")).head.keep_alive);
    EXPECT_FALSE(read("GET / HTTP/1.0\r\n\r\n").head.keep_alive);
    EXPECT_TRUE(read("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").head.keep_alive);
    EXPECT_FALSE(read("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n").head.keep_alive);
}

TEST(Head, ContinueIsExpectedOnlyWhereABodyFollows) {
    EXPECT_TRUE(read(with("Content-Length: 5\r\nExpect: 100-Continue")).head.expects_continue);
    EXPECT_TRUE(read(with("Transfer-Encoding: chunked\r\nExpect: 100-continue")).head.expects_continue);
    EXPECT_FALSE(read(with("Expect: 100-continue")).head.expects_continue);
    EXPECT_FALSE(read(with("Content-Length: 5\r\nExpect: something")).head.expects_continue);
    EXPECT_FALSE(read("POST / HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n").head.expects_continue);
}

TEST(Head, LongRequestLineIs414EvenUnfinished) {
    const std::string path(request_line_limit, 'a');
    EXPECT_EQ(status_of("GET /" + path), 414U);
    EXPECT_EQ(status_of("GET /" + path + " HTTP/1.1\r\nHost: x\r\n\r\n"), 414U);
    const std::string longest = "GET /" + std::string(request_line_limit - 16, 'a') + " HTTP/1.1\r\n";
    ASSERT_EQ(longest.size(), request_line_limit);
    EXPECT_EQ(status_of(longest + "Host: x\r\n\r\n"), 200U);
}

TEST(Head, LargeHeaderIs431EvenUnfinished) {
    const std::string start = "GET / HTTP/1.1\r\nHost: x\r\nA: ";
    EXPECT_EQ(read(start + std::string(100, 'a'), 100).refusal->status, status::request_header_fields_too_large);
    const auto whole = start + "b\r\n\r\n";
    EXPECT_FALSE(read(whole, whole.size()).refusal);
    EXPECT_EQ(read(whole, whole.size() - 1).refusal->status, status::request_header_fields_too_large);
    EXPECT_FALSE(read(whole + std::string(100, 'x'), whole.size()).refusal) << "what follows is not the header";
}

TEST(Head, ManyFieldsAre431) {
    std::string lines = "A: b";
    for (std::size_t i = 2; i < field_limit; ++i)
        lines += "\r\nA: b";
    EXPECT_EQ(status_of(with(lines)), 200U);
    EXPECT_EQ(status_of(with(lines + "\r\nA: b")), 431U);
}

TEST(Head, WhatWasUnderstoodBeforeARefusalIsKept) {
    EXPECT_EQ(read(with("X-Request-Id: abc\r\nbroken")).request.header("X-Request-Id"), "abc");
}

// Uses Beast's parser as a second opinion: what is accepted here, Beast accepts, too, and reads in the same way.
void expect_same_reading(const std::string& bytes) {
    const auto ours = read(bytes);
    if (ours.refusal || ours.size == 0) return;
    namespace beast_http = boost::beast::http;
    beast_http::request_parser<beast_http::empty_body> theirs;
    theirs.header_limit(65535);
    theirs.body_limit(boost::none);
    boost::system::error_code error;
    const auto start = bytes.starts_with("\r\n") ? 2U : 0U;
    const auto request_line = std::string_view(bytes).substr(0, bytes.find('\r', start));
    if (!request_line.ends_with("/1.0") && !request_line.ends_with("/1.1")) return;  // Beast does not know it
    const auto used = theirs.put(boost::asio::buffer(bytes.data() + start, ours.size - start), error);
    ASSERT_FALSE(error) << error.message() << "\n" << bytes;
    EXPECT_EQ(used, ours.size - start) << bytes;
    ASSERT_TRUE(theirs.is_header_done()) << bytes;
    EXPECT_EQ(theirs.get().method(), ours.request.method) << bytes;
    EXPECT_EQ(theirs.get().target(), ours.request.target) << bytes;
    EXPECT_EQ(theirs.chunked(), ours.head.framing == Framing::chunked) << bytes;
    EXPECT_EQ(theirs.keep_alive(), ours.head.keep_alive) << bytes;
    EXPECT_EQ(theirs.content_length().value_or(0), ours.head.content_length) << bytes;
    EXPECT_EQ(std::distance(theirs.get().begin(), theirs.get().end()),
              std::distance(ours.request.headers.begin(), ours.request.headers.end()))
        << bytes;
    for (const auto& theirs_field : theirs.get())
        EXPECT_GT(ours.request.headers.count(theirs_field.name_string()), 0U) << bytes;
}

TEST(Head, WhatIsTakenBeastTakesInTheSameWay) {
    const std::vector<std::string> pieces{"GET ",
                                          "POST ",
                                          "/",
                                          "/v1/sell",
                                          "?a=b",
                                          "%2F",
                                          " HTTP/1.1",
                                          " HTTP/1.0",
                                          "\r\n",
                                          "\r",
                                          "\n",
                                          "Host: x\r\n",
                                          "Content-Length: 5\r\n",
                                          "Transfer-Encoding: chunked\r\n",
                                          "Connection: close\r\n",
                                          "Connection: keep-alive\r\n",
                                          "A: b\r\n",
                                          " ",
                                          "\t",
                                          ":",
                                          ",",
                                          "chunked",
                                          "5",
                                          "\r\n\r\n",
                                          "\x80",
                                          "Expect: 100-continue\r\n"};
    const std::string seed_text = "POST /v1/sell?a=b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nA: b, c\r\n\r\n";
    test::SeededRandom random(7);
    std::size_t taken = 0;
    for (int round = 0; round < 20'000; ++round) {
        auto bytes = seed_text;
        for (auto edits = random.below(4); edits > 0; --edits) {
            const auto at = static_cast<std::size_t>(random.below(bytes.size() + 1));
            const auto cut = static_cast<std::size_t>(random.below(3));
            bytes.replace(at, std::min(cut, bytes.size() - at),
                          pieces.at(static_cast<std::size_t>(random.below(pieces.size()))));
        }
        expect_same_reading(bytes);
        if (HasFailure()) break;
        const auto result = read(bytes);
        if (!result.refusal && result.size > 0) ++taken;
    }
    EXPECT_GT(taken, 2'000U) << "too few readable requests to prove anything";
}

}  // namespace
}  // namespace gateway::http
