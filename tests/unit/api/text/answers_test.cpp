#include "unit/api/text/rig.hpp"

namespace gateway::test {
namespace {

using TextAnswers = TextRig;
using ::testing::HasSubstr;

constexpr auto takes_sales = R"({"sells":true,"detail":"Takes sales."})";
constexpr auto takes_none = R"({"sells":false,"detail":"Takes no sales."})";

TEST_F(TextAnswers, AreForThoseWhoAskForText) {
    for (const auto* asks :
         {"text/plain", "TEXT/PLAIN; width=80", "application/json;q=0.5, text/plain", "text/plain, */*"}) {
        accept = asks;
        answer(takes_sales);
        EXPECT_EQ(asked("/v1/status"), 0);
        EXPECT_EQ(response.content_type, "text/plain; charset=utf-8") << asks;
        EXPECT_EQ(field("Content-Language"), "en");
        EXPECT_EQ(field("Vary"), "Accept, Accept-Language");
    }
}

TEST_F(TextAnswers, EverybodyElseGetsTheJsonAsItWas) {
    for (const auto* asks : {"", "*/*", "application/json", "application/json, text/plain, */*", "text/html",
                             "text/plain;q=0.2, application/json", "text/plain;q=0", "text/csv"}) {
        accept = asks;
        answer(takes_sales);
        EXPECT_EQ(asked("/v1/status"), 0);
        EXPECT_EQ(response.content_type, "application/json") << asks;
        EXPECT_EQ(out, takes_sales);
        EXPECT_TRUE(response.headers.empty());
    }
}

TEST_F(TextAnswers, ACallThatHasNoTextAnswersJson) {
    answer("{\"a\":1}");
    EXPECT_EQ(asked("/v1/latency"), 0);
    EXPECT_EQ(out, "{\"a\":1}");
    answer("{\"code\":\"not_ready\"}", 503);
    EXPECT_EQ(asked("/v1/latency"), 0);
    EXPECT_EQ(response.content_type, "application/problem+json");
}

TEST_F(TextAnswers, SayWhatACommandExitsWith) {
    answer(takes_none);
    EXPECT_EQ(asked("/v1/status"), 3);
    EXPECT_EQ(response.content_type, "text/plain; charset=utf-8; exit=3");
    EXPECT_EQ(response.status, http::status::ok);
}

TEST_F(TextAnswers, AreInTheLanguageThatIsPreferredAndInEnglishOtherwise) {
    language = "fr, pt;q=0.8, en;q=0.2";
    answer(takes_sales);
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_EQ(field("Content-Language"), "pt-BR");
    EXPECT_THAT(out, HasSubstr("Está vendendo."));
    language = "fr";
    answer(takes_sales);
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_EQ(field("Content-Language"), "en");
}

TEST_F(TextAnswers, AreAsWideAsTheCallerSays) {
    const auto widest = [&](const char* asks) {
        accept = asks;
        answer(R"({"sells":true,"closing":")" + std::string(30, 'a') + " " + std::string(30, 'b') + " " +
               std::string(20, 'c') + "\"}");
        EXPECT_EQ(asked("/v1/status"), 0);
        std::size_t most = 0;
        for (std::size_t at = 0; at < out.size(); at = out.find('\n', at) + 1)
            most = std::max(most, out.find('\n', at) - at);
        return most;
    };
    EXPECT_EQ(widest("text/plain;width=100"), 98U);
    EXPECT_EQ(widest("text/plain"), 77U) << "80 columns where nothing is said";
    EXPECT_EQ(widest("text/plain;width=50"), 46U);
}

TEST_F(TextAnswers, AWidthThatNoPageHasIsRefusedBeforeAnythingIsDone) {
    for (const auto* width : {"39", "10001", "x", "-1", "80x", "99999999999999999999"}) {
        accept = "text/plain;width=" + std::string(width);
        EXPECT_EQ(posted("/v1/closes"), 1);
        EXPECT_EQ(response.status, http::status::unprocessable_entity) << width;
        EXPECT_EQ(out, "error: the width of text/plain is 40 to 10000 columns\n");
    }
    EXPECT_TRUE(targets.empty());
}

TEST_F(TextAnswers, ColoursAreForThoseWhoAskForThem) {
    accept = "text/plain;colours=yes";
    answer(takes_sales);
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_THAT(out, HasSubstr("\x1b[1mTakes sales.\x1b[0m"));
}

TEST_F(TextAnswers, WhatCannotBeAskedForBesidesIsLeftOut) {
    answer(R"({"openSales":[{"id":"A","idExterno":"01M8"}]})");
    EXPECT_EQ(asked("/v1/totals"), 0);
    EXPECT_THAT(out, HasSubstr("01M8"));
}

}  // namespace
}  // namespace gateway::test
