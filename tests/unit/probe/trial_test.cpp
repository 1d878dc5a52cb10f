// Trials in the rig: an answer that says nothing of the question is no reading, and what is missing is asked again
// without one sale more than it needs.
#include "unit/probe/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using probe::Level;

TEST(Trial, WhatASoldSaleWasNotAnsweredIsAskedOfTheSameSaleAgain) {
    ProbeRig rig;
    rig.wishes.families = {Family::egift};
    rig.wishes.level = Level::authorise;
    rig.run();
    rig.wishes.level = Level::sell;
    int confirms = 0;
    rig.provider->after = [&](const http::ClientRequest& request) -> std::optional<Reply> {
        const bool confirm = request.target.ends_with("/confirmar");
        if (confirm && ++confirms == 2) return Reply::lost(errc::connection_lost);
        if (confirm && request.authorization.empty()) return answered(500, "{}");
        if (request.target.ends_with("/cancelar")) return Reply::lost(errc::connection_lost);
        return std::nullopt;
    };
    rig.run();
    for (const auto* point : {"confirm-again", "egift-confirm-token", "cancel-on-efetivada"})
        EXPECT_FALSE(rig.book().answered(point, Family::egift)) << point << rig.book().value(point, Family::egift);
    EXPECT_EQ(rig.ledger().sold_sales().size(), 1U);
    rig.provider->after = nullptr;
    rig.run();
    EXPECT_EQ(rig.book().value("confirm-again", Family::egift), "200-status");
    EXPECT_EQ(rig.book().value("egift-confirm-token", Family::egift), "required");
    EXPECT_EQ(rig.book().value("cancel-on-efetivada", Family::egift), "200-status");
    EXPECT_EQ(rig.ledger().sold_sales().size(), 1U) << "nothing is sold once more";
}

TEST(Trial, OnlyHealthIsSoldWithoutACancelThatCancels) {
    sandbox::Options options;
    options.cancel_effect = sandbox::CancelEffect::stays_autorizada;
    ProbeRig rig(options);
    rig.wishes.level = Level::sell;
    rig.wishes.may_stay_open = true;
    rig.wishes.families = {Family::tv, Family::egift};
    rig.run();
    EXPECT_THAT(rig.ledger().sold_sales(), IsEmpty());
}

TEST(Trial, AnErrorOfTheTokenServiceSaysNothingOfAScopeNorOfARefresh) {
    ProbeRig rig;
    rig.wishes.families = {Family::tv};
    int refreshes = 0;
    rig.tokens->after = [&](const http::ClientRequest& request) -> std::optional<Reply> {
        const auto& body = request.body.reveal();
        if (body.find("Venda_Lottery") != std::string::npos) return answered(500, "{}");
        if (body.find("grant_type=refresh_token") != std::string::npos && ++refreshes == 2) return answered(500, "{}");
        return std::nullopt;
    };
    rig.run();
    EXPECT_FALSE(rig.book().answered("scopes", std::nullopt)) << rig.book().value("scopes");
    EXPECT_FALSE(rig.book().answered("refresh-token", std::nullopt)) << rig.book().value("refresh-token");
}

TEST(Trial, ARefreshWithoutAnotherRefreshTokenKeepsTheOldOne) {
    sandbox::Options options;
    options.refresh_token = sandbox::RefreshToken::stays;
    ProbeRig rig(options);
    rig.wishes.families = {Family::tv};
    rig.tokens->alter = [](const http::ClientRequest& request, Reply& reply) {
        if (request.body.reveal().find("grant_type=refresh_token") == std::string::npos) return;
        auto value = boost::json::parse(reply.body);
        value.as_object().erase("refresh_token");
        reply.body = boost::json::serialize(value);
    };
    rig.run();
    EXPECT_EQ(rig.book().value("refresh-token"), "stays");
}

TEST(Trial, TheTokensErrorsAreNamedByTheirWords) {
    ProbeRig rig;
    rig.wishes.families = {Family::tv};
    rig.run();
    const auto* reading = rig.book().find("token-errors");
    ASSERT_NE(reading, nullptr);
    EXPECT_THAT(reading->detail, AllOf(HasSubstr("HTTP 401 invalid_client"), HasSubstr("HTTP 400 invalid_scope")));
}

}  // namespace
}  // namespace gateway::test
