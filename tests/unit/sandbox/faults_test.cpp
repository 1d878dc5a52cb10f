#include "sandbox/faults.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

std::string refused(std::string_view document) {
    const auto taken = Faults().replace(document);
    return taken ? "" : taken.error();
}

// Writes an "x" for each of these calls that is treated: solicitar of tv A, egift A, tv B, tv A and tv A; a token.
std::string treated(std::string_view document) {
    Faults faults;
    const auto taken = faults.replace(document);
    EXPECT_TRUE(taken) << document;
    std::string all;
    const auto call = [&](Step step, std::optional<Family> family, std::string_view id) {
        all += faults.match(step, family, id) ? 'x' : '-';
    };
    call(Step::solicitar, Family::tv, "A");
    call(Step::solicitar, Family::egift, "A");
    call(Step::solicitar, Family::tv, "B");
    call(Step::solicitar, Family::tv, "A");
    call(Step::solicitar, Family::tv, "A");
    call(Step::token, std::nullopt, "");
    return all;
}

TEST(Faults, ARuleTreatsTheCallsThatFitItWithinItsWindow) {
    EXPECT_EQ(treated(R"([{"step":"solicitar","behaviour":"error"}])"), "xxxxx-");
    EXPECT_EQ(treated(R"([{"step":"solicitar","family":"egift","behaviour":"error"}])"), "-x----");
    EXPECT_EQ(treated(R"([{"step":"solicitar","idExterno":"A","behaviour":"error"}])"), "xx-xx-");
    EXPECT_EQ(treated(R"([{"step":"solicitar","nth":2,"times":2,"behaviour":"error"}])"), "-xx---");
    EXPECT_EQ(treated(R"([{"step":"token","behaviour":"error"}])"), "-----x");
}

TEST(Faults, TheFirstRuleInForceDecidesAndTheOthersStillCount) {
    Faults faults;
    ASSERT_TRUE(faults.replace(R"([{"step":"solicitar","times":1,"behaviour":"error"},
                                   {"step":"solicitar","nth":2,"behaviour":"refuse"}])"));
    EXPECT_EQ(faults.match(Step::solicitar, Family::tv, "A")->behaviour, Behaviour::error);
    EXPECT_EQ(faults.match(Step::solicitar, Family::tv, "B")->behaviour, Behaviour::refuse);
    const auto document = faults.document();
    EXPECT_EQ(document.at(0).at("seen").as_int64(), 2);
    EXPECT_EQ(document.at(0).at("hits").as_int64(), 1);
    EXPECT_EQ(document.at(1).at("hits").as_int64(), 1);
}

TEST(Faults, ATreatmentIsReadWhole) {
    Faults faults;
    ASSERT_TRUE(faults.replace(R"([{"step":"token","behaviour":"answer","body":"plain","headers":{"X":"y"},"delay":15},
                                   {"step":"consulta","behaviour":"answer","body":{"a":1},"delay":"2s","status":207}])"));
    const auto text = faults.match(Step::token, std::nullopt, "");
    EXPECT_EQ(text->body, "plain");
    EXPECT_EQ(text->headers.at(0), (std::pair<std::string, std::string>("X", "y")));
    EXPECT_EQ(text->delay, Duration(15));
    const auto document = faults.match(Step::consulta, Family::tv, "");
    EXPECT_EQ(document->body, R"({"a":1})");
    EXPECT_EQ(document->delay, Duration(2000));
    EXPECT_EQ(document->status, 207);
    EXPECT_FALSE(faults.replace(R"([{"step":"solicitar","behaviour":"error"},{"step":"nowhere"}])"));
    EXPECT_TRUE(faults.match(Step::token, std::nullopt, "")) << "a document is taken whole or not at all";
    EXPECT_FALSE(faults.match(Step::solicitar, Family::tv, "A"));
}

TEST(Faults, WhatIsWrongIsSaidInWords) {
    EXPECT_NE(refused("nonsense"), "");
    EXPECT_EQ(refused("{}"), "the document must be an array of rules");
    EXPECT_EQ(refused("[1]"), "rule 1: must be an object");
    EXPECT_EQ(refused(R"([{"behaviour":"error"}])"), "rule 1: \"step\" is missing");
    EXPECT_EQ(refused(R"([{"step":"token"}])"), "rule 1: \"behaviour\" is missing");
    EXPECT_EQ(refused(R"([{"step":"token","behaviour":"error"},{"step":"x","behaviour":"error"}])"),
              "rule 2: \"step\" must be one of consulta, solicitar, confirmar, cancelar, token, callback, status");
    EXPECT_EQ(refused(R"([{"step":"token","behaviour":"error","sometimes":1}])"),
              "rule 1: unknown member \"sometimes\": there are step, behaviour, family, idExterno, nth, times, status,"
              " headers, body and delay");
    EXPECT_EQ(refused(R"([{"step":"cancelar","behaviour":"wrong_amount"}])"),
              "rule 1: this behaviour makes no sense at the step cancelar, where these do: normal, slow, lose_answer,"
              " lose_request, hold, twice, refuse, refuse_after, error, error_after, not_json, answer, answer_after,"
              " too_many, unauthorized, expire_tokens");
    EXPECT_EQ(refused(R"([{"step":"token","family":"tv","behaviour":"error"}])"),
              "rule 1: a token request has no family and no idExterno");
    for (const auto* member :
         {R"("idExterno":1)", R"("nth":0)", R"("nth":"1")", R"("times":-1)", R"("status":199)", R"("status":600)",
          R"("headers":[])", R"("headers":{"A":1})", "\"headers\":{\"A\":\"b\\r\\nC: d\"}", R"("delay":"soon")",
          R"("delay":-1)", R"("family":"radio")"}) {
        const auto why = refused(std::string(R"([{"step":"solicitar","behaviour":"error",)") + member + "}]");
        EXPECT_TRUE(why.starts_with("rule 1: \"")) << member << " -> " << why;
    }
}

}  // namespace
}  // namespace gateway::sandbox
