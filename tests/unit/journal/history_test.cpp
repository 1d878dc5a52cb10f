#include "journal/history.hpp"

#include "base/wall_time.hpp"
#include "journal/attempts_text.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

constexpr WallTime start = std::chrono::sys_days(std::chrono::year(2024) / 5 / 2) + 13h;

IdExterno name_of(char last) {
    return IdExterno::parse(std::string("01JD3W4Q8Y000000000000000") + last).value();
}

// This is a history that is written and read back, with an entry each second.
class Told {
  public:
    void add(HistoryEntry entry) {
        last = last + 1s;
        entry.at = last;
        rows::append_entry(text_, entry);
    }
    void add(std::string_view event, std::string_view verdict, std::string_view state, int tries = 0,
             std::size_t attempt = 0) {
        add({.event = event, .verdict = verdict, .attempt = attempt, .state = state, .tries = tries});
    }
    History entries() const { return rows::read_history(text_, attempts); }
    StateFacts facts(std::size_t attempt = 0) const { return state_facts(entries(), attempts.at(attempt)); }

    std::vector<Attempt> attempts{{.id_externo = name_of('1'), .state = AttemptState::cancelling}};
    WallTime last = start;

  private:
    std::string text_;
};

// Makes the history of a sale whose answer never came, and whose cancel was tried in vain.
Told cancelling(int tries) {
    Told told;
    told.add("begun", "", "requesting");
    told.add("solicitar", "unknown", "cancelling");
    for (int i = 1; i <= tries; ++i)
        told.add("cancelar", "unknown", "cancelling", i);
    return told;
}

TEST(HistoryFacts, CountTheTriesOfTheStateAndSayWhenItBegan) {
    const auto told = cancelling(3);
    EXPECT_EQ(told.facts().tries, 3) << "the request that led there is none of them";
    EXPECT_EQ(told.facts().since, start + 2s);
}

TEST(HistoryFacts, BeginAnewWithEveryState) {
    auto told = cancelling(3);
    told.add("cancelar", "no_such_sale", "lingering");
    told.attempts[0].state = AttemptState::lingering;
    EXPECT_EQ(told.facts().tries, 0);
    EXPECT_EQ(told.facts().since, told.last);
    told.add("cancelar", "unknown", "lingering", 1);
    EXPECT_EQ(told.facts().tries, 1);
}

TEST(HistoryFacts, BeginAnewWithACancelThatAStatementHasRepeated) {
    auto told = cancelling(3);
    told.add("cancelar", "cancelled", "cancelled");
    told.add("statement", "AUTORIZADA", "cancelling");
    EXPECT_EQ(told.facts().tries, 0) << "the statement is no try";
    EXPECT_EQ(told.facts().since, told.last);
    told.add("cancelar", "unknown", "cancelling", 1);
    EXPECT_EQ(told.facts().tries, 1);
}

TEST(HistoryFacts, GoOnAfterARestartThatCountsAnew) {
    auto told = cancelling(3);
    told.add("cancelar", "unknown", "cancelling", 1);
    told.add("cancelar", "unknown", "cancelling", 2);
    EXPECT_EQ(told.facts().tries, 5);
    EXPECT_EQ(told.facts().last_tries, 2);
}

TEST(HistoryFacts, KnowWhatALongHistoryLeftOut) {
    auto told = cancelling(3);
    told.add("cancelar", "unknown", "cancelling", 16);
    told.add("cancelar", "unknown", "cancelling", 32);
    EXPECT_EQ(told.facts().tries, 32);
    auto in_memory = told.attempts[0];
    in_memory.tries = 40;
    EXPECT_EQ(tries_by_now(told.facts(), in_memory), 40);
    in_memory.tries = 5;  // these are since a restart; none of them is in the history yet
    EXPECT_EQ(tries_by_now(told.facts(), in_memory), 37);
    in_memory.tries = 0;
    EXPECT_EQ(tries_by_now(told.facts(), in_memory), 32);
}

TEST(HistoryFacts, SayWhereALongHistoryMayHaveLeftRepeatsOut) {
    auto told = cancelling(20);
    EXPECT_FALSE(history_facts(told.entries(), Attention::none, told.attempts).more_tries);
    for (int i = 21; i <= 40; ++i)
        told.add("cancelar", "unknown", "cancelling", i);
    const auto facts = history_facts(told.entries(), Attention::none, told.attempts);
    EXPECT_EQ(facts.tries, 40);
    EXPECT_TRUE(facts.more_tries);
    EXPECT_TRUE(facts.last_error->may_be_older);
    auto in_memory = told.attempts[0];
    in_memory.tries = 52;
    EXPECT_TRUE(knows_all_tries(told.entries(), told.facts(), in_memory));
    in_memory.tries = 3;
    EXPECT_FALSE(knows_all_tries(told.entries(), told.facts(), in_memory)) << "what came before a restart";
}

TEST(HistoryFacts, CountTheEntriesOfAnOlderVersion) {
    Told told;
    told.add("begun", "", "requesting");
    told.add("solicitar", "unknown", "cancelling");
    for (const auto* verdict : {"unknown", "declined", "no_such_sale"})
        told.add("cancelar", verdict, "cancelling");
    told.add("cancelar", "unauthorised", "cancelling");  // it is tried again at once, with another token
    told.add("solicitar", "authorised", "cancelling");   // came late
    EXPECT_EQ(told.facts().tries, 3);
    told.add("cancelar", "unknown", "cancelling", 1);
    EXPECT_EQ(told.facts().tries, 4);
}

TEST(HistoryFacts, AreOfTheAttemptThatIsAskedFor) {
    auto told = cancelling(2);
    told.attempts.push_back({.id_externo = name_of('2'), .state = AttemptState::confirming});
    told.add("begun", "", "requesting", 0, 1);
    told.add("solicitar", "authorised", "confirming", 0, 1);
    told.add("confirmar", "unknown", "confirming", 1, 1);
    EXPECT_EQ(told.facts(0).tries, 2);
    EXPECT_EQ(told.facts(1).tries, 1);
    EXPECT_EQ(history_facts(told.entries(), Attention::none, told.attempts).tries, 1) << "the latest decides";
    told.attempts[1].state = AttemptState::sold;
    EXPECT_EQ(history_facts(told.entries(), Attention::none, told.attempts).tries, 2) << "the one that is open";
    told.attempts[0].state = AttemptState::cancelled;
    EXPECT_EQ(history_facts(told.entries(), Attention::none, told.attempts).tries, 0);
}

TEST(HistoryFacts, SayNothingOfAStateThatTheHistoryDoesNotHave) {
    auto told = cancelling(2);
    told.attempts[0].state = AttemptState::disputing;  // this is how a restore leaves an earlier attempt
    EXPECT_EQ(told.facts().tries, 0);
    EXPECT_FALSE(told.facts().since);
}

// Between two tries of a cancel the status is asked for, which is no try. For an eSIM nothing else is asked.
TEST(HistoryFacts, CountAStatusWhereNothingElseIsAsked) {
    auto told = cancelling(2);
    told.add("consultar", "unknown", "cancelling");
    told.add("cancelar", "declined", "cancelling", 3);
    told.add("consultar", "unknown", "cancelling");
    EXPECT_EQ(told.facts().tries, 3);
    EXPECT_EQ(history_facts(told.entries(), Attention::none, told.attempts).last_error->step, "cancelar");

    Told esim;
    esim.attempts[0].state = AttemptState::awaiting;
    esim.add("solicitar", "authorised", "awaiting");
    esim.add("consultar", "unknown", "awaiting", 1);
    esim.add("consultar", "unknown", "awaiting", 2);
    EXPECT_EQ(esim.facts().tries, 2);
    EXPECT_EQ(history_facts(esim.entries(), Attention::none, esim.attempts).last_error->step, "consultar");
}

TEST(HistoryFacts, HaveTheLastError) {
    auto told = cancelling(1);
    told.add({.event = "cancelar",
              .verdict = "unknown",
              .http_status = 500,
              .detail = "the provider answered 500",
              .state = "cancelling",
              .tries = 2});
    const auto at = told.last;
    told.add("receipt", "", "cancelling");
    told.add("cancelar", "cancelled", "cancelled");
    const auto error = history_facts(told.entries(), Attention::none, told.attempts).last_error;
    ASSERT_TRUE(error);
    EXPECT_EQ(error->at, at);
    EXPECT_EQ(error->step, "cancelar");
    EXPECT_EQ(error->text, "the provider answered 500");
}

TEST(HistoryFacts, HaveNoErrorWhereThereWasNone) {
    Told told;
    told.add("begun", "", "requesting");
    told.add("solicitar", "authorised", "confirming");
    told.add("confirmar", "sold", "sold");
    EXPECT_FALSE(history_facts(told.entries(), Attention::none, told.attempts).last_error);
    EXPECT_FALSE(history_facts({}, Attention::unsettled, {}).last_error);
}

TEST(HistoryFacts, AnErrorIsAnExchangeWithoutAUsableAnswer) {
    const auto error = [](std::string_view event, std::string_view verdict, int tries) {
        Told told;
        told.add(event, verdict, "cancelling", tries);
        return history_facts(told.entries(), Attention::none, told.attempts).last_error;
    };
    for (const auto* step : {"solicitar", "confirmar", "cancelar"}) {
        for (const auto* verdict : {"unknown", "declined", "unsent", "unauthorised", "throttled"}) {
            const auto found = error(step, verdict, 0);
            ASSERT_TRUE(found) << step << ' ' << verdict;
            EXPECT_EQ(found->step, step);
            EXPECT_EQ(found->text, verdict);
            EXPECT_FALSE(found->may_be_older);
            EXPECT_FALSE(error("consultar", verdict, 0)) << "the sale went on at once";
            EXPECT_TRUE(error("consultar", verdict, 1));
            EXPECT_FALSE(error("elapsed", verdict, 1));
        }
        for (const auto* verdict : {"authorised", "sold", "cancelled", "refused", "no_such_sale"}) {
            EXPECT_FALSE(error(step, verdict, 0)) << step << ' ' << verdict;
            EXPECT_TRUE(error(step, verdict, 1)) << "it was a try";
        }
    }
}

TEST(HistoryFacts, HaveHowLongEachExchangeTookThatWasSent) {
    Told told;
    const auto add = [&](std::string_view event, std::string_view verdict, std::optional<Duration> took) {
        told.add({.event = event, .verdict = verdict, .duration = took, .state = "cancelling"});
    };
    add("begun", "", 1ms);
    add("solicitar", "authorised", 2ms);
    add("confirmar", "unknown", 3ms);
    add("cancelar", "unsent", 4ms);
    add("cancelar", "unauthorised", 5ms);
    add("cancelar", "cancelled", 6ms);
    add("consultar", "unknown", 7ms);
    add("confirmar", "sold", std::nullopt);
    std::vector<std::pair<WallTime, Duration>> took;
    std::vector<bool> unknown;
    for (const auto& one : timed_exchanges(told.entries())) {
        took.emplace_back(one.at, one.took);
        unknown.push_back(one.unknown);
    }
    const std::vector<std::pair<WallTime, Duration>> expected{
        {start + 2s, 2ms}, {start + 3s, 3ms}, {start + 5s, 5ms}, {start + 6s, 6ms}};
    EXPECT_EQ(took, expected);
    EXPECT_EQ(unknown, (std::vector<bool>{false, true, false, false}));
}

TEST(HistoryFacts, CountEachTryOfAnOlderVersionAndNoneOfASaleThatIsNotThere) {
    Told told;
    told.add("cancelar", "unknown", "cancelling");
    for (int i = 0; i < 3; ++i)
        told.add("cancelar", "unknown", "cancelling");
    told.add("solicitar", "authorised", "cancelling");
    EXPECT_EQ(told.facts().tries, 3);
    told.attempts[0].state = AttemptState::lingering;
    told.add("cancelar", "no_such_sale", "lingering");
    told.add("cancelar", "no_such_sale", "lingering");
    EXPECT_EQ(told.facts().tries, 0) << "this is what a cancel waits for there";
}

TEST(HistoryFacts, GoOnAfterARestartThatReachedTheSameNumber) {
    auto told = cancelling(0);
    told.add("cancelar", "unknown", "cancelling", 2);
    EXPECT_EQ(told.facts().tries, 2) << "the first entry may tell of several";
    told.add("cancelar", "unknown", "cancelling", 2);
    EXPECT_EQ(told.facts().tries, 4);
    EXPECT_EQ(told.facts().last_tries, 2);
    auto in_memory = told.attempts[0];
    in_memory.tries = 2;
    EXPECT_EQ(tries_by_now(told.facts(), in_memory), 4) << "these are the ones that the history has";
}

TEST(HistoryFacts, PassOverAnEntryWithoutAState) {
    auto told = cancelling(2);
    const auto since = told.facts().since;
    told.add("unreadable", "", "");
    EXPECT_EQ(told.facts().tries, 2);
    EXPECT_EQ(told.facts().since, since);
}

TEST(HistoryFacts, KnowAllTriesOfACountThatALongHistoryHasBegunAndThatWentOn) {
    const auto knows = [](bool is_long, StateFacts facts, int in_memory) {
        return knows_all_tries({.events = {}, .is_long = is_long}, facts,
                               {.id_externo = name_of('1'), .tries = in_memory});
    };
    EXPECT_TRUE(knows(false, {.since = {}, .tries = 5, .last_tries = 2}, 0)) << "nothing is left out";
    EXPECT_TRUE(knows(true, {.since = {}, .tries = 16, .last_tries = 16}, 16));
    EXPECT_TRUE(knows(true, {.since = {}, .tries = 32, .last_tries = 32}, 40));
    EXPECT_FALSE(knows(true, {.since = {}, .tries = 15, .last_tries = 15}, 15)) << "it may have grown long before";
    EXPECT_FALSE(knows(true, {.since = {}, .tries = 20, .last_tries = 16}, 16)) << "it was counted anew";
    EXPECT_FALSE(knows(true, {.since = {}, .tries = 16, .last_tries = 16}, 15));
}

TEST(HistoryFacts, SayThatThereMayBeMoreTriesWhereThereAreSome) {
    const auto more = [](int tries, bool is_long) {
        auto history = cancelling(tries).entries();
        history.is_long = is_long;
        return history_facts(history, Attention::none, cancelling(tries).attempts).more_tries;
    };
    EXPECT_TRUE(more(1, true));
    EXPECT_FALSE(more(0, true));
    EXPECT_FALSE(more(1, false));
}

TEST(HistoryFacts, AMarkIsAsOldAsTheEntryThatMadeIt) {
    const auto since = [](const Told& told, Attention mark) {
        return history_facts(told.entries(), mark, told.attempts).marked_since;
    };
    auto told = cancelling(2);
    EXPECT_FALSE(since(told, Attention::unsettled)) << "an older version did not say";
    told.add({.event = "elapsed", .state = "cancelling", .mark = "unsettled"});
    EXPECT_EQ(since(told, Attention::unsettled), told.last);
    told.add({.event = "resolved", .state = "cancelling", .mark = "none"});
    told.add({.event = "elapsed", .state = "cancelling", .mark = "unsettled"});
    EXPECT_EQ(since(told, Attention::unsettled), told.last) << "the one that it has now";
    EXPECT_FALSE(since(told, Attention::contradiction));
    EXPECT_FALSE(since(told, Attention::none));
}

TEST(HistoryFacts, AMarkOfTheJournalsOwnIsToldByItsEvent) {
    auto told = cancelling(0);
    told.add({.event = "unreadable"});
    EXPECT_EQ(history_facts(told.entries(), Attention::unreadable, {}).marked_since, told.last);
    const auto unreadable_since = told.last;
    told.add({.event = "restored", .state = "cancelling"});
    EXPECT_EQ(history_facts(told.entries(), Attention::restored, {}).marked_since, told.last);
    EXPECT_EQ(history_facts(told.entries(), Attention::unreadable, {}).marked_since, unreadable_since);
}

}  // namespace
}  // namespace gateway::test
