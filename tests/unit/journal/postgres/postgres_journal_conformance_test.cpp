#include "unit/journal/journal_books_conformance.hpp"
#include "unit/journal/journal_conformance.hpp"
#include "unit/journal/journal_erasure_conformance.hpp"
#include "unit/journal/journal_failure_conformance.hpp"
#include "unit/journal/journal_findings_conformance.hpp"
#include "unit/journal/postgres/journal_rig.hpp"

#include <fmt/format.h>

namespace gateway::test {
namespace {

class PostgresStorage final : public JournalStorage {
  public:
    std::unique_ptr<Journal> open(boost::asio::any_io_executor executor, Clock& clock,
                                  std::vector<Secret> keys) override {
        if (std::exchange(opened_, true)) schema_.end_all_runs();
        return schema_.open(std::move(executor), dynamic_cast<VirtualClock&>(clock), "loja", std::move(keys));
    }
    void damage(SaleId sale) override { alter(sale, "\"state\":", "\"stale\":"); }
    void repair(SaleId sale) override { alter(sale, "\"stale\":", "\"state\":"); }
    void put(SaleId sale, std::string_view column, std::string_view text) override {
        schema_.sql(fmt::format("UPDATE sales SET {} = '{}' WHERE id = '{}'", column, text, sale.str()));
    }
    void damage(const CloseKey& close) override {
        schema_.sql("UPDATE closes SET open = '{' WHERE estabelecimento = '" + close.estabelecimento + "' AND day = '" +
                    to_text(close.day) + "'");
    }
    void damage_finding(std::int64_t number) override {
        schema_.sql("UPDATE findings SET kind = '?' WHERE number = " + std::to_string(number));
    }
    void fail_in(int writes) override { schema_.client.fails_in = writes; }
    int until_failure() const override { return schema_.client.fails_in; }

  private:
    void alter(SaleId sale, const std::string& from, const std::string& to) {
        schema_.sql("UPDATE sales SET attempts = replace(attempts, '" + from + "', '" + to + "') WHERE id = '" +
                    sale.str() + "'");
    }

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
