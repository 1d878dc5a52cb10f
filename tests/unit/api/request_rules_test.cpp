#include "api/request_rules.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway {
namespace {

http::Request with_body(std::string body, const char* type = "application/json") {
    http::Request request;
    if (type != nullptr) request.headers.insert("Content-Type", type);
    request.body = std::move(body);
    return request;
}

http::Request with_keys(std::vector<std::string> keys) {
    http::Request request;
    for (const auto& key : keys)
        request.headers.insert("Idempotency-Key", key);
    return request;
}

std::pair<unsigned, std::string> refusal(const http::Response& response) {
    return {static_cast<unsigned>(response.status),
            std::string(boost::json::parse(response.body).at("code").as_string())};
}
using Refused = std::pair<unsigned, std::string>;

TEST(JsonObjectBody, IsReadWhereItIsDeclaredAsJsonInUtf8) {
    for (const auto* type :
         {"application/json", "Application/JSON; charset=UTF-8", "application/json;charset=\"utf-8\""})
        EXPECT_TRUE(json_object_body(with_body(R"({"a":1})", type)).has_value()) << type;
}

TEST(JsonObjectBody, AnyOtherTypeOrNoneIs415) {
    for (const auto* type : {"text/plain", "application/json; charset=latin1", "application/jsonx", "", "json"})
        EXPECT_EQ(refusal(json_object_body(with_body("{}", type)).error()), Refused(415, "unsupported_media_type"))
            << type;
    EXPECT_EQ(refusal(json_object_body(with_body("{}", nullptr)).error()), Refused(415, "unsupported_media_type"));
}

TEST(JsonObjectBody, WhatIsNotJsonIs400) {
    for (const auto* body : {"", "{", "{}x", R"({"a":1,"a":2})", R"({"a":{"b":1,"b":1}})", "\"\xFF\"", "{'a':1}"})
        EXPECT_EQ(refusal(json_object_body(with_body(body)).error()), Refused(400, "invalid_json")) << body;
}

std::string detail_of(const http::Response& response) {
    return std::string(boost::json::parse(response.body).at("detail").as_string());
}

TEST(JsonObjectBody, AnEmptyOneIsToldToBeEmptyWhateverItsType) {
    for (const auto* type : {"application/json", "text/plain", static_cast<const char*>(nullptr)}) {
        const auto refused = json_object_body(with_body("", type)).error();
        EXPECT_EQ(refusal(refused), Refused(400, "invalid_json"));
        EXPECT_EQ(detail_of(refused), "The body is empty: send a JSON object, with Content-Type: application/json.");
    }
}

TEST(JsonObjectBody, WhatIsNotUtf8IsToldAsThat) {
    const auto refused = json_object_body(with_body("{\"produto\":\"Recarga de cr\xE9"
                                                    "dito\"}"))
                             .error();
    EXPECT_EQ(refusal(refused), Refused(400, "invalid_json"));
    EXPECT_EQ(detail_of(refused), "The body is not UTF-8 (byte 0xE9 at offset 25): send it as UTF-8.");
    EXPECT_EQ(detail_of(json_object_body(with_body("{\"a\":\"\xC3\xA9\"")).error()).find("The body is not valid JSON"),
              0U);
}

TEST(Patience, IsWhatTheCallerAskedForWithinBoundsAndSaidWhereItIsHeeded) {
    const auto told = [](const char* prefer) {
        http::Request request;
        if (prefer != nullptr) request.headers.insert("Prefer", prefer);
        const auto answer = with_heeded_wait({}, request);
        std::string said;
        for (const auto& [name, value] : answer.headers)
            said += name + ": " + value;
        return std::pair(patience(request, Duration(25'000)).count(), said);
    };
    using Told = std::pair<Duration::rep, std::string>;
    EXPECT_EQ(told("wait=7"), Told(7'000, "Preference-Applied: wait=7"));
    EXPECT_EQ(told("respond-async, wait=120"), Told(120'000, "Preference-Applied: wait=120"));
    EXPECT_EQ(told("wait=500"), Told(120'000, "Preference-Applied: wait=120"));
    for (const auto* none : {"wait=0", "wait=-1", "wait=x", "respond-async", static_cast<const char*>(nullptr)})
        EXPECT_EQ(told(none), Told(25'000, ""));
}

TEST(JsonObjectBody, JsonThatIsNoObjectIs422) {
    for (const auto* body : {"[]", "1", "null", "\"a\""})
        EXPECT_EQ(refusal(json_object_body(with_body(body)).error()), Refused(422, "invalid_request")) << body;
}

TEST(IdempotencyKey, IsOneTo64VisibleAsciiCharacters) {
    for (const auto& key : {std::string("k"), std::string(64, 'x'), std::string("!~{}\"")}) {
        const auto read = idempotency_key(with_keys({key}));
        ASSERT_TRUE(read.has_value()) << key;
        EXPECT_EQ(*read, key);
    }
}

TEST(IdempotencyKey, MissingIsToldFromWrong) {
    EXPECT_EQ(refusal(idempotency_key(with_keys({})).error()), Refused(400, "missing_idempotency_key"));
    for (const auto& key : {std::string(), std::string(65, 'x'), std::string("a b"), std::string("\xC3\xA9"),
                            std::string("a\x7F"), std::string("a\tb")})
        EXPECT_EQ(refusal(idempotency_key(with_keys({key})).error()), Refused(400, "invalid_idempotency_key")) << key;
}

TEST(IdempotencyKey, TwoAreNoKeyEvenWhereTheyAreEqual) {
    EXPECT_EQ(refusal(idempotency_key(with_keys({"k", "k"})).error()), Refused(400, "invalid_idempotency_key"));
}

TEST(NoBody, IsNoneOrAnEmptyObject) {
    for (const auto* type : {"application/json", "text/plain", static_cast<const char*>(nullptr)})
        EXPECT_TRUE(no_body(with_body("", type)).has_value());
    for (const auto* body : {"{}", " { }\r\n"})
        EXPECT_TRUE(no_body(with_body(body)).has_value()) << body;
}

TEST(NoBody, WithContentIs400) {
    for (const auto* body : {R"({"force":true})", "[]", "null", "0", "\"\"", "{", "{}x", " "})
        EXPECT_EQ(refusal(no_body(with_body(body)).error()), Refused(400, "bad_request")) << body;
    for (const auto* type : {"text/plain", static_cast<const char*>(nullptr)})
        EXPECT_EQ(refusal(no_body(with_body("{}", type)).error()), Refused(400, "bad_request"));
}

http::Request sent_by_a_page(std::string origin, std::string principal = {}) {
    http::Request request;
    request.headers.insert("Origin", origin);
    request.principal = std::move(principal);
    return request;
}

TEST(NoWebPage, WhereNobodyHasSignedInNoPageWrites) {
    EXPECT_TRUE(no_web_page(http::Request{}).has_value());
    for (const auto* origin : {"http://evil.example", "http://127.0.0.1:9090", "null", ""})
        EXPECT_EQ(refusal(no_web_page(sent_by_a_page(origin)).error()), Refused(403, "forbidden")) << origin;
}

TEST(NoWebPage, ThePageOfAPersonWhoHasSignedInDoes) {
    EXPECT_TRUE(no_web_page(sent_by_a_page("http://127.0.0.1:9091", "Ana")).has_value());
}

TEST(DecidedBy, IsWhoHasSignedInAndElseWhomTheCallNames) {
    EXPECT_EQ(decided_by(http::Request{}, "maria"), "maria");
    EXPECT_EQ(decided_by(http::Request{}, ""), "");
    http::Request signed_in;
    signed_in.principal = "Ana";
    EXPECT_EQ(decided_by(signed_in, "maria"), "Ana");
    EXPECT_EQ(decided_by(signed_in, ""), "Ana");
}

}  // namespace
}  // namespace gateway
