#include "journal/sqlite/database.hpp"
#include "journal/sqlite/open_sqlite_journal.hpp"
#include "unit/journal/journal_closes_conformance.hpp"
#include "unit/journal/journal_conformance.hpp"
#include "unit/journal/journal_erasure_conformance.hpp"
#include "unit/journal/journal_failure_conformance.hpp"
#include "unit/journal/journal_findings_conformance.hpp"
#include "unit/journal/journal_keys_conformance.hpp"
#include "unit/journal/journal_sessions_conformance.hpp"
#include "unit/support/counting_vfs.hpp"
#include "unit/support/short_log.hpp"
#include "unit/support/temporary_folder.hpp"

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
    void sql(const std::string& statement) override {
        auto beside = *sqlite::Database::open(path_, nullptr);
        EXPECT_TRUE(beside.run(statement.c_str()).has_value()) << beside.message();
        EXPECT_EQ(beside.total_changes(), 1);
    }
    void fail_in(int writes) override { CountingVfs::counted.fails_in = writes; }
    int until_failure() const override { return CountingVfs::counted.fails_in; }

  private:
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
