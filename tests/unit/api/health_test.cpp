#include "api/health.hpp"

#include "unit/api/rig.hpp"
#include "unit/support/forwarding_journal.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

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

TEST_F(HealthTest, IsLearnedWithoutASale) {
    provider_goes_away();
    EXPECT_EQ(readyz().json().at("degraded").as_array().size(), 1u);
}

// A journal whose database cannot be used, and which knows why.
class AwayJournal final : public ForwardingJournal {
  public:
    using ForwardingJournal::ForwardingJournal;
    bool healthy() const noexcept override { return false; }
    JournalStats stats() const override { return {.detail = "no route to host"}; }
};

TEST_F(HealthTest, WhatKeepsTheDatabaseFromBeingUsedIsSaidBeforeAStepHasFailedOnIt) {
    AwayJournal journal(*api.flow.journal);
    const Health health(*api.flow.seller, journal, *api.flow.provider, *api.flow.tokens);
    EXPECT_EQ(health.hindrances().front().sentence, "the journal cannot be written: no route to host");
}

}  // namespace
}  // namespace gateway::test
