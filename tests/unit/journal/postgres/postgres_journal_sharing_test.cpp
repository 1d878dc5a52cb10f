#include "unit/journal/chain/journal_sharing_conformance.hpp"
#include "unit/journal/postgres/journal_rig.hpp"
#include "unit/support/temporary_folder.hpp"

namespace gateway::test {
namespace {

class SharedPostgresStorage final : public SharedJournalStorage {
  public:
    std::unique_ptr<ChainJournal> open(boost::asio::any_io_executor executor, VirtualClock& clock,
                                       const std::string& gateway) override {
        return schema_.open(std::move(executor), clock, gateway, {}, folder_.path(gateway));
    }
    void renew(VirtualClock& clock, ChainJournal& journal) override {
        auto renewing = renewed(journal);
        clock.run(std::move(renewing));
    }

  private:
    static boost::asio::awaitable<bool> renewed(ChainJournal& journal) {
        co_await journal.renew_lease();
        co_return true;
    }

    postgres::test::JournalSchema schema_;
    const TemporaryFolder folder_;
};

const SharedStorageKind shared_postgres{
    "Postgres", []() -> std::unique_ptr<SharedJournalStorage> { return std::make_unique<SharedPostgresStorage>(); }};
const auto shared_name = [](const TestParamInfo<SharedStorageKind>& info) { return info.param.name; };

INSTANTIATE_TEST_SUITE_P(Journals, SharingConformance, Values(shared_postgres), shared_name);

}  // namespace
}  // namespace gateway::test
