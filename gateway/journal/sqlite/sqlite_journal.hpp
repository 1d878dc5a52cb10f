// The journal on SQLite: one file, one writer thread with group commit. This class only hands jobs to the writer; the
// SQL is in the classes of the tables, and open_sqlite_journal() makes the object.
#pragma once

#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"
#include "journal/sqlite/engine.hpp"
#include "journal/sqlite/file_lock.hpp"
#include "journal/unreadable_sales.hpp"
#include "journal/writer.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <memory>
#include <vector>

namespace gateway {

// A journal that is ready to be used, with what keeps other processes from it.
struct OpenedFile {
    std::int64_t log_bytes = 0;  // as in JournalOptions
    sqlite::Database database;
    FileLock lock;
    std::vector<sqlite::Engine::SidecarFile> sidecars;
    bool is_file = true;  // of the operating system, which another process may move
    // Why the log could not be begun anew, although what is written next shares a block with the last commit, which a
    // power cut could tear; no error: nothing is exposed. See Engine::protect_last_commit().
    boost::system::error_code exposed{};
};

class SqliteJournal final : public Journal {
  public:
    // `random` as in JournalOptions.
    SqliteJournal(boost::asio::any_io_executor executor, OpenedFile file, std::unique_ptr<FieldCipher> cipher,
                  Random* random, Durability durability, Clock& clock);
    SqliteJournal(const SqliteJournal&) = delete;
    SqliteJournal& operator=(const SqliteJournal&) = delete;
    ~SqliteJournal() override;

    Awaited<KeyState> begin(const Sale& sale) override;
    Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh,
                         const HistoryEntry& entry) override;
    Awaited<Sale> reread(SaleId id) override;
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
    bool shared() const noexcept override { return false; }
    bool may_act() const noexcept override { return true; }
    bool carries(SaleId) const override { return true; }
    Awaited<AdoptedSales> adopt() override;
    // Nobody else carries anything.
    Awaited<Sale> claim(SaleId id) override { return reread(id); }
    Awaited<std::int64_t> leave_word(const LeftWord&) override { co_return errc::not_found; }
    Awaited<std::vector<LeftWord>> words() override { co_return std::vector<LeftWord>(); }
    Awaited<bool> is_waiting(std::int64_t) override { co_return false; }
    Awaited<void> dismiss_word(SaleId, std::int64_t) override { co_return errc::not_found; }
    Awaited<void> give_back() override { co_return Result<void>(); }
    Awaited<KeyState> cancel_key(const std::string& terminal, const std::string& key) override;
    Awaited<KeyState> find_key(const std::string& terminal, const std::string& key) override;
    Awaited<std::optional<SaleId>> find_callback(const std::string& secret) override;
    Awaited<void> keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body) override;
    Awaited<boost::json::array> callbacks(SaleId id) override;
    Awaited<std::optional<KeptToken>> load_token() override;
    boost::asio::awaitable<void> keep_lease() override { co_return; }
    void when_a_word_is_left(std::function<void()>) override {}
    Awaited<TokenTurn> claim_token() override { co_return TokenTurn{.is_ours = true}; }
    Awaited<void> end_token_turn() override { co_return Result<void>(); }
    bool keeps_house() const noexcept override { return true; }
    Awaited<void> save_token(const std::optional<KeptToken>& token) override;
    Awaited<Erased> erase_personal(WallTime cutoff) override;
    Awaited<KeyRotationState> rotate_keys() override;
    Awaited<void> forget_old_pages() override;
    Awaited<void> probe() override;
    Awaited<void> check_files() override;
    Awaited<void> learn_pace() override;
    std::optional<DiskRoom> disk() const override;
    JournalStats stats() const override { return engine_->stats(); }
    bool healthy() const noexcept override { return engine_->healthy(); }
    std::optional<std::string_view> moved_file() const noexcept override;
    bool damaged() const noexcept override { return engine_->damaged(); }
    bool encrypts() const noexcept override { return cipher_->encrypts(); }
    std::uint64_t unreadable() const noexcept override { return unreadable_.met; }
    std::uint64_t unreadable_sales() const noexcept override { return unreadable_.sales; }

  private:
    // Runs a job, which is given a Tx.
    template <class T, class Work>
    Awaited<T> perform(Writer::Access access, Work work);
    void note_recorded();

    Clock& clock_;
    const bool is_file_;
    const std::string path_;
    FileLock lock_;
    UnreadableSales::Counts unreadable_;
    std::string erasure_came_back_to_;  // see erasure.hpp
    // Used by the writer's thread alone, once that runs.
    std::unique_ptr<FieldCipher> cipher_;
    Random* random_;
    UnreadableSales unreadable_sales_{clock_, unreadable_};
    // The sale that was begun or recorded last, since note_recorded() took it.
    std::optional<SaleId> recorded_;
    std::unique_ptr<sqlite::Engine> engine_;
    std::unique_ptr<Writer> writer_;
};

}  // namespace gateway
