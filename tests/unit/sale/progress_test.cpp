#include "sale/progress.hpp"

#include "base/wall_time.hpp"
#include "unit/sale/scenario.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace testing;

// Returns what is told about a sale, with "ID" for its idExterno.
class Listener {
  public:
    explicit Listener(Scenario scenario) : scenario(std::move(scenario)) {}

    Progress hear(std::size_t attempt = Scenario::current) const {
        const auto index = attempt == Scenario::current ? scenario.sale.attempts.size() - 1 : attempt;
        auto told = progress(scenario.rules, scenario.sale, index, facts, {.now = scenario.now, .wall = scenario.wall});
        const auto id = scenario.sale.attempts.at(index).id_externo.str();
        const auto at = told.text.find(id);
        EXPECT_NE(at, std::string::npos) << told.text;
        if (at != std::string::npos) told.text.replace(at, id.size(), "ID");
        return told;
    }
    std::string text() const { return hear().text; }
    // Returns the time in `time` from now, such as "10:11:12".
    std::string clock_in(Duration time) const { return to_local_text(scenario.wall + time).substr(11); }

    Scenario scenario;
    AttemptFacts facts;
};

// The pause after each try in vain is the longest one: half a second, then a second, ….
Scenario in_vain(Scenario scenario, Step step, int tries) {
    scenario.chance = ~std::uint32_t{0};
    for (int i = 0; i < tries; ++i)
        scenario.answered(step, Verdict::unknown);
    return scenario;
}

Scenario asked() {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unknown);
    return scenario;
}

TEST(Progress, OfARequestThatIsUnderWay) {
    Listener listener{Scenario(Family::tv)};
    EXPECT_EQ(listener.text(), "The gateway asks the provider for idExterno ID at " + listener.clock_in(0s) + ".");
    listener.facts.under_way = Step::solicitar;
    const auto told = listener.hear();
    EXPECT_EQ(told.text, "The gateway has asked the provider for idExterno ID and waits for its answer.");
    EXPECT_EQ(told.step, Step::solicitar);
    EXPECT_TRUE(told.under_way);
    EXPECT_EQ(told.number, 1);
    EXPECT_FALSE(told.next_at || told.attention_at);
}

TEST(Progress, OfASaleThatWaitsForTheJournal) {
    Listener listener{in_vain(authorised(), Step::confirmar, 1)};
    listener.facts.waits_for_journal = true;
    auto told = listener.hear();
    EXPECT_EQ(told.text,
              "The last step of the sale is not recorded yet, because the journal cannot be written; until "
              "it can, the gateway asks the provider nothing more for idExterno ID.");
    EXPECT_TRUE(told.waits_for_journal);
    EXPECT_FALSE(told.step || told.next_at || told.attention_at);
    listener.facts.under_way = Step::confirmar;
    told = listener.hear();
    EXPECT_TRUE(told.under_way) << "of another attempt, which was asked before";
    EXPECT_FALSE(told.waits_for_journal);
}

TEST(Progress, OfAStatusThatIsAskedForFirst) {
    Scenario scenario(Family::tv);
    scenario.rules.can_ask = true;
    scenario.restart();
    const Listener listener{std::move(scenario)};
    EXPECT_EQ(listener.hear().step, Step::consultar);
    EXPECT_THAT(listener.text(),
                StartsWith("The gateway asks the provider how idExterno ID stands: try 1 comes now; "));
    Scenario disputed = authorised();
    disputed.rules.can_ask = true;
    disputed.pass(disputed.rules.confirm_window);
    disputed.happens(Elapsed{});
    EXPECT_THAT(Listener{disputed}.text(),
                StartsWith("Whether the provider sold idExterno ID is not known; the gateway asks it how that stands: "
                           "try 1 comes now; "));
}

TEST(Progress, OfAnEsimThatIsAskedForBecauseNoCallbackComes) {
    Scenario scenario(Family::esim);
    scenario.rules.can_ask = true;
    scenario.answered(Step::solicitar, Verdict::authorised);
    const Listener listener{std::move(scenario)};
    const auto told = listener.hear();
    EXPECT_EQ(told.next_at, listener.scenario.wall + 5min);
    EXPECT_THAT(told.text, HasSubstr("; where none comes, the gateway asks it how that stands: try 1 at " +
                                     listener.clock_in(5min) + "; a person is asked at " + listener.clock_in(10min)));
}

TEST(Progress, OfAHeldSale) {
    const Listener listener{authorised(Family::tv, ConfirmMode::manual)};
    const auto told = listener.hear();
    EXPECT_EQ(told.text, "idExterno ID is authorised, and the terminal holds it until " + listener.clock_in(300s) +
                             "; if it has neither confirmed nor cancelled by then, the gateway cancels.");
    EXPECT_FALSE(told.step);
    EXPECT_EQ(told.number, 0);
    EXPECT_EQ(told.next_at, listener.scenario.wall + 300s);
    EXPECT_FALSE(told.attention_at);
}

TEST(Progress, OfAConfirm) {
    Listener listener{in_vain(authorised(), Step::confirmar, 1)};
    listener.facts.tries = 1;
    const auto told = listener.hear();
    EXPECT_EQ(told.step, Step::confirmar);
    EXPECT_EQ(told.number, 2);
    ASSERT_TRUE(told.next_at);
    EXPECT_EQ(told.text, "The gateway asks the provider to confirm idExterno ID: try 2 at " +
                             to_local_text(*told.next_at).substr(11) + "; if no answer has come by " +
                             listener.clock_in(120s) + ", it finds out what became of it.");
    listener.facts.under_way = Step::confirmar;
    EXPECT_THAT(listener.text(), HasSubstr(": try 2 is under way;"));
    listener.facts.under_way.reset();
    listener.scenario.pass(120s);
    EXPECT_EQ(listener.text(),
              "The gateway confirms idExterno ID no more, because no answer has come in the time for it; from " +
                  listener.clock_in(0s) + " on it finds out what became of it.");
}

TEST(Progress, OfGoodsThatHaveNotCome) {
    auto scenario = authorised(Family::egift);
    scenario.answered(Step::confirmar, Verdict::sold);
    const Listener listener{scenario};
    const auto told = listener.hear();
    EXPECT_EQ(told.text,
              "idExterno ID is sold, but its goods have not come: the gateway asks for them: try 1 comes now; "
              "a person is asked at " +
                  listener.clock_in(120s) + ".");
    EXPECT_EQ(told.attention_at, listener.scenario.wall + 120s) << "when the goods count as not delivered";
    scenario.pass(120s);
    EXPECT_THAT(Listener{std::move(scenario)}.text(),
                HasSubstr("its goods have not come in the time for them; the gateway asks for them no more"));
}

TEST(Progress, OfAConfirmThatAStatementHasRepeated) {
    auto scenario = authorised();
    scenario.answered(Step::confirmar, Verdict::sold);
    scenario.happens(Stated{.status = Status::AUTORIZADA, .source = "a statement"});
    const Listener listener{scenario};
    const auto told = listener.hear();
    EXPECT_EQ(told.text,
              "idExterno ID is sold, and the provider's statement has it unconfirmed: the gateway confirms it once "
              "more: try 1 comes now.");
    EXPECT_EQ(told.step, Step::confirmar);
    EXPECT_FALSE(told.attention_at) << "nobody is asked when its window ends";
    scenario.pass(120s);
    const Listener later{std::move(scenario)};
    EXPECT_EQ(later.text(),
              "idExterno ID is sold, and no answer has come in the time for the confirm that was sent once more; at " +
                  later.clock_in(0s) + " the gateway leaves it at that.");
}

TEST(Progress, OfADispute) {
    auto scenario = authorised();
    scenario.happens(CancelAsked{});
    Listener listener{std::move(scenario)};
    EXPECT_EQ(listener.text(),
              "Whether the provider sold idExterno ID is not known; the gateway asks it to cancel, because the answer "
              "says how it stands: try 1 comes now; a person is asked at " +
                  listener.clock_in(600s) + ".");
    listener.scenario.answered(Step::cancelar, Verdict::declined);
    EXPECT_THAT(listener.text(), HasSubstr("asks it to confirm, because"));
}

TEST(Progress, OfADisputeThatOnlyAPersonCanEnd) {
    auto scenario = authorised(Family::health);
    scenario.pass(120s);
    scenario.happens(Elapsed{});
    scenario.attempt(0).confirm_time.reset();  // as in a restored copy
    const Listener listener{std::move(scenario)};
    EXPECT_THAT(listener.text(), HasSubstr("is not known, and there is no way to ask it: only a person can find out;"));
    EXPECT_FALSE(listener.hear().step);
}

TEST(Progress, OfACancelWhileTheTerminalWaits) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    const Listener listener{scenario};
    EXPECT_EQ(listener.text(),
              "The gateway asks the provider to cancel idExterno ID, so that it can try again while the terminal "
              "waits: try 1 comes now; a person is asked at " +
                  listener.clock_in(600s) + ".");
    scenario.pass(60s);
    EXPECT_THAT(Listener{std::move(scenario)}.text(),
                HasSubstr("has not cancelled idExterno ID in time for another try while the terminal waits; from "));
}

TEST(Progress, OfACancel) {
    Listener listener{in_vain(asked(), Step::cancelar, 3)};
    listener.facts.tries = 3;
    const auto told = listener.hear();
    ASSERT_TRUE(told.next_at);
    EXPECT_GT(*told.next_at, listener.scenario.wall);
    EXPECT_EQ(told.text, "The gateway asks the provider to cancel idExterno ID: try 4 at " +
                             to_local_text(*told.next_at).substr(11) + "; a person is asked at " +
                             listener.clock_in(600s) + ".");
    EXPECT_EQ(told.number, 4);
    EXPECT_EQ(told.attention_at, listener.scenario.wall + 600s);
    EXPECT_EQ(progress(listener.scenario.rules, listener.scenario.sale, 0, {.tries = 9}, {}).number, 10)
        << "those of before a restart count";
}

TEST(Progress, OfATryThatComesAfterAPersonIsAskedNamesBoth) {
    Listener listener{in_vain(asked(), Step::cancelar, 1)};
    auto& attempt = listener.scenario.attempt(0);
    attempt.next_try = listener.scenario.now + 20s;
    attempt.attention_at = listener.scenario.now + 5s;
    const auto told = listener.hear();
    EXPECT_EQ(told.next_at, listener.scenario.wall + 20s);
    EXPECT_EQ(told.attention_at, listener.scenario.wall + 5s);
    EXPECT_EQ(told.step, Step::cancelar);
}

TEST(Progress, OfACancelWhoseRequestIsStillUnderWay) {
    Scenario scenario(Family::tv);
    scenario.happens(CancelAsked{});
    Listener listener{std::move(scenario)};
    listener.facts.under_way = Step::solicitar;
    EXPECT_THAT(listener.text(), HasSubstr("the request for it is still under way"));
    EXPECT_EQ(listener.hear().step, Step::solicitar);
    EXPECT_EQ(listener.hear().number, 1);
}

TEST(Progress, OfACancelThatThereIsNot) {
    Scenario scenario(Family::health);
    scenario.answered(Step::solicitar, Verdict::unknown);
    Listener listener{std::move(scenario)};
    EXPECT_EQ(listener.text(),
              "The gateway has no way to cancel idExterno ID at the provider: only a person can; a person has been "
              "asked.");
    listener.facts.marked_since = listener.scenario.wall - 1s;
    const auto told = listener.hear();
    EXPECT_THAT(told.text, EndsWith("; a person was asked at " + listener.clock_in(-1s) + "."));
    EXPECT_FALSE(told.step || told.next_at || told.attention_at);
    listener.scenario.rules.can_ask = true;
    EXPECT_THAT(listener.text(), StartsWith("The gateway has no way to cancel idExterno ID at the provider: only a "
                                            "person can; it asks how that stands: try 1 comes now; "));
}

TEST(Progress, OfALastCancelThatThereIsNoMore) {
    auto scenario = asked();
    scenario.answered(Step::cancelar, Verdict::cancelled);
    scenario.rules.can_cancel.fill(false);
    EXPECT_THAT(Listener{std::move(scenario)}.text(),
                StartsWith("The gateway has no way to cancel idExterno ID at the provider: only a person can; "));
}

TEST(Progress, OfTheLastCancel) {
    auto scenario = asked();
    scenario.answered(Step::cancelar, Verdict::cancelled);
    const Listener listener{std::move(scenario)};
    const auto told = listener.hear();
    EXPECT_EQ(told.text,
              "The provider has cancelled idExterno ID, or does not know it; because the request may still reach it "
              "late, the gateway asks it to cancel once more: try 1 at " +
                  listener.clock_in(120s) + "; a person is asked at " + listener.clock_in(720s) + ".");
    EXPECT_EQ(told.next_at, listener.scenario.wall + 120s);
}

TEST(Progress, OfAnEsim) {
    auto scenario = authorised(Family::esim);
    Listener listener{std::move(scenario)};
    listener.facts.since = listener.scenario.wall - 3s;
    EXPECT_EQ(listener.text(), "idExterno ID waits for the provider's callback since " + listener.clock_in(-3s) +
                                   "; a person is asked at " + listener.clock_in(600s) + ".");
    EXPECT_FALSE(listener.hear().next_at) << "nothing comes by itself";
    listener.scenario.wait_it_out();
    listener.facts.marked_since = listener.scenario.wall;
    EXPECT_THAT(listener.text(), EndsWith("; a person was asked at " + listener.clock_in(0s) + "."));
    EXPECT_FALSE(listener.hear().attention_at);
}

TEST(Progress, ATimeOfAnotherDayHasItsDate) {
    auto scenario = authorised(Family::tv, ConfirmMode::manual);
    scenario.attempt(0).deadline = scenario.now + 48h;
    const Listener listener{std::move(scenario)};
    EXPECT_THAT(listener.text(), HasSubstr("holds it until " + to_local_text(listener.scenario.wall + 48h)));
}

TEST(Progress, ATimeThatTheJournalHasLostIsNotKnown) {
    auto scenario = authorised(Family::tv, ConfirmMode::manual);
    scenario.attempt(0).deadline = never;
    EXPECT_THAT(Listener{std::move(scenario)}.text(), HasSubstr("holds it until a time that is not known; "));
}

TEST(Progress, APersonIsNotAskedBeforeTheProvider) {
    auto scenario = asked();
    scenario.pass(scenario.rules.attention_after);  // the machine was asleep, and not started again
    const Listener listener{std::move(scenario)};
    EXPECT_THAT(listener.text(), EndsWith(": try 1 comes now; a person is asked if that brings nothing."));
}

TEST(Progress, OfEveryStateIsASentence) {
    for (const auto state : all_states) {
        auto scenario = authorised(state == AttemptState::awaiting ? Family::esim : Family::tv);
        auto& attempt = scenario.attempt(0);
        attempt.state = state;
        attempt.cancel_time = scenario.wall;
        const Listener listener{std::move(scenario)};
        EXPECT_THAT(listener.text(), EndsWith(".")) << to_string(state);
        if (!is_settled(state)) continue;
        EXPECT_EQ(listener.text(), "Nothing is left to do for idExterno ID.");
    }
}

TEST(Progress, TheAttemptThatMattersComesFirst) {
    std::vector<Attempt> attempts(4, Scenario(Family::tv).sale.attempts.front());
    EXPECT_EQ(open_attempts(attempts), (std::vector<std::size_t>{3, 2, 1, 0}));
    attempts[3].state = AttemptState::sold;
    attempts[1].state = AttemptState::cancelled;
    EXPECT_EQ(open_attempts(attempts), (std::vector<std::size_t>{2, 0}));
    attempts[0].state = attempts[2].state = AttemptState::unsent;
    EXPECT_TRUE(open_attempts(attempts).empty());
}

}  // namespace
}  // namespace gateway::test
