// The journal on SQLite: one file, one writer thread with group commit. The SQL is in sqlite_journal.cpp and rows.cpp,
// the tables in sql/.
#pragma once

#include "base/random.hpp"
#include "journal/field_cipher.hpp"
#include "journal/file_lock.hpp"
#include "journal/journal.hpp"
#include "journal/key_rotation.hpp"
#include "journal/writer.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <memory>
#include <set>

namespace gateway {

struct JournalOptions {
    std::string path;
    // What customers' data, goods and tokens are sealed with, 32 bytes each: the first one seals, all of them open.
    // None: nothing is sealed. With keys `random` is needed; it must outlive the journal, and its fill() is called on
    // the journal's thread.
    std::vector<Secret> keys{};
    Random* random = nullptr;
    const char* vfs = nullptr;  // SQLite's default
    Durability durability = Durability::threaded;
};

class SqliteJournal final : public Journal {
  public:
    // Opens the journal or makes a new one, and brings an older one up to date. The message says what is the matter
    // with a file that is not ours, damaged, newer than this program, in use, or sealed with a key that is not here;
    // such a file is left alone.
    static boost::system::result<std::unique_ptr<SqliteJournal>, std::string> open(
        boost::asio::any_io_executor executor, const JournalOptions& options, Clock& clock);
    ~SqliteJournal() override;

    Awaited<KeyState> begin(const Sale& sale) override;
    Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh,
                         const HistoryEntry& entry) override;
    Awaited<Sale> reread(SaleId id) override;
    Awaited<std::optional<Sale>> find(SaleId id) override;
    Awaited<SalePage> list(const SaleFilter& filter) override;
    Awaited<UnfinishedSales> unfinished() override;
    Awaited<std::vector<MarkedSale>> marked() override;
    Awaited<boost::json::array> history(SaleId id) override;
    Awaited<std::int64_t> count_receipt(const Sale& sale) override;
    Awaited<KeyState> cancel_key(const std::string& terminal, const std::string& key) override;
    Awaited<KeyState> find_key(const std::string& terminal, const std::string& key) override;
    Awaited<std::optional<SaleId>> find_callback(const std::string& secret) override;
    Awaited<void> keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body) override;
    Awaited<boost::json::array> callbacks(SaleId id) override;
    Awaited<std::optional<KeptToken>> load_token() override;
    Awaited<void> save_token(const std::optional<KeptToken>& token) override;
    Awaited<Erased> erase_personal(WallTime cutoff) override;
    Awaited<KeyRotationState> rotate_keys() override;
    Awaited<void> forget_old_pages() override;
    Awaited<void> probe() override;
    Awaited<void> check_files() override;
    JournalStats stats() const override;
    bool healthy() const noexcept override;
    std::optional<std::string_view> moved_file() const noexcept override;
    bool damaged() const noexcept override;
    bool encrypts() const noexcept override { return cipher_->encrypts(); }
    std::uint64_t unreadable() const noexcept override { return unreadable_; }

  private:
    struct Statements;
    SqliteJournal(boost::asio::any_io_executor executor, const JournalOptions& options, Clock& clock,
                  sqlite::Database database, std::unique_ptr<FieldCipher> cipher, FileLock lock,
                  std::vector<Writer::SidecarFile> beside);

    // The sale of the row that the statement gives; none where it gives none.
    Result<std::optional<Sale>> load(sqlite::Statement& found, Instant now, WallTime wall);
    Result<KeyState> fate_of(std::string_view terminal, std::string_view key);
    Result<Erased> erase_next(std::string_view before);
    Result<Erased> erase_postponed(std::int64_t met_before, std::int64_t now);
    Result<void> add_notes(SaleId id, boost::json::array& lines);
    void mark_unreadable(std::int64_t number);
    void mark_unreadable(Sale& sale, std::int64_t number, std::size_t values);
    Result<SaleId> readable_id(const sqlite::Statement& row);

    Clock& clock_;
    const bool is_file_;  // of the operating system, which others may move
    FileLock lock_;
    std::unique_ptr<FieldCipher> cipher_;  // the writer's, once it runs; so are the next two
    std::unique_ptr<KeyRotation> key_rotation_;
    std::unique_ptr<Statements> statements_;
    std::atomic<std::uint64_t> unreadable_{0};
    std::set<std::int64_t> unreadable_sales_;  // by number; the writer's too
    std::unique_ptr<Writer> writer_;
};

}  // namespace gateway
