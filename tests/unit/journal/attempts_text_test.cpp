#include "journal/attempts_text.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

constexpr Instant now{1000s};
constexpr WallTime wall = std::chrono::sys_days(std::chrono::year(2024) / 5 / 2) + 13h;

IdExterno id(char last) {
    return IdExterno::parse(std::string("01JD3W4Q8Y000000000000000") + last).value();
}

Attempt new_attempt(char last = '1') {
    Attempt attempt{.id_externo = id(last)};
    attempt.created_at = wall - 3s;
    return attempt;
}

// Writes the attempt, and reads it back `later` under a clock that shows `shown`.
Attempt kept(const Attempt& attempt, Duration later = 0ms, WallTime shown = wall) {
    rows::AttemptsText text({.now = now, .wall = wall});
    text.add(attempt);
    const auto attempts =
        rows::read_attempts(text.finish(), text.recorded_at(), {.now = now + later, .wall = shown}).value();
    EXPECT_EQ(attempts.size(), 1u);
    return attempts.front();
}

TEST(AttemptsText, EverythingOfAnAttemptIsKept) {
    auto attempt = new_attempt();
    attempt.state = AttemptState::confirming;
    attempt.id_transacao = "a \"quoted\" number\n";
    attempt.confirm_time = wall - 1s;
    attempt.cancel_time = wall - 500ms;
    attempt.deadline = now + 90s;
    attempt.attention_at = now + 10min;
    const auto read = kept(attempt);
    EXPECT_EQ(read.id_externo, attempt.id_externo);
    EXPECT_EQ(read.state, AttemptState::confirming);
    EXPECT_EQ(read.id_transacao, attempt.id_transacao);
    EXPECT_EQ(read.created_at, attempt.created_at);
    EXPECT_EQ(read.confirm_time, attempt.confirm_time);
    EXPECT_EQ(read.cancel_time, attempt.cancel_time);
    EXPECT_EQ(read.deadline, attempt.deadline);
    EXPECT_EQ(read.attention_at, attempt.attention_at);
}

TEST(AttemptsText, WhatAnAttemptDoesNotHaveItDoesNotGet) {
    const auto read = kept(new_attempt());
    EXPECT_TRUE(read.id_transacao.empty());
    EXPECT_FALSE(read.confirm_time || read.cancel_time);
    EXPECT_EQ(read.deadline, never);
    EXPECT_EQ(read.attention_at, never);
}

TEST(AttemptsText, SeveralStayInTheirOrder) {
    rows::AttemptsText text({.now = now, .wall = wall});
    for (const char last : {'1', '2', '3'})
        text.add(new_attempt(last));
    const auto read = rows::read_attempts(text.finish(), wall, {.now = now, .wall = wall}).value();
    ASSERT_EQ(read.size(), 3u);
    EXPECT_EQ(read[0].id_externo, id('1'));
    EXPECT_EQ(read[2].id_externo, id('3'));
}

TEST(AttemptsText, AMemberWhoseNameWasAlteredIsNotOverlooked) {
    const auto read = [](std::string text) {
        return rows::read_attempts(text, WallTime(Duration(2)), {.now = Instant{}, .wall = WallTime(Duration(2))})
            .has_value();
    };
    const std::string good =
        R"([{"idExterno":"01ARZ3NDEKTSV4RRFFQ69G5FAV","state":"held","createdAt":1,"deadline":5}])";
    EXPECT_TRUE(read(good));
    auto altered = good;
    altered.replace(altered.find("deadline"), 8, "dexdline");
    EXPECT_FALSE(read(altered)) << "the hold would never end";
}

TEST(AttemptsText, WhatPassedMeanwhileIsTakenOffWhatWasLeft) {
    auto attempt = new_attempt();
    attempt.deadline = now + 60s;
    EXPECT_EQ(kept(attempt, 5s, wall + 20s).deadline, now + 5s + 40s);
    EXPECT_EQ(kept(attempt, 5s, wall + 2h).deadline, now + 5s);
    // A clock that was set back leaves the wait whole, and never lengthens it.
    EXPECT_EQ(kept(attempt, 5s, wall - 2h).deadline, now + 5s + 60s);
}

TEST(AttemptsText, ADeadlineThatWasOverStaysOver) {
    auto attempt = new_attempt();
    attempt.deadline = now - 7s;
    EXPECT_EQ(kept(attempt, 5s, wall + 1s).deadline, now + 5s);
}

// Writes the attempt in one boot of the machine, and reads it back `later` by the steady clock, in that boot or in
// another.
Attempt kept_lingering(std::string_view read_in, Duration later, WallTime shown, Instant steadily = now) {
    auto attempt = new_attempt();
    attempt.state = AttemptState::lingering;
    attempt.cancel_time = wall;
    attempt.deadline = now + 120s;
    attempt.deadline_is_certain = true;
    rows::AttemptsText text({.now = now, .wall = wall, .boot = "a boot"});
    text.add(attempt);
    const auto read = rows::read_attempts(text.finish(), text.recorded_at(),
                                          {.now = steadily + later, .wall = shown, .boot = read_in});
    return read.value().front();
}

TEST(AttemptsText, TheLastWaitIsKeptByTheSteadyClockAsLongAsTheMachineRuns) {
    for (const auto shown : {wall + 30s, wall + 8760h, wall - 8760h}) {
        const auto read = kept_lingering("a boot", 30s, shown);
        EXPECT_TRUE(read.deadline_is_certain);
        EXPECT_EQ(read.deadline, now + 120s);
    }
    EXPECT_EQ(kept_lingering("a boot", 500s, wall).deadline, now + 500s) << "over, and no longer ago than now";
}

TEST(AttemptsText, AfterAnotherStartOfTheMachineTheLastWaitIsNotCertain) {
    for (const auto* boot : {"another boot", ""}) {
        const auto read = kept_lingering(boot, 30s, wall + 30s);
        EXPECT_FALSE(read.deadline_is_certain);
        EXPECT_EQ(read.deadline, now + 120s) << "by the wall clock";
    }
    EXPECT_FALSE(kept_lingering("a boot", 0s, wall, now - 500s).deadline_is_certain) << "a clock that ran backwards";
}

TEST(HistoryText, ALineSaysWhatItHasAndNothingElse) {
    std::string text;
    rows::append_entry(text, {.event = "begun", .at = WallTime(1500ms), .state = "requesting"});
    EXPECT_EQ(text, R"({"at":1500,"attempt":1,"event":"begun","state":"requesting"})");
    rows::append_entry(text, {.event = "solicitar",
                              .verdict = "unknown",
                              .http_status = 502,
                              .duration = 0ms,
                              .detail = "two\nlines",
                              .at = WallTime(2500ms),
                              .attempt = 1,
                              .state = "cancelling"});
    const auto second = text.substr(text.find('\n') + 1);
    EXPECT_EQ(second, R"({"at":2500,"attempt":2,"event":"solicitar","known":"unknown","httpStatus":502,"durationMs":0,)"
                      R"("state":"cancelling","detail":"two\nlines"})");
}

TEST(HistoryText, SaysWhoDecidedWhichMarkItMadeAndHowOftenItWasTried) {
    std::string text;
    rows::append_entry(text, {.event = "resolved", .by = "maria", .at = wall, .state = "sold", .mark = "none"});
    rows::append_entry(text, {.event = "cancelar", .at = wall, .state = "cancelling", .tries = 4});
    const auto history = rows::read_history(text, std::vector{new_attempt()});
    EXPECT_TRUE(history.is_complete);
    EXPECT_EQ(history.events.at(0).by, "maria");
    EXPECT_EQ(history.events.at(0).mark, "none");
    EXPECT_EQ(history.events.at(0).tries, 0);
    EXPECT_EQ(history.events.at(1).tries, 4);
    EXPECT_EQ(history.events.at(1).by, "");
}

TEST(HistoryText, WhatALaterVersionAddedIsPassedOver) {
    const auto history = rows::read_history(
        R"({"at":1,"attempt":1,"event":"begun","state":"requesting","of_tomorrow":{"x":[1]},"another":"y"})",
        std::vector{new_attempt()});
    EXPECT_TRUE(history.is_complete);
    ASSERT_EQ(history.events.size(), 1u);
    EXPECT_EQ(history.events.at(0).event, "begun");
}

TEST(HistoryText, IsReadWithTheAttemptsNames) {
    std::string text;
    rows::append_entry(text, {.event = "begun", .at = wall, .state = "requesting"});
    rows::append_entry(
        text,
        {.event = "solicitar", .http_status = 200, .duration = 12ms, .at = wall, .attempt = 1, .state = "confirming"});
    const std::vector attempts{new_attempt('1'), new_attempt('2')};
    const auto history = rows::read_history(text, attempts);
    EXPECT_TRUE(history.is_complete);
    const std::vector<PastEvent> expected{
        {.at = wall, .id_externo = "01JD3W4Q8Y0000000000000001", .event = "begun", .state = "requesting"},
        {.at = wall,
         .attempt = 1,
         .id_externo = "01JD3W4Q8Y0000000000000002",
         .event = "solicitar",
         .state = "confirming",
         .http_status = 200,
         .duration = 12ms}};
    EXPECT_EQ(history.events, expected);
    EXPECT_TRUE(rows::read_history("", attempts).events.empty());
}

TEST(HistoryText, IsLongByItsCharacters) {
    std::string text;
    rows::append_entry(text, {.event = "begun", .at = wall, .state = "requesting"});
    const auto of = [&](std::size_t more) {
        std::string whole = text + "\n";
        while (more-- > 0)
            whole += "ã";
        return rows::read_history(whole, std::vector{new_attempt()}).is_long;
    };
    const auto most = 4096 - text.size() - 1;
    EXPECT_FALSE(of(most - 1));
    EXPECT_TRUE(of(most));
}

TEST(AttemptsText, ListsReadTheLatestAttemptAlone) {
    const auto only = rows::latest_attempt(R"([{"idExterno":"a","state":5}])");
    EXPECT_EQ(only.id_externo, "a");
    EXPECT_EQ(only.id_transacao, "");
    EXPECT_FALSE(only.retried);
    const auto second = rows::latest_attempt(R"([5,{"idTransacao":"t","idExterno":"b"}])");
    EXPECT_EQ(second.id_externo, "b");
    EXPECT_EQ(second.id_transacao, "t");
    EXPECT_TRUE(second.retried);
    for (const auto* damaged : {"", "{", "[", "{}", "[]", "5", "[5]", R"([{"idExterno":5}])", R"([{"idExterno":"a"})"})
        EXPECT_EQ(rows::latest_attempt(damaged).id_externo, "") << damaged;
}

}  // namespace
}  // namespace gateway::test
