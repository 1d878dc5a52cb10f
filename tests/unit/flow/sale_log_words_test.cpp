// These tests read every word of the log about a sale, with a row for each state, verdict, reason and mark.
#include "base/log_text.hpp"
#include "base/wall_time.hpp"
#include "flow/sale_log.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using State = AttemptState;

constexpr WallTime noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 22) + 15h;
constexpr State all_states[]{State::requesting, State::held,         State::confirming, State::collecting,
                             State::disputing,  State::retracting,   State::cancelling, State::lingering,
                             State::awaiting,   State::sold,         State::cancelled,  State::refused,
                             State::unsent,     State::unauthorised, State::throttled};

std::string in_words(const Sentence& sentence) {
    std::string text;
    const LogField fields[]{{"terminal", "till"},
                            {"produto", "TV"},
                            {"valor", Cents{4990}},
                            {"known", "EFETIVADA"},
                            {"httpStatus", 422},
                            {"durationMs", Duration(230)},
                            {"try", 3},
                            {"nextAt", noon + 10s},
                            {"attentionAt", noon + 10min},
                            {"markedAt", noon - 1h},
                            {"detail", "why"},
                            {"providerSaid", "no"},
                            {"by", "Ana"}};
    append_log_text(text, sentence, fields, noon);
    return text;
}

struct Move {
    Event event;
    State before;
    State after;
    bool was_final = false;
    Attention mark = Attention::none;
    int tries_before = 0;
    int tries = 0;
    bool renewed = false;
};

std::string words_of(const Move& move) {
    Change change{.attempt = 0,
                  .next = {.id_externo = IdExterno(Ulid::first_at(noon)), .state = move.after},
                  .status = Status::PENDENTE,
                  .settled = false,
                  .attention = move.mark};
    change.next.tries = move.tries;
    change.next.renewed = move.renewed;
    return in_words(step_sentence({.event = move.event,
                                   .before = move.before,
                                   .change = change,
                                   .was_final = move.was_final,
                                   .found_at_start = false,
                                   .tries_before = move.tries_before}));
}

Event answer_of(Step step, Verdict verdict) {
    return Answered{.step = step, .answer = {.verdict = verdict}};
}

TEST(SaleLogWords, EachStateSaysWhatItsTimeBrought) {
    const auto elapsed = [](State before, bool was_final = false) {
        const auto after = before == State::cancelled ? State::sold : State::cancelled;
        return words_of({.event = Elapsed{}, .before = before, .after = after, .was_final = was_final});
    };
    const std::string confirm = "till: the confirm brought no usable answer in its window";
    for (const auto state : all_states)
        EXPECT_EQ(elapsed(state), state == State::held ? "till: the terminal neither confirmed nor cancelled in time"
                                  : state == State::confirming ? confirm
                                  : state == State::collecting ? "till: what the customer is to be given never came"
                                  : state == State::retracting
                                      ? "till: the time is over in which it could be tried once more"
                                  : state == State::awaiting ? "till: no callback has come"
                                                             : "till: the provider has not said for long how it stands")
            << to_string(state);
    EXPECT_EQ(elapsed(State::collecting, true), confirm);
}

TEST(SaleLogWords, EachStateSaysWhatFollows) {
    const auto follows = [](State after, bool was_final = false, State before = State::requesting) {
        const auto words = words_of({.event = CancelAsked{}, .before = before, .after = after, .was_final = was_final});
        const std::string asked = "till: the terminal asks to cancel it";
        EXPECT_TRUE(words.starts_with(asked)) << words;
        return words.substr(asked.size());
    };
    EXPECT_EQ(follows(State::held), "; the terminal decides until " + to_local_text(noon + 10s).substr(11, 8));
    EXPECT_EQ(follows(State::confirming), "; confirming it");
    EXPECT_EQ(follows(State::collecting), "; asking once more for what the customer is to be given");
    EXPECT_EQ(follows(State::collecting, true), "; confirming it once more");
    EXPECT_EQ(follows(State::disputing), "; trying to settle it until the provider says how it stands");
    EXPECT_EQ(follows(State::retracting), "; cancelling it");
    EXPECT_EQ(follows(State::retracting, false, State::unsent), "; cancelling it");
    EXPECT_EQ(follows(State::requesting, false, State::held), "");
    EXPECT_EQ(follows(State::cancelling), "; cancelling it");
    EXPECT_EQ(follows(State::cancelling, false, State::unsent), "; cancelling it once more");
    const auto lingers = "; cancelling it once more at " + to_local_text(noon + 10s).substr(11, 8) +
                         ", should the request still be on its way";
    EXPECT_EQ(follows(State::lingering), lingers);
    EXPECT_EQ(follows(State::lingering, false, State::lingering), lingers);
    EXPECT_EQ(follows(State::confirming, false, State::confirming), "") << "it was said before";
    EXPECT_EQ(follows(State::awaiting), "; waiting for the provider's callback until " +
                                            to_local_text(noon + 10min).substr(11, 8) + ", when a person is asked");
    for (const auto state :
         {State::sold, State::cancelled, State::refused, State::unsent, State::unauthorised, State::throttled})
        EXPECT_EQ(follows(state), "") << to_string(state);
}

TEST(SaleLogWords, EachAnswerHasItsWords) {
    const auto says = [](Step step, Verdict verdict) {
        return words_of({.event = answer_of(step, verdict), .before = State::requesting, .after = State::cancelled});
    };
    const std::string failed = " failed: why; it said \"no\" (after 230 ms)";
    const std::string vain = "till: asking how it stands brought nothing: why; it said \"no\" (after 230 ms)";
    const std::string asked = "till: asked how it stands, the provider says that it is ";
    for (const auto verdict :
         {Verdict::unsent, Verdict::unauthorised, Verdict::throttled, Verdict::declined, Verdict::unknown}) {
        EXPECT_EQ(says(Step::solicitar, verdict), "till: the request" + failed);
        EXPECT_EQ(says(Step::confirmar, verdict), "till: the confirm" + failed);
        EXPECT_EQ(says(Step::cancelar, verdict), "till: the cancel" + failed);
        EXPECT_EQ(says(Step::consultar, verdict), vain);
    }
    EXPECT_EQ(says(Step::consultar, Verdict::authorised), vain);
    EXPECT_EQ(says(Step::consultar, Verdict::no_such_sale), vain);
    EXPECT_EQ(says(Step::consultar, Verdict::sold), asked + "sold");
    EXPECT_EQ(says(Step::consultar, Verdict::cancelled), asked + "cancelled");
    EXPECT_EQ(says(Step::consultar, Verdict::refused), asked + "refused");
    EXPECT_EQ(says(Step::solicitar, Verdict::authorised), "till: the provider authorised it in 230 ms");
    EXPECT_EQ(says(Step::solicitar, Verdict::refused), "till: the provider refused TV for R$ 49,90: \"no\" (HTTP 422)");
    EXPECT_EQ(says(Step::confirmar, Verdict::sold), "till: the provider confirmed it in 230 ms");
    EXPECT_EQ(says(Step::cancelar, Verdict::sold), "till: asked to cancel it, the provider says that it is sold");
    EXPECT_EQ(says(Step::cancelar, Verdict::cancelled), "till: the provider cancelled it in 230 ms");
    EXPECT_EQ(says(Step::confirmar, Verdict::cancelled),
              "till: asked to confirm it, the provider says that it is cancelled");
    EXPECT_EQ(says(Step::cancelar, Verdict::no_such_sale), "till: the provider knows nothing to cancel (HTTP 422)");
    EXPECT_EQ(says(Step::confirmar, Verdict::no_such_sale), "till: the confirm" + failed);
}

TEST(SaleLogWords, EachOtherEventHasItsWordsAndItsName) {
    const auto says = [](Event event) {
        return words_of({.event = std::move(event), .before = State::requesting, .after = State::cancelled});
    };
    EXPECT_EQ(says(Lost{}), "till: it is taken up again: why");
    EXPECT_EQ(says(ConfirmAsked{}), "till: the terminal asks to confirm it");
    EXPECT_EQ(says(CalledBack{.status = Status::NEGADA}), "till: the provider's callback says EFETIVADA");
    EXPECT_EQ(says(Resolved{.status = Status::EFETIVADA}), "till: an operator, Ana, decided that it is EFETIVADA");
    EXPECT_EQ(says(Resolved{}), "till: an operator, Ana, has dealt with it");
    EXPECT_EQ(says(Stated{}), "till: the provider's statement says EFETIVADA (why)");
    EXPECT_EQ(says(SentLate{}), "till: its request may have left only now, from a gateway that stood still");

    const std::vector<std::pair<Event, std::string_view>> names{
        {answer_of(Step::confirmar, Verdict::sold), "confirmar"},
        {Lost{}, "adopted"},
        {Elapsed{}, "elapsed"},
        {ConfirmAsked{}, "confirm_asked"},
        {CancelAsked{}, "cancel_asked"},
        {CalledBack{}, "callback"},
        {Resolved{}, "resolved"},
        {Stated{}, "statement"},
        {SentLate{}, "sent_late"}};
    for (const auto& [event, name] : names)
        EXPECT_EQ(event_name(event), name);
}

TEST(SaleLogWords, AnEventSaysWhatItTellsAndWho) {
    EXPECT_EQ(event_verdict(answer_of(Step::confirmar, Verdict::sold)), to_string(Verdict::sold));
    EXPECT_EQ(event_verdict(CalledBack{.status = Status::NEGADA}), "NEGADA");
    EXPECT_EQ(event_verdict(Stated{.status = Status::EFETIVADA}), "EFETIVADA");
    EXPECT_EQ(event_verdict(Resolved{.status = Status::CANCELADA}), "CANCELADA");
    EXPECT_EQ(event_verdict(Resolved{}), "");
    EXPECT_EQ(event_verdict(Elapsed{}), "");
    EXPECT_EQ(event_person(Resolved{.by = "Ana"}), "Ana");
    EXPECT_EQ(event_person(Elapsed{}), "");
}

TEST(SaleLogWords, WhatIsTriedAgainSaysWhenAndWhatGoesOnSaysNothingNew) {
    const auto ends = [](const Move& move) {
        const auto words = words_of(move);
        const auto at = words.find(';', words.find("230 ms"));
        return at == words.npos ? std::string() : words.substr(at);
    };
    const auto unknown = answer_of(Step::confirmar, Verdict::unknown);
    const auto again = "; try 3 at " + to_local_text(noon + 10s).substr(11, 8);
    Move move{.event = unknown, .before = State::confirming, .after = State::confirming, .tries = 1};
    EXPECT_EQ(ends(move), again);
    move.tries_before = 1;
    EXPECT_EQ(ends(move), "") << "it is not tried more often than before";
    move.renewed = true;
    EXPECT_EQ(ends(move), "; asking again with a new token");
    Move called{.event = CalledBack{.status = Status::PENDENTE}, .before = State::awaiting, .after = State::awaiting};
    const auto without = words_of(called);
    called.renewed = true;
    EXPECT_EQ(words_of(called), without) << "a request with a new token is under way, but not because of the callback";
    move.after = State::disputing;
    EXPECT_EQ(ends(move), "; trying to settle it until the provider says how it stands") << "that is no repeat";
    move = {.event = unknown, .before = State::held, .after = State::cancelling, .mark = Attention::no_cancel_path};
    EXPECT_EQ(ends(move), "; there is no way to cancel it");
    move.mark = Attention::unsettled;
    EXPECT_EQ(ends(move), "; cancelling it");
    move.mark = Attention::no_cancel_path;
    move.after = State::disputing;
    EXPECT_EQ(ends(move), "; trying to settle it until the provider says how it stands");
    const auto asked = answer_of(Step::consultar, Verdict::unknown);
    EXPECT_EQ(ends({.event = asked, .before = State::disputing, .after = State::disputing}),
              "; going on as without it");
    EXPECT_EQ(ends({.event = asked, .before = State::sold, .after = State::sold}), "") << "nothing goes on";
    EXPECT_EQ(ends({.event = asked, .before = State::awaiting, .after = State::disputing}),
              "; trying to settle it until the provider says how it stands");
    EXPECT_EQ(ends({.event = unknown, .before = State::disputing, .after = State::disputing}), "");
}

TEST(SaleLogWords, APersonIsAskedWhereTimeOrAStatementChangesNothing) {
    for (const Event& event : {Event(Elapsed{}), Event(Stated{})}) {
        EXPECT_TRUE(words_of({.event = event, .before = State::disputing, .after = State::disputing})
                        .ends_with("; a person is asked"));
        EXPECT_TRUE(words_of({.event = event, .before = State::awaiting, .after = State::disputing})
                        .ends_with("; trying to settle it until the provider says how it stands"));
    }
    EXPECT_EQ(words_of({.event = ConfirmAsked{}, .before = State::disputing, .after = State::disputing}),
              "till: the terminal asks to confirm it");
    EXPECT_TRUE(words_of({.event = Lost{}, .before = State::disputing, .after = State::disputing})
                    .ends_with("; trying to settle it until the provider says how it stands"));
}

TEST(SaleLogWords, EachReasonHasItsWords) {
    const std::vector<std::pair<ReasonCode, std::string>> reasons{
        {ReasonCode::response_lost, "the provider's answer was lost"},
        {ReasonCode::provider_error, "the provider did not carry it through"},
        {ReasonCode::never_sent, "nothing was sent to the provider"},
        {ReasonCode::refused, "the provider refused it"},
        {ReasonCode::hold_expired, "the terminal did not decide in time"},
        {ReasonCode::terminal_cancelled, "the terminal cancelled it"},
        {ReasonCode::by_operator, "an operator decided so"},
        {ReasonCode::by_statement, "the provider's statement says so"}};
    Sale sale{.id = SaleId(Ulid::first_at(noon))};
    sale.status = Status::CANCELADA;
    sale.settled = true;
    const std::string is_not_sold = "till: TV for R$ 49,90 is not sold after 230 ms: ";
    EXPECT_EQ(in_words(end_sentence(sale, true)), is_not_sold + "the provider cancelled it");
    for (const auto& [code, words] : reasons) {
        sale.reason = Reason{.code = code};
        EXPECT_EQ(in_words(end_sentence(sale, true)), is_not_sold + words);
        sale.reason->detail = "why";
        const bool is_decided = code == ReasonCode::hold_expired || code == ReasonCode::terminal_cancelled ||
                                code == ReasonCode::by_operator || code == ReasonCode::by_statement;
        EXPECT_EQ(in_words(end_sentence(sale, true)).find("why") == std::string::npos, is_decided) << words;
    }
    sale.status = Status::EFETIVADA;
    EXPECT_EQ(in_words(end_sentence(sale, true)), "till sold TV for R$ 49,90 in 230 ms");
}

TEST(SaleLogWords, EachMarkHasItsWords) {
    const std::vector<std::pair<Attention, std::string>> marks{
        {Attention::none, ""},
        {Attention::unsettled, "the provider has not said for long how it stands"},
        {Attention::no_callback, "no callback has come for an eSIM"},
        {Attention::no_cancel_path, "it cannot be cancelled, and the provider may keep it"},
        {Attention::contradiction, "the provider contradicts a final status"},
        {Attention::undeliverable, "it is sold, and what the customer is to be given never came"},
        {Attention::recharge_failed, "an eSIM is sold, and its recharge failed"},
        {Attention::unreadable, "a value of it in the journal could not be read"},
        {Attention::restored, "it was open in the copy that the journal was restored from"}};
    EXPECT_EQ(marks.size(), all_attentions.size());
    for (const auto& [mark, words] : marks)
        EXPECT_EQ(in_words(attention_sentence(mark)), "till: a person is needed since " +
                                                          to_local_text(noon - 1h).substr(11, 8) + ": " + words +
                                                          "; sales-gateway attention says what to do");
}

class SaleLogLines : public Test {
  protected:
    SaleLogLines() {
        Sale sale{.id = SaleId(Ulid::first_at(noon))};
        sale.terminal = "till";
        sale.produto = "TV";
        sale.valor = Cents{4990};
        sale.attempts.push_back({.id_externo = IdExterno(Ulid::first_at(noon)), .state = State::requesting});
        live = std::make_unique<LiveSale>(std::move(sale), "r1", LiveSale::Stage::attended, clock);
    }
    // Returns the line about a message that leads to the state `after`; empty where there is none.
    std::string line(Message message, State after, int tries = 0) {
        log.lines.clear();
        Change change{.attempt = 0,
                      .next = {.id_externo = IdExterno(Ulid::first_at(noon)), .state = after},
                      .status = Status::PENDENTE,
                      .settled = false,
                      .attention = Attention::none,
                      .changes_nothing = changes_nothing};
        change.next.tries = tries;
        change.next.deadline = clock.now() + 1min;
        change.next.next_try = clock.now() + 2min;
        change.next.attention_at = attention_at;
        log_step(log, clock, *live, message, change);
        return log.lines.empty() ? "" : log.lines.at(0);
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    MemoryLog log;
    std::unique_ptr<LiveSale> live;
    bool changes_nothing = false;
    Instant attention_at = never;
};

TEST_F(SaleLogLines, OnlyARefusalNamesTheProductAndItsPrice) {
    const auto refused = line({.attempt = 0, .event = answer_of(Step::solicitar, Verdict::refused)}, State::refused);
    EXPECT_THAT(refused, HasSubstr(" produto=TV valor=4990 "));
    const auto failed = line({.attempt = 0, .event = answer_of(Step::solicitar, Verdict::unknown)}, State::cancelling);
    EXPECT_THAT(failed, Not(AnyOf(HasSubstr("produto="), HasSubstr("valor="))));
    EXPECT_THAT(line({.attempt = 0, .event = ConfirmAsked{}}, State::confirming), Not(HasSubstr("produto=")));
}

TEST_F(SaleLogLines, ACleanAnswerIsNoWarning) {
    const auto level = [&](Step step, Verdict verdict, std::optional<unsigned> status = {}) {
        const auto said =
            line({.attempt = 0, .event = answer_of(step, verdict), .http_status = status}, State::cancelling);
        return said.substr(0, said.find(' '));
    };
    EXPECT_EQ(level(Step::solicitar, Verdict::authorised), "info");
    EXPECT_EQ(level(Step::confirmar, Verdict::sold), "info");
    EXPECT_EQ(level(Step::cancelar, Verdict::cancelled), "info");
    EXPECT_EQ(level(Step::cancelar, Verdict::refused), "warn");
    EXPECT_EQ(level(Step::cancelar, Verdict::unknown, 200), "warn");
    EXPECT_EQ(level(Step::consultar, Verdict::unknown, 200), "info");
    EXPECT_EQ(level(Step::consultar, Verdict::unknown, 404), "info");
    EXPECT_EQ(level(Step::consultar, Verdict::unknown, 405), "warn");
    EXPECT_EQ(level(Step::consultar, Verdict::unknown), "warn");
}

TEST_F(SaleLogLines, WhatTheLevelLeavesOutIsNotLogged) {
    log.set_level(LogLevel::warn);
    EXPECT_EQ(line({.attempt = 0, .event = ConfirmAsked{}}, State::confirming), "");
    EXPECT_NE(line({.attempt = 0, .event = answer_of(Step::cancelar, Verdict::unknown)}, State::cancelling), "");
}

TEST_F(SaleLogLines, WhatChangesNothingIsLoggedOnlyWhereSomethingWasAnsweredOrASaleIsTakenUp) {
    changes_nothing = true;
    EXPECT_EQ(line({.attempt = 0, .event = ConfirmAsked{}}, State::confirming), "");
    EXPECT_NE(line({.attempt = 0, .event = answer_of(Step::cancelar, Verdict::unknown)}, State::cancelling), "");
    EXPECT_NE(line({.attempt = 0, .event = Lost{}}, State::cancelling), "");
    EXPECT_EQ(line({.attempt = 0, .event = Lost{}}, State::cancelled), "");
}

TEST_F(SaleLogLines, ALineSaysWhenTheNextThingHappens) {
    const auto next = [&](State after, int tries = 0) {
        const auto said = line({.attempt = 0, .event = answer_of(Step::cancelar, Verdict::unknown)}, after, tries);
        const auto at = said.find("nextAt=");
        return at == said.npos ? std::string() : said.substr(at + 7, said.find(' ', at) - at - 7);
    };
    EXPECT_EQ(next(State::held), to_rfc3339(clock.wall() + 1min));
    EXPECT_EQ(next(State::lingering), to_rfc3339(clock.wall() + 2min)) << "the later one of its two times";
    EXPECT_EQ(next(State::requesting, 1), to_rfc3339(clock.wall() + 2min));
    EXPECT_EQ(next(State::requesting, 0), "");
    EXPECT_EQ(next(State::cancelling, 0), "");
}

TEST_F(SaleLogLines, ALineKnowsHowTheSaleStoodBefore) {
    Sale sale = live->sale();
    sale.status = Status::EFETIVADA;
    sale.attempts[0].state = State::sold;
    live = std::make_unique<LiveSale>(Sale(sale), "r1", LiveSale::Stage::attended, clock);
    line({.attempt = 0, .event = Stated{.status = Status::AUTORIZADA}}, State::collecting);
    EXPECT_THAT(log.sentences.back(), HasSubstr("; confirming it once more"));
    sale.status = Status::AUTORIZADA;
    sale.attempts[0].state = State::confirming;
    sale.attempts[0].tries = 1;
    live = std::make_unique<LiveSale>(Sale(sale), "r1", LiveSale::Stage::unattended, clock);
    line({.attempt = 0, .event = Lost{}}, State::confirming);
    EXPECT_THAT(log.sentences.back(), HasSubstr("it was open when the gateway stopped"));
    line({.attempt = 0, .event = Answered{.step = Step::confirmar}}, State::collecting);
    EXPECT_THAT(log.sentences.back(), HasSubstr("; asking once more"));
    EXPECT_THAT(line({.attempt = 0, .event = Answered{.step = Step::confirmar}}, State::confirming, 1),
                Not(HasSubstr("try=")));
}

TEST_F(SaleLogLines, ATryIsCountedFromOneAndOnlyWhereItIsOneMore) {
    const Message message{.attempt = 0, .event = answer_of(Step::solicitar, Verdict::unknown)};
    EXPECT_THAT(line(message, State::requesting, 2), HasSubstr(" try=3 "));
    EXPECT_THAT(line(message, State::cancelling, 2), Not(HasSubstr("try=")));
}

TEST_F(SaleLogLines, OnlyWhatWaitsForACallbackSaysWhenAPersonIsAsked) {
    const Message message{.attempt = 0, .event = answer_of(Step::solicitar, Verdict::authorised)};
    EXPECT_THAT(line(message, State::awaiting), Not(HasSubstr("attentionAt=")));
    attention_at = clock.now() + 5min;
    EXPECT_THAT(line(message, State::awaiting), HasSubstr("attentionAt="));
    EXPECT_THAT(line(message, State::cancelling), Not(HasSubstr("attentionAt=")));
}

TEST_F(SaleLogLines, AnEndHasItsReasonAndTheCauseOnlyWhereThereIsOne) {
    Sale sale = live->sale();
    const auto end = [&](bool settled) {
        log.lines.clear();
        log_end(log, sale, "r1", {.final_now = true, .settled_now = settled, .took = 5ms});
        return log.lines.at(0);
    };
    sale.status = Status::CANCELADA;
    EXPECT_THAT(end(false), AllOf(HasSubstr("info sale.final "), Not(HasSubstr("reason=")), Not(HasSubstr("detail="))));
    sale.reason = Reason{.code = ReasonCode::response_lost, .detail = "lost"};
    EXPECT_THAT(end(true), AllOf(HasSubstr("info sale.closed "), HasSubstr(" reason=response_lost "),
                                 HasSubstr(" outcome=not_sold "), HasSubstr(" attempts=1 "), HasSubstr("detail=lost")));
    sale.reason->code = ReasonCode::by_operator;
    EXPECT_THAT(end(true), AllOf(HasSubstr("reason="), Not(HasSubstr("detail="))));
    EXPECT_THAT(log.sentences.back(), HasSubstr("is not sold after 5 ms"));
    log_end(log, sale, "r1", {.final_now = false, .settled_now = true, .took = 5ms});
    EXPECT_THAT(log.sentences.back(), HasSubstr("is settled after 5 ms"));
    sale.reason->code = ReasonCode::response_lost;
    for (const auto status : {Status::EFETIVADA, Status::PENDENTE}) {
        sale.status = status;
        EXPECT_THAT(end(true), Not(HasSubstr("detail="))) << "it is not said why it is not sold where it may be";
    }
}

}  // namespace
}  // namespace gateway::test
