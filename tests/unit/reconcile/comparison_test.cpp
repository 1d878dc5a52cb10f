#include "reconcile/comparison.hpp"

#include "base/wall_time.hpp"
#include "unit/reconcile/statement_text.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

constexpr std::array sold_states{AttemptState::sold, AttemptState::collecting};
constexpr std::array not_sold_states{AttemptState::cancelling, AttemptState::lingering, AttemptState::cancelled,
                                     AttemptState::refused,    AttemptState::unsent,    AttemptState::unauthorised,
                                     AttemptState::throttled};
constexpr std::array open_states{AttemptState::requesting, AttemptState::held,       AttemptState::confirming,
                                 AttemptState::disputing,  AttemptState::retracting, AttemptState::awaiting};

const std::string no_kind = "nothing";

OurAttempt ours_in(AttemptState state) {
    return {.id_externo = std::string(some_id),
            .id_transacao = "T-1",
            .nsu = "77",
            .state = state,
            .valor = Cents{1049},
            .estabelecimento = "12345678",
            .day = some_day};
}

StatementRow row_said(Status status) {
    return {.line = 2,
            .id_externo = std::string(some_id),
            .id_transacao = "T-1",
            .nsu = "77",
            .valor = Cents{1049},
            .status = status,
            .at = from_rfc3339("2026-11-20T13:11:12Z"),
            .estabelecimento = "12345678"};
}

ComparisonContext on_the_day() {
    return {.day = some_day};
}

std::string word_of(std::optional<FindingKind> kind) {
    return kind ? std::string(to_string(*kind)) : no_kind;
}

std::string compared(AttemptState state, Status theirs) {
    const auto ours = ours_in(state);
    const auto row = row_said(theirs);
    return word_of(compare(&ours, &row, on_the_day()));
}

std::string missing(AttemptState state, const ComparisonContext& context) {
    const auto ours = ours_in(state);
    return word_of(compare(&ours, nullptr, context));
}

std::string unknown(Status theirs, StatementCovers covers, RowOrigin origin) {
    const auto row = row_said(theirs);
    auto context = on_the_day();
    context.covers = covers;
    context.origin = origin;
    return word_of(compare(nullptr, &row, context));
}

TEST(Comparison, SoldHere) {
    for (const auto state : sold_states) {
        EXPECT_EQ(compared(state, Status::EFETIVADA), "matched") << to_string(state);
        EXPECT_EQ(compared(state, Status::CANCELADA), "reversed_there") << to_string(state);
        EXPECT_EQ(compared(state, Status::NEGADA), "reversed_there") << to_string(state);
        EXPECT_EQ(compared(state, Status::AUTORIZADA), "unconfirmed_there") << to_string(state);
        EXPECT_EQ(missing(state, on_the_day()), "missing_there") << to_string(state);
    }
}

TEST(Comparison, NotSoldHere) {
    auto sold_only = on_the_day();
    sold_only.lists_sold_only = true;
    for (const auto state : not_sold_states) {
        EXPECT_EQ(compared(state, Status::EFETIVADA), "sold_there") << to_string(state);
        EXPECT_EQ(compared(state, Status::CANCELADA), "matched") << to_string(state);
        EXPECT_EQ(compared(state, Status::NEGADA), "matched") << to_string(state);
        EXPECT_EQ(compared(state, Status::AUTORIZADA), "open_there") << to_string(state);
        EXPECT_EQ(missing(state, sold_only), "matched") << to_string(state);
        EXPECT_EQ(missing(state, on_the_day()), no_kind) << to_string(state);
    }
}

TEST(Comparison, OpenHere) {
    for (const auto state : open_states) {
        EXPECT_EQ(compared(state, Status::EFETIVADA), "settles_sold") << to_string(state);
        EXPECT_EQ(compared(state, Status::CANCELADA), "settles_not_sold") << to_string(state);
        EXPECT_EQ(compared(state, Status::NEGADA), "settles_not_sold") << to_string(state);
        EXPECT_EQ(compared(state, Status::AUTORIZADA), "still_open") << to_string(state);
        EXPECT_EQ(missing(state, on_the_day()), "still_open") << to_string(state);
    }
}

TEST(Comparison, StatesAreAllThereAre) {
    EXPECT_EQ(sold_states.size() + not_sold_states.size() + open_states.size(),
              static_cast<std::size_t>(AttemptState::throttled) + 1);
}

TEST(Comparison, SourceThatSaysPendenteHasItOpen) {
    EXPECT_EQ(compared(AttemptState::sold, Status::PENDENTE), "unconfirmed_there");
    EXPECT_EQ(compared(AttemptState::cancelled, Status::PENDENTE), "open_there");
    EXPECT_EQ(compared(AttemptState::disputing, Status::PENDENTE), "still_open");
}

TEST(Comparison, UnknownHereByWhoseTheRowIs) {
    using enum RowOrigin;
    for (const auto theirs : {Status::EFETIVADA, Status::AUTORIZADA}) {
        for (const auto origin : {ours, perhaps, others, unclear})
            EXPECT_EQ(unknown(theirs, StatementCovers::this_gateway, origin), "unknown_here");
        EXPECT_EQ(unknown(theirs, StatementCovers::network, ours), "unknown_here");
        EXPECT_EQ(unknown(theirs, StatementCovers::network, perhaps), "unknown_here");
        EXPECT_EQ(unknown(theirs, StatementCovers::network, others), "counted_only");
        EXPECT_EQ(unknown(theirs, StatementCovers::network, unclear), "counted_only");
    }
    for (const auto theirs : {Status::CANCELADA, Status::NEGADA})
        for (const auto covers : {StatementCovers::this_gateway, StatementCovers::network})
            EXPECT_EQ(unknown(theirs, covers, ours), "counted_only");
}

TEST(Comparison, SoldOnBothSidesIsLookedAtClosely) {
    const auto kind_of = [](const OurAttempt& ours, std::int64_t cents, Day statement_day) {
        auto row = row_said(Status::EFETIVADA);
        row.valor = Cents{cents};
        return word_of(compare(&ours, &row, {.day = statement_day}));
    };
    auto ours = ours_in(AttemptState::sold);
    EXPECT_EQ(kind_of(ours, 1050, some_day), "amount_differs") << "not a cent is let pass";
    EXPECT_EQ(kind_of(ours, 1049, next_day), "other_day");
    EXPECT_EQ(kind_of(ours, 1050, next_day), "amount_differs") << "money first";
    auto elsewhere = row_said(Status::EFETIVADA);
    elsewhere.estabelecimento = "87654321";
    ours.estabelecimento = "12345678";
    EXPECT_EQ(word_of(compare(&ours, &elsewhere, {.day = some_day})), "store_differs");
    elsewhere.estabelecimento.clear();
    EXPECT_EQ(word_of(compare(&ours, &elsewhere, {.day = some_day})), "matched") << "a file that does not say";
    ours.sold_otherwise = true;
    EXPECT_EQ(kind_of(ours, 1049, some_day), "sold_twice");
    EXPECT_EQ(kind_of(ours, 1050, next_day), "sold_twice");
    ours = ours_in(AttemptState::cancelled);
    ours.sold_otherwise = true;
    EXPECT_EQ(kind_of(ours, 1049, some_day), "sold_twice") << "the sale itself was promised";
    ours = ours_in(AttemptState::sold);
    ours.day.reset();
    EXPECT_EQ(kind_of(ours, 1049, next_day), "matched") << "sold before days were written";
}

TEST(Comparison, AmountSaysNothingWhereItWasNotSold) {
    auto row = row_said(Status::CANCELADA);
    row.valor = Cents{1};
    const auto ours = ours_in(AttemptState::cancelled);
    EXPECT_EQ(compare(&ours, &row, on_the_day()), FindingKind::matched);
}

TEST(Comparison, SaleThatANeighbouringDayHasIsNotMissing) {
    auto context = on_the_day();
    context.on_another_day = true;
    EXPECT_EQ(missing(AttemptState::sold, context), "other_day");
    EXPECT_EQ(missing(AttemptState::cancelled, context), no_kind);
    EXPECT_EQ(missing(AttemptState::disputing, context), "still_open");
}

TEST(RowMatch, FirstIdThatTheRowHasDecides) {
    const auto ours = ours_in(AttemptState::sold);
    StatementRow row{.id_externo = std::string(some_id), .id_transacao = "T-9", .nsu = "9"};
    EXPECT_TRUE(is_about(row, ours));
    row.id_externo = other_id;
    row.id_transacao = "T-1";
    EXPECT_FALSE(is_about(row, ours)) << "its idExterno names another";
    row.id_externo.clear();
    EXPECT_TRUE(is_about(row, ours));
    row.id_transacao = "T-2";
    row.nsu = "77";
    EXPECT_FALSE(is_about(row, ours)) << "its idTransacao names another";
    row.id_transacao.clear();
    EXPECT_TRUE(is_about(row, ours));
    row.nsu = "78";
    EXPECT_FALSE(is_about(row, ours));
}

TEST(RowMatch, NsuIsOfItsEstablishment) {
    const auto ours = ours_in(AttemptState::sold);
    EXPECT_TRUE(is_about({.nsu = "77", .estabelecimento = "12345678"}, ours));
    EXPECT_FALSE(is_about({.nsu = "77", .estabelecimento = "87654321"}, ours));
}

TEST(RowMatch, UuidOfACallbackIsTheNsuUnlessItIsAnotherIdOfTheAttempt) {
    Sale sale{.id = SaleId::parse(some_id).value()};
    sale.attempts.push_back({.id_externo = IdExterno::parse(some_id).value(), .id_transacao = "T-1"});
    const auto nsu_of = [&sale](std::string uuid) {
        sale.esim = EsimDetails{.uuid = std::move(uuid)};
        return attempt_of(sale, 0).nsu;
    };
    EXPECT_EQ(nsu_of("77"), "77");
    EXPECT_EQ(nsu_of("T-1"), "");
    EXPECT_EQ(nsu_of(std::string(some_id)), "");
}

TEST(RowMatch, AmountAndTimeAloneMatchNothing) {
    auto row = row_said(Status::EFETIVADA);
    row.id_externo = row.id_transacao = row.nsu = "";
    auto ours = ours_in(AttemptState::sold);
    EXPECT_FALSE(is_about(row, ours));
    ours.id_transacao = ours.nsu = "";
    EXPECT_FALSE(is_about(row, ours)) << "two that are not there are not equal";
}

TEST(RowOrigin, IsToldByPrefixElseByEstablishment) {
    const std::vector<std::string> shops{"12345678"};
    // These are the four characters after the time of some_id.
    const std::vector<std::string> ours{"ZZZZ", std::string(some_id.substr(10, 4))};
    const std::vector<std::string> others{"ZZZZ"};
    const std::vector<std::string> once_none{"ZZZZ", ""};
    const auto row = row_said(Status::EFETIVADA);
    EXPECT_EQ(origin_of(row, ours, shops), RowOrigin::ours);
    EXPECT_EQ(origin_of(row, others, shops), RowOrigin::others);
    EXPECT_EQ(origin_of(row, once_none, shops), RowOrigin::perhaps) << "made before there was a prefix";
    EXPECT_EQ(origin_of(row, {}, shops), RowOrigin::perhaps);
    EXPECT_EQ(origin_of(row, {}, {}), RowOrigin::others) << "of a shop that is none of ours";
    auto without_shop = row;
    without_shop.estabelecimento.clear();
    EXPECT_EQ(origin_of(without_shop, {}, shops), RowOrigin::unclear);
    EXPECT_EQ(origin_of(without_shop, ours, shops), RowOrigin::ours);
    auto foreign = row;
    foreign.id_externo = "4711";
    EXPECT_EQ(origin_of(foreign, once_none, shops), RowOrigin::others) << "no gateway of this kind makes such an id";
    foreign.id_externo.clear();
    EXPECT_EQ(origin_of(foreign, ours, shops), RowOrigin::perhaps);
}

// Has an attempt and a row by which it may be settled.
struct Settling {
    OurAttempt ours = ours_in(AttemptState::disputing);
    StatementRow row = row_said(Status::EFETIVADA);

    bool may() const { return may_settle(ours, row); }
};

TEST(Settling, OnlyWhatWaitsForTheProvidersWordIsSettled) {
    for (int number = 0; number <= static_cast<int>(AttemptState::throttled); ++number) {
        const auto state = static_cast<AttemptState>(number);
        Settling settling;
        settling.ours.state = state;
        EXPECT_EQ(settling.may(), state == AttemptState::disputing || state == AttemptState::awaiting)
            << to_string(state);
    }
}

TEST(Settling, NegadaSettlesEsimOnly) {
    for (const auto family : all_families) {
        Settling settling;
        settling.ours.family = family;
        for (const auto status : {Status::EFETIVADA, Status::CANCELADA}) {
            settling.row.status = status;
            EXPECT_TRUE(settling.may());
        }
        settling.row.status = Status::NEGADA;
        EXPECT_EQ(settling.may(), family == Family::esim);
        for (const auto status : {Status::AUTORIZADA, Status::PENDENTE}) {
            settling.row.status = status;
            EXPECT_FALSE(settling.may());
        }
    }
}

TEST(Settling, EverythingElseMustAgree) {
    const auto may = [](const auto& change) {
        Settling settling;
        change(settling);
        return settling.may();
    };
    EXPECT_TRUE(may([](Settling&) {}));
    EXPECT_FALSE(may([](Settling& s) { s.ours.latest = false; }));
    EXPECT_FALSE(may([](Settling& s) { s.row.valor = Cents{1050}; }));
    EXPECT_FALSE(may([](Settling& s) { s.row.estabelecimento = "87654321"; }));
    EXPECT_FALSE(may([](Settling& s) { s.row.estabelecimento = ""; })) << "not said is not equal";
    EXPECT_FALSE(may([](Settling& s) { s.row.id_externo = other_id; }));
    EXPECT_FALSE(may([](Settling& s) { s.row.id_transacao = "T-2"; })) << "one id contradicts the other";
    EXPECT_FALSE(may([](Settling& s) { s.row.nsu = "78"; }));
    EXPECT_TRUE(may([](Settling& s) { s.ours.id_transacao = s.ours.nsu = ""; })) << "we never learned them";
    EXPECT_TRUE(may([](Settling& s) { s.row.id_externo = ""; })) << "idTransacao names it";
    EXPECT_FALSE(may([](Settling& s) { s.row.id_externo = s.row.id_transacao = ""; })) << "an NSU is not enough";
}

TEST(FindingAsks, WhatTheTableSays) {
    const auto asks = [](FindingKind kind, AttemptState state, bool able) {
        auto ours = ours_in(state);
        ours.confirmed = ours.cancellable = able;
        const auto row = row_said(Status::EFETIVADA);
        return asked_for(kind, &ours, &row);
    };
    using enum FindingAsks;
    EXPECT_EQ(asks(FindingKind::unconfirmed_there, AttemptState::sold, true), repeat_confirm);
    EXPECT_EQ(asks(FindingKind::unconfirmed_there, AttemptState::sold, false), FindingAsks::person)
        << "it has no confirm";
    EXPECT_EQ(asks(FindingKind::unconfirmed_there, AttemptState::collecting, true), nothing) << "it is being repeated";
    EXPECT_EQ(asks(FindingKind::open_there, AttemptState::cancelled, true), repeat_cancel);
    EXPECT_EQ(asks(FindingKind::open_there, AttemptState::refused, true), repeat_cancel);
    EXPECT_EQ(asks(FindingKind::open_there, AttemptState::cancelled, false), FindingAsks::person);
    EXPECT_EQ(asks(FindingKind::open_there, AttemptState::cancelling, true), nothing);
    EXPECT_EQ(asks(FindingKind::open_there, AttemptState::lingering, true), nothing);
    EXPECT_EQ(asks(FindingKind::open_there, AttemptState::cancelling, false), FindingAsks::person)
        << "there is nothing to repeat";
    EXPECT_EQ(asks(FindingKind::settles_sold, AttemptState::disputing, true), settle);
    EXPECT_EQ(asks(FindingKind::settles_sold, AttemptState::held, true), FindingAsks::person);
    EXPECT_EQ(asks(FindingKind::settles_not_sold, AttemptState::awaiting, true), settle);
    for (const auto kind : {FindingKind::matched, FindingKind::counted_only, FindingKind::other_day,
                            FindingKind::still_open, FindingKind::already_imported})
        EXPECT_EQ(asks(kind, AttemptState::sold, true), nothing) << to_string(kind);
    for (const auto kind : {FindingKind::amount_differs, FindingKind::store_differs, FindingKind::sold_twice,
                            FindingKind::reversed_there, FindingKind::missing_there, FindingKind::sold_there,
                            FindingKind::unknown_here, FindingKind::wrong_day, FindingKind::wrong_network,
                            FindingKind::count_differs, FindingKind::total_differs, FindingKind::unreadable_line})
        EXPECT_EQ(asks(kind, AttemptState::sold, true), FindingAsks::person) << to_string(kind);
    for (const auto kind : all_finding_kinds)
        EXPECT_NE(asked_for(kind, nullptr, nullptr), settle) << "of nothing, nothing is settled";
}

TEST(AttemptOfASale, HasWhatTheSaleKnows) {
    const auto id = Ulid::parse(some_id).value_or(Ulid::first_at({}));
    Sale sale{.id = SaleId(id)};
    sale.family = Family::transit;
    sale.valor = Cents{1049};
    sale.estabelecimento = "12345678";
    sale.attempts.push_back({.id_externo = IdExterno(id), .state = AttemptState::cancelled, .id_transacao = "T-1"});
    sale.attempts.push_back({.id_externo = IdExterno(Ulid::first_at({})), .state = AttemptState::sold});
    sale.attempts.back().confirm_time = WallTime{};
    const auto first = attempt_of(sale, 0);
    EXPECT_EQ(first.id_externo, some_id);
    EXPECT_EQ(first.id_transacao, "T-1");
    EXPECT_EQ(first.state, AttemptState::cancelled);
    EXPECT_EQ(first.family, Family::transit);
    EXPECT_EQ(first.valor, Cents{1049});
    EXPECT_EQ(first.estabelecimento, "12345678");
    EXPECT_FALSE(first.confirmed);
    EXPECT_FALSE(first.latest);
    EXPECT_TRUE(attempt_of(sale, 1).confirmed);
    EXPECT_TRUE(attempt_of(sale, 1).latest);
    EXPECT_TRUE(first.sold_otherwise);
    EXPECT_FALSE(attempt_of(sale, 1).sold_otherwise);
    sale.attempts.front().state = AttemptState::sold;
    EXPECT_FALSE(attempt_of(sale, 0).sold_otherwise) << "it is the second that is one too many";
    EXPECT_TRUE(attempt_of(sale, 1).sold_otherwise);
}

TEST(MatchSuggestions, AreEqualInAmountAndNearInTime) {
    using namespace std::chrono_literals;
    auto row = row_said(Status::EFETIVADA);
    const auto at = row.at.value_or(WallTime{});
    const std::vector<MatchCandidate> candidates{
        {Cents{1049}, "12345678", at - 2h},   {Cents{1050}, "12345678", at},       {Cents{1049}, "87654321", at},
        {Cents{1049}, "12345678", at + 1min}, {Cents{1049}, "12345678", at + 25h}, {Cents{1049}, "", at - 24h},
        {Cents{1049}, "12345678", at - 3min}};
    EXPECT_EQ(suggestions(row, candidates), (std::vector<std::size_t>{3, 6, 0}));
    row.estabelecimento.clear();
    EXPECT_EQ(suggestions(row, candidates), (std::vector<std::size_t>{2, 3, 6}));
    row.at.reset();
    EXPECT_EQ(suggestions(row, candidates), (std::vector<std::size_t>{0, 2, 3})) << "in their order";
    row.valor = Cents{1};
    EXPECT_TRUE(suggestions(row, candidates).empty());
}

}  // namespace
}  // namespace gateway::test
