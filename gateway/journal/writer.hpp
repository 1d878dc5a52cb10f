// Runs jobs on the journal's database, on a thread of its own, and makes them durable together: all jobs that wait when
// a commit begins go into that commit ("group commit"), so that one flush of the disk serves them all and the event
// loop never waits for the disk.
//
// A job is done when its commit has returned; a commit that fails fails every job in it, and nothing of it is kept.
//
// Another program may have the database locked: a batch waits for it within a bound, and then fails with words that say
// whose lock it is (lock_holder.hpp); its jobs that only read are done all the same.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/histogram.hpp"
#include "journal/journal.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/sqlite/named_file.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

namespace gateway {

enum class Durability {
    threaded,  // a thread of its own: production
    inline_,   // on the caller's thread, when the executor comes to it: the simulation, which must be one thread
};

class Writer {
  public:
    // What a job does to the rows: reads only, or writes too. A batch of reads alone needs no commit.
    enum class Access { read, write };

    // A file beside the database, which is as good as lost without it.
    struct SidecarFile {
        const char* ending;  // of its name, after the database's
        NamedFile file;
    };

    // Completions are given back on `executor`; the clock must outlive the writer. The write-ahead log is kept
    // `log_bytes` long: once most of that is used, its pages are moved into the database, and where another program has
    // cut it, it grows again. Both happen after the callers have been told: nobody waits who does not come just then.
    Writer(boost::asio::any_io_executor executor, sqlite::Database database, Durability durability, const Clock& clock,
           std::vector<SidecarFile> beside = {}, std::int64_t log_bytes = 0);
    // Lets the jobs that are queued finish, only that they wait for nobody any more. Afterwards nothing touches the
    // database.
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // Ends the writer's thread when the jobs that are queued are done, and moves the log's pages as far as others
    // allow. Whether all that was committed is on the disk, as far as its flushes say. Nothing but the destructor may
    // follow.
    bool end();

    // For preparing statements before the first job.
    sqlite::Database& database() { return database_; }

    // Runs `work` on the journal's thread and gives its result once it is durable. `work` may refer to what lives until
    // the caller has awaited this.
    template <class T>
    boost::asio::awaitable<Result<T>> run(Access access, std::function<Result<T>()> work);

    // What is to be done on the journal's thread once a commit has returned, before any caller is told. Before the
    // first job; it must not throw.
    void after_commits(std::function<void()> then) { after_commits_ = std::move(then); }

    // For a job: neither it nor what follows it in its batch waits for another program.
    void wait_no_longer() noexcept { patience_left_ = Duration(0); }

    // What an hour of sales takes of the file's disk, which the error says where there is no room for them; 0: the file
    // is on no disk of this machine. From any thread.
    void need(std::uint64_t bytes) noexcept { needed_bytes_.store(bytes, std::memory_order_relaxed); }
    std::uint64_t needed_bytes() const noexcept { return needed_bytes_.load(std::memory_order_relaxed); }

    JournalStats stats() const;
    // Returns whether the last commit that had something to write succeeded, and the files have kept their names.
    bool healthy() const noexcept { return healthy_.load(std::memory_order_relaxed); }
    // Whether the file, or one beside it, had lost its name when that was looked at last, as every job does. What is
    // written to it then is gone with the process, so nothing is: writing fails until the file is back in its place.
    bool moved() const noexcept { return moved_ending() != nullptr; }
    // Which: the ending of its name, "" for the file itself; nullptr where all have their names.
    const char* moved_ending() const noexcept { return moved_.load(std::memory_order_relaxed); }
    // Whether SQLite ever met a page that makes no sense. Other pages may still be read and written.
    bool damaged() const noexcept { return damaged_.load(std::memory_order_relaxed); }

  private:
    // Runs one job; its result is its own business, and its error says whether the batch can go on.
    using Work = std::function<boost::system::error_code()>;
    // It owns the coroutines that wait for it, by its handler, and so what its work refers to. A job is never assigned:
    // in Boost 1.81 a handler of this type that is assigned calls itself until the stack is used up.
    struct Job {
        Access access;
        const Work* work;
        boost::asio::any_completion_handler<void(Result<void>)> done;
        Result<void> committed{};
    };
    static_assert(std::is_nothrow_move_constructible_v<Job>);
    using Jobs = std::deque<Job>;

    // The one place where Asio is met, so that an operation of the journal costs the compiler little.
    boost::asio::awaitable<Result<void>> commit(Access access, const Work& work);
    void submit(Job job);
    void work();
    void perform(Jobs& jobs);
    void look_for_files();
    boost::system::error_code perform_all(Jobs& jobs, bool writes);
    Result<void> perform_alone(const Job& job);
    static int go_on_waiting(void* self, int tries);
    Result<void> commit(bool changed);
    void note_failed_flush(const boost::system::error_code& error);
    void mend_log();
    static int note_logged(void* self, sqlite3*, const char*, int pages);
    void look_after_log();
    void look_for_reader();
    void move_log();
    void grow_log_that_is_short();
    bool wait_for_another(int tries);
    boost::system::error_code in_words(const boost::system::error_code& failed) const;
    void give_back(Jobs jobs);

    boost::asio::any_io_executor executor_;
    sqlite::Database database_;
    sqlite::Statement begin_, commit_, rollback_;
    const Durability durability_;
    const Clock& clock_;
    const std::vector<SidecarFile> beside_;
    const std::int64_t log_bytes_;
    const std::int64_t frame_bytes_;  // of the log, for a page
    // How many pages the log may have before they are moved: there is room left for the commits that come meanwhile.
    const std::int64_t most_logged_;
    std::int64_t logged_ = 0;          // pages, by the last commit
    bool has_written_ = false;         // whether the last batch wrote
    std::int64_t kept_log_bytes_ = 0;  // of a log that is too long, by the last commit
    Instant looks_for_reader_from_{};
    std::uint64_t grows_after_ = 0;  // commits: there was no room for a longer log before
    // Whether the next start might find in the log a commit that failed, or might not find there, after a power cut,
    // what was flushed before one.
    bool log_in_doubt_ = false;
    bool flush_failed_ = false;
    bool moved_in_vain_ = false;  // what was moved into the database may be lost, and does not count as not moved yet

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    Jobs queue_;
    bool stopping_ = false;
    JournalStats stats_;
    Histogram commit_times_{Histogram::of_a_disk};
    std::function<void()> after_commits_;
    // Of the batch that is performed.
    Duration patience_left_{0};
    Duration waited_{0};
    boost::system::error_code waited_for_;
    std::atomic<bool> healthy_{true};
    std::atomic<const char*> moved_{nullptr};
    std::atomic<bool> damaged_{false};
    std::atomic<std::uint64_t> needed_bytes_{0};
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    std::thread thread_;
};

template <class T>
boost::asio::awaitable<Result<T>> Writer::run(Access access, std::function<Result<T>()> work) {
    std::optional<Result<T>> result;
    const Work keep_result = [&result, &work] {
        result.emplace(work());
        return result->has_error() ? result->error() : boost::system::error_code();
    };
    const auto committed = co_await commit(access, keep_result);
    if (committed.has_error()) co_return committed.error();
    co_return std::move(*result);
}

// Compiled once, in writer.cpp: each takes the compiler a seventh of a second.
extern template boost::asio::awaitable<Result<void>> Writer::run(Access, std::function<Result<void>()>);
extern template boost::asio::awaitable<Result<KeyState>> Writer::run(Access, std::function<Result<KeyState>()>);
extern template boost::asio::awaitable<Result<std::optional<Sale>>> Writer::run(
    Access, std::function<Result<std::optional<Sale>>()>);
extern template boost::asio::awaitable<Result<boost::json::array>> Writer::run(
    Access, std::function<Result<boost::json::array>()>);

}  // namespace gateway
