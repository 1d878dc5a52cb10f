#include "http/client/request_text.hpp"

#include "http/client/addresses.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace http;
ClientRequest a_post() {
    ClientRequest request;
    request.post = true;
    request.target = "/venda/tv/solicitar";
    request.content_type = "application/json";
    request.authorization = Secret("Bearer t");
    request.body = Secret("{}");
    return request;
}

TEST(RequestText, IsOneMessage) {
    EXPECT_EQ(request_text(a_post(), "provider.example")->reveal(),
              "POST /venda/tv/solicitar HTTP/1.1\r\nHost: provider.example\r\nAccept: application/json\r\n"
              "Accept-Encoding: identity\r\n"
              "Authorization: Bearer t\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
}

TEST(RequestText, AGetHasNoBody) {
    ClientRequest request;
    request.target = "/x?y=1";
    request.accept = "text/plain";
    request.accept_language = "pt-BR";
    request.request_id = "req-1";
    request.body = Secret("ignored");
    EXPECT_EQ(request_text(request, "h:81")->reveal(),
              "GET /x?y=1 HTTP/1.1\r\nHost: h:81\r\nAccept: text/plain\r\nAccept-Language: pt-BR\r\n"
              "Accept-Encoding: identity\r\nX-Request-Id: req-1\r\n\r\n");
}

TEST(RequestText, APostWithoutABodySaysSo) {
    auto request = a_post();
    request.body = Secret();
    EXPECT_NE(request_text(request, "h")->reveal().find("Content-Length: 0\r\n"), std::string::npos);
}

TEST(RequestText, RefusesWhatWouldBreakTheMessage) {
    for (const char* target : {"", "x", "/a b", "/a\r\nX: y", "/\xc3\xa7"}) {
        auto request = a_post();
        request.target = target;
        EXPECT_EQ(request_text(request, "h").error(), errc::malformed) << target;
    }
    const auto breaks = [](auto change) {
        auto request = a_post();
        change(request);
        return request_text(request, "h").has_error();
    };
    EXPECT_TRUE(breaks([](auto& r) { r.accept = "a\r\nX: y"; }));
    EXPECT_TRUE(breaks([](auto& r) { r.accept_language = "a\r\nX: y"; }));
    EXPECT_TRUE(breaks([](auto& r) { r.request_id = "a\nb"; }));
    EXPECT_TRUE(breaks([](auto& r) { r.content_type = std::string_view("a\0b", 3); }));
    EXPECT_TRUE(breaks([](auto& r) { r.authorization = Secret("Bearer a\rb"); }));
    EXPECT_FALSE(breaks([](auto& r) { r.accept = "text/html;q=0.5, \t*/*"; }));
    EXPECT_TRUE(breaks([](auto& r) { r.accept = "text/html;q=0.5, \t*/*; a=b\r\nX: y"; }));
}

TEST(Origin, WritesAHostHeader) {
    const auto authority = [](bool tls, const char* host, std::uint16_t port) {
        return Origin{tls, host, port}.authority();
    };
    EXPECT_EQ(authority(true, "provider.example", 443), "provider.example");
    EXPECT_EQ(authority(true, "provider.example", 80), "provider.example:80");
    EXPECT_EQ(authority(false, "127.0.0.1", 80), "127.0.0.1");
    EXPECT_EQ(authority(false, "::1", 8080), "[::1]:8080");
}

}  // namespace
}  // namespace gateway::test
