// Implements the journal's engine on SQLite: one database, whose write-ahead log the engine maintains.
//
// Another program may have the database locked. A batch waits for that program for a limited time, and then fails with
// a message that names it (lock_holder.hpp). Where a batch fails, its jobs that only read are done all the same; where
// one of these fails, it fails alone.
#pragma once

#include "base/clock.hpp"
#include "base/histogram.hpp"
#include "journal/engine.hpp"
#include "journal/journal_stats.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/sqlite/named_file.hpp"
#include "journal/sqlite/transaction.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace gateway::sqlite {

class Engine final : public gateway::Engine {
  public:
    // This is a file beside the database, which must not be lost while the database is in use.
    struct SidecarFile {
        const char* ending;  // the end of its name, after the name of the database
        NamedFile file;
    };

    // The clock must outlive the engine. The write-ahead log is kept `log_bytes` long. Once most of it is used, its
    // pages are moved into the database; and where another program has cut it, it is made longer again. Both happen in
    // rest(), so that only the callers that come at that time have to wait.
    Engine(Database database, const Clock& clock, std::vector<SidecarFile> beside = {}, std::int64_t log_bytes = 0);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine() override;

    void perform(std::span<Task* const> tasks) override;
    void rest() override;
    void wait_no_more() noexcept override { stopping_.store(true, std::memory_order_relaxed); }

    // Ends the work after the last batch: moves the log's pages as far as other programs allow. Returns whether
    // everything that was committed is on the disk, as far as its flushes tell. Only the destructor may be called
    // afterwards.
    bool end();

    Database& database() noexcept { return database_; }
    Transaction& transaction() noexcept { return transaction_; }

    // Sets a function that is called on the journal's thread after each commit, with whether it succeeded, before any
    // caller is told. It is set before the first job, and must not throw.
    void after_commits(std::function<void(bool done)> then) { after_commits_ = std::move(then); }

    // Lets neither the calling job nor the jobs after it in the batch wait for another program.
    void wait_no_longer() noexcept { patience_left_ = Duration(0); }

    // Is called before the first job where the log's last commit shares a block with what is written next, and where
    // the log could not be begun anew for lack of room, as `why` says. Until there is room, nothing is written, and the
    // database is only read (query_only): a power cut could tear that commit, and with it pages that a checkpoint has
    // already moved. `written` is called before anything is written again.
    void protect_last_commit(const boost::system::error_code& why, std::function<void()> written);

    // Sets how many bytes an hour of sales needs on the file's disk, which the error of a full disk names; 0: the file
    // is on no disk of this machine. Any thread may call this function and all that follow.
    void need(std::uint64_t bytes) noexcept { needed_bytes_.store(bytes, std::memory_order_relaxed); }
    std::uint64_t needed_bytes() const noexcept { return needed_bytes_.load(std::memory_order_relaxed); }

    JournalStats stats() const;
    // Tells whether the last commit that had something to write succeeded, and the files still have their names.
    bool healthy() const noexcept { return healthy_.load(std::memory_order_relaxed); }
    // Tells whether the file, or one beside it, had lost its name when the last batch looked. Writing fails until the
    // file is back in its place, because what is written to such a file is gone when the process ends.
    bool moved() const noexcept { return moved_ending() != nullptr; }
    // Returns the end of the name that was lost: "" for the file itself; nullptr where all files have their names.
    const char* moved_ending() const noexcept { return moved_.load(std::memory_order_relaxed); }
    // Tells whether the whole log is on the disk, as far as its flushes tell. Otherwise no page is moved out of it,
    // because a power cut could tear a page meanwhile that the log on the disk does not have. Only the journal's thread
    // calls this.
    bool is_log_flushed() const noexcept { return !flush_failed_ && !log_in_doubt_; }
    // Tells whether SQLite ever found a page that makes no sense. Other pages may still be read and written.
    bool damaged() const noexcept { return damaged_.load(std::memory_order_relaxed); }

  private:
    void look_for_files();
    boost::system::error_code perform_all(std::span<Task* const> tasks, bool in_transaction);
    bool is_full_still() const;
    Result<void> perform_alone(const Task& task);
    Result<void> perform_exposed(const Task& task);
    static int go_on_waiting(void* self, int tries);
    Result<void> commit(bool changed);
    void take_stock(const boost::system::error_code& failed, std::uint64_t writers);
    void note_failed_flush(const boost::system::error_code& error);
    boost::system::error_code note_failed_job(const boost::system::error_code& error);
    void mend_log();
    static int note_logged(void* self, sqlite3*, const char*, int pages);
    void look_for_reader();
    void move_log();
    void grow_log_that_is_short();
    bool wait_for_another(int tries);
    boost::system::error_code begin_anew_where_exposed();
    boost::system::error_code in_words(const boost::system::error_code& failed) const;

    Database database_;
    Transaction transaction_{database_};
    Prepared begin_{database_.raw(), "BEGIN IMMEDIATE"};
    Prepared commit_{database_.raw(), "COMMIT"};
    Prepared rollback_{database_.raw(), "ROLLBACK"};
    const Clock& clock_;
    const std::vector<SidecarFile> beside_;
    const std::int64_t log_bytes_;
    const std::int64_t frame_bytes_;  // the size that a page has in the log
    // When this many pages are in the log, they are moved. The rest of the log is for the commits that come meanwhile.
    const std::int64_t most_logged_;
    std::int64_t logged_ = 0;          // pages in the log after the last commit
    bool has_written_ = false;         // whether the last batch wrote anything
    std::int64_t kept_log_bytes_ = 0;  // the size of a log that is too long, after the last commit; else 0
    Instant looks_for_reader_from_{};
    std::uint64_t grows_after_ = 0;  // so many commits: there was no room for a longer log before
    // The log may contain a failed commit that the next start would take for done; or it may lack, after a power cut,
    // what was flushed before that commit.
    bool log_in_doubt_ = false;
    bool flush_failed_ = false;
    // If this is no error, no commit is exposed, or none is any more. See protect_last_commit().
    boost::system::error_code exposed_;
    std::function<void()> before_it_is_written_;
    Instant begins_anew_from_{};  // the earliest time of the next try
    bool moved_in_vain_ = false;  // the pages that were moved may be lost, and have to be moved again

    mutable std::mutex mutex_;  // guards the next two members
    JournalStats stats_;
    Histogram commit_times_{Histogram::of_a_disk};
    std::function<void(bool done)> after_commits_ = [](bool) {};
    // These three concern the batch that is being performed.
    Duration patience_left_{0};
    Duration waited_{0};
    boost::system::error_code waited_for_;
    std::atomic<bool> stopping_{false};
    std::atomic<bool> healthy_{true};
    std::atomic<const char*> moved_{nullptr};
    std::atomic<bool> damaged_{false};
    std::atomic<std::uint64_t> needed_bytes_{0};
};

}  // namespace gateway::sqlite
