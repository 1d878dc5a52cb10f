// Tests what a provider may answer so that a sale would be sold at the level that moves no money, or be forgotten.
#include "probe/bench.hpp"

#include "probe/probe.hpp"
#include "unit/probe/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using probe::Ending;

constexpr auto health_path = "/venda/{health}/cancelar";

class BenchTest : public Test {
  protected:
    static std::unique_ptr<ProbeRig> rig_of(Family family, sandbox::Options options = {}) {
        auto rig = std::make_unique<ProbeRig>(std::move(options));
        rig->arguments.level = probe::Level::authorise;
        rig->arguments.families = {family};
        if (family == Family::health) rig->config.provider.health_cancel_path = health_path;
        return rig;
    }
    static sandbox::Options with_health_path() {
        sandbox::Options options;
        options.health_cancel_path = health_path;
        return options;
    }
    static std::vector<std::string> listed(ProbeRig& rig) {
        std::vector<std::string> ids;
        for (const auto& entry : rig.ledger().open_sales())
            ids.push_back(entry.id);
        return ids;
    }
    static std::size_t sold(ProbeRig& rig) {
        return static_cast<std::size_t>(
            std::ranges::count(rig.model->books().all(), sandbox::Status::efetivada, &sandbox::Transaction::status));
    }
    static bool is_cancel(const http::ClientRequest& request) { return request.target.ends_with("/cancelar"); }
    static bool is_request(const http::ClientRequest& request) { return request.target.ends_with("/solicitar"); }
    static std::string text_in(const http::ClientRequest& request, std::string_view name) {
        const auto body = boost::json::parse(request.body.reveal());
        return std::string(body.at(name).as_string());
    }
    static Reply says(std::string_view status, const std::string& id, const std::string& id_transacao = "") {
        boost::json::object transacao{{"status", status}, {"idExterno", id}};
        if (!id_transacao.empty()) transacao["idTransacao"] = id_transacao;
        return answered(200, boost::json::serialize(boost::json::object{{"transacao", transacao}}));
    }
};

TEST_F(BenchTest, APathThatSellsIsUsedOnceAlone) {
    auto options = with_health_path();
    options.health_cancel_does = sandbox::HealthCancel::sells;
    const auto rig = rig_of(Family::health, options);
    for (int run = 0; run < 2; ++run) {
        EXPECT_EQ(rig->run(), Ending::done);
        EXPECT_EQ(sold(*rig), 1U) << "the sale of the trial that finds it out";
    }
    EXPECT_EQ(rig->book().value("health-cancel-does"), "sells");
    EXPECT_FALSE(rig->book().answered("cancel-effect", Family::health));
    EXPECT_EQ(rig->ledger().sold_sales().size(), 1U);
}

TEST_F(BenchTest, APathThatSaysCanceladaOfAnySaleCancelsNone) {
    const auto rig = rig_of(Family::health);
    rig->provider->before = [](const http::ClientRequest& request) -> std::optional<Reply> {
        if (!is_cancel(request)) return std::nullopt;
        return says("CANCELADA", text_in(request, "idExterno"));
    };
    EXPECT_EQ(rig->run(), Ending::done);
    EXPECT_FALSE(rig->book().answered("health-cancel-path", std::nullopt));
    EXPECT_FALSE(rig->book().answered("cancel-effect", Family::health));
    EXPECT_EQ(rig->open_at_provider().size(), 1U);
    EXPECT_THAT(listed(*rig), ElementsAreArray(rig->open_at_provider()));
}

TEST_F(BenchTest, APathIsNotProvedByACheckThatWasNotAnswered) {
    const auto rig = rig_of(Family::health);
    std::string first;
    rig->provider->before = [&](const http::ClientRequest& request) -> std::optional<Reply> {
        if (!is_cancel(request)) return std::nullopt;
        const auto id = text_in(request, "idExterno");
        if (first.empty()) first = id;
        return id == first ? says("CANCELADA", id) : Reply::lost(errc::connection_lost);
    };
    rig->run();
    EXPECT_FALSE(rig->book().answered("health-cancel-path", std::nullopt));
    EXPECT_FALSE(rig->book().answered("health-cancel-does", std::nullopt));
    EXPECT_THAT(listed(*rig), ElementsAre(first));
    EXPECT_THAT(rig->open_at_provider(), ElementsAre(first));
}

TEST_F(BenchTest, ASaleIsNotOverBeforeItsPathIsProved) {
    struct Killed {};
    const auto rig = rig_of(Family::health);
    std::string first;
    rig->provider->before = [&](const http::ClientRequest& request) -> std::optional<Reply> {
        if (!is_cancel(request)) return std::nullopt;
        const auto id = text_in(request, "idExterno");
        if (first.empty()) first = id;
        if (id != first) throw Killed{};
        return says("CANCELADA", id);
    };
    EXPECT_THROW(rig->run(), Killed);
    EXPECT_THAT(listed(*rig), ElementsAre(first));
}

TEST_F(BenchTest, ACandidateThatWasNotHeardIsNoCandidateThatDoesNotCancel) {
    for (const auto& trouble : {answered(500, "{}"), answered(429, "{}"), Reply::lost(errc::connection_lost)}) {
        auto options = with_health_path();
        const auto rig = rig_of(Family::tv, options);
        rig->arguments.families = {Family::tv, Family::health};
        rig->config.provider.health_cancel_path = health_path;
        rig->provider->before = [&](const http::ClientRequest& request) {
            const bool health = request.target.ends_with("/venda/consulta/cancelar");
            return health ? std::optional(trouble) : std::nullopt;
        };
        rig->run();
        EXPECT_FALSE(rig->book().answered("health-cancel-path", std::nullopt)) << trouble.status;
        rig->provider->before = nullptr;
        EXPECT_EQ(rig->run(), Ending::done);
        EXPECT_EQ(rig->book().value("health-cancel-path"), health_path);
        EXPECT_THAT(listed(*rig), IsEmpty());
        EXPECT_THAT(rig->open_at_provider(), IsEmpty());
    }
}

TEST_F(BenchTest, AnIdExternoOfAnotherKindIsCancelledByTheSamePath) {
    const auto rig = rig_of(Family::health, with_health_path());
    std::set<std::string> targets;
    rig->provider->after = [&](const http::ClientRequest& request) -> std::optional<Reply> {
        if (is_cancel(request)) targets.insert(request.target);
        return std::nullopt;
    };
    EXPECT_EQ(rig->run(), Ending::done);
    EXPECT_EQ(rig->book().value("id-length"), "unlimited");
    EXPECT_EQ(targets.size(), 1U) << "no placeholder is sent: " << *targets.rbegin();
    EXPECT_THAT(rig->open_at_provider(), IsEmpty());
    EXPECT_THAT(listed(*rig), IsEmpty());
}

TEST_F(BenchTest, OneErrorOfTheServersDoesNotSayWhatACancelDoes) {
    const auto rig = rig_of(Family::tv);
    int cancels = 0;
    rig->provider->before = [&](const http::ClientRequest& request) -> std::optional<Reply> {
        if (is_cancel(request) && ++cancels == 1) return answered(500, "{}");
        return std::nullopt;
    };
    EXPECT_EQ(rig->run(), Ending::done);
    EXPECT_EQ(rig->book().value("cancel-effect", Family::tv), "cancels");
    EXPECT_EQ(rig->book().value("cancel-again", Family::tv), "200-status");
    EXPECT_THAT(listed(*rig), IsEmpty());
}

TEST_F(BenchTest, ACancelOfTheFirstIsNotTakenForOneOfALostSecond) {
    const auto rig = rig_of(Family::tv);
    // The second request of an idExterno, whose sale was cancelled, arrives after its cancel.
    std::map<std::string, int> requests;
    std::string late;
    Instant lost{};
    Instant last_cancel{};
    rig->provider->before = [&](const http::ClientRequest& request) -> std::optional<Reply> {
        if (is_cancel(request) && text_in(request, "idExterno") == late) last_cancel = rig->clock.now();
        if (!is_request(request)) return std::nullopt;
        const auto id = text_in(request, "idExterno");
        if (++requests[id] != 2 || !late.empty()) return std::nullopt;
        late = id;
        lost = rig->clock.now();
        return Reply::lost(errc::connection_lost);
    };
    EXPECT_EQ(rig->run(), Ending::done);
    ASSERT_FALSE(late.empty());
    EXPECT_GE(last_cancel - lost, rig->config.sale.late_arrival) << "it may have arrived until then";
    EXPECT_THAT(listed(*rig), IsEmpty());
}

TEST_F(BenchTest, AnAuthorisedSaleUnderAnotherIdExternoIsCancelledByThat) {
    for (const bool knows : {true, false}) {
        const auto rig = rig_of(Family::tv);
        std::string whole;
        std::string shorter;
        std::set<std::string> cancelled;
        rig->provider->before = [&](const http::ClientRequest& request) -> std::optional<Reply> {
            if (is_cancel(request)) {
                const auto id = text_in(request, "idExterno");
                cancelled.insert(id);
                return id == shorter && knows ? says("CANCELADA", id, "T-1") : answered(404, "{}");
            }
            if (!is_request(request)) return std::nullopt;
            whole = text_in(request, "idExterno");
            shorter = whole.substr(0, 20);
            return says("AUTORIZADA", shorter, "T-1");
        };
        EXPECT_EQ(rig->run(), Ending::done);
        EXPECT_THAT(cancelled, IsSupersetOf({whole, shorter}));
        if (knows)
            EXPECT_THAT(listed(*rig), IsEmpty());
        else
            EXPECT_THAT(listed(*rig), IsSupersetOf({whole, shorter})) << "the provider said AUTORIZADA";
    }
}

TEST_F(BenchTest, ASaleOfAnotherEstablishmentIsCancelledInItsName) {
    const auto rig = rig_of(Family::tv);
    const auto& own = rig->config.provider.estabelecimento;
    std::string foreign;
    std::vector<std::string> names;
    rig->provider->before = [&](const http::ClientRequest& request) -> std::optional<Reply> {
        if (is_request(request) && text_in(request, "estabelecimento") != own) {
            foreign = text_in(request, "idExterno");
            return says("AUTORIZADA", foreign, "T-1");
        }
        if (!is_cancel(request) || foreign.empty() || text_in(request, "idExterno") != foreign) return std::nullopt;
        names.push_back(text_in(request, "estabelecimento"));
        return says("CANCELADA", foreign, "T-1");
    };
    EXPECT_EQ(rig->run(), Ending::done);
    ASSERT_THAT(names, Not(IsEmpty()));
    EXPECT_THAT(names, Each(Ne(own)));
    EXPECT_THAT(listed(*rig), IsEmpty());
}

TEST_F(BenchTest, WhatIsNotAnsweredWhenItIsAskedAboutAgainMayBeOpen) {
    for (const auto& again : {sandbox::Said{200, sandbox::Said::Word::own}, sandbox::Said{409}}) {
        sandbox::Options options;
        options.cancel_again = again;
        const auto rig = rig_of(Family::tv, options);
        std::string first;
        int cancels = 0;
        rig->provider->before = [&](const http::ClientRequest& request) -> std::optional<Reply> {
            if (is_request(request) && first.empty()) first = text_in(request, "idExterno");
            if (!is_cancel(request) || text_in(request, "idExterno") != first || ++cancels <= 2) return std::nullopt;
            return Reply::lost(errc::connection_lost);
        };
        rig->run();
        EXPECT_THAT(listed(*rig), ElementsAre(first));
        rig->provider->before = nullptr;
        EXPECT_EQ(rig->run(), Ending::done);
        EXPECT_THAT(listed(*rig), IsEmpty()) << again.http;
    }
}

TEST_F(BenchTest, AProviderThatTakesNoMoreDoesNotHoldUpAStop) {
    const auto rig = rig_of(Family::tv);
    Instant stopped{};
    rig->provider->before = [&](const http::ClientRequest& request) -> std::optional<Reply> {
        if (!is_request(request)) return std::nullopt;
        auto reply = answered(429, "{}");
        reply.retry_after = 60s;
        rig->bench().stop("interrompido");
        stopped = rig->clock.now();
        return reply;
    };
    EXPECT_EQ(rig->run(), Ending::could_not_run);
    EXPECT_LT(rig->clock.now() - stopped, 60s);
}

TEST_F(BenchTest, AnEndThatChangesContradicts) {
    const auto config = config_of_sandbox();
    const auto contradicts = [&](std::string_view point, const std::string& value) {
        const probe::Reading reading{
            .point = std::string(point), .family = Family::tv, .answered = true, .value = value, .detail = {}};
        return probe::judge(*probe::find_point(point), reading, config).contradicts;
    };
    EXPECT_TRUE(contradicts("confirm-on-cancelada", "200-efetivada"));
    EXPECT_TRUE(contradicts("cancel-on-efetivada", "200-cancelada"));
    EXPECT_FALSE(contradicts("confirm-on-cancelada", "200-status"));
    EXPECT_FALSE(contradicts("cancel-again", "409"));
}

}  // namespace
}  // namespace gateway::test
