#include "console/versions.hpp"

#include "unit/api/rig.hpp"
#include "unit/support/forwarding_journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class FullJournal final : public ForwardingJournal {
  public:
    using ForwardingJournal::ForwardingJournal;

    bool healthy() const noexcept override { return writable && real_->healthy(); }

    bool writable = true;
};

class VersionsTest : public ApiTest {
  protected:
    VersionsTest() {
        health.set_recovered();
        api.flow.tokens->start();
        api.flow.clock->settle();
    }
    // Returns the topics whose number is another one after `doing`.
    std::vector<Topic> changed_by(const std::function<void()>& doing) const {
        const auto before = versions(parts);
        doing();
        const auto after = versions(parts);
        std::vector<Topic> changed;
        for (const auto topic : all_topics)
            if (before.at(static_cast<std::size_t>(topic)) != after.at(static_cast<std::size_t>(topic)))
                changed.push_back(topic);
        return changed;
    }

    DayBooks books{
        {}, [this] { return api.terminals.establishments(); }, *api.flow.journal, *api.flow.clock, api.flow.log};
    Reconciler reconciler{{}, *api.flow.seller, books, *api.flow.journal, *api.flow.clock, api.flow.log};
    FullJournal journal{*api.flow.journal};
    Health health{*api.flow.seller,
                  journal,
                  *api.flow.provider,
                  *api.flow.tokens,
                  *api.host,
                  [this] { return api.certificates; },
                  [this] { return api.of_configuration; }};
    const VersionedParts parts{.journal = *api.flow.journal,
                               .attention = *api.flow.attention,
                               .metrics = *api.flow.metrics,
                               .books = books,
                               .reconciler = reconciler,
                               .health = health,
                               .tokens = *api.flow.tokens};
};

TEST_F(VersionsTest, WhereNothingHappensNothingChanges) {
    EXPECT_THAT(changed_by([this] {
                    api.get("/v1/sales");
                    api.flow.clock->advance(1min);
                }),
                IsEmpty());
}

TEST_F(VersionsTest, ASaleIsOneOfTheSalesOnly) {
    EXPECT_THAT(changed_by([this] { api.sold("k-1"); }), ElementsAre(Topic::sales));
    const auto held = api.held("k-2").text("id");
    EXPECT_THAT(changed_by([&] { api.post("/v1/sales/" + held + "/cancel"); }), ElementsAre(Topic::sales));
}

TEST_F(VersionsTest, AMarkThatIsMadeOrTakenAwayIsForThoseWhoHaveToLook) {
    const auto id = api.sold("k-1", ApiRig::esim_body).text("id");
    EXPECT_THAT(changed_by([this] { api.flow.clock->advance(api.flow.rules.attention_after + 1s); }),
                Contains(Topic::attention));
    EXPECT_THAT(changed_by([&] {
                    api.console(http::verb::post, "/v1/sales/" + id + "/resolve",
                                R"({"status":"CANCELADA","note":"n"})");
                }),
                Contains(Topic::attention));
}

TEST_F(VersionsTest, ACloseIsSeen) {
    const CloseKey key{.estabelecimento = "12345678", .day = std::chrono::year(2024) / 5 / 1};
    EXPECT_THAT(changed_by([&] { ASSERT_TRUE(api.flow.clock->run(books.close(key, "Ana")).has_value()); }),
                Contains(Topic::closes));
}

TEST_F(VersionsTest, AStatementThatWasReadIsSeen) {
    const KeptStatement statement{.day = std::chrono::year(2024) / 5 / 1,
                                  .source = "file",
                                  .digest = "d",
                                  .reading = "r",
                                  .read_at = api.flow.clock->wall()};
    ASSERT_TRUE(api.flow.clock->run(api.flow.journal->keep_statement(statement, {})).has_value());
    EXPECT_THAT(changed_by([this] {
                    reconciler.start(api.flow.io->get_executor());
                    api.flow.clock->settle();
                }),
                ElementsAre(Topic::findings));
}

TEST_F(VersionsTest, AnOutageIsSeenWhenItBeginsAndWhenItEnds) {
    EXPECT_THAT(changed_by([this] {
                    api.flow.network->refuses = true;
                    api.sold("k-1");
                }),
                Contains(Topic::health));
    EXPECT_THAT(changed_by([this] {
                    api.flow.network->refuses = false;
                    api.flow.clock->advance(1min);
                    api.sold("k-2");
                }),
                Contains(Topic::health));
}

TEST_F(VersionsTest, AJournalThatCannotBeWrittenIsSeenAndSoIsItsReturn) {
    EXPECT_THAT(changed_by([this] { journal.writable = false; }), ElementsAre(Topic::health));
    EXPECT_THAT(changed_by([this] { journal.writable = true; }), ElementsAre(Topic::health));
}

TEST_F(VersionsTest, AGatewayThatTakesNoSalesIsSeen) {
    EXPECT_THAT(changed_by([this] { api.flow.seller->stop_taking(); }), ElementsAre(Topic::health));
}

}  // namespace
}  // namespace gateway::test
