// Tests trials in the rig. An answer that says nothing about the question is no reading. What is missing is asked
// again, without one sale more than it needs.
#include "unit/probe/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using probe::Level;

bool is_get(const http::ClientRequest& request, std::string_view part) {
    return !request.post && request.target.find(part) != std::string::npos;
}

TEST(Trials, CandidatesAreTriedOnceAndTheConfiguredOneFirst) {
    EXPECT_THAT(probe::candidates_of("a", {"b", "a", "c", "b"}), ElementsAre("a", "b", "c"));
    EXPECT_THAT(probe::candidates_of("", {"b"}), ElementsAre("b"));
    EXPECT_THAT(probe::candidates_of("", {}), IsEmpty());
}

TEST(Trials, WhatASoldSaleWasNotAnsweredIsAskedOfTheSameSaleAgain) {
    ProbeRig rig;
    rig.arguments.families = {Family::egift};
    rig.arguments.level = Level::authorise;
    rig.run();
    rig.arguments.level = Level::sell;
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

TEST(Trials, OnlyHealthIsSoldWithoutACancelThatCancels) {
    sandbox::Options options;
    options.cancel_effect = sandbox::CancelEffect::stays_autorizada;
    ProbeRig rig(options);
    rig.arguments.level = Level::sell;
    rig.arguments.may_stay_open = true;
    rig.arguments.families = {Family::tv, Family::egift};
    rig.run();
    EXPECT_THAT(rig.ledger().sold_sales(), IsEmpty());
}

TEST(Trials, AStatusPathIsNoneOnlyAfterDefiniteAnswers) {
    sandbox::Options options;
    options.status_path = "/venda/transacao/{idExterno}";
    ProbeRig rig(options);
    rig.arguments.level = Level::authorise;
    rig.arguments.families = {Family::tv};
    rig.arguments.status_paths = {"/venda/transacao/{idExterno}"};
    rig.provider->after = [](const http::ClientRequest& request) {
        return is_get(request, "/transacao/") ? std::optional(answered(503, "{}")) : std::nullopt;
    };
    rig.run();
    EXPECT_FALSE(rig.book().answered("status-path", std::nullopt));
    EXPECT_FALSE(rig.book().done("status-shape", std::nullopt));
}

TEST(Trials, APathThatSaysAuthorisedOfAnySaleIsNoneAndACandidateGivenLaterIsTried) {
    sandbox::Options options;
    options.status_path = "/venda/transacao/{idExterno}";
    ProbeRig rig(options);
    rig.arguments.level = Level::authorise;
    rig.arguments.families = {Family::tv};
    rig.arguments.status_paths = {"/outra/{idExterno}"};
    int tries = 0;
    rig.provider->before = [&](const http::ClientRequest& request) -> std::optional<Reply> {
        if (!is_get(request, "/outra/")) return std::nullopt;
        ++tries;
        return answered(200, R"({"transacao":{"status":"AUTORIZADA"}})");
    };
    rig.run();
    EXPECT_EQ(rig.book().value("status-path"), "none");
    EXPECT_EQ(tries, 2) << "an own sale, and one that there is not";
    rig.run();
    EXPECT_EQ(tries, 2) << "the same candidate is not tried again";
    rig.arguments.status_paths.emplace_back("/venda/transacao/{idExterno}");
    rig.run();
    EXPECT_EQ(rig.book().value("status-path"), "/venda/transacao/{idExterno}");
}

TEST(Trials, AnErrorOfTheTokenServiceSaysNothingOfAScopeNorOfARefresh) {
    ProbeRig rig;
    rig.arguments.families = {Family::tv};
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

TEST(Trials, ARefreshWithoutAnotherRefreshTokenKeepsTheOldOne) {
    sandbox::Options options;
    options.refresh_token = sandbox::RefreshToken::stays;
    ProbeRig rig(options);
    rig.arguments.families = {Family::tv};
    rig.tokens->alter = [](const http::ClientRequest& request, Reply& reply) {
        if (request.body.reveal().find("grant_type=refresh_token") == std::string::npos) return;
        auto value = boost::json::parse(reply.body);
        value.as_object().erase("refresh_token");
        reply.body = boost::json::serialize(value);
    };
    rig.run();
    EXPECT_EQ(rig.book().value("refresh-token"), "stays");
}

TEST(Trials, TheTokensErrorsAreNamedByTheirWords) {
    ProbeRig rig;
    rig.arguments.families = {Family::tv};
    rig.run();
    const auto* reading = rig.book().find("token-errors");
    ASSERT_NE(reading, nullptr);
    EXPECT_THAT(reading->detail, AllOf(HasSubstr("HTTP 401 invalid_client"), HasSubstr("HTTP 400 invalid_scope")));
}

TEST(Trials, An500SaysNothingOfALength) {
    ProbeRig rig;
    rig.arguments.level = Level::authorise;
    rig.arguments.families = {Family::tv};
    rig.provider->after = [](const http::ClientRequest& request) -> std::optional<Reply> {
        const auto& body = request.body.reveal();
        const std::string_view name = R"("idExterno":")";
        const auto at = body.find(name);
        if (at == std::string::npos || !request.target.ends_with("/solicitar")) return std::nullopt;
        return body.find('"', at + name.size()) - at - name.size() > 30 ? std::optional(answered(500, "{}"))
                                                                        : std::nullopt;
    };
    rig.run();
    EXPECT_FALSE(rig.book().answered("id-length", std::nullopt)) << rig.book().value("id-length");
}

TEST(Trials, ASuccessOfAnotherNumberIsNoEndThatTheProviderMade) {
    struct Day {
        unsigned again;
        std::string value;
    };
    for (const auto& [again, value] : {Day{200, ""}, Day{409, "never"}}) {
        sandbox::Options options;
        options.cancel_again = {static_cast<int>(again), sandbox::Said::Word::own};
        ProbeRig rig(options);
        rig.arguments.level = Level::authorise;
        rig.arguments.families = {Family::tv};
        rig.arguments.leave_open = true;
        rig.provider->alter = [](const http::ClientRequest& request, Reply& reply) {
            if (request.target.ends_with("/cancelar") && reply.status == 200) reply.status = 201;
        };
        rig.run();
        rig.clock.advance(50h);
        rig.arguments.leave_open = false;
        rig.run(true);
        EXPECT_EQ(rig.book().value("open-sales-end-tv"), value) << again;
    }
}

TEST(Trials, OneSaleOfAFamilyIsLeftOpen) {
    ProbeRig rig;
    rig.arguments.level = Level::authorise;
    rig.arguments.families = {Family::tv, Family::egift};
    rig.arguments.leave_open = true;
    rig.run();
    rig.run();
    EXPECT_EQ(rig.open_at_provider().size(), 2U);
}

TEST(Trials, WhatWasLeftOpenIsTakenUpWhateverTheRunIsLimitedTo) {
    ProbeRig rig;
    rig.arguments.level = Level::authorise;
    rig.arguments.families = {Family::tv, Family::egift};
    rig.arguments.leave_open = true;
    rig.run();
    rig.clock.advance(50h);
    rig.arguments.leave_open = false;
    rig.arguments.families = {Family::tv};
    rig.run(true);
    EXPECT_THAT(rig.open_at_provider(), IsEmpty());
}

}  // namespace
}  // namespace gateway::test
