#include "unit/journal/journal_closes_conformance.hpp"
#include "unit/journal/journal_conformance.hpp"
#include "unit/journal/journal_erasure_conformance.hpp"
#include "unit/journal/journal_failure_conformance.hpp"
#include "unit/journal/journal_findings_conformance.hpp"
#include "unit/journal/journal_keys_conformance.hpp"
#include "unit/journal/journal_sessions_conformance.hpp"
#include "unit/journal/postgres/journal_rig.hpp"

namespace gateway::test {
namespace {

class PostgresStorage final : public JournalStorage {
  public:
    std::unique_ptr<Journal> open(boost::asio::any_io_executor executor, Clock& clock,
                                  std::vector<Secret> keys) override {
        if (std::exchange(opened_, true)) schema_.end_all_runs();
        return schema_.open(std::move(executor), dynamic_cast<VirtualClock&>(clock), "loja", std::move(keys));
    }
    void sql(const std::string& statement) override { schema_.sql(statement); }
    void fail_in(int writes) override { schema_.client.fails_in = writes; }
    int until_failure() const override { return schema_.client.fails_in; }

  private:
    postgres::test::JournalSchema schema_;
    bool opened_ = false;
};

const StorageKind postgres_storage{
    "Postgres", []() -> std::unique_ptr<JournalStorage> { return std::make_unique<PostgresStorage>(); }};
const auto name = [](const TestParamInfo<StorageKind>& info) { return info.param.name; };

INSTANTIATE_TEST_SUITE_P(Journals, JournalConformance, Values(postgres_storage), name);
INSTANTIATE_TEST_SUITE_P(Journals, BooksConformance, Values(postgres_storage), name);
INSTANTIATE_TEST_SUITE_P(Journals, FindingsConformance, Values(postgres_storage), name);
INSTANTIATE_TEST_SUITE_P(Journals, LateJournalConformance, Values(postgres_storage), name);
INSTANTIATE_TEST_SUITE_P(Journals, FailingJournalConformance, Values(postgres_storage), name);

}  // namespace
}  // namespace gateway::test
