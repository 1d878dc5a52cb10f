#include "flow/sale_log.hpp"

#include "base/log_text.hpp"
#include "base/wall_time.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using State = AttemptState;

constexpr WallTime now = std::chrono::sys_days(std::chrono::year(2026) / 11 / 22) + 20h;

std::string spoken(const Sentence& sentence) {
    std::string text;
    const LogField fields[]{{"terminal", "caixa-01"},
                            {"produto", "TV"},
                            {"valor", Cents{4990}},
                            {"known", "EFETIVADA"},
                            {"httpStatus", 422},
                            {"durationMs", Duration(230)},
                            {"try", 3},
                            {"nextAt", now},
                            {"attentionAt", now + 10min},
                            {"detail", "why"},
                            {"providerSaid", "no"}};
    append_log_text(text, sentence, fields, now);
    return text;
}

// Returns what is said about an attempt that was in the state `before` and is now in `after`.
std::string step(const Event& event, State before, State after, int tries = 0, Attention mark = Attention::none,
                 bool was_final = false) {
    Change change{.attempt = 0,
                  .next = {.id_externo = IdExterno(Ulid::first_at(now)), .state = after},
                  .status = Status::PENDENTE,
                  .settled = false,
                  .attention = mark};
    change.next.tries = tries;
    return spoken(step_sentence(
        {.event = event, .before = before, .change = change, .was_final = was_final, .found_at_start = true}));
}
Event answer(Step step, Verdict verdict) {
    return Answered{.step = step, .answer = {.verdict = verdict}};
}

TEST(SaleLog, ASaleIsAuthorisedAndConfirmed) {
    EXPECT_EQ(step(answer(Step::solicitar, Verdict::authorised), State::requesting, State::confirming),
              "caixa-01: the provider authorised it in 230 ms; confirming it");
    EXPECT_EQ(step(answer(Step::confirmar, Verdict::sold), State::confirming, State::sold),
              "caixa-01: the provider confirmed it in 230 ms");
}

TEST(SaleLog, ARefusalHasTheProvidersWords) {
    EXPECT_EQ(step(answer(Step::solicitar, Verdict::refused), State::requesting, State::refused),
              "caixa-01: the provider refused TV for R$ 49,90: \"no\" (HTTP 422)");
}

TEST(SaleLog, WhatFailedIsSaidWithWhatFollows) {
    EXPECT_EQ(step(answer(Step::solicitar, Verdict::unknown), State::requesting, State::cancelling),
              "caixa-01: the request failed: why; it said \"no\" (after 230 ms); cancelling it");
    EXPECT_TRUE(step(answer(Step::confirmar, Verdict::unknown), State::confirming, State::confirming, 2)
                    .ends_with("; try 3 at " + to_local_text(now).substr(11, 8)));
    EXPECT_TRUE(step(answer(Step::cancelar, Verdict::unknown), State::cancelling, State::cancelling, 2)
                    .starts_with("caixa-01: the cancel failed: why"));
    EXPECT_TRUE(step(answer(Step::solicitar, Verdict::unknown), State::requesting, State::cancelling, 0,
                     Attention::no_cancel_path)
                    .ends_with("; there is no way to cancel it"));
}

TEST(SaleLog, AStatusSaysWhatItSaysAndWhatFollows) {
    const std::string asked = "caixa-01: asked how it stands, the provider says that it is ";
    EXPECT_EQ(step(answer(Step::consultar, Verdict::sold), State::disputing, State::sold), asked + "sold");
    EXPECT_EQ(step(answer(Step::consultar, Verdict::cancelled), State::awaiting, State::cancelled),
              asked + "cancelled");
    EXPECT_EQ(step(answer(Step::consultar, Verdict::refused), State::awaiting, State::refused), asked + "refused");
    const std::string in_vain = "caixa-01: asking how it stands brought nothing: why; it said \"no\" (after 230 ms)";
    EXPECT_EQ(step(answer(Step::consultar, Verdict::unknown), State::disputing, State::disputing),
              in_vain + "; going on as without it");
    EXPECT_EQ(step(answer(Step::consultar, Verdict::unknown), State::awaiting, State::awaiting, 2),
              in_vain + "; try 3 at " + to_local_text(now).substr(11, 8));
}

TEST(SaleLog, AnEsimWaitsForItsCallbackUntilAPersonIsAsked) {
    const auto waits = "; waiting for the provider's callback until " + to_local_text(now + 10min).substr(11, 8) +
                       ", when a person is asked";
    EXPECT_TRUE(
        step(answer(Step::solicitar, Verdict::authorised), State::requesting, State::awaiting).ends_with(waits));
    EXPECT_EQ(step(Elapsed{}, State::awaiting, State::awaiting), "caixa-01: no callback has come; a person is asked");
}

TEST(SaleLog, ASaleThatIsFoundAtTheStartGoesOnFromWhereItStood) {
    EXPECT_EQ(step(Lost{}, State::confirming, State::confirming),
              "caixa-01: it was open when the gateway stopped; confirming it");
    EXPECT_EQ(step(Lost{}, State::requesting, State::cancelling),
              "caixa-01: it was open when the gateway stopped; cancelling it");
}

TEST(SaleLog, ASaleThatIsTakenUpAgainSaysWhy) {
    const Change change{.attempt = 0,
                        .next = {.id_externo = IdExterno(Ulid::first_at(now)), .state = State::cancelling},
                        .status = Status::CANCELADA,
                        .settled = false,
                        .attention = Attention::none};
    const Event lost = Lost{};
    EXPECT_EQ(spoken(step_sentence({.event = lost,
                                    .before = State::requesting,
                                    .change = change,
                                    .was_final = false,
                                    .found_at_start = false})),
              "caixa-01: it is taken up again: why; cancelling it");
}

TEST(SaleLog, AStatementSaysWhatItSaysAndWhatFollows) {
    const auto says = [](State before, State after, bool was_final, Attention mark = Attention::none) {
        return step(Stated{.status = Status::EFETIVADA, .source = "why"}, before, after, 0, mark, was_final);
    };
    const std::string said = "caixa-01: the provider's statement says EFETIVADA (why)";
    EXPECT_EQ(says(State::disputing, State::sold, false), said);
    EXPECT_EQ(says(State::disputing, State::collecting, false),
              said + "; asking once more for what the customer is to be given");
    EXPECT_EQ(says(State::sold, State::collecting, true), said + "; confirming it once more");
    EXPECT_EQ(says(State::unsent, State::cancelling, true), said + "; cancelling it once more");
    EXPECT_EQ(says(State::cancelled, State::cancelled, true, Attention::contradiction), said + "; a person is asked");
    EXPECT_EQ(step(Elapsed{}, State::collecting, State::sold, 0, Attention::none, true),
              "caixa-01: the confirm brought no usable answer in its window");
    EXPECT_EQ(step(Lost{}, State::collecting, State::collecting, 0, Attention::none, true),
              "caixa-01: it was open when the gateway stopped; confirming it once more");
}

// Everything that can happen to an attempt has words, and none of them are put together wrongly.
TEST(SaleLog, EveryMoveHasItsSentence) {
    std::vector<Event> events{Lost{},
                              Elapsed{},
                              ConfirmAsked{},
                              CancelAsked{},
                              CalledBack{.status = Status::NEGADA},
                              Resolved{},
                              Resolved{.status = Status::EFETIVADA},
                              Stated{.status = Status::AUTORIZADA, .source = "why"}};
    for (const auto one : all_steps)
        for (int verdict = 0; verdict <= static_cast<int>(Verdict::unknown); ++verdict)
            events.push_back(answer(one, static_cast<Verdict>(verdict)));
    const auto last = static_cast<int>(State::throttled);
    for (const auto& event : events)
        for (int before = 0; before <= last; ++before)
            for (int after = 0; after <= last; ++after)
                for (const int tries : {0, 2}) {
                    const auto text = step(event, static_cast<State>(before), static_cast<State>(after), tries);
                    EXPECT_TRUE(text.starts_with("caixa-01: ") && text.size() > 20) << text;
                    EXPECT_EQ(text.find_first_of("{}[]"), text.npos) << text;
                    EXPECT_EQ(text.find("  "), text.npos) << text;
                }
}

TEST(SaleLog, TheEndSaysHowAndWhy) {
    Sale sale{.id = SaleId(Ulid::first_at(now))};
    sale.status = Status::EFETIVADA;
    sale.settled = true;
    EXPECT_EQ(spoken(end_sentence(sale, true)), "caixa-01 sold TV for R$ 49,90 in 230 ms");
    sale.reason = Reason{.code = ReasonCode::by_operator};
    EXPECT_EQ(spoken(end_sentence(sale, true)), "caixa-01 sold TV for R$ 49,90 in 230 ms, as an operator decided");
    sale.status = Status::CANCELADA;
    sale.settled = false;
    sale.reason = Reason{.code = ReasonCode::response_lost};
    EXPECT_EQ(spoken(end_sentence(sale, true)),
              "caixa-01: TV for R$ 49,90 is not sold after 230 ms: the provider's answer was lost; something is left "
              "to do at the provider");
    EXPECT_EQ(spoken(end_sentence(sale, false)),
              "caixa-01: TV for R$ 49,90 is settled after 230 ms: nothing is left to do");
    sale.reason->detail = "the answer was lost: why";
    EXPECT_EQ(spoken(end_sentence(sale, true)),
              "caixa-01: TV for R$ 49,90 is not sold after 230 ms: why; something is left to do at the provider");
    for (int code = 0; code <= static_cast<int>(ReasonCode::by_statement); ++code) {
        sale.reason->code = static_cast<ReasonCode>(code);
        EXPECT_EQ(spoken(end_sentence(sale, true)).find(": ;"), std::string::npos);
    }
}

TEST(SaleLog, AnEndNamesItsCause) {
    Sale sale{.id = SaleId(Ulid::first_at(now))};
    sale.status = Status::CANCELADA;
    sale.settled = true;
    const auto end = [&](ReasonCode code, std::vector<State> states) {
        sale.attempts.clear();
        for (const auto state : states)
            sale.attempts.push_back({.id_externo = IdExterno(Ulid::first_at(now)), .state = state});
        sale.reason = Reason{.code = code, .detail = "why"};
        return spoken(end_sentence(sale, true)).substr(52);
    };
    EXPECT_EQ(end(ReasonCode::never_sent, {State::unsent, State::unsent}), "why");
    EXPECT_EQ(end(ReasonCode::never_sent, {State::unauthorised, State::unsent}), "at its last try why");
    EXPECT_EQ(end(ReasonCode::provider_error, {State::unauthorised}), "why");
    EXPECT_EQ(end(ReasonCode::refused, {State::refused}), "why; it said \"no\"");
    EXPECT_EQ(end(ReasonCode::by_operator, {State::cancelled}), "an operator decided so") << "its note may name people";
}

TEST(SaleLog, A404NamesTheAddressAsWell) {
    const Answer answer{.verdict = Verdict::refused,
                        .reason = {.code = ReasonCode::refused, .detail = "why", .provider_status = 404}};
    EXPECT_EQ(step(Answered{.step = Step::solicitar, .answer = answer}, State::requesting, State::refused),
              "caixa-01: TV for R$ 49,90 is not sold: why; it said \"no\"");
}

TEST(SaleLog, EveryMarkSaysWhatItIsAbout) {
    std::set<std::string> sentences;
    for (const auto mark : all_attentions)
        sentences.insert(spoken(attention_sentence(mark)));
    EXPECT_EQ(sentences.size(), all_attentions.size());
}

}  // namespace
}  // namespace gateway::test
