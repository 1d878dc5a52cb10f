#include "probe/ledger.hpp"

#include "unit/probe/full_disk.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace gateway::test {
namespace {

using namespace testing;
using probe::Entry;
using probe::Ledger;

class LedgerTest : public Test {
  protected:
    std::unique_ptr<Ledger> open() { return std::make_unique<Ledger>(path, clock); }
    static Entry sale(const std::string& id) {
        return {.id = id,
                .family = Family::transit,
                .segment = "bilhete",
                .estabelecimento = "12345678",
                .produto = "Bilhete",
                .valor = Cents{500},
                .id_transacao = {},
                .last = {}};
    }
    static std::vector<std::string> ids(const std::vector<Entry>& entries) {
        std::vector<std::string> all;
        for (const auto& entry : entries)
            all.push_back(entry.id);
        return all;
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    TemporaryFolder folder;
    const std::string path = folder.path("probe");
};

TEST_F(LedgerTest, TheNextRunKnowsWhatMayBeOpen) {
    {
        const auto ledger = open();
        EXPECT_TRUE(ledger->asking(sale("A")));
        EXPECT_TRUE(ledger->asking(sale("B")));
        EXPECT_TRUE(ledger->asking(sale("C")));
        EXPECT_TRUE(ledger->asking(sale("D")));
        ledger->authorised("B", "T-B");
        ledger->closed("C", "CANCELADA");
        ledger->refused("D");
    }
    const auto ledger = open();
    EXPECT_THAT(ids(ledger->open_sales()), ElementsAre("A", "B"));
    const auto entry = ledger->find("B");
    ASSERT_TRUE(entry.has_value());
    EXPECT_EQ(entry->id_transacao, "T-B");
    EXPECT_EQ(entry->family, Family::transit);
    EXPECT_EQ(entry->segment, "bilhete");
    EXPECT_EQ(entry->valor, Cents{500});
    EXPECT_EQ(entry->asked, clock.wall());
}

TEST_F(LedgerTest, ARefusalOfASecondRequestDoesNotCloseTheFirst) {
    const auto ledger = open();
    ledger->asking(sale("A"));
    ledger->authorised("A", "T");
    ledger->asking(sale("A"));
    ledger->refused("A");
    EXPECT_THAT(ids(ledger->open_sales()), ElementsAre("A"));
    ledger->closed("A", "CANCELADA");
    EXPECT_THAT(ledger->open_sales(), IsEmpty());
    ledger->asking(sale("A"));  // it is asked once more for a sale that is over
    ledger->refused("A");
    EXPECT_THAT(ledger->open_sales(), IsEmpty());
}

TEST_F(LedgerTest, ARequestThatIsNotOnTheDiskIsNotCounted) {
    const auto ledger = open();
    ledger->asking(sale("A"));
    ledger->authorised("A", "T");
    {
        const FullDisk full(1);
        EXPECT_FALSE(ledger->asking(sale("A")));
        EXPECT_FALSE(ledger->asking(sale("B")));
    }
    EXPECT_THAT(ids(ledger->open_sales()), ElementsAre("A"));
    EXPECT_EQ(ledger->find("A")->requests, 1) << "a cancel of it ends it";
    ledger->closed("A", "CANCELADA");
    EXPECT_THAT(ledger->open_sales(), IsEmpty());
}

TEST_F(LedgerTest, IsOneProbesAlone) {
    const auto ledger = open();
    EXPECT_THAT([&] { open(); }, ThrowsMessage<probe::Failed>(HasSubstr("another probe")));
}

TEST_F(LedgerTest, ALineThatWasCutShortCostsNothingElse) {
    open()->asking(sale("A"));
    std::ofstream(path + "/ledger.jsonl", std::ios::app) << R"({"event":"closed","idExt)";
    {
        const auto ledger = open();
        EXPECT_THAT(ids(ledger->open_sales()), ElementsAre("A"));
        ledger->asking(sale("B"));
    }
    EXPECT_THAT(ids(open()->open_sales()), ElementsAre("A", "B"));
}

TEST_F(LedgerTest, SaysWhenWhatWasLeftOpenCanBeAskedFor) {
    const auto ledger = open();
    ledger->asking(sale("A"));
    EXPECT_EQ(probe::revisit_time(ledger->open_sales()), std::nullopt);
    ledger->left_open("A");
    const auto first = clock.wall();
    clock.jump(std::chrono::hours(1));
    ledger->asking(sale("B"));
    ledger->left_open("B");
    EXPECT_EQ(probe::revisit_time(ledger->open_sales()), first + std::chrono::hours(50));
    ledger->taken_up("B");
    EXPECT_EQ(probe::revisit_time(ledger->open_sales()), first + std::chrono::hours(49));
}

TEST_F(LedgerTest, ANewRequestOfASaleThatIsOverHasNothingOfThatOne) {
    const auto ledger = open();
    ledger->asking(sale("A"));
    ledger->authorised("A", "T-1");
    ledger->asking(sale("A"));
    EXPECT_EQ(ledger->find("A")->id_transacao, "T-1") << "it is open: both may be it";
    ledger->closed("A", "CANCELADA");
    ledger->asking(sale("A"));
    EXPECT_EQ(ledger->find("A")->id_transacao, "");
    EXPECT_FALSE(ledger->find("A")->authorised);
}

TEST_F(LedgerTest, KnowsWhatWasCancelledAndIsNotSureOfAnyMore) {
    const auto ledger = open();
    for (const auto* id : {"A", "B"}) {
        ledger->asking(sale(id));
        ledger->closed(id, "CANCELADA");
    }
    ledger->unsure("A", "no answer");
    ledger->reopened("B", "AUTORIZADA");
    EXPECT_THAT(ids(ledger->open_sales()), ElementsAre("A", "B"));
    EXPECT_TRUE(ledger->find("A")->cancelled);
    EXPECT_FALSE(ledger->find("B")->cancelled);
}

TEST_F(LedgerTest, NamesWhatWasSold) {
    const auto ledger = open();
    for (const auto* id : {"A", "B", "C"})
        ledger->asking(sale(id));
    ledger->closed("A", "CANCELADA");
    ledger->closed("B", "EFETIVADA");
    EXPECT_THAT(ids(ledger->sold_sales()), ElementsAre("B"));
}

}  // namespace
}  // namespace gateway::test
