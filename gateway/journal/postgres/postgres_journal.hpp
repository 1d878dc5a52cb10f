// The journal on PostgreSQL, which several gateways may share. This class puts the tables together and hands each
// operation to the one that it is about; open_postgres_journal() makes the object.
#pragma once

#include "journal/chain/carriage.hpp"
#include "journal/chain/leases.hpp"
#include "journal/chain/shared_token.hpp"
#include "journal/chain/tally.hpp"
#include "journal/chain/words.hpp"
#include "journal/postgres/marked_sales.hpp"
#include "journal/table_journal.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace gateway::postgres {

class PostgresJournal final : public TableJournal {
  public:
    template <class T>
    using Awaited = Journal::Awaited<T>;

    // Every reference must outlive it. `tally_file`: see tally_file.hpp.
    PostgresJournal(boost::asio::any_io_executor executor, Clock& clock, const Client& client,
                    const SessionOptions& options, std::unique_ptr<FieldCipher> cipher, Identity identity,
                    const std::string& tally_file, Random& random);

    // Renews the lease of this gateway and looks at those of the others. Without it nothing is trusted for long.
    boost::asio::awaitable<void> keep_lease() override;
    // Once; where it was not trusted any more, it is now if the database allows it.
    boost::asio::awaitable<void> renew_lease();
    // Before anything is written by the journal itself: see Tally::compare().
    boost::asio::awaitable<boost::system::result<void, std::string>> compare_tally();
    const std::string& run() const noexcept { return leases_.run(); }
    void when_a_word_is_left(std::function<void()> heard) override { heard_ = std::move(heard); }
    Leases& leases() noexcept { return leases_; }
    Session& writer() noexcept { return writer_; }

    Awaited<KeyState> begin(const Sale& sale) override;
    Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh,
                         const HistoryEntry& entry) override {
        return carriage_.record(sale, change, fresh, entry);
    }
    Awaited<Sale> reread(SaleId id) override { return carriage_.reread(id); }
    bool shared() const noexcept override { return true; }
    bool may_act() const noexcept override { return leases_.trusted() && tally_.is_whole(); }
    bool carries(SaleId id) const override { return carriage_.carries(id); }
    Awaited<AdoptedSales> adopt() override { return carriage_.adopt(); }
    Awaited<Sale> claim(SaleId id) override { return carriage_.claim(id); }
    Awaited<std::int64_t> leave_word(const LeftWord& word) override;
    Awaited<std::vector<LeftWord>> words() override;
    Awaited<bool> is_waiting(std::int64_t number) override;
    Awaited<void> dismiss_word(SaleId sale, std::int64_t number) override {
        return carriage_.dismiss_word(sale, number);
    }
    Awaited<void> give_back() override { return carriage_.give_back(); }
    Awaited<std::optional<KeptToken>> load_token() override { return token_.load(); }
    Awaited<TokenTurn> claim_token() override { return token_.claim(leases_.run()); }
    Awaited<void> end_token_turn() override { return token_.end_turn(leases_.run()); }
    bool keeps_house() const noexcept override { return may_act() && leases_.keeps_house(); }
    Awaited<void> save_token(const std::optional<KeptToken>& token) override { return token_.save(token); }
    Awaited<void> forget_old_pages() override;
    Awaited<void> probe() override;
    Awaited<void> check_files() override;
    JournalStats stats() const override;
    std::optional<DatabaseState> database() const override;
    // Looks at the server as it is now, as a new connection would, and at its standbys, on the connection that has
    // nothing else to do. One that would be refused is left.
    boost::asio::awaitable<void> look_at_database();
    bool healthy() const noexcept override {
        return writer_.healthy() && reader_.healthy() && leases_.hindrance().empty() && !waits_for_standby();
    }
    std::optional<std::string_view> moved_file() const noexcept override { return std::nullopt; }
    bool damaged() const noexcept override { return false; }

  private:
    Awaited<void> commit(Lane lane, Access access, const Engine::Work& work, std::string order) override {
        return (lane == Lane::of_sales ? writer_ : reader_).commit(access, work, std::move(order));
    }
    Job<bool> may_keep_house(Tx& tx) override { return gateway::postgres::may_keep_house(tx, leases_.run()); }
    SessionOptions listening(SessionOptions options);
    boost::asio::awaitable<void> watch_database();
    std::uint64_t commits() const noexcept { return writer_.commits() + reader_.commits(); }
    bool waits_for_standby() const noexcept;
    std::string detail(const boost::system::error_code& failure) const;

    const boost::asio::any_io_executor executor_;
    const Client& client_;
    const SessionOptions options_;
    std::function<void()> heard_;
    DatabaseState database_;
    std::uint64_t commits_when_seen_ = 0;  // that were done then
    Tally tally_;
    Session writer_;
    Session reader_;
    Session listener_;
    Random& random_;
    std::string duplicate_key_;  // empty: it was not read yet
    SharedToken token_{*this};
    Leases leases_;
    Carriage carriage_{*this, leases_};
};

}  // namespace gateway::postgres
