// A gateway's side of the journal that it shares: it asks the server over a network that delays and loses, keeps the
// lease, and knows in which term and at which step it carries each sale. A write whose answer does not come in time
// ended unknown; it may come about later all the same.
#pragma once

#include "journal/chain/lease.hpp"
#include "simulation/shared_journal.hpp"
#include "unit/support/forwarding_journal.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace gateway::simulation {

class World;

class SharingJournal final : public test::ForwardingJournal {
  public:
    // `number` of the gateway; `base` answers what is read of no journal at all, such as statistics. All references
    // must outlive it.
    SharingJournal(World& world, std::size_t number, Journal& base, Clock& clock);

    const std::string& run() const noexcept { return run_; }
    // Renews the lease and looks at the others, for ever.
    boost::asio::awaitable<void> keep_lease() override;

    Awaited<KeyState> begin(const Sale& sale) override;
    Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh,
                         const HistoryEntry& entry) override;
    Awaited<Sale> reread(SaleId id) override;
    Awaited<std::optional<Sale>> find(SaleId id) override;
    Awaited<SalePage> list(const SaleFilter& filter) override;
    Awaited<boost::json::array> history(SaleId id) override;
    Awaited<std::int64_t> count_receipt(const Sale& sale) override;
    bool shared() const noexcept override { return true; }
    bool may_act() const noexcept override;
    bool carries(SaleId id) const override { return carried_.contains(id); }
    Awaited<AdoptedSales> adopt() override;
    Awaited<Sale> claim(SaleId id) override;
    Awaited<std::int64_t> leave_word(const LeftWord& word) override;
    Awaited<std::vector<LeftWord>> words() override;
    Awaited<bool> is_waiting(std::int64_t number) override;
    Awaited<void> dismiss_word(SaleId sale, std::int64_t number) override;
    Awaited<void> give_back() override;
    Awaited<KeyState> cancel_key(const std::string& terminal, const std::string& key) override;
    Awaited<KeyState> find_key(const std::string& terminal, const std::string& key) override;
    Awaited<std::optional<SaleId>> find_callback(const std::string& secret) override;
    Awaited<void> keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body) override;
    Awaited<std::optional<KeptToken>> load_token() override;
    Awaited<void> save_token(const std::optional<KeptToken>& token) override;
    Awaited<std::vector<MarkedSale>> marked() override;
    Awaited<void> probe() override;
    Awaited<void> check_files() override { co_return Result<void>(); }

  private:
    template <class T>
    using Asking = std::function<Result<T>(SharedJournal&)>;
    // A read is told only after a commit that follows it; a look decides nothing, and nobody is told.
    enum class Kind { look, read, write };

    // Asks the server, and waits for its answer until the time is over.
    template <class T>
    Awaited<T> ask(Kind kind, Asking<T> what);
    // What one gateway alone would read or write.
    template <class T>
    Awaited<T> ask_tables(Kind kind, std::function<Awaited<T>(Journal&)> what);

    boost::asio::awaitable<void> renew();
    // Begins the run, where nothing is in its way.
    boost::asio::awaitable<void> enter();
    // A run of its own, after another gateway ended the one before: nothing of that is carried any more.
    void next_run();
    void look_at_others(std::map<std::string, std::uint64_t> counters);
    std::map<std::string, std::uint64_t> dead() const;

    World& world_;
    const std::size_t number_;
    Clock& clock_;
    std::string run_;
    int runs_ = 0;  // of this process
    bool has_begun_ = false;
    bool gives_back_ = false;
    Lease lease_;
    OtherLeases others_;
    std::map<std::string, std::uint64_t> looked_;  // the counters, as they were seen last
    std::map<SaleId, Carrying> carried_;
    std::set<SaleId> beginning_;  // begun, and whether that is done is not known
};

}  // namespace gateway::simulation
