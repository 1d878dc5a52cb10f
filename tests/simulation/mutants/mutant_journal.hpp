// This is the journal of a process with a deliberate fault: it does what the process's own journal does, except for
// that fault.
#pragma once

#include "simulation/mutants/mutants.hpp"
#include "unit/support/forwarding_journal.hpp"

#include <set>

namespace gateway::mutants {

class MutantJournal final : public test::ForwardingJournal {
  public:
    MutantJournal(Journal& real, Mutant mutant) : ForwardingJournal(real), mutant_(mutant) {}

    Awaited<KeyState> begin(const Sale& sale) override;
    Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh,
                         const HistoryEntry& entry) override;
    Awaited<AdoptedSales> adopt() override;
    bool may_act() const noexcept override;
    bool owns(SaleId id) const override;
    Awaited<std::int64_t> forward_command(const ForwardedCommand& command) override;
    Awaited<void> dismiss_command(SaleId sale, std::int64_t number) override;
    Awaited<KeyState> cancel_key(const std::string& terminal, const std::string& key) override;
    Awaited<std::int64_t> count_receipt(const Sale& sale) override;
    Awaited<DayPage> sales_of_close(const CloseKey& key, const std::string& after) override;
    Awaited<void> finish_close(const Close& close) override;
    Awaited<std::vector<Close>> closes(const CloseFilter& filter) override;
    Awaited<FindingChanges> keep_statement(const KeptStatement& statement,
                                           const std::vector<Finding>& findings) override;
    Awaited<std::vector<Finding>> findings(const FindingFilter& filter) override;
    Awaited<void> keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body) override;

  private:
    Awaited<KeyState> begin_with_another_key(const Sale& sale);

    const Mutant mutant_;
    mutable std::set<SaleId> owned_;
};

}  // namespace gateway::mutants
