#include "probe/ledger.hpp"

#include "probe/open_sales.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

namespace gateway::test {
namespace {

using namespace testing;
using probe::Entry;
using probe::Ledger;

class LedgerTest : public Test {
  protected:
    std::unique_ptr<Ledger> open() { return std::move(*Ledger::open(path, clock)); }
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
    ledger->asking(sale("A"));  // once more, of a sale that is over
    ledger->refused("A");
    EXPECT_THAT(ledger->open_sales(), IsEmpty());
}

// As on a disk that is full: no file grows beyond what it is, as long as this lives.
class FullDisk {
  public:
    FullDisk() {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        ::rlimit full = before_;
        full.rlim_cur = 1;
        ::setrlimit(RLIMIT_FSIZE, &full);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
    }
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

  private:
    ::rlimit before_{};
    void (*handler_)(int) = SIG_DFL;
};

TEST_F(LedgerTest, ARequestThatIsNotOnTheDiskIsNotCounted) {
    const auto ledger = open();
    ledger->asking(sale("A"));
    ledger->authorised("A", "T");
    {
        const FullDisk full;
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
    const auto second = Ledger::open(path, clock);
    ASSERT_TRUE(second.has_error());
    EXPECT_THAT(second.error(), HasSubstr("another probe"));
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

}  // namespace
}  // namespace gateway::test
