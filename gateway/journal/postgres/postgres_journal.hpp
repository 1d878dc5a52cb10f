// The journal on PostgreSQL, which several gateways may share. This class puts the tables together and hands each
// operation to the one that it is about; open_postgres_journal() makes the object.
#pragma once

#include "journal/chain/carriage.hpp"
#include "journal/chain/leases.hpp"
#include "journal/chain/tally.hpp"
#include "journal/chain/words_table.hpp"
#include "journal/journal.hpp"
#include "journal/postgres/marked_sales.hpp"
#include "journal/postgres/sales_table.hpp"
#include "journal/postgres/token_table.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace gateway::postgres {

class PostgresJournal final : public Journal {
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
    Awaited<std::optional<Sale>> find(SaleId id) override;
    Awaited<SalePage> list(const SaleFilter& filter) override;
    Awaited<std::vector<MarkedSale>> marked() override;
    Awaited<boost::json::array> history(SaleId id) override;
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
    Awaited<std::optional<KeptStatement>> last_statement(const std::string& source) override;
    Awaited<std::vector<KeptStatement>> statements(std::optional<std::int64_t> before, std::size_t limit) override;
    Awaited<FindingChanges> keep_statement(const KeptStatement& statement,
                                           const std::vector<Finding>& findings) override;
    Awaited<std::vector<Finding>> findings(const FindingFilter& filter) override;
    Awaited<Finding> close_finding(std::int64_t number, const std::string& note, const std::string& by,
                                   WallTime at) override;
    Awaited<Finding> finding_done(std::int64_t number, const std::string& effect, bool settled, WallTime at) override;
    Awaited<std::map<FindingKind, std::int64_t>> open_findings() override;
    Awaited<std::vector<std::optional<SaleId>>> owners(const std::vector<std::string>& id_externos) override;
    Awaited<std::vector<std::string>> id_prefixes() override;
    bool shared() const noexcept override { return true; }
    bool may_act() const noexcept override { return leases_.trusted() && tally_.is_whole(); }
    bool carries(SaleId id) const override { return carriage_.carries(id); }
    Awaited<AdoptedSales> adopt() override { return carriage_.adopt(); }
    Awaited<Sale> claim(SaleId id) override { return carriage_.claim(id); }
    Awaited<std::int64_t> leave_word(const LeftWord& word) override { return words_.leave(word); }
    Awaited<std::vector<LeftWord>> words() override { return words_.waiting_for(leases_.run()); }
    Awaited<bool> is_waiting(std::int64_t number) override { return words_.is_waiting(number); }
    Awaited<void> dismiss_word(SaleId sale, std::int64_t number) override {
        return carriage_.dismiss_word(sale, number);
    }
    Awaited<void> give_back() override { return carriage_.give_back(); }
    Awaited<KeyState> cancel_key(const std::string& terminal, const std::string& key) override;
    Awaited<KeyState> find_key(const std::string& terminal, const std::string& key) override;
    Awaited<std::optional<SaleId>> find_callback(const std::string& secret) override;
    Awaited<void> keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body) override;
    Awaited<boost::json::array> callbacks(SaleId id) override;
    Awaited<std::optional<KeptToken>> load_token() override { return token_.load(); }
    Awaited<TokenTurn> claim_token() override { return token_.claim(leases_.run()); }
    Awaited<void> end_token_turn() override { return token_.end_turn(leases_.run()); }
    bool keeps_house() const noexcept override { return may_act() && leases_.keeps_house(); }
    Awaited<void> save_token(const std::optional<KeptToken>& token) override { return token_.save(token); }
    Awaited<Erased> erase_personal(WallTime cutoff) override;
    Awaited<KeyRotationState> rotate_keys() override;
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
    bool encrypts() const noexcept override { return cipher_->encrypts(); }
    std::uint64_t unreadable() const noexcept override { return unreadable_.met; }
    std::uint64_t unreadable_sales() const noexcept override { return unreadable_.sales; }

  private:
    // Runs a job, which is given a Tx. `order`: see Session::perform().
    template <class T, class Work>
    Awaited<T> perform(Session& session, Engine::Access access, Work work, std::string order = {});
    // The same of one that only reads.
    template <class T, class Work>
    Awaited<T> read(Session& session, Work work) {
        return perform<T>(session, Engine::Access::read, std::move(work));
    }
    SessionOptions listening(SessionOptions options);
    boost::asio::awaitable<void> watch_database();
    std::uint64_t commits() const noexcept { return writer_.commits() + reader_.commits(); }
    bool waits_for_standby() const noexcept;
    std::string detail(const boost::system::error_code& failure) const;

    const boost::asio::any_io_executor executor_;
    const Client& client_;
    const SessionOptions options_;
    const std::unique_ptr<FieldCipher> cipher_;
    UnreadableSales::Counts unreadable_;
    UnreadableSales unreadable_sales_;
    std::function<void()> heard_;
    DatabaseState database_;
    std::uint64_t commits_when_seen_ = 0;  // that were done then
    Tally tally_;
    Session writer_;
    Session reader_;
    Session listener_;
    Storage storage_;
    SaleReader sale_reader_{storage_};
    SalesTable sales_{storage_, sale_reader_};
    WordsTable words_{storage_, sale_reader_};
    TokenTable token_{storage_, sale_reader_};
    DuplicateKey duplicate_key_;
    std::string erasure_came_back_to_;  // see erasure.hpp
    Leases leases_;
    Carriage carriage_{storage_, sale_reader_, sales_, words_, leases_};
};

}  // namespace gateway::postgres
