// The journal on SQLite is one file, and has one writer thread with group commit. This class only hands jobs to the
// writer. The SQL is in the files of the tables, and open_sqlite_journal() makes the object.
#pragma once

#include "journal/sqlite/engine.hpp"
#include "journal/sqlite/file_lock.hpp"
#include "journal/table_journal.hpp"
#include "journal/writer.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <memory>
#include <vector>

namespace gateway {

// Holds a journal's file that is ready to be used, and the lock that keeps other processes away.
struct OpenedFile {
    std::int64_t log_bytes = 0;  // as JournalOptions::log_bytes
    sqlite::Database database;
    FileLock lock;
    std::vector<sqlite::Engine::SidecarFile> sidecars;
    bool is_file = true;  // it is a file of the operating system, which another process may move
    // Says why the log could not be begun anew, although what is written next shares a block with the last commit, so
    // that a power cut could tear that commit; no error: nothing is exposed. See Engine::protect_last_commit().
    boost::system::error_code exposed{};
};

class SqliteJournal final : public TableJournal {
  public:
    // `random` is what JournalOptions says.
    SqliteJournal(boost::asio::any_io_executor executor, OpenedFile file, std::unique_ptr<FieldCipher> cipher,
                  Random* random, Durability durability, Clock& clock);
    SqliteJournal(const SqliteJournal&) = delete;
    SqliteJournal& operator=(const SqliteJournal&) = delete;
    ~SqliteJournal() override;

    Awaited<KeyState> begin(const Sale& sale) override;
    Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh,
                         const HistoryEntry& entry) override;
    Awaited<Sale> reread(SaleId id) override;
    Awaited<AdoptedSales> adopt() override;
    Awaited<std::optional<KeptToken>> load_token() override;
    Awaited<void> save_token(const std::optional<KeptToken>& token) override;
    Awaited<void> forget_old_pages() override;
    Awaited<void> probe() override;
    Awaited<void> check_files() override;
    Awaited<void> learn_pace() override;
    std::optional<DiskRoom> disk() const override;
    JournalStats stats() const override { return with_counts(engine_->stats()); }
    bool healthy() const noexcept override { return engine_->healthy(); }

  private:
    // There is one lane. Its jobs run in the order in which they came.
    Awaited<void> commit(Lane, Access access, const Engine::Work& work, std::string) override {
        return writer_->commit(access, work);
    }
    Job<bool> take_duty(Tx&) override { co_return true; }
    void note_log();
    void note_recorded(SaleId id);

    const bool is_file_;
    const std::string path_;
    FileLock lock_;
    // Once the writer's thread runs, only that thread uses this.
    Random* random_;
    std::optional<SaleId> recorded_;  // the sale whose history the batch made longer last
    std::string noted_log_;           // the log of which it was noted on which file it stands
    std::unique_ptr<sqlite::Engine> engine_;
    std::unique_ptr<Writer> writer_;
};

}  // namespace gateway
