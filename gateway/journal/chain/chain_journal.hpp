// This is the journal that several gateways share, whatever brings its jobs to the database. It knows which sales this
// gateway owns, and has the commands that gateways forward to each other and what is one for all of them.
#pragma once

#include "journal/chain.hpp"
#include "journal/chain/leases.hpp"
#include "journal/chain/ownership.hpp"
#include "journal/chain/shared_token.hpp"
#include "journal/chain/tally_file.hpp"
#include "journal/table_journal.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gateway::postgres {

class ChainJournal : public TableJournal, public Chain {
  public:
    template <class T>
    using Awaited = Journal::Awaited<T>;

    // Renews the lease of this gateway and looks at those of the others. Unless it runs, nothing is trusted for long.
    boost::asio::awaitable<void> keep_lease() override;
    // Renews the lease once; one that was not trusted any more is trusted again if the database allows it.
    virtual boost::asio::awaitable<void> renew_lease() { return ownership_.renew(); }
    const std::string& run() const noexcept { return leases_.run(); }
    Leases& leases() noexcept { return leases_; }
    void when_a_command_is_forwarded(std::function<void()> heard) override { heard_ = std::move(heard); }

    Awaited<KeyState> begin(const Sale& sale) override;
    Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh,
                         const HistoryEntry& entry) override {
        return ownership_.record(sale, change, fresh, entry);
    }
    Awaited<Sale> reread(SaleId id) override { return ownership_.reread(id); }
    Chain* chain() noexcept override { return this; }
    bool may_act() const noexcept override { return leases_.trusted(); }
    bool owns(SaleId id) const override { return ownership_.owns(id); }
    Awaited<AdoptedSales> adopt() override { return ownership_.adopt(); }
    Awaited<Sale> claim(SaleId id) override { return ownership_.claim(id); }
    Awaited<std::int64_t> forward_command(const ForwardedCommand& command) override;
    Awaited<std::vector<ForwardedCommand>> forwarded_commands() override;
    Awaited<bool> is_waiting(std::int64_t number) override;
    Awaited<void> dismiss_command(SaleId sale, std::int64_t number) override {
        return ownership_.dismiss_command(sale, number);
    }
    Awaited<void> give_back() override { return ownership_.give_back(); }
    Awaited<std::optional<KeptToken>> load_token() override { return token_.load(); }
    Awaited<TokenTurn> claim_token() override { return token_.claim(leases_.run()); }
    Awaited<void> end_token_turn() override { return token_.end_turn(leases_.run()); }
    Awaited<void> save_token(const std::optional<KeptToken>& token) override { return token_.save(token); }
    bool is_on_duty() const noexcept override { return may_act() && leases_.is_on_duty(); }
    Awaited<void> forget_old_pages() override;
    Awaited<void> check_files() override;

  protected:
    // Every reference must outlive this object. `new_file` becomes the id of a tally file that has none
    // (tally_file.hpp).
    ChainJournal(std::unique_ptr<FieldCipher> cipher, Clock& clock, Identity identity, std::string tally_file,
                 std::string new_file, Random& random);

    void hear_of_command() const {
        if (heard_) heard_();
    }

    Random& random_;
    TallyFile tally_file_;
    Leases leases_;
    Ownership ownership_{*this, leases_};

  private:
    Job<bool> take_duty(Tx& tx) override { return postgres::take_duty(tx, leases_.run()); }

    std::function<void()> heard_;
    std::string duplicate_key_;  // empty: it was not read yet
    SharedToken token_{*this};
};

}  // namespace gateway::postgres
