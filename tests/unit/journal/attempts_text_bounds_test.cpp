// What a row may hold of an attempt and of the history: each value on both sides of its bound.
#include "journal/attempts_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

constexpr WallTime recorded{Duration(10'000)};
constexpr std::string_view one_id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

// Returns an attempt with these members besides the three that every attempt has.
std::string attempt_with(std::string_view state, const std::string& members = {}) {
    return R"([{"idExterno":")" + std::string(one_id) + R"(","state":")" + std::string(state) + R"(","createdAt":1)" +
           (members.empty() ? "" : "," + members) + "}]";
}

std::optional<Attempt> read(const std::string& text, WallTime at_wall = recorded, WallTime recorded_at = recorded,
                            std::string_view boot = {}) {
    const auto attempts = rows::read_attempts(text, recorded_at, {.now = Instant(1h), .wall = at_wall, .boot = boot});
    if (attempts.has_value()) return attempts->at(0);
    EXPECT_EQ(attempts.error(), errc::sale_unreadable);
    return std::nullopt;
}
std::optional<Attempt> read_with(const std::string& member, std::int64_t value, WallTime recorded_at = recorded) {
    return read(attempt_with("held", "\"" + member + "\":" + std::to_string(value)), recorded_at, recorded_at);
}

TEST(AttemptsTextBounds, AWaitEndsWithinAHundredYears) {
    const auto last = recorded + std::chrono::years(100);
    for (const auto* member : {"deadline", "attentionAt"}) {
        EXPECT_TRUE(read_with(member, last.time_since_epoch().count())) << member;
        EXPECT_FALSE(read_with(member, last.time_since_epoch().count() + 1)) << member;
        EXPECT_TRUE(read_with(member, 0)) << member;
        EXPECT_TRUE(read_with(member, -5)) << member;
    }
    constexpr std::int64_t no_time = 253'370'764'800'001;
    EXPECT_FALSE(read_with("deadline", no_time, WallTime(Duration(no_time - 1))));
}

TEST(AttemptsTextBounds, AWaitThatWasOverHasNothingLeft) {
    EXPECT_EQ(read_with("deadline", 10'001)->deadline, Instant(1h + 1ms));
    for (const std::int64_t over : {10'000, 9'000, 0, -5})
        EXPECT_EQ(read_with("deadline", over)->deadline, Instant(1h)) << over;
    EXPECT_EQ(read_with("deadline", 0, WallTime{})->deadline, Instant(1h));
    EXPECT_EQ(read_with("attentionAt", 12'000)->attention_at, Instant(1h + 2s));
    EXPECT_EQ(read(attempt_with("held"))->deadline, never);
    EXPECT_EQ(read(attempt_with("held"))->attention_at, never);
    EXPECT_EQ(read(attempt_with("held"))->next_try, Instant(1h));
}

TEST(AttemptsTextBounds, AStateHasTheTimesThatItsNextRequestCarries) {
    const std::vector<std::string_view> with_confirm_time{"confirming", "collecting"};
    const std::vector<std::string_view> with_cancel_time{"disputing", "retracting", "cancelling", "lingering"};
    for (const auto state :
         {AttemptState::requesting, AttemptState::held, AttemptState::confirming, AttemptState::collecting,
          AttemptState::disputing, AttemptState::retracting, AttemptState::cancelling, AttemptState::lingering,
          AttemptState::awaiting, AttemptState::sold, AttemptState::cancelled, AttemptState::refused,
          AttemptState::unsent, AttemptState::unauthorised, AttemptState::throttled}) {
        const auto word = to_string(state);
        const bool confirms = std::ranges::find(with_confirm_time, word) != with_confirm_time.end();
        const bool cancels = std::ranges::find(with_cancel_time, word) != with_cancel_time.end();
        EXPECT_EQ(read(attempt_with(word)).has_value(), !confirms && !cancels) << word;
        EXPECT_EQ(read(attempt_with(word, R"("confirmTime":5)")).has_value(), !cancels) << word;
        EXPECT_EQ(read(attempt_with(word, R"("cancelTime":5)")).has_value(), !confirms) << word;
    }
    EXPECT_EQ(read(attempt_with("held", R"("confirmTime":5,"cancelTime":6)"))->confirm_time, WallTime(5ms));
    EXPECT_EQ(read(attempt_with("held", R"("confirmTime":5,"cancelTime":6)"))->cancel_time, WallTime(6ms));
}

TEST(AttemptsTextBounds, EveryMemberIsKnownAndOfItsType) {
    EXPECT_TRUE(read(attempt_with("held", R"("idTransacao":"t","boot":"b","steadyDeadline":5)")));
    for (const auto* member : {R"("idTransacao":5)", R"("confirmTime":"5")", R"("cancelTime":-1)", R"("deadline":"x")",
                               R"("attentionAt":{})", R"("another":1)"})
        EXPECT_FALSE(read(attempt_with("held", member))) << member;
    EXPECT_FALSE(read(attempt_with("held", R"("deadline":20000,"boot":5)")));
    EXPECT_FALSE(read(attempt_with("held", R"("deadline":20000,"boot":"b","steadyDeadline":"x")")));
    EXPECT_FALSE(read(attempt_with("x")));
    for (const auto* text : {"", "[]", "{}", "[5]", R"([{"state":"held","createdAt":1}])",
                             R"([{"idExterno":"01ARZ3NDEKTSV4RRFFQ69G5FAV","createdAt":1}])",
                             R"([{"idExterno":"01ARZ3NDEKTSV4RRFFQ69G5FAV","state":"held"}])"})
        EXPECT_FALSE(read(text)) << text;
}

TEST(AttemptsTextBounds, TheSteadyClockIsBelievedInItsOwnBootAndNeverForLonger) {
    constexpr std::int64_t at_now = 3'600'000;  // the steady clock's time when it is read
    const auto until = [&](std::int64_t steadily, std::string_view boot = "b", const std::string& written = "b") {
        const auto members =
            R"("deadline":12000,"boot":")" + written + R"(","steadyDeadline":)" + std::to_string(at_now + steadily);
        return read(attempt_with("held", members), recorded, recorded, boot).value();
    };
    EXPECT_TRUE(until(1'000).deadline_is_certain);
    EXPECT_EQ(until(1'000).deadline, Instant(1h + 1s));
    EXPECT_TRUE(until(2'000).deadline_is_certain) << "all of the two seconds that were left";
    EXPECT_FALSE(until(2'001).deadline_is_certain) << "it was altered";
    EXPECT_EQ(until(2'001).deadline, Instant(1h + 2s));
    EXPECT_EQ(until(-5).deadline, Instant(1h));
    EXPECT_TRUE(until(-5).deadline_is_certain);
    EXPECT_FALSE(until(1'000, "another").deadline_is_certain);
    EXPECT_FALSE(until(1'000, "", "").deadline_is_certain);
    EXPECT_FALSE(
        read(attempt_with("held", R"("deadline":12000,"boot":"b")"), recorded, recorded, "b")->deadline_is_certain);
    EXPECT_FALSE(read(attempt_with("held", R"("boot":"b","steadyDeadline":3600000)"), recorded, recorded, "b")
                     ->deadline_is_certain)
        << "without a deadline there is none to be certain of";
}

TEST(AttemptsTextBounds, TheSteadyClockIsWrittenOnlyWhereItIsCertainAndTheBootIsKnown) {
    const auto written = [](bool is_certain, std::string_view boot) {
        Attempt attempt{.id_externo = IdExterno::parse(one_id).value(), .state = AttemptState::held};
        attempt.deadline = Instant(1h + 1s);
        attempt.deadline_is_certain = is_certain;
        rows::AttemptsText text({.now = Instant(1h), .wall = recorded, .boot = boot});
        text.add(attempt);
        return text.finish();
    };
    EXPECT_THAT(written(true, "b"), HasSubstr(R"("deadline":11000,"boot":"b","steadyDeadline":3601000)"));
    EXPECT_THAT(written(true, ""), Not(HasSubstr("boot")));
    EXPECT_THAT(written(false, "b"), Not(HasSubstr("boot")));
}

TEST(AttemptsTextBounds, LatestAttemptHasItsState) {
    EXPECT_EQ(rows::latest_attempt(R"([{"idExterno":"a","state":"held"}])").state, AttemptState::held);
    EXPECT_EQ(rows::latest_attempt(R"([{"idExterno":"a","state":"x"}])").state, std::nullopt);
    EXPECT_EQ(rows::latest_attempt("[5]").state, std::nullopt);
    EXPECT_FALSE(rows::latest_attempt("[5]").retried);
}

TEST(HistoryTextBounds, ALineHasAMomentAnEventAndAnAttempt) {
    const std::vector<Attempt> attempts{{.id_externo = IdExterno::parse(one_id).value()}};
    const auto history = [&](std::string_view text) { return rows::read_history(text, attempts); };
    const std::string good = R"({"at":5,"attempt":1,"event":"e"})";
    for (const auto* line : {R"({"attempt":1,"event":"e"})", R"({"at":5,"event":"e"})", R"({"at":5,"attempt":1})",
                             R"({"at":5,"attempt":0,"event":"e"})", R"({"at":5,"attempt":2,"event":"e"})",
                             R"({"at":-1,"attempt":1,"event":"e"})", R"({"at":5,"attempt":1,"event":5})",
                             R"({"at":5,"attempt":1,"event":"e","tries":"x"})", "[]", "x"}) {
        const auto read = history(good + "\n" + line + "\n" + good);
        EXPECT_FALSE(read.is_complete) << line;
        EXPECT_EQ(read.events.size(), 2u) << line;
    }
    const auto whole = history(
        R"({"at":5,"attempt":1,"event":"e","known":"k","state":"s","detail":"d","by":"b","mark":"m","httpStatus":7,)"
        R"("durationMs":8,"tries":9})"
        "\n");
    EXPECT_TRUE(whole.is_complete) << "a line may end the text";
    EXPECT_FALSE(whole.is_long);
    const PastEvent expected{.at = WallTime(5ms),
                             .id_externo = std::string(one_id),
                             .event = "e",
                             .verdict = "k",
                             .state = "s",
                             .detail = "d",
                             .by = "b",
                             .mark = "m",
                             .http_status = 7,
                             .duration = 8ms,
                             .tries = 9};
    ASSERT_EQ(whole.events.size(), 1u);
    EXPECT_EQ(whole.events[0], expected);
    EXPECT_EQ(history(good).events.at(0).http_status, 0u);
    EXPECT_EQ(history(good).events.at(0).tries, 0);
    EXPECT_FALSE(history(good).events.at(0).duration);
}

TEST(HistoryTextBounds, WithoutAttemptsALineHasNoName) {
    const auto read = rows::read_history(R"({"at":5,"attempt":3,"event":"e"})", make_error_code(errc::sale_unreadable));
    ASSERT_EQ(read.events.size(), 1u);
    EXPECT_EQ(read.events[0].attempt, 2u);
    EXPECT_EQ(read.events[0].id_externo, "");
    const auto of_none = make_error_code(errc::sale_unreadable);
    EXPECT_EQ(rows::read_history(R"({"at":5,"attempt":1,"event":"e"})", of_none).events.size(), 1u);
    EXPECT_TRUE(rows::read_history(R"({"at":5,"attempt":0,"event":"e"})", of_none).events.empty());
}

TEST(HistoryTextBounds, AnEntryHasOnlyWhatItHas) {
    std::string text;
    rows::append_entry(text, {.event = "e", .at = WallTime(5ms)});
    EXPECT_EQ(text, R"({"at":5,"attempt":1,"event":"e"})");
    text.clear();
    rows::append_entry(text, {.event = "e",
                              .verdict = "k",
                              .http_status = 1,
                              .duration = 8ms,
                              .detail = "d",
                              .by = "b",
                              .at = WallTime(5ms),
                              .attempt = 1,
                              .state = "s",
                              .mark = "m",
                              .tries = 1});
    EXPECT_EQ(text, R"({"at":5,"attempt":2,"event":"e","known":"k","httpStatus":1,"durationMs":8,"state":"s",)"
                    R"("detail":"d","by":"b","mark":"m","tries":1})");
}

}  // namespace
}  // namespace gateway::test
