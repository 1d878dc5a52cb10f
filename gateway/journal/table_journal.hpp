// Implements the operations of a journal that are the same on every engine. Each operation is a job on the tables; the
// journal of each engine runs the jobs.
#pragma once

#include "journal/encrypted_fields.hpp"
#include "journal/job_runner.hpp"
#include "journal/journal.hpp"

#include <memory>
#include <span>
#include <string>
#include <utility>

namespace gateway {

class TableJournal : public Journal, protected JobRunner {
  public:
    template <class T>
    using Awaited = Journal::Awaited<T>;

    Awaited<std::optional<Sale>> find(SaleId id) override;
    Awaited<SalePage> list(const SaleFilter& filter) override;
    Awaited<std::vector<MarkedSale>> marked() override;
    Awaited<History> history(SaleId id) override;
    Awaited<std::int64_t> count_receipt(const Sale& sale) override;
    Awaited<void> note_receipt(const Sale& sale, const std::string& by) override;
    Awaited<DayPage> sales_of_days(const DayFilter& filter, const std::string& after) override;
    Awaited<DayPage> sales_of_close(const CloseKey& key, const std::string& after) override;
    Awaited<OpenPage> open_sales(const std::optional<std::string>& estabelecimento, const std::string& after) override;
    Awaited<Close> begin_close(const CloseKey& key, WallTime at, const std::string& by) override;
    Awaited<void> finish_close(const Close& close) override;
    Awaited<std::vector<Close>> closes(const CloseFilter& filter) override;
    Awaited<std::vector<Day>> forgotten_days(const std::string& estabelecimento, Day from, Day to) override;
    Awaited<Dated> date_old_sales(const Rules& rules) override;
    Awaited<std::optional<KeptStatement>> known_statement(const std::string& digest,
                                                          const std::string& reading) override;
    Awaited<std::vector<KeptStatement>> statements(const StatementFilter& filter) override;
    Awaited<FindingChanges> keep_statement(const KeptStatement& statement,
                                           const std::vector<Finding>& findings) override;
    Awaited<std::vector<Finding>> findings(const FindingFilter& filter) override;
    Awaited<Finding> close_finding(std::int64_t number, const std::string& note, const std::string& by,
                                   WallTime at) override;
    Awaited<Finding> finding_done(std::int64_t number, const std::string& effect, bool settled, WallTime at) override;
    Awaited<std::map<FindingKind, std::int64_t>> open_findings() override;
    Awaited<std::vector<std::optional<SaleId>>> owners(const std::vector<std::string>& id_externos) override;
    Awaited<std::vector<std::string>> id_prefixes() override;
    Awaited<KeyState> cancel_key(const std::string& terminal, const std::string& key) override;
    Awaited<KeyState> find_key(const std::string& terminal, const std::string& key) override;
    Awaited<std::optional<SaleId>> find_callback(const std::string& secret) override;
    Awaited<void> keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body) override;
    Awaited<std::vector<KeptCallback>> callbacks(SaleId id) override;
    Awaited<std::vector<KeptSession>> load_sessions() override;
    Awaited<void> change_sessions(const SessionChanges& changes) override;
    Awaited<Erased> erase_personal(WallTime cutoff) override;
    Awaited<KeyRotationState> rotate_keys() override;

  protected:
    // The clock must outlive the journal. Erasure and the rotation of the key work on `encrypted_tables`. `gateway` is
    // the name of this one among several; empty: there is no other.
    TableJournal(std::unique_ptr<FieldCipher> cipher, Clock& clock, std::span<const encrypted::Table> encrypted_tables,
                 std::string gateway = {})
        : JobRunner(std::move(cipher), clock), encrypted_tables_(encrypted_tables), gateway_(std::move(gateway)) {}

    // Adds to an engine's statistics what the tables know.
    JournalStats with_counts(JournalStats stats) const;

  private:
    // Runs a job that only reads.
    template <class T, class Work>
    Awaited<T> read(Lane lane, Work work) {
        return perform<T>(lane, Access::read, std::move(work));
    }
    // Runs a job that one of several gateways does for all of them. Where another gateway does it, the result is T{}.
    template <class T, class Work>
    Awaited<T> on_duty(Work work);
    // Puts this gateway on duty where no other one is. Tells whether it is the one that does such jobs for all.
    virtual Job<bool> take_duty(Tx& tx) = 0;

    const std::span<const encrypted::Table> encrypted_tables_;
    const std::string gateway_;
    std::string erasure_came_back_to_;  // see erasure.hpp
};

}  // namespace gateway
