#include "http/server/answer.hpp"

#include <gtest/gtest.h>

namespace gateway::http {
namespace {

AnswerFrame frame() {
    AnswerFrame made;
    made.request_id = "r-1";
    made.date = "Thu, 02 May 2024 13:00:00 GMT";
    return made;
}

std::string text_of(const Response& response, const AnswerFrame& with) {
    std::string out;
    append_answer(out, response, with);
    return out;
}

TEST(Answer, IsOnePieceWithWhatEveryAnswerHas) {
    Response response;
    response.status = status::created;
    response.body = "{}";
    response.with("Location", "/v1/sales/1");
    EXPECT_EQ(text_of(response, frame()),
              "HTTP/1.1 201 Created\r\nX-Request-Id: r-1\r\nDate: Thu, 02 May 2024 13:00:00 GMT\r\n"
              "Location: /v1/sales/1\r\nCache-Control: no-store\r\nContent-Type: application/json\r\n"
              "Content-Length: 2\r\n\r\n{}");
}

TEST(Answer, WithoutABodyHasALengthButNoType) {
    const auto text = text_of({}, frame());
    EXPECT_NE(text.find("Content-Length: 0\r\n"), std::string::npos);
    EXPECT_EQ(text.find("Content-Type"), std::string::npos);
}

TEST(Answer, ToHeadHasTheLengthOfTheBodyAndNoBody) {
    auto with = frame();
    with.head_only = true;
    Response response;
    response.body = "hello";
    const auto text = text_of(response, with);
    EXPECT_NE(text.find("Content-Type: application/json\r\nContent-Length: 5\r\n"), std::string::npos);
    EXPECT_TRUE(text.ends_with("\r\n\r\n"));
}

TEST(Answer, CountsADocumentAndLeavesItToTheConnection) {
    Response response{.document = "hello"};
    const auto text = text_of(response, frame());
    EXPECT_NE(text.find("Content-Type: application/json\r\nContent-Length: 5\r\n"), std::string::npos);
    EXPECT_TRUE(text.ends_with("\r\n\r\n"));
    EXPECT_TRUE(has_body(response, frame()));
    auto with = frame();
    with.head_only = true;
    EXPECT_FALSE(has_body(response, with));
    response.status = status::no_content;
    EXPECT_FALSE(has_body(response, frame()));
}

TEST(Answer, NoContentHasNeitherLengthNorBody) {
    Response response;
    response.body = "hello";
    for (const auto code : {status::no_content, status::not_modified}) {
        response.status = code;
        const auto text = text_of(response, frame());
        EXPECT_EQ(text.find("Content-"), std::string::npos);
        EXPECT_TRUE(text.ends_with("\r\n\r\n"));
    }
}

TEST(Answer, SaysWhatBecomesOfTheConnectionWhereThatIsNotObvious) {
    auto with = frame();
    EXPECT_EQ(text_of({}, with).find("Connection"), std::string::npos);
    with.http_1_0 = true;
    EXPECT_NE(text_of({}, with).find("\r\nConnection: keep-alive\r\n"), std::string::npos);
    with.keep_alive = false;
    EXPECT_NE(text_of({}, with).find("\r\nConnection: close\r\n"), std::string::npos);
    EXPECT_EQ(text_of({}, with).find("keep-alive"), std::string::npos);
}

TEST(Answer, FramingFieldsOfAHandlerAreSkipped) {
    Response response;
    response.with("content-length", "99").with("Transfer-Encoding", "chunked").with("CONNECTION", "x");
    response.with("X-Request-ID", "forged").with("Date", "never").with("Content-type", "text/html");
    const auto text = text_of(response, frame());
    for (const auto* part : {"99", "chunked", "CONNECTION", "forged", "never", "html"})
        EXPECT_EQ(text.find(part), std::string::npos) << part;
}

TEST(Answer, CacheControlOfAHandlerReplacesNoStore) {
    Response response;
    response.with("cache-control", "max-age=5");
    EXPECT_EQ(text_of(response, frame()).find("no-store"), std::string::npos);
}

TEST(Answer, TextFromElsewhereBeginsNoFieldOfItsOwn) {
    Response response;
    response.content_type = "a/b\r\nEvil: 1";
    response.body = "x";
    response.with("Retry-After", std::string("7\r\n\r\nHTTP/1.1 200 OK\n\0", 22));
    const auto text = text_of(response, frame());
    EXPECT_EQ(text.find("\nEvil"), std::string::npos);
    EXPECT_NE(text.find("Retry-After: 7    HTTP/1.1 200 OK  \r\n"), std::string::npos);
}

TEST(Answer, StatusThatIsNoFinalOneGoesOutAs500) {
    for (const auto number : {0U, 99U, 100U, 199U, 1000U}) {
        Response response;
        response.status = static_cast<status>(number);
        EXPECT_TRUE(text_of(response, frame()).starts_with("HTTP/1.1 500 Internal Server Error\r\n")) << number;
    }
}

TEST(Answer, UnknownStatusIsSentAsItIs) {
    Response response;
    response.status = static_cast<status>(299);
    EXPECT_TRUE(text_of(response, frame()).starts_with("HTTP/1.1 299 \r\n"));
}

TEST(DateText, IsThatOfRfc9110AndFollowsTheClock) {
    DateText date;
    const WallTime at = std::chrono::sys_days(std::chrono::year(1994) / 11 / 6) + std::chrono::hours(8) +
                        std::chrono::minutes(49) + std::chrono::milliseconds(37'999);
    EXPECT_EQ(date.at(at), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(date.at(at + std::chrono::milliseconds(1)), "Sun, 06 Nov 1994 08:49:38 GMT");
    EXPECT_EQ(date.at(at + std::chrono::days(60)), "Thu, 05 Jan 1995 08:49:37 GMT");
    EXPECT_EQ(date.at(at), "Sun, 06 Nov 1994 08:49:37 GMT");
}

}  // namespace
}  // namespace gateway::http
