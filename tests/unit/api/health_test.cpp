#include "api/health.hpp"

#include "base/wall_time.hpp"
#include "unit/api/rig.hpp"
#include "unit/support/forwarding_journal.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const std::vector<HostCheck::Concern> no_concerns;

class HealthTest : public ApiTest {
  protected:
    HealthTest() {
        api.health->set_recovered();
        api.flow.tokens->start();
        api.flow.clock->settle();
    }
    Told readyz() { return api.operators(http::verb::get, "/readyz"); }
    bool has(const std::string& line) {
        const auto metrics = api.operators(http::verb::get, "/metrics").response.body;
        return metrics.find(line + "\n") != std::string::npos;
    }
    void provider_goes_away() {
        api.flow.network->refuses = true;
        api.flow.network->cause = "Connection refused";
        api.flow.clock->advance(10s);
    }
};

TEST_F(HealthTest, AProviderThatIsAwayIsToldWithItsRefusedSales) {
    provider_goes_away();
    EXPECT_EQ(api.sold("k-1").status(), 503u);
    EXPECT_EQ(api.sold("k-2").status(), 503u);
    const auto told = readyz();
    EXPECT_EQ(told.status(), 200u) << "the gateway itself is well";
    const auto away = told.json().at("degraded").as_array().at(0);
    EXPECT_EQ(away.at("what"), "provider");
    EXPECT_EQ(away.at("lastError"), "Connection refused");
    EXPECT_EQ(away.at("refused"), 2);
    EXPECT_TRUE(away.at("since").is_string());
    EXPECT_TRUE(has("gateway_provider_up 0"));
    EXPECT_TRUE(has("gateway_token_service_up 1"));
    EXPECT_THAT(in_words(api.health->provider()), HasSubstr("(sales refused: 2): Connection refused"));
    api.flow.network->refuses = false;
    api.flow.clock->advance(2s);
    EXPECT_TRUE(readyz().json().at("degraded").as_array().empty());
    EXPECT_TRUE(has("gateway_provider_up 1"));
}

TEST_F(HealthTest, AnAddressThatNothingHasProvenIsToldWhereTheAnswersSpeakAgainstIt) {
    api.flow.network->otherwise = [](const http::ClientRequest&) { return answered(404, "<html>"); };
    const auto sentence = [&] { return in_words(*api.health, *api.flow.attention); };
    EXPECT_EQ(sentence(), "Takes sales.");
    (void)api.get("/v1/options?family=tv&produto=TV");
    EXPECT_THAT(sentence(), testing::MatchesRegex("Takes sales, though no answer since .* shows that "
                                                  "provider.base_url leads to the provider .it answers 404.: "
                                                  "is its path right."));
    const auto away = readyz().json().at("degraded").as_array().at(0);
    EXPECT_EQ(away.at("what"), "provider_address");
    EXPECT_THAT(std::string(away.at("lastError").as_string()), HasSubstr("it answers 404"));
    EXPECT_EQ(api.operators(http::verb::get, "/v1/status").json().at("sells"), true);
    EXPECT_THAT(api.get("/v1/status").text("detail"), testing::StartsWith("Sales may be possible: the provider has"));
    for (int i = 0; i < 3; ++i)
        (void)api.sold(fmt::format("k-{}", i));
    EXPECT_THAT(sentence(), testing::StartsWith("Can sell nothing: the provider cannot be used since"));
    EXPECT_EQ(readyz().json().at("degraded").as_array().size(), 1u) << "the outage says it";
}

class CertificateHealthTest : public HealthTest {
  protected:
    using Kind = http::CertificateTrouble::Kind;

    void trouble(Kind kind, std::string listener) {
        api.certificates = {{.kind = kind,
                             .file = "/etc/cert.pem",
                             .listeners = {std::move(listener)},
                             .since = api.flow.clock->wall(),
                             .validity = {.begins_at = {}, .ends_at = api.flow.clock->wall()},
                             .sentence = "the certificate /etc/cert.pem has expired"}};
    }
    std::string sentence() const { return in_words(*api.health, *api.flow.attention); }
    Told status() { return api.operators(http::verb::get, "/v1/status"); }
};

TEST_F(HealthTest, WhatIsNotInForceOfTheConfigurationIsToldAndKeepsNobodyFromSelling) {
    api.of_configuration = {{.what = "reload",
                             .kind = "failed",
                             .since = RunMoment(*api.flow.clock),
                             .sentence = "the last reload was refused"}};
    EXPECT_EQ(in_words(*api.health, *api.flow.attention), "Takes sales. Note: the last reload was refused.");
    const auto degraded = readyz().json().at("degraded").as_array();
    ASSERT_EQ(degraded.size(), 1u);
    EXPECT_EQ(degraded.at(0).at("what"), "reload");
    EXPECT_EQ(degraded.at(0).at("lastError"), "the last reload was refused");
    EXPECT_EQ(api.operators(http::verb::get, "/v1/status").json().at("sells"), true);
}

TEST_F(HealthTest, AReasonThatEndsWithAQuestionStandsLast) {
    Reachability provider{"provider", *api.flow.clock, api.flow.log};
    for (int i = 0; i < 3; ++i)
        provider.useless("HTTP 404; is provider.base_url right?", Reachability::Asked::request);
    EXPECT_EQ(in_words(provider), "the provider cannot be used since " + to_local_text(provider.since()) +
                                      " (sales refused: 0): HTTP 404; is provider.base_url right?");
    provider.answered(Reachability::Asked::anything_else);
    EXPECT_EQ(in_words(provider), "the provider cannot be used since " + to_local_text(provider.since()) +
                                      " (sales refused: 0), and the next sale shows whether it can be again: HTTP 404; "
                                      "is provider.base_url right?");
}

TEST_F(CertificateHealthTest, WhereTheTillsCertificateHasEndedNobodySaysThatSalesAreTaken) {
    EXPECT_EQ(sentence(), "Takes sales.");
    trouble(Kind::not_accepted, "terminals");
    EXPECT_EQ(sentence(),
              "Takes no sales from tills that look at certificates: the certificate /etc/cert.pem has expired.");
    EXPECT_EQ(status().json().at("sells"), false);
    EXPECT_EQ(status().json().at("detail"), boost::json::value(sentence()));
    EXPECT_EQ(status().json().at("reasons").as_array().at(0), "the certificate /etc/cert.pem has expired");
    const auto ready = readyz();
    EXPECT_EQ(ready.status(), 200u) << "a till that does not look at it sells on";
    const auto degraded = ready.json().at("degraded").as_array().at(0).as_object();
    EXPECT_EQ(degraded.at("what"), "certificate");
    EXPECT_EQ(degraded.at("kind"), "not_accepted");
    EXPECT_EQ(degraded.at("file"), "/etc/cert.pem");
    EXPECT_TRUE(degraded.at("endsAt").is_string() && degraded.at("since").is_string());
    EXPECT_EQ(degraded.at("lastError"), "the certificate /etc/cert.pem has expired");
}

TEST_F(CertificateHealthTest, ByAClockThatIsWrongNobodySaysThatACertificateHasEnded) {
    trouble(Kind::not_accepted, "terminals");
    auto reply = answered(200, "{}");
    const auto theirs = std::chrono::floor<std::chrono::seconds>(api.flow.clock->wall() - 1h);
    reply.dated = Reply::Dated{.date = theirs, .asked = api.flow.clock->now(), .answered = api.flow.clock->now()};
    api.host->hear(reply);
    api.host->hear(reply);
    EXPECT_THAT(sentence(), testing::StartsWith("Takes sales. Note: the certificate /etc/cert.pem has expired; this"));
    EXPECT_EQ(status().json().at("sells"), true);
}

TEST_F(CertificateHealthTest, WhatKeepsNoTillOutIsANote) {
    for (const auto& [kind, listener] : {std::pair(Kind::ends, "terminals"), std::pair(Kind::refused, "terminals"),
                                         std::pair(Kind::not_accepted, "console")}) {
        trouble(kind, listener);
        EXPECT_EQ(sentence(), "Takes sales. Note: the certificate /etc/cert.pem has expired.") << listener;
        EXPECT_EQ(status().json().at("sells"), true);
        EXPECT_EQ(readyz().json().at("degraded").as_array().size(), 1u);
    }
}

TEST_F(HealthTest, IsLearnedWithoutASale) {
    provider_goes_away();
    EXPECT_EQ(readyz().json().at("degraded").as_array().size(), 1u);
}

TEST_F(HealthTest, AClockThatIsWrongIsToldWhileSalesGoOn) {
    auto reply = answered(200, "{}");
    const auto theirs = std::chrono::floor<std::chrono::seconds>(api.flow.clock->wall() + 1h);
    reply.dated = Reply::Dated{.date = theirs, .asked = api.flow.clock->now(), .answered = api.flow.clock->now()};
    api.host->hear(reply);
    api.host->hear(reply);
    const auto told = readyz();
    EXPECT_EQ(told.status(), 200u);
    const auto wrong = told.json().at("degraded").as_array().at(0);
    EXPECT_EQ(wrong.at("what"), "clock");
    EXPECT_THAT(std::string(wrong.at("lastError").as_string()), HasSubstr("1 h behind the provider's"));
    EXPECT_THAT(in_words(*api.health, *api.flow.attention), testing::StartsWith("Takes sales. Note: this machine's"));
    EXPECT_TRUE(has("gateway_clock_ahead_of_provider_seconds -3600"));
    const auto status = api.operators(http::verb::get, "/v1/status").json();
    EXPECT_EQ(status.at("sells"), true);
    EXPECT_EQ(status.at("clock").at("aheadOfProviderSeconds"), -3600);
    EXPECT_EQ(status.at("clock").at("trouble"), wrong.at("lastError"));
}

// This is a journal on a disk that is nearly full.
class NearlyFullJournal final : public ForwardingJournal {
  public:
    using ForwardingJournal::ForwardingJournal;
    std::optional<DiskRoom> disk() const override {
        return DiskRoom{
            .folder = "/srv/journal", .free_bytes = 100, .total_bytes = 200, .free_inodes = 7, .needed_bytes = 101};
    }
};

TEST_F(HealthTest, ADiskThatIsNearlyFullIsToldWhileSalesGoOn) {
    NearlyFullJournal journal(*api.flow.journal);
    HostCheck host(journal, *api.flow.metrics, *api.flow.clock, api.flow.log);
    Health health(
        *api.flow.seller, journal, *api.flow.provider, *api.flow.tokens, host,
        [] { return std::vector<http::CertificateTrouble>(); }, [] { return no_concerns; });
    health.set_recovered();
    AdminApi admin(health);
    http::Router router;
    add_routes(router, on_admin, Parts(admin));
    const auto told = api.ask(router, ApiRig::request(http::verb::get, "/readyz"));
    EXPECT_EQ(told.status(), 200u);
    EXPECT_EQ(told.json().at("degraded").as_array().at(0).at("what"), "disk");
    const auto disk = told.json().at("disk").as_object();
    EXPECT_EQ(disk.at("folder"), "/srv/journal");
    EXPECT_EQ(disk.at("freeBytes"), 100);
    EXPECT_EQ(disk.at("neededBytes"), 101);
    EXPECT_EQ(disk.at("freeInodes"), 7);
}

// This is a journal whose database cannot be used, and that knows why.
class AwayJournal final : public ForwardingJournal {
  public:
    using ForwardingJournal::ForwardingJournal;
    bool healthy() const noexcept override { return false; }
    JournalStats stats() const override { return {.detail = "no route to host", .since = since}; }

    std::optional<RunMoment> since{};
};

TEST_F(HealthTest, WhatKeepsTheDatabaseFromBeingUsedIsSaidBeforeAStepHasFailedOnIt) {
    AwayJournal journal(*api.flow.journal);
    const Health health(
        *api.flow.seller, journal, *api.flow.provider, *api.flow.tokens, *api.host,
        [] { return std::vector<http::CertificateTrouble>(); }, [] { return no_concerns; });
    EXPECT_EQ(health.hindrances().front().sentence, "the journal cannot be written: no route to host");
}

TEST_F(HealthTest, SinceWhenTheDatabaseIsAwayIsToldByTheClockAsItIsSetNow) {
    AwayJournal journal(*api.flow.journal);
    const Health health(
        *api.flow.seller, journal, *api.flow.provider, *api.flow.tokens, *api.host,
        [] { return std::vector<http::CertificateTrouble>(); }, [] { return no_concerns; });
    const auto began = api.flow.clock->wall();
    api.flow.clock->shift_wall(-5h);
    journal.since.emplace(*api.flow.clock);
    api.flow.clock->jump(8s);
    api.flow.clock->shift_wall(5h);
    EXPECT_EQ(health.hindrances().front().since, began);
    EXPECT_EQ(health.hindrances().front().sentence,
              "the journal cannot be written since " + to_local_text(began) + ": no route to host");
}

}  // namespace
}  // namespace gateway::test
