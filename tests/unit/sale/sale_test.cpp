#include "sale/sale.hpp"

#include "unit/sale/law.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::test {
namespace {

// Returns the words of all values of an enum from 0 to `last`; one without a word fails an expectation.
template <class Enum>
std::vector<std::string> words_up_to(Enum last) {
    std::vector<std::string> words;
    for (int i = 0; i <= static_cast<int>(last); ++i)
        words.emplace_back(to_string(static_cast<Enum>(i)));
    return words;
}

template <class Enum, class Parse>
void expect_words_to_be_read_back(Enum last, Parse parse) {
    std::set<std::string> different;
    for (int i = 0; i <= static_cast<int>(last); ++i) {
        const auto value = static_cast<Enum>(i);
        EXPECT_EQ(parse(to_string(value)), value) << to_string(value);
        different.emplace(to_string(value));
    }
    EXPECT_EQ(different.size(), static_cast<std::size_t>(last) + 1);
    EXPECT_FALSE(parse(""));
    EXPECT_FALSE(parse("rubbish"));
    EXPECT_FALSE(parse(std::string(to_string(last)) + " "));
}

TEST(Sale, EveryWordIsReadBack) {
    expect_words_to_be_read_back(Family::esim, parse_family);
    expect_words_to_be_read_back(Status::NEGADA, parse_status);
    expect_words_to_be_read_back(ConfirmMode::manual, parse_confirm_mode);
    expect_words_to_be_read_back(AttemptState::throttled, parse_attempt_state);
    expect_words_to_be_read_back(ReasonCode::by_statement, parse_reason_code);
    expect_words_to_be_read_back(Attention::unreadable, parse_attention);
    expect_words_to_be_read_back(Attention::restored, parse_attention);
}

TEST(Sale, WordsThatTerminalsKnowAreThoseOfTheContract) {
    EXPECT_EQ(words_up_to(Family::esim), (std::vector<std::string>{"tv", "egift", "transit", "health", "esim"}));
    EXPECT_EQ(words_up_to(Status::NEGADA),
              (std::vector<std::string>{"PENDENTE", "AUTORIZADA", "EFETIVADA", "CANCELADA", "NEGADA"}));
    EXPECT_EQ(words_up_to(Outcome::pending), (std::vector<std::string>{"sold", "not_sold", "held", "pending"}));
    EXPECT_EQ(words_up_to(ConfirmMode::manual), (std::vector<std::string>{"auto", "manual"}));
    EXPECT_EQ(words_up_to(Step::cancelar), (std::vector<std::string>{"solicitar", "confirmar", "cancelar"}));
    EXPECT_EQ(words_up_to(ReasonCode::by_statement),
              (std::vector<std::string>{"response_lost", "provider_error", "never_sent", "refused", "hold_expired",
                                        "terminal_cancelled", "operator", "statement"}));
}

TEST(Sale, StatusWordsAreReadInAnyLetterCaseAndAllOthersInTheirOwn) {
    EXPECT_EQ(parse_status("efetivada"), Status::EFETIVADA);
    EXPECT_EQ(parse_status("Cancelada"), Status::CANCELADA);
    EXPECT_EQ(parse_status("nEgAdA"), Status::NEGADA);
    EXPECT_FALSE(parse_status("EFETIVAD"));
    EXPECT_FALSE(parse_status("EFETIVADAS"));
    EXPECT_FALSE(parse_family("TV"));
    EXPECT_FALSE(parse_attempt_state("Sold"));
}

TEST(Sale, ThreeStatusesAreFinal) {
    EXPECT_FALSE(is_final(Status::PENDENTE));
    EXPECT_FALSE(is_final(Status::AUTORIZADA));
    EXPECT_TRUE(is_final(Status::EFETIVADA));
    EXPECT_TRUE(is_final(Status::CANCELADA));
    EXPECT_TRUE(is_final(Status::NEGADA));
}

TEST(Sale, SettledAttemptsAreThoseThatNothingIsAskedFor) {
    for (const auto state : all_states) {
        const bool settled = one_of(state, {AttemptState::sold, AttemptState::cancelled, AttemptState::refused,
                                            AttemptState::unsent, AttemptState::unauthorised, AttemptState::throttled});
        EXPECT_EQ(is_settled(state), settled) << to_string(state);
    }
}

TEST(Sale, OutcomeFollowsFromTheStatus) {
    auto sale = new_sale(Family::tv);
    const auto outcome = [&](Status status, AttemptState state) {
        sale.status = status;
        sale.attempts.back().state = state;
        return outcome_of(sale);
    };
    for (const auto state : all_states) {
        EXPECT_EQ(outcome(Status::EFETIVADA, state), Outcome::sold);
        EXPECT_EQ(outcome(Status::CANCELADA, state), Outcome::not_sold);
        EXPECT_EQ(outcome(Status::NEGADA, state), Outcome::not_sold);
        EXPECT_EQ(outcome(Status::PENDENTE, state), Outcome::pending);
        EXPECT_EQ(outcome(Status::AUTORIZADA, state), state == AttemptState::held ? Outcome::held : Outcome::pending);
    }
}

TEST(Sale, TheLastAttemptIsTheCurrentOne) {
    auto sale = new_sale(Family::tv);
    sale.attempts.push_back(new_sale(Family::tv).attempts.front());
    EXPECT_EQ(&sale.current(), &sale.attempts.at(1));
}

TEST(Sale, IsOfNothingInParticularBeforeItIsFilledIn) {
    const Sale sale{.id = SaleId(Ulid::first_at({}))};
    EXPECT_EQ(sale.family, Family::tv);
    EXPECT_EQ(sale.mode, ConfirmMode::automatic);
    EXPECT_EQ(sale.valor, Cents{0});
    EXPECT_EQ(Cents{}.value, 0);
    EXPECT_EQ(Reason{}.provider_status, 0U);
    EXPECT_FALSE(DuplicateCheck{}.wanted);
}

TEST(Sale, WhatIsLearnedReplacesWhatWasKnownAndNothingTakesItAway) {
    const TransactionDetails known{"nome", "cnpj", "fornecedor", "hora", Secret("instrucao"), Secret("complemento")};
    EXPECT_EQ(merged({}, known), known);
    EXPECT_EQ(merged(known, {}), known);
    const TransactionDetails newer{"1", "2", "3", "4", Secret("5"), Secret("6")};
    EXPECT_EQ(merged(known, newer), newer);
    const EsimDetails esim{"uuid", Secret("msisdn"), Secret("url"), "promocao", "recarga", "nsu"};
    EXPECT_EQ(merged({}, esim), esim);
    EXPECT_EQ(merged(esim, {}), esim);
    const EsimDetails newer_esim{"1", Secret("2"), Secret("3"), "4", "5", "6"};
    EXPECT_EQ(merged(esim, newer_esim), newer_esim);
}

TEST(Sale, StepsAreListedInTheirOrder) {
    EXPECT_EQ(all_steps, (std::array{Step::solicitar, Step::confirmar, Step::cancelar, Step::consultar}));
}

TEST(Sale, FamiliesAreNamedForMessages) {
    EXPECT_EQ(family_names(), "tv, egift, transit, health, esim");
    EXPECT_EQ(family_names(" and "), "tv, egift, transit, health and esim");
}

TEST(Sale, AFailedRechargeIsReadInAnyLetterCase) {
    EXPECT_TRUE(recharge_failed({.situacao_recarga = "FALHA"}));
    EXPECT_TRUE(recharge_failed({.situacao_recarga = "Falha"}));
    EXPECT_FALSE(recharge_failed({.situacao_recarga = "SUCESSO"}));
    EXPECT_FALSE(recharge_failed({.situacao_recarga = "SEM RECARGA"}));
    EXPECT_FALSE(recharge_failed({}));
}

}  // namespace
}  // namespace gateway::test
