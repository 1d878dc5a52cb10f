#include "http/server/message.hpp"

#include <gtest/gtest.h>

namespace gateway::http {
namespace {

using std::chrono::seconds;

std::optional<seconds> wait_of(std::initializer_list<std::string_view> lines, seconds most = seconds(120)) {
    Request request;
    for (const auto line : lines)
        request.headers.insert("Prefer", line);
    return preferred_wait(request, most);
}

TEST(PreferredWait, IsReadFromAnyOfThePreferences) {
    EXPECT_EQ(wait_of({"wait=20"}), seconds(20));
    EXPECT_EQ(wait_of({"respond-async, WAIT = 20"}), seconds(20));
    EXPECT_EQ(wait_of({"return=minimal; foo=\"a, b\", wait=\"7\"; x"}), seconds(7));
    EXPECT_EQ(wait_of({"respond-async", "wait=9"}), seconds(9));
    EXPECT_EQ(wait_of({"wait=1", "wait=9"}), seconds(1));
}

TEST(PreferredWait, IsBounded) {
    EXPECT_EQ(wait_of({"wait=120"}), seconds(120));
    EXPECT_EQ(wait_of({"wait=121"}), seconds(120));
    EXPECT_EQ(wait_of({"wait=99999999999999999999999"}), seconds(120));
}

TEST(PreferredWait, WhatMakesNoSenseIsIgnored) {
    for (const auto* text : {"", "wait", "wait=", "wait=0", "wait=-5", "wait=1.5", "wait=+5", "wait=5s", "wait=0x10",
                             "waiting=5", "x;wait=5"})
        EXPECT_EQ(wait_of({text}), std::nullopt) << text;
    EXPECT_EQ(wait_of({}), std::nullopt);
}

TEST(MediaType, IsReadInLowerCaseWithItsCharset) {
    EXPECT_EQ(parse_media_type("application/json")->name, "application/json");
    EXPECT_EQ(parse_media_type("application/json")->charset, "");
    EXPECT_EQ(parse_media_type("Application/JSON;Charset=\"UTF-8\"")->name, "application/json");
    EXPECT_EQ(parse_media_type("Application/JSON;Charset=\"UTF-8\"")->charset, "utf-8");
    EXPECT_EQ(parse_media_type("text/plain ; format=flowed; charset=latin1;")->charset, "latin1");
}

TEST(MediaType, BrokenOneIsNone) {
    for (const auto* text : {"", "json", "/json", "application/", "application/json/x", "application json",
                             "a/b; c d=e", "a/b; charset=\"x", "a/b, c/d"})
        EXPECT_FALSE(parse_media_type(text)) << text;
}

TEST(Message, ReasonPhrasesAreThoseOfRfc9110) {
    EXPECT_EQ(reason_phrase(status::ok), "OK");
    EXPECT_EQ(reason_phrase(status::payload_too_large), "Content Too Large");
    EXPECT_EQ(reason_phrase(status::unprocessable_entity), "Unprocessable Content");
    EXPECT_EQ(reason_phrase(status::request_header_fields_too_large), "Request Header Fields Too Large");
    EXPECT_EQ(reason_phrase(static_cast<status>(299)), "");
}

TEST(Message, RequestIdHasOneToSixtyFourHarmlessCharacters) {
    EXPECT_TRUE(is_request_id("a"));
    EXPECT_TRUE(is_request_id("AZaz09._-"));
    EXPECT_TRUE(is_request_id(std::string(64, 'x')));
    EXPECT_FALSE(is_request_id(std::string(65, 'x')));
    for (const auto* text : {"", "a b", "a/b", "a\"", "\xc3\xa3", "a,b"})
        EXPECT_FALSE(is_request_id(text)) << text;
}

TEST(Message, FieldIsFoundInAnyLetterCase) {
    Request request;
    request.headers.insert("idempotency-key", "k");
    EXPECT_EQ(request.header("Idempotency-Key"), "k");
    EXPECT_EQ(request.header("Prefer"), "");
}

}  // namespace
}  // namespace gateway::http
