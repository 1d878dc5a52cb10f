#include "sandbox/faults.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

std::string refused(std::string_view document) {
    Faults faults;
    const auto taken = faults.replace(document);
    return taken ? "" : taken.error();
}

bool has_turn(Faults& faults, Step step, std::optional<Family> family = Family::tv, std::string_view id = "A") {
    return faults.match(step, family, id).has_value();
}

TEST(Faults, ARuleTreatsTheCallsOfItsStep) {
    Faults faults;
    ASSERT_TRUE(faults.replace(R"([{"step":"confirmar","behaviour":"error","status":502}])"));
    EXPECT_FALSE(has_turn(faults, Step::solicitar));
    const auto treatment = faults.match(Step::confirmar, Family::egift, "A");
    ASSERT_TRUE(treatment);
    EXPECT_EQ(treatment->behaviour, Behaviour::error);
    EXPECT_EQ(treatment->status, 502);
}

TEST(Faults, ARuleCanBeAboutOneFamilyAndOneSale) {
    Faults faults;
    ASSERT_TRUE(faults.replace(R"([{"step":"cancelar","family":"egift","idExterno":"A","behaviour":"lose_answer"}])"));
    EXPECT_FALSE(has_turn(faults, Step::cancelar, Family::tv, "A"));
    EXPECT_FALSE(has_turn(faults, Step::cancelar, Family::egift, "B"));
    EXPECT_TRUE(has_turn(faults, Step::cancelar, Family::egift, "A"));
}

TEST(Faults, NthAndTimesMakeAWindow) {
    Faults faults;
    ASSERT_TRUE(faults.replace(R"([{"step":"solicitar","nth":2,"times":2,"behaviour":"error"}])"));
    EXPECT_FALSE(has_turn(faults, Step::solicitar));
    EXPECT_TRUE(has_turn(faults, Step::solicitar));
    EXPECT_TRUE(has_turn(faults, Step::solicitar));
    EXPECT_FALSE(has_turn(faults, Step::solicitar));
}

TEST(Faults, WithoutTimesARuleStaysInForce) {
    Faults faults;
    ASSERT_TRUE(faults.replace(R"([{"step":"solicitar","behaviour":"error"}])"));
    for (int i = 0; i < 100; ++i)
        EXPECT_TRUE(has_turn(faults, Step::solicitar));
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

TEST(Faults, ABodyIsTextAsItStandsOrJson) {
    Faults faults;
    ASSERT_TRUE(faults.replace(R"([{"step":"token","behaviour":"answer","body":"plain","headers":{"X":"y"}},
                                   {"step":"consulta","behaviour":"answer","body":{"a":1},"delay":"2s"}])"));
    const auto text = faults.match(Step::token, std::nullopt, "");
    EXPECT_EQ(text->body, "plain");
    EXPECT_EQ(text->headers.at(0), (std::pair<std::string, std::string>("X", "y")));
    const auto document = faults.match(Step::consulta, Family::tv, "");
    EXPECT_EQ(document->body, R"({"a":1})");
    EXPECT_EQ(document->delay, Duration(2000));
}

TEST(Faults, ADelayCanBeANumberOfMilliseconds) {
    Faults faults;
    ASSERT_TRUE(faults.replace(R"([{"step":"token","behaviour":"slow","delay":1500}])"));
    EXPECT_EQ(faults.match(Step::token, std::nullopt, "")->delay, Duration(1500));
}

TEST(Faults, ADocumentIsTakenWholeOrNotAtAll) {
    Faults faults;
    ASSERT_TRUE(faults.replace(R"([{"step":"token","behaviour":"error"}])"));
    EXPECT_FALSE(faults.replace(R"([{"step":"solicitar","behaviour":"error"},{"step":"nowhere"}])"));
    EXPECT_TRUE(has_turn(faults, Step::token, std::nullopt, ""));
    EXPECT_FALSE(has_turn(faults, Step::solicitar));
    faults.clear();
    EXPECT_FALSE(has_turn(faults, Step::token, std::nullopt, ""));
}

TEST(Faults, WhatIsWrongIsSaidInWords) {
    EXPECT_NE(refused("nonsense"), "");
    EXPECT_EQ(refused("{}"), "the document must be an array of rules");
    EXPECT_EQ(refused("[1]"), "rule 1: must be an object");
    EXPECT_EQ(refused(R"([{"behaviour":"error"}])"), "rule 1: \"step\" is missing");
    EXPECT_EQ(refused(R"([{"step":"token"}])"), "rule 1: \"behaviour\" is missing");
    EXPECT_EQ(refused(R"([{"step":"token","behaviour":"error"},{"step":"x","behaviour":"error"}])"),
              "rule 2: \"step\" must be one of consulta, solicitar, confirmar, cancelar, token, callback, status");
    EXPECT_EQ(refused(R"([{"step":7,"behaviour":"error"}])"),
              "rule 1: \"step\" must be one of consulta, solicitar, confirmar, cancelar, token, callback, status");
    EXPECT_EQ(refused(R"([{"step":"token","family":"radio","behaviour":"error"}])"),
              "rule 1: \"family\" must be one of tv, egift, transit, health, esim");
    EXPECT_EQ(refused(R"([{"step":"token","behaviour":"error","sometimes":1}])"),
              "rule 1: unknown member \"sometimes\": there are step, behaviour, family, idExterno, nth, times, status,"
              " headers, body and delay");
    EXPECT_EQ(refused(R"([{"step":"cancelar","behaviour":"wrong_amount"}])"),
              "rule 1: this behaviour makes no sense at the step cancelar, where these do: normal, slow, lose_answer,"
              " lose_request, hold, twice, refuse, refuse_after, error, error_after, not_json, answer, answer_after,"
              " too_many, unauthorized, expire_tokens");
    EXPECT_EQ(refused(R"([{"step":"token","family":"tv","behaviour":"error"}])"),
              "rule 1: a token request has no family and no idExterno");
}

TEST(Faults, EveryMemberIsHeldToItsType) {
    for (const auto* member :
         {R"("idExterno":1)", R"("nth":0)", R"("nth":"1")", R"("times":-1)", R"("status":199)", R"("status":600)",
          R"("headers":[])", R"("headers":{"A":1})", "\"headers\":{\"A\":\"b\\r\\nC: d\"}", R"("delay":"soon")",
          R"("delay":-1)", R"("family":"radio")"}) {
        const auto why = refused(std::string(R"([{"step":"solicitar","behaviour":"error",)") + member + "}]");
        EXPECT_TRUE(why.starts_with("rule 1: ")) << member << " -> " << why;
    }
}

TEST(Faults, MoreRulesThanAnyTestNeedsAreRefused) {
    std::string document = "[";
    for (int i = 0; i < 201; ++i)
        document += std::string(i == 0 ? "" : ",") + R"({"step":"token","behaviour":"error"})";
    EXPECT_EQ(refused(document + "]"), "more than 200 rules");
}

}  // namespace
}  // namespace gateway::sandbox
