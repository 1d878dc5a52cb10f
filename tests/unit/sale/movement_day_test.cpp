#include "sale/movement_day.hpp"

#include "base/wall_time.hpp"
#include "unit/sale/scenario.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

Rules rules_of(std::string_view zone, bool by_request = false) {
    Rules rules;
    rules.zone = TimeZone::find(zone).value();
    rules.day = by_request ? DayClock::request : DayClock::ours;
    return rules;
}

std::string day(const Rules& rules, std::string_view final_at, std::string requested_at = {}) {
    TransactionDetails details;
    details.data_hora = std::move(requested_at);
    return to_text(movement_day(rules, details, from_rfc3339(final_at).value()));
}

std::string day_of(const std::optional<Day>& day) {
    return day ? to_text(*day) : "none";
}

TEST(MovementDay, IsThatOfTheStoreWhereverTheClockIsRead) {
    const auto sao_paulo = rules_of("America/Sao_Paulo");
    EXPECT_EQ(day(sao_paulo, "2026-11-21T02:59:58Z"), "2026-11-20") << "23:59:58 there";
    EXPECT_EQ(day(sao_paulo, "2026-11-21T03:00:00Z"), "2026-11-21");
    EXPECT_EQ(day(rules_of("America/Rio_Branco"), "2026-11-21T04:59:59Z"), "2026-11-20");
    EXPECT_EQ(day(rules_of("Europe/Lisbon"), "2026-06-20T23:00:00Z"), "2026-06-21") << "in summer time";
    EXPECT_EQ(day(rules_of("Europe/Lisbon"), "2026-12-20T23:00:00Z"), "2026-12-20");
    EXPECT_EQ(day(Rules(), "2026-11-20T23:59:59Z"), "2026-11-20");
}

TEST(MovementDay, IsThatOfTheRequestWhereThatIsWantedAndCanBeRead) {
    const auto by_request = rules_of("America/Sao_Paulo", true);
    constexpr auto final_at = "2026-11-21T03:00:05Z";
    EXPECT_EQ(day(by_request, final_at, "2026-11-20T23:59:58-03:00"), "2026-11-20");
    EXPECT_EQ(day(by_request, final_at, "2026-11-21T02:59:58.1234567Z"), "2026-11-20");
    EXPECT_EQ(day(by_request, final_at, "2026-11-20T23:59:58-04:00"), "2026-11-21") << "00:59:58 in the store";
    for (const auto* unreadable : {"", "2026-11-20", "2026-11-20T23:59:58", "20/11/2026 23:59:58"})
        EXPECT_EQ(day(by_request, final_at, unreadable), "2026-11-21") << unreadable;
    EXPECT_EQ(day(rules_of("America/Sao_Paulo"), final_at, "2026-11-20T23:59:58-03:00"), "2026-11-21");
}

TEST(MovementDay, IsOursWhereTheProvidersClockIsWrong) {
    const auto by_request = rules_of("America/Sao_Paulo", true);
    constexpr auto final_at = "2026-11-21T03:00:05Z";
    EXPECT_EQ(day(by_request, final_at, "2026-11-22T00:00:05-03:00"), "2026-11-22") << "within a day it may be ours";
    EXPECT_EQ(day(by_request, final_at, "2026-11-22T00:00:06-03:00"), "2026-11-21");
    EXPECT_EQ(day(by_request, final_at, "2036-11-20T23:59:58-03:00"), "2026-11-21");
    EXPECT_EQ(day(by_request, final_at, "2026-10-21T00:00:05-03:00"), "2026-10-21") << "an eSIM may wait so long";
    EXPECT_EQ(day(by_request, final_at, "2026-10-21T00:00:04-03:00"), "2026-11-21");
}

TEST(MovementDay, IsToldWhenTheSaleIsSoldAndNeverAgain) {
    auto scenario = authorised(Family::egift);
    scenario.rules = rules_of("America/Sao_Paulo");
    scenario.wall = from_rfc3339("2026-11-21T02:59:50Z").value();
    scenario.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "collecting AUTORIZADA");
    EXPECT_EQ(day_of(scenario.sale.day), "none") << "it is not final yet";
    scenario.pass(9s);
    const auto change = scenario.answered(Step::confirmar, with_goods(Verdict::sold));
    EXPECT_EQ(day_of(change.day), "2026-11-20");
    EXPECT_EQ(day_of(scenario.sale.day), "2026-11-20");
    scenario.pass(48h);
    EXPECT_EQ(day_of(scenario.happens(CancelAsked{}).day), "none");
    EXPECT_EQ(day_of(scenario.sale.day), "2026-11-20");
}

TEST(MovementDay, OfACancelledSaleIsThatOfTheDecisionWhateverItsCancelTakes) {
    auto scenario = authorised(Family::tv, ConfirmMode::manual);
    scenario.rules = rules_of("America/Sao_Paulo");
    scenario.wall = from_rfc3339("2026-11-21T02:59:58Z").value();
    EXPECT_EQ(day_of(scenario.happens(CancelAsked{}).day), "2026-11-20");
    scenario.pass(1h);
    EXPECT_EQ(day_of(scenario.answered(Step::cancelar, Verdict::cancelled).day), "none");
    EXPECT_EQ(day_of(scenario.sale.day), "2026-11-20");
}

TEST(MovementDay, OfARefusedSaleIsOursAlsoWhereTheRequestTellsIt) {
    Scenario scenario(Family::tv);
    scenario.rules = rules_of("America/Sao_Paulo", true);
    scenario.wall = from_rfc3339("2026-11-21T03:00:01Z").value();
    EXPECT_EQ(day_of(scenario.answered(Step::solicitar, Verdict::refused).day), "2026-11-21");
}

TEST(MovementDay, ASaleIsFinalInAStateExactlyWhenTheLawSaysSo) {
    for (const auto state : all_states) {
        auto attempt = new_sale(Family::tv).current();
        attempt.state = state;
        EXPECT_EQ(is_final_in(state), is_final(status_that_follows(attempt))) << to_string(state);
    }
}

}  // namespace
}  // namespace gateway::test
