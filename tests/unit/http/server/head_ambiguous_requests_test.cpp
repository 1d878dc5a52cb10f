// Shows why the server reads requests itself: 35 requests that two readers may understand in two ways, what ours does
// with each (it refuses them all), and what Beast 1.81 does. head.hpp uses the numbers of this table.
#include "http/server/body.hpp"
#include "http/server/head.hpp"

#include <boost/beast/http.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::http::ambiguous_requests {
namespace {

enum class Beast {
    refuses,
    accepts,
    leaves_body,  // it accepts the request, and takes the body for the next one
};

struct Row {
    std::string what;
    std::string bytes;
    Beast beast;
};

// This is the body of every request. A reader that finds no body in the request takes it for a further request.
constexpr std::string_view body = "GET /next HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr std::string_view length = "31";
constexpr std::string_view hex_length = "1f";

// Returns `body` in one chunk, with something around its size.
std::string chunks(std::string_view before = "", std::string_view after = "\r\n", std::string_view behind = "\r\n") {
    return fmt::format("{}{}{}{}{}0\r\n\r\n", before, hex_length, after, body, behind);
}

// Returns a request with these field lines besides Host.
std::string with(std::string_view lines, std::string_view content = body) {
    return fmt::format("POST /v1/sell HTTP/1.1\r\nHost: x\r\n{}\r\n\r\n{}", lines, content);
}

// Returns a request with these lines as its whole head; "{}" stands for the length of the body.
std::string whole(std::string_view head, std::string_view content = body) {
    return fmt::format(fmt::runtime(head), length) + std::string(content);
}

std::string with_length(std::string_view value) {
    return with(fmt::format(fmt::runtime("Content-Length: {}"), value));
}

std::string with_coding(std::string_view value) {
    return with(fmt::format(fmt::runtime("Transfer-Encoding: {}"), value), chunks());
}

std::string with_line(std::string_view line) {
    return with(fmt::format(fmt::runtime("{}\r\nContent-Length: {}"), line, length));
}

std::string chunked(std::string_view content) {
    return with("Transfer-Encoding: chunked", content);
}

std::vector<Row> rows() {
    using enum Beast;
    return {
        {"a folded line", with_line("A: b\r\n c"), accepts},
        {"a folded line right behind the request line",
         whole("POST / HTTP/1.1\r\n Host: x\r\nContent-Length: {}\r\n\r\n"), refuses},
        {"a bare line feed behind the request line", whole("POST / HTTP/1.1\nHost: x\r\nContent-Length: {}\r\n\r\n"),
         refuses},
        {"a bare line feed behind a field", with_line("A: b\nC: d"), refuses},
        {"a bare line feed behind the head", whole("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\n"), refuses},
        {"a carriage return in a value", with_line("A: b\rc"), refuses},
        {"a NUL in a value", with_line(std::string_view("A: b\0c", 6)), refuses},
        {"a space before a colon", with(fmt::format("Content-Length : {}", length)), refuses},
        {"a field without a colon", with_line("A b"), refuses},
        {"a field without a name", with_line(": b"), refuses},
        {"two lengths", with(fmt::format("Content-Length: 0\r\nContent-Length: {}", length)), refuses},
        {"the same length twice", with(fmt::format("Content-Length: {0}\r\nContent-Length: {0}", length)), accepts},
        {"the same length twice in a list", with_length("31, 31"), accepts},
        {"a length with a plus", with_length("+31"), refuses},
        {"a length below zero", with_length("-31"), refuses},
        {"a length in hexadecimal", with_length("0x1f"), refuses},
        {"a length that is empty", with_length(""), refuses},
        {"a length that 64 bits do not hold", with_length("18446744073709551647"), refuses},
        {"a length and a coding", with("Content-Length: 5\r\nTransfer-Encoding: chunked", chunks()), refuses},
        {"a coding and a length", with("Transfer-Encoding: chunked\r\nContent-Length: 5", chunks()), refuses},
        {"a coding that is none, and a length",
         with(fmt::format("Transfer-Encoding: identity\r\nContent-Length: {}", length)), accepts},
        {"a coding twice", with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", chunks()), refuses},
        {"chunks that are not the last coding", with_coding("chunked, identity"), leaves_body},
        {"a coding that only looks like chunks", with_coding("xchunked"), leaves_body},
        {"chunks around another coding", with_coding("gzip, chunked"), accepts},
        {"chunks in HTTP/1.0", whole("POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", chunks()),
         accepts},
        {"no host", whole("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n"), accepts},
        {"two hosts", with_line("Host: y"), accepts},
        {"a host that is none", whole("POST / HTTP/1.1\r\nHost: x/y\r\nContent-Length: {}\r\n\r\n"), accepts},
        {"a fragment in the target", whole("POST /v1#a HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n"), accepts},
        {"a chunk's size with a plus", chunked(chunks("+")), refuses},
        {"a chunk's size with 0x", chunked(chunks("0x")), refuses},
        {"an extension of a chunk without a name", chunked(chunks("", ";=b\r\n")), refuses},
        {"a bare line feed behind a chunk's size", chunked(chunks("", "\n")), refuses},
        {"nothing behind a chunk", chunked(chunks("", "\r\n", "")), refuses},
    };
}

// Tells whether the server refuses the request, somewhere between its first byte and its last.
bool is_refused(std::string_view bytes) {
    constexpr std::size_t header_limit = 16384;
    constexpr std::size_t body_limit = 65536;
    HeadScanner scanner(header_limit);
    const auto size = scanner.scan(bytes);
    if (scanner.refusal()) return true;
    Request request;
    Head head;
    if (parse_head(bytes.substr(0, size), request, head)) return true;
    BodyReader reader(head, body_limit);
    reader.read(bytes.substr(size), request.body);
    return reader.refusal().has_value();
}

Beast by_beast(std::string_view bytes) {
    boost::beast::http::request_parser<boost::beast::http::string_body> parser;
    parser.eager(true);
    boost::system::error_code error;
    while (!error && !bytes.empty() && !parser.is_done())
        bytes.remove_prefix(parser.put(boost::asio::buffer(bytes), error));
    if (!parser.is_done()) return Beast::refuses;
    return bytes.empty() ? Beast::accepts : Beast::leaves_body;
}

TEST(AmbiguousRequests, AreBuiltOfAnUnambiguousOne) {
    EXPECT_EQ(body.size(), 31U);
    for (const auto& bytes : {with_length(length), chunked(chunks()), with_line("A: b")}) {
        EXPECT_FALSE(is_refused(bytes)) << bytes;
        EXPECT_EQ(by_beast(bytes), Beast::accepts) << bytes;
    }
}

TEST(AmbiguousRequests, AreAllRefused) {
    for (const auto& row : rows())
        EXPECT_TRUE(is_refused(row.bytes)) << row.what;
}

TEST(AmbiguousRequests, BeastTakesTwelveOfThemAndTheBodiesOfTwoForTheNextRequest) {
    const auto all = rows();
    for (const auto& row : all)
        EXPECT_EQ(by_beast(row.bytes), row.beast) << row.what;
    EXPECT_EQ(all.size(), 35U);
    EXPECT_EQ(std::ranges::count(all, Beast::refuses, &Row::beast), 35 - 12);
    EXPECT_EQ(std::ranges::count(all, Beast::leaves_body, &Row::beast), 2);
}

}  // namespace
}  // namespace gateway::http::ambiguous_requests
