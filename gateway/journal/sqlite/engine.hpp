// SQLite is the journal's engine here: one database, whose write-ahead log the engine looks after.
//
// Another program may have the database locked. A batch waits for that within a bound, and then fails with words that
// say whose lock it is (lock_holder.hpp); its jobs that only read are done all the same.
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
    // This file is beside the database, which is as good as lost without it.
    struct SidecarFile {
        const char* ending;  // of its name, after the database's
        NamedFile file;
    };

    // The clock must outlive the engine. The write-ahead log is kept `log_bytes` long: once most of that is used, its
    // pages are moved into the database, and where another program has cut it, it grows again. Both happen in rest(),
    // so that only who comes just then has to wait.
    Engine(Database database, const Clock& clock, std::vector<SidecarFile> beside = {}, std::int64_t log_bytes = 0);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine() override;

    void perform(std::span<Task* const> tasks) override;
    void rest() override;
    void wait_no_more() noexcept override { stopping_.store(true, std::memory_order_relaxed); }

    // Is called after the last batch: moves the log's pages as far as others allow. Returns whether all that was
    // committed is on the disk, as far as its flushes say. Nothing but the destructor may follow.
    bool end();

    Database& database() noexcept { return database_; }
    Transaction& transaction() noexcept { return transaction_; }

    // `then` is called on the journal's thread once a commit has returned, before any caller is told. It is set before
    // the first job, and must not throw.
    void after_commits(std::function<void()> then) { after_commits_ = std::move(then); }

    // A job calls this: neither it nor what follows it in its batch waits for another program.
    void wait_no_longer() noexcept { patience_left_ = Duration(0); }

    // Is called where the log's last commit shares a block with what is written next, and there was no room to begin
    // the log anew, as `why` says. Until there is, nothing is written: a power cut could tear that commit, and with it
    // pages that a checkpoint has moved. `written` is called before anything is written. This is called before the
    // first job, and the database is only read until then (query_only).
    void protect_last_commit(const boost::system::error_code& why, std::function<void()> written);

    // Sets what an hour of sales takes of the file's disk, which the error says where there is no room for it; 0: the
    // file is on no disk of this machine. Any thread may call this and all that follows.
    void need(std::uint64_t bytes) noexcept { needed_bytes_.store(bytes, std::memory_order_relaxed); }
    std::uint64_t needed_bytes() const noexcept { return needed_bytes_.load(std::memory_order_relaxed); }

    JournalStats stats() const;
    // Tells whether the last commit that had something to write succeeded, and the files have kept their names.
    bool healthy() const noexcept { return healthy_.load(std::memory_order_relaxed); }
    // Tells whether the file, or one beside it, had lost its name at the last look, which every batch takes. What is
    // written to it then is gone with the process, so nothing is: writing fails until the file is back in its place.
    bool moved() const noexcept { return moved_ending() != nullptr; }
    // Returns which, by the ending of its name: "" for the file itself; nullptr where all have their names.
    const char* moved_ending() const noexcept { return moved_.load(std::memory_order_relaxed); }
    // Tells whether SQLite ever met a page that makes no sense. Other pages may still be read and written.
    bool damaged() const noexcept { return damaged_.load(std::memory_order_relaxed); }

  private:
    void look_for_files();
    boost::system::error_code perform_all(std::span<Task* const> tasks, bool writes);
    bool is_full_still() const;
    Result<void> perform_alone(const Task& task);
    Result<void> perform_exposed(const Task& task);
    static int go_on_waiting(void* self, int tries);
    Result<void> commit(bool changed);
    void note_failed_flush(const boost::system::error_code& error);
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
    const std::int64_t frame_bytes_;  // what a page takes in the log
    // So many pages may be in the log before they are moved: there is room left for the commits that come meanwhile.
    const std::int64_t most_logged_;
    std::int64_t logged_ = 0;          // pages in the log, by the last commit
    bool has_written_ = false;         // whether the last batch wrote
    std::int64_t kept_log_bytes_ = 0;  // of a log that is too long, by the last commit
    Instant looks_for_reader_from_{};
    std::uint64_t grows_after_ = 0;  // so many commits: there was no room for a longer log before
    // The next start might find in the log a commit that failed, or might not find there, after a power cut, what was
    // flushed before such a commit.
    bool log_in_doubt_ = false;
    bool flush_failed_ = false;
    // See protect_last_commit(). No error: nothing is exposed, or not any more.
    boost::system::error_code exposed_;
    std::function<void()> before_it_is_written_;
    Instant begins_anew_from_{};  // it is tried again no sooner
    bool moved_in_vain_ = false;  // what was moved may be lost, and has to be moved again

    mutable std::mutex mutex_;  // of the next two
    JournalStats stats_;
    Histogram commit_times_{Histogram::of_a_disk};
    std::function<void()> after_commits_;
    // These are of the batch that is performed.
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
