// Tests what the provider's statement of a day may do to an attempt: every state with every status that a statement can
// have, and what follows from each.
#include "unit/sale/scenario.hpp"

#include <map>
#include <tuple>
#include <vector>

namespace gateway::test {
namespace {

using State = AttemptState;

Stated says(Status status) {
    return {.status = status, .source = "statement of 2024-05-02, line 7"};
}

// The first tests are about the table of what follows from a statement.

// Says what a statement can do for a family: confirm and cancel once more, only confirm, or neither.
enum class Kind { both, confirm_only, neither };

struct Who {
    std::string_view name;
    Family family;
    bool cancels = true;
    Kind kind = Kind::both;
};
constexpr std::array everybody{
    Who{"tv", Family::tv},
    Who{"egift", Family::egift},
    Who{"transit", Family::transit},
    Who{"health that cancels", Family::health},
    Who{"health", Family::health, false, Kind::confirm_only},
    Who{"esim", Family::esim, false, Kind::neither},
};

// Says what becomes of an attempt for PENDENTE, AUTORIZADA, EFETIVADA, CANCELADA and NEGADA, in this order.
using Answers = std::array<std::string_view, all_statuses.size()>;
struct Row {
    std::vector<AttemptState> states;
    std::vector<Kind> kinds;
    Answers answers;
    std::string_view why;
};

constexpr std::string_view stays = "stays";
constexpr std::string_view against = "contradiction";
const std::vector all_kinds{Kind::both, Kind::confirm_only, Kind::neither};
const std::vector<AttemptState> over_and_not_sold{State::cancelled, State::refused, State::unsent, State::unauthorised,
                                                  State::throttled};

const std::vector<Row> table{
    {{State::requesting, State::held, State::confirming, State::collecting, State::retracting, State::cancelling,
      State::lingering},
     all_kinds,
     {stays, stays, stays, stays, stays},
     "the gateway is about to ask, or is asking, or waits for the terminal: it knows better than last night"},
    {{State::disputing},
     {Kind::both, Kind::confirm_only},
     {stays, stays, "sold EFETIVADA", "cancelled CANCELADA", stays},
     "only the provider's word counts, and this is one; NEGADA is none on what was authorised"},
    {{State::awaiting},
     {Kind::neither},
     {stays, stays, "sold EFETIVADA", "cancelled CANCELADA", "refused NEGADA"},
     "what the callback would have said"},
    {{State::sold},
     {Kind::both, Kind::confirm_only},
     {stays, "collecting EFETIVADA", stays, against, against},
     "where the provider never heard the confirm, it is sent once more; a final status never changes"},
    {{State::sold}, {Kind::neither}, {stays, stays, stays, against, against}, "an eSIM has no confirm to repeat"},
    {over_and_not_sold,
     {Kind::both},
     {stays, "cancelling", against, stays, stays},
     "where the provider never heard the cancel, it is sent once more; CANCELADA and NEGADA are both not sold"},
    {over_and_not_sold,
     {Kind::confirm_only, Kind::neither},
     {stays, stays, against, stays, stays},
     "there is no way to cancel what the provider holds open: the finding is for a person"},
};

bool can_be(const Who& who, AttemptState state) {
    if (who.kind == Kind::neither) return is_esim_state(state);
    if (state == State::awaiting) return false;
    return who.cancels || !one_of(state, {State::retracting, State::lingering});
}

const Row* row_of(const Who& who, AttemptState state) {
    const Row* found = nullptr;
    for (const auto& row : table) {
        const bool fits = std::ranges::count(row.states, state) > 0 && std::ranges::count(row.kinds, who.kind) > 0;
        if (!fits) continue;
        EXPECT_EQ(found, nullptr) << "two rows for " << to_string(state) << " of " << who.name;
        found = &row;
    }
    return found;
}

// Makes a sale whose only attempt is in the state, with everything that the attempt can have in its past.
Scenario scenario_of(const Who& who, AttemptState state) {
    Scenario scenario(who.family);
    scenario.rules.can_cancel.at(static_cast<std::size_t>(Family::health)) = who.cancels;
    auto& attempt = scenario.attempt(0);
    attempt.state = state;
    const bool confirmed = who.family != Family::esim && (may_have_been_confirmed(state) || state == State::sold);
    if (confirmed || state == State::held) attempt.id_transacao = "T1";
    if (confirmed) attempt.confirm_time = scenario.wall;
    if (confirmed) scenario.sale.details.instrucao = Secret("{}");
    if (is_being_cancelled(state) || state == State::disputing) attempt.cancel_time = scenario.wall;
    if (one_of(state, {State::held, State::confirming, State::collecting, State::retracting, State::lingering}))
        attempt.deadline = scenario.now + 30s;
    if (who.family == Family::esim) scenario.sale.esim = EsimDetails{.url = Secret("https://esim.example/1")};
    if (is_being_cancelled(state) || state == State::disputing || state == State::awaiting)
        attempt.attention_at = scenario.now + 30s;
    scenario.sale.status = status_that_follows(attempt);
    scenario.sale.settled = is_settled(state);
    if (scenario.sale.status != Status::EFETIVADA) scenario.sale.reason = Reason{.code = ReasonCode::response_lost};
    if (is_being_cancelled(state) && !who.cancels) scenario.sale.attention = Attention::no_cancel_path;
    EXPECT_TRUE(is_possible(scenario.sale)) << to_string(state);
    return scenario;
}

// Says in the words of the table what happened.
std::string met(Scenario& scenario, Status said) {
    const auto before = scenario.sale;
    const auto change = scenario.happens(says(said));
    EXPECT_TRUE(is_possible(scenario.sale));
    if (change.changes_nothing) return std::string(stays);
    const auto& now = scenario.sale;
    if (now.current().state != before.current().state) {
        EXPECT_TRUE(!is_final(before.status) || now.status == before.status);
        auto text = std::string(to_string(now.current().state));
        // A status that stays is not named: it is any of those that are not sold.
        return now.current().state == State::cancelling ? text : text + " " + std::string(to_string(now.status));
    }
    EXPECT_EQ(now.status, before.status);
    EXPECT_EQ(change.stated, StatedEffect::contradiction);
    EXPECT_FALSE(now.settled) << "it waits for a person";
    return std::string(to_string(now.attention));
}

TEST(MachineStatement, EveryStateHasItsAnswerToEveryStatus) {
    std::size_t rows = 0;
    for (const auto& who : everybody)
        for (const auto state : all_states) {
            if (!can_be(who, state)) continue;
            const auto* row = row_of(who, state);
            ASSERT_NE(row, nullptr) << "no row for " << to_string(state) << " of " << who.name;
            for (std::size_t i = 0; i < all_statuses.size(); ++i) {
                auto scenario = scenario_of(who, state);
                EXPECT_EQ(met(scenario, all_statuses.at(i)), row->answers.at(i))
                    << who.name << ", " << to_string(state) << " meets " << to_string(all_statuses.at(i)) << ": "
                    << row->why;
                ++rows;
            }
        }
    EXPECT_EQ(rows, (4 * 14 + 12 + 8) * all_statuses.size());
}

// The next tests are about what an open attempt becomes.

Scenario disputed_sale(Family family) {
    auto scenario = authorised(family);
    scenario.happens(CancelAsked{});
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA");
    return scenario;
}

TEST(MachineStatement, DecidesWhatTheProviderDoesNotAnswer) {
    auto sold = disputed_sale(Family::tv);
    EXPECT_EQ(sold.happens(says(Status::EFETIVADA)).stated, StatedEffect::settled);
    EXPECT_EQ(sold.stands(), "sold EFETIVADA settled");
    EXPECT_EQ(sold.why(), "no reason");

    auto cancelled = disputed_sale(Family::tv);
    EXPECT_EQ(cancelled.happens(says(Status::CANCELADA)).stated, StatedEffect::settled);
    EXPECT_EQ(cancelled.stands(), "cancelled CANCELADA settled");
    EXPECT_EQ(cancelled.why(), "statement");
    EXPECT_EQ(cancelled.sale.reason->detail, "statement of 2024-05-02, line 7 says CANCELADA");
    EXPECT_EQ(cancelled.doing(), "rest");
}

TEST(MachineStatement, WhatIsSoldByItGoesOnToCollectItsGoods) {
    auto scenario = disputed_sale(Family::egift);
    EXPECT_EQ(scenario.happens(says(Status::EFETIVADA)).stated, StatedEffect::settled);
    EXPECT_EQ(scenario.stands(), "collecting AUTORIZADA") << "nobody is told that it is sold before they are there";
    EXPECT_EQ(scenario.doing(), "confirmar");
    scenario.answered(Step::confirmar, with_goods(Verdict::sold));
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
}

TEST(MachineStatement, GoodsThatNothingWillBringAreForAPerson) {
    auto health = disputed_sale(Family::health);
    health.sale.details.instrucao = {};
    health.happens(says(Status::EFETIVADA));
    EXPECT_EQ(health.stands(), "sold EFETIVADA settled undeliverable!");

    auto restored = disputed_sale(Family::egift);
    restored.attempt(0).confirm_time.reset();
    restored.happens(says(Status::EFETIVADA));
    EXPECT_EQ(restored.stands(), "sold EFETIVADA settled undeliverable!") << "there is no confirm to repeat";
}

TEST(MachineStatement, AnEsimThatItSellsWaitsForItsAddressAndAPersonKnows) {
    Scenario scenario(Family::esim);
    scenario.answered(Step::solicitar, Verdict::authorised);
    scenario.happens(says(Status::EFETIVADA));
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled undeliverable!");
    scenario.called_back(Status::EFETIVADA, {.uuid = "nsu-1"});
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled undeliverable!");
    scenario.called_back(Status::EFETIVADA, {.url = Secret("https://esim.example/1")});
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled") << "the callback came all the same";

    Scenario restored(Family::esim);
    restored.answered(Step::solicitar, Verdict::authorised);
    restored.sale.attention = Attention::restored;
    restored.happens(says(Status::EFETIVADA));
    EXPECT_EQ(restored.stands(), "sold EFETIVADA settled restored!") << "what a person is to look at stays";

    Scenario failed(Family::esim);
    failed.answered(Step::solicitar, Verdict::authorised);
    failed.called_back(Status::PENDENTE, {.url = Secret("https://esim.example/1"), .situacao_recarga = "FALHA"});
    failed.happens(says(Status::EFETIVADA));
    EXPECT_EQ(failed.stands(), "sold EFETIVADA settled recharge_failed!");
}

TEST(MachineStatement, AnEsimThatItDoesNotSellIsOverAndACallbackThatSellsItContradicts) {
    for (const auto& [status, stands] :
         {std::pair(Status::CANCELADA, "cancelled CANCELADA"), std::pair(Status::NEGADA, "refused NEGADA")}) {
        Scenario scenario(Family::esim);
        scenario.answered(Step::solicitar, Verdict::unknown);
        scenario.wait_it_out();
        EXPECT_EQ(scenario.sale.attention, Attention::no_callback);
        scenario.happens(says(status));
        EXPECT_EQ(scenario.stands(), std::string(stands) + " settled") << "nobody needs to look any more";
        EXPECT_EQ(scenario.why(), "statement");
        scenario.called_back(Status::EFETIVADA);
        EXPECT_EQ(scenario.stands(), std::string(stands) + " contradiction!");
    }
}

TEST(MachineStatement, HalfAnAnswerDecidesNoRestoredSale) {
    auto scenario = disputed_sale(Family::tv);
    scenario.attempt(0).confirm_time.reset();
    scenario.attempt(0).id_transacao.clear();
    scenario.sale.attention = Attention::restored;
    EXPECT_TRUE(scenario.happens(says(Status::CANCELADA)).changes_nothing)
        << "an attempt that the copy does not know of may have been sold";
    scenario.happens(says(Status::EFETIVADA));
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled restored!");
}

// The next tests are about an attempt that is over here and AUTORIZADA at the provider.

Scenario sold_sale(Family family = Family::tv) {
    auto scenario = authorised(family);
    scenario.answered(Step::confirmar, with_goods(Verdict::sold));
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    return scenario;
}

Scenario cancelled_sale() {
    auto scenario = authorised(Family::tv, ConfirmMode::manual);
    scenario.happens(CancelAsked{});
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
    return scenario;
}

TEST(MachineStatement, AConfirmThatTheProviderNeverHeardIsRepeatedWordForWord) {
    auto scenario = sold_sale();
    const auto decided = scenario.sale.current().confirm_time;
    scenario.pass(24h);
    EXPECT_EQ(scenario.happens(says(Status::AUTORIZADA)).stated, StatedEffect::repeated);
    EXPECT_EQ(scenario.stands(), "collecting EFETIVADA");
    EXPECT_EQ(outcome_of(scenario.sale), Outcome::sold) << "as the terminal was told";
    EXPECT_EQ(scenario.doing(), "confirmar");
    EXPECT_EQ(scenario.sale.current().confirm_time, decided);
    scenario.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled") << "a recharge needs no goods";
}

TEST(MachineStatement, WhatTheTerminalWasGivenStaysWhateverTheRepeatedConfirmBrings) {
    auto scenario = sold_sale(Family::egift);
    const auto given = scenario.sale.details.instrucao;
    scenario.happens(says(Status::AUTORIZADA));
    auto answer = with_goods(Verdict::sold);
    answer.details.instrucao = Secret("another code");
    answer.details.complemento = Secret("what was missing");
    scenario.answered(Step::confirmar, answer);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    EXPECT_EQ(scenario.sale.details.instrucao, given);
    EXPECT_EQ(scenario.sale.details.complemento, Secret("what was missing"));
}

TEST(MachineStatement, GoodsThatTheRepeatedConfirmBringsNeedNobodyAnyMore) {
    auto scenario = authorised(Family::egift);
    scenario.answered(Step::confirmar, Verdict::sold);
    scenario.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled undeliverable!");
    scenario.happens(says(Status::AUTORIZADA));
    scenario.answered(Step::confirmar, with_goods(Verdict::sold));
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    EXPECT_FALSE(scenario.sale.details.instrucao.empty());
}

TEST(MachineStatement, ARepeatedConfirmThatNobodyAnswersEndsWithItsWindow) {
    for (const auto known : {Verdict::unknown, Verdict::declined, Verdict::no_such_sale, Verdict::unsent}) {
        auto scenario = sold_sale();
        scenario.happens(says(Status::AUTORIZADA));
        scenario.answered(Step::confirmar, known);
        EXPECT_EQ(scenario.stands(), "collecting EFETIVADA") << "no word on the status";
        scenario.pass(scenario.rules.confirm_window);
        EXPECT_EQ(scenario.doing(), "wait");
        scenario.happens(Elapsed{});
        EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled") << "the next statement tells whether it was heard";
    }
}

TEST(MachineStatement, ARepeatedConfirmGetsItsNewToken) {
    auto scenario = sold_sale();
    scenario.happens(says(Status::AUTORIZADA));
    scenario.answered(Step::confirmar, Verdict::unauthorised);
    EXPECT_EQ(scenario.doing(), "confirmar");
    scenario.answered(Step::confirmar, Verdict::unauthorised);
    scenario.pass(1s);
    scenario.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
}

TEST(MachineStatement, CANCELADAToTheRepeatedConfirmIsAContradiction) {
    auto scenario = sold_sale();
    scenario.happens(says(Status::AUTORIZADA));
    scenario.answered(Step::confirmar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA contradiction!");
    EXPECT_EQ(scenario.doing(), "rest");
}

TEST(MachineStatement, ARepeatSurvivesACrash) {
    auto scenario = sold_sale();
    scenario.happens(says(Status::AUTORIZADA));
    scenario.restart(1s);
    EXPECT_EQ(scenario.stands(), "collecting EFETIVADA");
    EXPECT_EQ(scenario.doing(), "confirmar");
    scenario.restart(24h);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled") << "its window is over";

    auto cancelled = cancelled_sale();
    cancelled.happens(says(Status::AUTORIZADA));
    cancelled.restart(24h);
    EXPECT_EQ(cancelled.stands(), "cancelling CANCELADA");
    EXPECT_EQ(cancelled.doing(), "cancelar");
}

TEST(MachineStatement, WhatWasNeverConfirmedIsNotConfirmedByIt) {
    auto scenario = disputed_sale(Family::tv);
    scenario.attempt(0).confirm_time.reset();  // as in a restored copy
    scenario.answered(Step::cancelar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    EXPECT_TRUE(scenario.happens(says(Status::AUTORIZADA)).changes_nothing);
}

TEST(MachineStatement, ACancelThatTheProviderNeverHeardIsRepeatedWordForWord) {
    auto scenario = cancelled_sale();
    const auto decided = scenario.sale.current().cancel_time;
    scenario.pass(24h);
    EXPECT_EQ(scenario.happens(says(Status::AUTORIZADA)).stated, StatedEffect::repeated);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
    EXPECT_EQ(scenario.why(), "terminal_cancelled") << "why it is not sold stays, too";
    EXPECT_EQ(scenario.sale.current().cancel_time, decided);
    EXPECT_EQ(scenario.doing(), "cancelar");
    scenario.answered(Step::cancelar, Verdict::unknown);
    EXPECT_TRUE(scenario.happens(says(Status::AUTORIZADA)).changes_nothing) << "it is under way";
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
}

// Whatever the cancel is answered, the sale is what it was: NEGADA stays NEGADA, and nothing of it is confirmed.
TEST(MachineStatement, ACancelOfWhatWasNeverAcceptedChangesNoStatus) {
    for (const auto& [known, state] :
         {std::pair(Verdict::refused, State::refused), std::pair(Verdict::unsent, State::unsent),
          std::pair(Verdict::throttled, State::throttled)})
        for (const auto answered : all_known) {
            Scenario scenario(Family::transit);
            scenario.answered(Step::solicitar, known);
            ASSERT_EQ(scenario.sale.current().state, state);
            const auto status = scenario.sale.status;
            scenario.happens(says(Status::AUTORIZADA));
            EXPECT_EQ(scenario.sale.current().state, State::cancelling);
            scenario.answered(Step::cancelar, answered);
            for (int i = 0; i < 20 && !is_settled(scenario.sale.current().state); ++i) {
                EXPECT_NE(scenario.act().step, Step::confirmar);
                scenario.pass(10min);
                scenario.answered(Step::cancelar, Verdict::cancelled);
            }
            EXPECT_EQ(scenario.sale.status, status);
            EXPECT_EQ(scenario.sale.attention, answered == Verdict::sold ? Attention::contradiction : Attention::none);
            EXPECT_EQ(scenario.sale.settled, answered != Verdict::sold);
            EXPECT_TRUE(is_possible(scenario.sale));
        }
}

TEST(MachineStatement, WhatWasNotSoldIsNeverConfirmedThoughAConfirmWasSentForIt) {
    auto scenario = disputed_sale(Family::tv);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    ASSERT_TRUE(scenario.sale.current().confirm_time);
    scenario.happens(says(Status::AUTORIZADA));
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
    for (const auto known : {Verdict::no_such_sale, Verdict::declined, Verdict::unknown, Verdict::unauthorised}) {
        auto other = scenario;
        for (int i = 0; i < 5; ++i) {
            other.answered(Step::cancelar, known);
            other.pass(10min);
            EXPECT_NE(other.doing(), "confirmar");
        }
    }
    scenario.answered(Step::cancelar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold CANCELADA contradiction!");
    EXPECT_TRUE(scenario.happens(says(Status::AUTORIZADA)).changes_nothing) << "not even now";
}

TEST(MachineStatement, ACancelThatGoesUnansweredNeedsAPersonInTime) {
    auto scenario = cancelled_sale();
    scenario.happens(says(Status::AUTORIZADA));
    scenario.chance = ~0u;
    scenario.answered(Step::cancelar, Verdict::unknown);
    scenario.pass(scenario.rules.attention_after);
    scenario.happens(Elapsed{});
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA unsettled!");
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
}

// The next tests are about an attempt that is over here and has another final status at the provider.

TEST(MachineStatement, AContradictionIsSaidOnce) {
    auto scenario = sold_sale();
    EXPECT_EQ(scenario.happens(says(Status::CANCELADA)).stated, StatedEffect::contradiction);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA contradiction!");
    const auto again = scenario.happens(says(Status::CANCELADA));
    EXPECT_TRUE(again.changes_nothing);
    EXPECT_EQ(again.stated, StatedEffect::contradiction);
    scenario.happens(Resolved{.note = "the provider's books were wrong"});
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
}

TEST(MachineStatement, AContradictionHindersNoRepeat) {
    auto scenario = cancelled_sale();
    scenario.happens(says(Status::EFETIVADA));
    scenario.happens(says(Status::AUTORIZADA));
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA contradiction!");
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA contradiction!");
}

TEST(MachineStatement, WhatWasSoldAgainstTheRulesAndIsCancelledNowContradictsNothing) {
    auto scenario = authorised(Family::tv, ConfirmMode::manual);
    scenario.happens(CancelAsked{});
    scenario.answered(Step::cancelar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold CANCELADA contradiction!");
    scenario.happens(Resolved{.note = "the provider cancels it by hand"});
    for (const auto status : all_statuses)
        EXPECT_TRUE(scenario.happens(says(status)).changes_nothing) << "a person knows of it: " << to_string(status);
    EXPECT_EQ(scenario.stands(), "sold CANCELADA settled");
}

// The next tests are about an attempt that another one followed.

// The first attempt was never sent, or was cancelled; the second one decides the sale.
Scenario tried_twice(Verdict first, Verdict second) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, first);
    if (first == Verdict::unknown) {
        scenario.answered(Step::cancelar, Verdict::cancelled);
        scenario.pass(scenario.rules.late_arrival);
    }
    scenario.answered(Step::solicitar, Verdict::authorised, 1);
    if (first == Verdict::unknown) scenario.answered(Step::cancelar, Verdict::cancelled, 0);
    if (second == Verdict::sold) scenario.answered(Step::confirmar, Verdict::sold, 1);
    return scenario;
}

TEST(MachineStatement, IsAboutTheAttemptThatItNames) {
    for (const auto first : {Verdict::unsent, Verdict::unauthorised, Verdict::unknown}) {
        auto scenario = tried_twice(first, Verdict::sold);
        EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
        EXPECT_EQ(scenario.happens(says(Status::AUTORIZADA), 0).stated, StatedEffect::repeated);
        EXPECT_EQ(scenario.stands(0), "cancelling EFETIVADA");
        EXPECT_EQ(scenario.stands(1), "sold EFETIVADA");
        EXPECT_EQ(scenario.doing(0), "cancelar");
        EXPECT_EQ(scenario.doing(1), "rest");
        scenario.answered(Step::cancelar, Verdict::cancelled, 0);
        if (first != Verdict::unknown || scenario.sale.attempts[0].state == State::lingering) {
            EXPECT_EQ(scenario.stands(0), "lingering EFETIVADA") << "its request may still be on its way";
            scenario.pass(scenario.rules.late_arrival);
            scenario.answered(Step::cancelar, Verdict::cancelled, 0);
        }
        EXPECT_EQ(scenario.stands(0), "cancelled EFETIVADA settled");
    }
}

TEST(MachineStatement, AnEarlierAttemptThatWasSoldTooIsAContradiction) {
    auto scenario = tried_twice(Verdict::unsent, Verdict::sold);
    scenario.happens(says(Status::EFETIVADA), 0);
    EXPECT_EQ(scenario.stands(1), "sold EFETIVADA contradiction!") << "the customer may have paid twice";
    EXPECT_EQ(scenario.sale.attempts[0].state, State::unsent);
}

TEST(MachineStatement, AnEarlierAttemptSaysNothingOfASaleThatIsOpen) {
    auto scenario = tried_twice(Verdict::unsent, Verdict::authorised);
    scenario.happens(says(Status::AUTORIZADA), 0);
    EXPECT_EQ(scenario.stands(1), "confirming AUTORIZADA");
    EXPECT_EQ(scenario.doing(0), "cancelar");
    EXPECT_EQ(scenario.doing(1), "confirmar");
    scenario.answered(Step::confirmar, Verdict::sold, 1);
    EXPECT_EQ(scenario.stands(1), "sold EFETIVADA") << "and is settled when the first is";
}

}  // namespace
}  // namespace gateway::test
