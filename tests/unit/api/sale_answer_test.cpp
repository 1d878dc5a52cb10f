#include "api/sale_answer.hpp"

#include "unit/api/rig.hpp"

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

Sale sale_of(Status status, AttemptState state, std::optional<ReasonCode> reason = std::nullopt) {
    SeededRandom random;
    const WallTime at{};
    Sale sale{.id = SaleId::make(at, random), .terminal = "caixa-01"};
    sale.status = status;
    sale.attempts.push_back({.id_externo = IdExterno::make(at, random), .state = state});
    if (reason) sale.reason = Reason{.code = *reason, .detail = "why"};
    return sale;
}

Told sell_told(const Sale& sale) {
    return {sell_answer(sale, http::Request{.request_id = "r-1"})};
}

struct Case {
    Status status;
    AttemptState state;
    std::optional<ReasonCode> reason;
    unsigned http_status;
    const char* code;
    const char* outcome;
};

// Tests the table of the contract's errors, and its detail about replays.
class SellAnswer : public testing::TestWithParam<Case> {};

TEST_P(SellAnswer, FollowsFromTheSaleAlone) {
    const auto& row = GetParam();
    const auto told = sell_told(sale_of(row.status, row.state, row.reason));
    EXPECT_EQ(told.status(), row.http_status);
    EXPECT_EQ(told.code(), row.code);
    EXPECT_EQ(told.text("outcome"), row.outcome);
    EXPECT_EQ(told.header("Sale-Outcome"), row.outcome) << "for tills that would rather not read JSON";
    const auto& body = told.json();
    const auto& sale = row.http_status < 400 ? body : body.at("sale");
    EXPECT_EQ(sale.at("id"), boost::json::value(told.header("Sale-Id")));
    if (row.http_status >= 400) {
        EXPECT_EQ(told.response.content_type, "application/problem+json");
        EXPECT_EQ(told.json().at("sale").at("outcome"), row.outcome);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Contract, SellAnswer,
    testing::Values(
        Case{Status::EFETIVADA, AttemptState::sold, {}, 200, "", "sold"},
        Case{Status::PENDENTE, AttemptState::requesting, {}, 202, "", "pending"},
        Case{Status::AUTORIZADA, AttemptState::confirming, {}, 202, "", "pending"},
        Case{Status::AUTORIZADA, AttemptState::held, {}, 200, "", "held"},
        Case{Status::AUTORIZADA, AttemptState::awaiting, {}, 202, "", "pending"},
        Case{Status::NEGADA, AttemptState::refused, ReasonCode::refused, 402, "sale_refused", "not_sold"},
        Case{Status::CANCELADA, AttemptState::unsent, ReasonCode::never_sent, 503, "provider_unavailable", "not_sold"},
        Case{Status::CANCELADA, AttemptState::unauthorised, ReasonCode::never_sent, 503, "provider_unavailable",
             "not_sold"},
        Case{Status::CANCELADA, AttemptState::throttled, ReasonCode::provider_error, 503, "provider_unavailable",
             "not_sold"},
        Case{Status::CANCELADA, AttemptState::cancelling, ReasonCode::response_lost, 504, "sale_cancelled", "not_sold"},
        Case{Status::CANCELADA, AttemptState::cancelling, ReasonCode::provider_error, 502, "sale_cancelled",
             "not_sold"},
        Case{Status::CANCELADA, AttemptState::cancelled, {}, 502, "sale_cancelled", "not_sold"},
        Case{Status::CANCELADA, AttemptState::cancelled, ReasonCode::by_operator, 502, "sale_cancelled", "not_sold"},
        Case{Status::CANCELADA, AttemptState::cancelled, ReasonCode::by_statement, 502, "sale_cancelled", "not_sold"},
        Case{Status::CANCELADA, AttemptState::cancelled, ReasonCode::hold_expired, 200, "", "not_sold"},
        Case{Status::CANCELADA, AttemptState::cancelled, ReasonCode::terminal_cancelled, 200, "", "not_sold"},
        Case{Status::CANCELADA, AttemptState::unsent, ReasonCode::terminal_cancelled, 200, "", "not_sold"}));

// As far as the terminal may be told, the callback came; the journal may not have taken it.
TEST(SaleAnswer, ACancelledSaleIsToldWhyInTheWordsOfItsReason) {
    const auto detail = [](ReasonCode code) {
        return sell_told(sale_of(Status::CANCELADA, AttemptState::cancelling, code)).text("detail");
    };
    const std::string words =
        "The sale was cancelled (why) and will never be confirmed; trying again with a new key is safe.";
    EXPECT_EQ(detail(ReasonCode::response_lost), words);
    EXPECT_EQ(detail(ReasonCode::provider_error), words);
}

TEST(SaleAnswer, ARefusalHasTheProvidersOwnSentenceWhereItGaveOne) {
    auto sale = sale_of(Status::NEGADA, AttemptState::refused, ReasonCode::refused);
    EXPECT_EQ(sell_told(sale).text("detail"), "The provider refused the sale; nothing was sold.");
    sale.reason->provider_body = Secret(R"({"mensagem":"CPF 529.982.247-25 bloqueado"})");
    EXPECT_EQ(sell_told(sale).text("detail"),
              "The provider refused the sale; nothing was sold. It said: CPF … bloqueado");
}

TEST(SaleAnswer, APendingOneSaysWhereAndWhenToAsk) {
    auto sale = sale_of(Status::PENDENTE, AttemptState::requesting);
    EXPECT_EQ(sell_told(sale).header("Location"), "/v1/sales/" + sale.id.str());
    EXPECT_EQ(sell_told(sale).header("Retry-After"), "2");
    sale.family = Family::esim;
    EXPECT_EQ(sell_told(sale).header("Retry-After"), "5") << "a callback decides";
}

TEST(SaleAnswer, AnUnavailableProvidersOwnRetryAfterGoesOn) {
    auto sale = sale_of(Status::CANCELADA, AttemptState::throttled, ReasonCode::provider_error);
    EXPECT_EQ(sell_told(sale).header("Retry-After"), "5");
    sale.reason->retry_after = 37s;
    EXPECT_EQ(sell_told(sale).header("Retry-After"), "37");
}

TEST(SaleAnswer, WithoutAJournalNothingHappened) {
    const http::Request request{.request_id = "r-1"};
    const Told bare{journal_unavailable_answer(request)};
    EXPECT_EQ(bare.status(), 503u);
    EXPECT_EQ(bare.code(), "journal_unavailable");
    EXPECT_FALSE(bare.json().contains("outcome"));
    EXPECT_FALSE(bare.header("Retry-After").empty());
    const auto sale = sale_of(Status::AUTORIZADA, AttemptState::held);
    EXPECT_EQ(Told{journal_unavailable_answer(request, &sale)}.text("outcome"), "held");
}

TEST(SaleAnswer, WithoutAJournalACallThatReadsIsToldThatNothingCanBeRead) {
    const auto detail = [](http::verb method, const Sale* sale = nullptr) {
        const http::Request request{.method = method, .request_id = "r-1"};
        return Told{journal_unavailable_answer(request, sale)}.text("detail");
    };
    const std::string writes = "The gateway cannot write its journal now, so it did nothing. Try again soon.";
    EXPECT_EQ(detail(http::verb::post), writes);
    EXPECT_EQ(detail(http::verb::get), "The gateway cannot answer from its journal now. Try again soon.");
    EXPECT_EQ(detail(http::verb::head), "The gateway cannot answer from its journal now. Try again soon.");
    const http::Request search{.method = http::verb::get, .request_id = "r-1"};
    EXPECT_EQ(Told{journal_unavailable_answer(search, nullptr, errc::timed_out)}.text("detail"),
              "The gateway cannot answer from its journal now: " + make_error_code(errc::timed_out).message() +
                  ". Try again soon.");
    const auto sale = sale_of(Status::EFETIVADA, AttemptState::sold);
    EXPECT_EQ(detail(http::verb::get, &sale), writes) << "a receipt is counted when it is printed";
}

TEST(SaleAnswer, ConflictsCarryTheSale) {
    const http::Request request{.request_id = "r-1"};
    const Told final{sale_final_answer(sale_of(Status::EFETIVADA, AttemptState::sold), request)};
    EXPECT_EQ(final.status(), 409u);
    EXPECT_EQ(final.code(), "sale_final");
    EXPECT_EQ(final.text("outcome"), "sold");
    const Told esim{not_cancellable_answer(sale_of(Status::AUTORIZADA, AttemptState::awaiting), request)};
    EXPECT_EQ(esim.status(), 409u);
    EXPECT_EQ(esim.code(), "not_cancellable");
    EXPECT_EQ(esim.text("outcome"), "pending");
}

TEST(SaleAnswer, WithoutTheSaleAProblemKeepsWhatIsWrong) {
    const http::Request request{.request_id = "r-1"};
    const auto whole = sale_final_answer(sale_of(Status::EFETIVADA, AttemptState::sold), request);
    const Told cleared{without_sale(whole)};
    EXPECT_EQ(cleared.status(), 409u);
    EXPECT_EQ(cleared.response.headers, whole.headers);
    EXPECT_EQ(cleared.response.content_type, "application/problem+json");
    for (const auto* name : {"type", "title", "status", "code", "detail", "requestId", "outcome"})
        EXPECT_EQ(cleared.json().at(name), Told{whole}.json().at(name)) << name;
    EXPECT_EQ(cleared.json().size(), 7u) << cleared.response.body;
}

TEST(SaleAnswer, WithoutTheSaleWhatIsPendingIsTheOutcomeAlone) {
    const auto whole = pending_answer(sale_of(Status::AUTORIZADA, AttemptState::awaiting));
    EXPECT_EQ(without_sale(whole).body, R"({"outcome":"pending"})");
    EXPECT_EQ(without_sale(whole).status, whole.status);
}

TEST(SaleAnswer, WhatHasNoSaleInItStaysAsItIs) {
    for (const auto& answer :
         {http::Response{.body = R"({"sale":1})"}, http::Response{.status = http::status::no_content}})
        EXPECT_EQ(without_sale(answer).body, answer.body);
}

TEST(SaleAnswer, WhatMayHaveASaleInItAndCannotBeReadIsNotPassedOn) {
    const auto deep = R"({"code":"x","sale":)" + std::string(100, '[') + "1" + std::string(100, ']') + "}";
    for (const auto& body : {std::string("no JSON"), std::string(R"(["secret"])"), deep})
        EXPECT_EQ(without_sale({.status = http::status::conflict, .body = body}).body, "{}") << body;
}

}  // namespace
}  // namespace gateway::test
