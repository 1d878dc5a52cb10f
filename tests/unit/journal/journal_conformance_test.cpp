#include "unit/journal/journal_conformance.hpp"

#include "journal/sqlite/database.hpp"
#include "journal/sqlite/open_sqlite_journal.hpp"
#include "unit/journal/journal_books_conformance.hpp"
#include "unit/journal/journal_erasure_conformance.hpp"
#include "unit/journal/journal_failure_conformance.hpp"
#include "unit/journal/journal_findings_conformance.hpp"
#include "unit/support/counting_vfs.hpp"
#include "unit/support/short_log.hpp"
#include "unit/support/temporary_folder.hpp"

#include <fmt/format.h>

namespace gateway::test {
namespace {

class SqliteStorage final : public JournalStorage {
  public:
    std::unique_ptr<Journal> open(boost::asio::any_io_executor executor, Clock& clock,
                                  std::vector<Secret> keys) override {
        const JournalOptions options{.path = path_,
                                     .keys = std::move(keys),
                                     .random = &random_,
                                     .vfs = CountingVfs::name,
                                     .durability = Durability::inline_,
                                     .log_bytes = short_log_bytes};
        auto opened = open_sqlite_journal(std::move(executor), options, clock);
        EXPECT_TRUE(opened.has_value()) << opened.error();
        return opened.has_value() ? std::move(*opened) : nullptr;
    }
    void damage(SaleId sale) override { alter(sale, "\"state\":", "\"stale\":"); }
    void repair(SaleId sale) override { alter(sale, "\"stale\":", "\"state\":"); }
    void put(SaleId sale, std::string_view column, std::string_view text) override {
        auto database = *sqlite::Database::open(path_, nullptr);
        const auto sql = fmt::format("UPDATE sales SET {} = ?2 WHERE id = ?1", column);
        EXPECT_TRUE(database.ask(sql, sale.text(), text).has_value());
    }
    void damage(const CloseKey& close) override {
        auto database = *sqlite::Database::open(path_, nullptr);
        constexpr auto sql = "UPDATE closes SET open = '{' WHERE estabelecimento = ?1 AND day = ?2";
        EXPECT_EQ(database.ask(sql, close.estabelecimento, to_text(close.day))->changed(), 1);
    }
    void damage_finding(std::int64_t number) override {
        auto database = *sqlite::Database::open(path_, nullptr);
        EXPECT_EQ(database.ask("UPDATE findings SET kind = '?' WHERE number = ?1", number)->changed(), 1);
    }
    void fail_in(int writes) override { CountingVfs::counted.fails_in = writes; }
    int until_failure() const override { return CountingVfs::counted.fails_in; }

  private:
    void alter(SaleId sale, std::string_view from, std::string_view to) {
        auto database = *sqlite::Database::open(path_, nullptr);
        constexpr auto sql = "UPDATE sales SET attempts = replace(attempts, ?2, ?3) WHERE id = ?1";
        EXPECT_TRUE(database.ask(sql, sale.text(), from, to).has_value());
    }

    CountingVfs vfs_;
    TemporaryFolder folder_;
    std::string path_ = folder_.path("journal.db");
    SeededRandom random_;
};

const StorageKind sqlite_storage{"Sqlite",
                                 []() -> std::unique_ptr<JournalStorage> { return std::make_unique<SqliteStorage>(); }};
const auto name = [](const TestParamInfo<StorageKind>& info) { return info.param.name; };

INSTANTIATE_TEST_SUITE_P(Journals, JournalConformance, Values(sqlite_storage), name);
INSTANTIATE_TEST_SUITE_P(Journals, BooksConformance, Values(sqlite_storage), name);
INSTANTIATE_TEST_SUITE_P(Journals, FindingsConformance, Values(sqlite_storage), name);
INSTANTIATE_TEST_SUITE_P(Journals, LateJournalConformance, Values(sqlite_storage), name);
INSTANTIATE_TEST_SUITE_P(Journals, FailingJournalConformance, Values(sqlite_storage), name);

}  // namespace
}  // namespace gateway::test
