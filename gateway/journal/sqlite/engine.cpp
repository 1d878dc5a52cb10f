#include "journal/sqlite/engine.hpp"

#include "journal/disk_room.hpp"
#include "journal/sqlite/lock_holder.hpp"
#include "journal/sqlite/log_gap.hpp"
#include "journal/sqlite/write_ahead_log.hpp"

#include <algorithm>
#include <array>

namespace gateway::sqlite {
namespace {

// A batch waits for other programs at most this long in all. That is many times the time that a checkpoint takes, or an
// edit that a person has already written. A sell, which waits 25 s, makes three commits and may queue behind one more;
// the watchdog is fed by a commit every 10 s, and ends the process after 30 s without one.
constexpr Duration lock_patience{2'000};
// A cashier notices a wait of this length.
constexpr Duration long_wait{1'000};
// The engine looks for the program that reads at most this often, because a look visits every open file of the machine.
constexpr Duration between_looks_for_reader{1'000};
// Beginning an exposed log anew is tried at most this often.
constexpr Duration between_beginnings{1'000};
// After this many commits it is tried again to make a log longer for which there was no room.
constexpr std::uint64_t commits_between_tries = 64;
// The engine looks after these times whether the other program has finished: soon after a short lock, and later as
// often as it does no harm.
constexpr std::array look_after{Duration(1), Duration(2), Duration(5), Duration(10), Duration(25)};

// Returns how many bytes a page takes in the log.
std::int64_t frame_bytes(Database& database) {
    const auto known = database.number("PRAGMA page_size");
    return (known.has_value() ? *known : page_bytes) + wal::frame_header_bytes;
}

}  // namespace

Engine::Engine(Database database, const Clock& clock, std::vector<SidecarFile> beside, std::int64_t log_bytes)
    : database_(std::move(database)),
      clock_(clock),
      beside_(std::move(beside)),
      log_bytes_(log_bytes),
      frame_bytes_(frame_bytes(database_)),
      most_logged_(log_bytes / 16 * 15 / frame_bytes_) {
    database_.wait_by(&Engine::go_on_waiting, this);
    sqlite3_wal_hook(database_.raw(), &Engine::note_logged, this);  // SQLite's hook moves them before a commit returns
}

bool Engine::end() {
    if (is_log_flushed()) move_log();
    return !flush_failed_;
}

Engine::~Engine() {
    // The last statement may close the database later than this.
    database_.wait_by(nullptr, nullptr);
    sqlite3_wal_hook(database_.raw(), nullptr, nullptr);
}

int Engine::note_logged(void* self, sqlite3*, const char*, int pages) {
    static_cast<Engine*>(self)->logged_ = pages;
    static_cast<Engine*>(self)->has_written_ = true;
    return SQLITE_OK;
}

// Moves as many of the log's pages into the database as other reading programs allow. SQLite flushes them only once it
// has moved all pages. Until then, a flush of the database that fails in another program could lose them.
void Engine::move_log() {
    int logged = 0;
    int moved = 0;
    const int code = sqlite3_wal_checkpoint_v2(database_.raw(), "main", SQLITE_CHECKPOINT_PASSIVE, &logged, &moved);
    note_failed_flush({code, category()});
    if (code == SQLITE_OK && moved < logged) note_failed_flush(flush_database(database_).error());
}

// Failures of the disk are not reported here, because the commits report them.
void Engine::rest() {
    look_for_reader();
    if (moved() || !healthy() || !is_log_flushed()) return;
    if (moved_in_vain_) moved_in_vain_ = !move_log_again(database_);
    if (logged_ >= most_logged_ && !moved_in_vain_) {
        logged_ = 0;  // until the next commit says otherwise
        move_log();
        reserve_index(database_);
    }
    grow_log_that_is_short();
}

// SQLite begins the log anew when all of it was moved and nobody reads in it any more. A log that is twice as long as
// it should be is therefore one that somebody is reading.
void Engine::look_for_reader() {
    const bool is_long = logged_ >= 2 * most_logged_;
    const bool begins_anew = logged_ > 0 && !is_long;
    if (is_long) kept_log_bytes_ = logged_ * frame_bytes_;
    if (kept_log_bytes_ == 0) return;
    if (!begins_anew && clock_.now() < looks_for_reader_from_) return;
    looks_for_reader_from_ = clock_.now() + between_looks_for_reader;
    const auto reader = begins_anew ? std::nullopt : read_by_another(database_.file());
    if (!reader) kept_log_bytes_ = 0;
    const std::lock_guard lock(mutex_);
    stats_.kept_log_bytes = kept_log_bytes_;
    stats_.log_kept_by = reader.value_or(boost::system::error_code());
}

void Engine::grow_log_that_is_short() {
    const auto commits = stats().commits;
    if (exposed_ || commits < grows_after_ || !is_log_shorter(database_, log_bytes_)) return;
    wait_no_longer();  // lets the log wait for no other program
    const auto grown = grow_log(database_, log_bytes_);
    after_commits_(grown.has_value());
    if (grown.has_value()) return;
    grows_after_ = commits + commits_between_tries;
    note_failed_flush(grown.error());
}

void Engine::note_failed_flush(const boost::system::error_code& error) {
    if (!is_failed_flush(error)) return;
    moved_in_vain_ = !move_log_again(database_);
    flush_failed_ = true;
}

// Ends the present transaction. After a flush that failed, the log is written again first: the padding of an earlier
// commit, which SQLite had not flushed yet and does not write again, may be lost, and all later commits depend on it.
Result<void> Engine::commit(bool changed) {
    if (flush_failed_) {
        if (auto again = write_log_again(database_.file(), database_.vfs()); again.has_error()) return again;
        flush_failed_ = false;
    }
    const auto begun = clock_.now();
    auto committed = commit_.run();
    if (!changed) return committed;  // nothing was flushed
    log_in_doubt_ = committed.has_error();
    if (log_in_doubt_) return committed;
    const std::lock_guard lock(mutex_);
    commit_times_.add(clock_.now() - begun);
    return committed;
}

// Is called after a commit that failed, before anybody is told. The next start could take that commit for done, because
// its frames may all be there where its flush failed, or where there was no room for its padding. Where the mending
// fails, too, the next commit overwrites it.
void Engine::mend_log() {
    if (!log_in_doubt_) return;
    auto mended = begin_.run();
    if (mended.has_value()) mended = change_nothing(database_);
    // This commit overwrites what the failed one has left. Writing the log again first could fail.
    if (mended.has_value()) mended = commit_.run();
    log_in_doubt_ = mended.has_error();
    if (mended.has_error()) note_failed_flush(mended.error());
    if (database_.in_transaction()) (void)rollback_.run();
}

// Performs all tasks in one transaction. Where it fails, none of them has happened.
void Engine::perform(std::span<Task* const> tasks) {
    const auto writers =
        static_cast<std::uint64_t>(std::ranges::count_if(tasks, [](const Task* task) { return writes(task->access); }));
    patience_left_ = lock_patience;
    waited_ = Duration(0);
    look_for_files();
    const auto exposed = writers > 0 ? begin_anew_where_exposed() : boost::system::error_code();
    const auto failed = exposed ? exposed : perform_all(tasks, writers > 0);
    if (failed) {
        const auto why = note_failed_job(failed);
        if (database_.in_transaction()) (void)rollback_.run();
        mend_log();
        // A full disk, or another program that writes, does not keep the engine from reading.
        const bool reads = !database_.in_transaction();
        for (auto* const task : tasks)
            task->outcome = exposed                          ? perform_exposed(*task)
                            : reads && !writes(task->access) ? perform_alone(*task)
                                                             : why;
    }
    // A job that only reads marks a sale that it cannot read, and goes on where the disk refuses that.
    const auto unflushed = transaction_.take_failed_flush();
    note_failed_flush(unflushed);
    if (writers > 0 || unflushed) take_stock(failed ? failed : unflushed, writers);
}

// Says how the commit of a batch with so many jobs that write has ended.
void Engine::take_stock(const boost::system::error_code& failed, std::uint64_t writers) {
    const auto why = in_words(failed);
    after_commits_(!failed);
    // A commit that had nothing to write, for example because a key was known, does not tell whether the journal can be
    // written. Neither does one on a disk that is still full: the log may have room for what it wrote, but not for a
    // sale.
    const bool tells = failed || (has_written_ && !is_full_still());
    if (tells) healthy_.store(!failed && !moved(), std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    stats_.commits += failed ? 0 : 1;
    stats_.failures += failed ? 1 : 0;
    if (failed) stats_.last_failure = why;
    stats_.steps += writers;
    if (tells) {
        stats_.failure = why;
        stats_.locked = is_busy(failed);
    }
    if (failed || waited_ < long_wait) return;
    ++stats_.long_waits;
    stats_.long_for = waited_for_;
}

void Engine::protect_last_commit(const boost::system::error_code& why, std::function<void()> written) {
    exposed_ = why;
    before_it_is_written_ = std::move(written);
    healthy_.store(false, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    stats_.failure = in_words(why);
}

// Each call moves all pages of the log, as far as there is room.
boost::system::error_code Engine::begin_anew_where_exposed() {
    if (!exposed_ || clock_.now() < begins_anew_from_) return exposed_;
    begins_anew_from_ = clock_.now() + between_beginnings;
    if (moved_in_vain_) moved_in_vain_ = !move_log_again(database_);
    if (moved_in_vain_) return exposed_;
    patience_left_ = Duration(0);  // a program may be reading the log for minutes
    auto begun = begin_log_anew(database_);
    patience_left_ = lock_patience;
    if (begun.has_value() || is_failed_flush(begun.error())) before_it_is_written_();
    if (begun.has_value()) begun = database_.run("PRAGMA query_only = OFF");
    exposed_ = begun.has_error() ? begun.error() : boost::system::error_code();
    return exposed_;
}

// Tells whether the last commit that told anything found no room on the disk, and there is still none. Only the
// journal's thread calls this.
bool Engine::is_full_still() const {
    if (!is_no_room(stats_.failure)) return false;
    const auto room = room_beside(database_.file(), needed_bytes());
    return room && room->is_full();
}

// Performs a job that only reads, of a batch that failed.
Result<void> Engine::perform_alone(const Task& task) {
    const auto outcome = run_to_end((*task.work)(transaction_));
    if (outcome.has_error()) return note_failed_job(outcome.error());
    return outcome;
}

// Notes what the error of a job tells of the disk. Returns it for the caller.
boost::system::error_code Engine::note_failed_job(const boost::system::error_code& error) {
    note_failed_flush(error);
    if (is_damage(error)) damaged_.store(true, std::memory_order_relaxed);
    return in_words(error);
}

// Performs a job while the database may only be read. A job that finds nothing to write succeeds all the same.
Result<void> Engine::perform_exposed(const Task& task) {
    auto outcome = perform_alone(task);
    const bool has_written = outcome.has_error() && outcome.error().category() == category();
    if (has_written && writes(task.access)) outcome = in_words(exposed_);
    return outcome;
}

// The other program is looked for now, because it may be gone when the operator asks.
boost::system::error_code Engine::in_words(const boost::system::error_code& failed) const {
    if (needed_bytes() > 0 && database_.found_no_room(failed)) return no_room_for(database_.file(), needed_bytes());
    if (!is_busy(failed)) return failed;
    const auto reader = exposed_ ? read_by_another(database_.file()) : std::nullopt;
    return reader ? *reader : locked_by_another(database_.file());
}

int Engine::go_on_waiting(void* self, int tries) {
    return static_cast<Engine*>(self)->wait_for_another(tries) ? 1 : 0;
}

// SQLite calls this in a job, or where a commit begins.
bool Engine::wait_for_another(int tries) {
    const auto pause =
        std::min(look_after.at(std::min(static_cast<std::size_t>(tries), look_after.size() - 1)), patience_left_);
    if (stopping_.load(std::memory_order_relaxed) || pause <= Duration(0)) return false;
    if (waited_ == Duration(0)) {
        const std::lock_guard lock(mutex_);
        ++stats_.waits;
    }
    database_.pause(pause);
    patience_left_ -= pause;
    const bool was_short = waited_ < long_wait;
    waited_ += pause;
    if (was_short && waited_ >= long_wait) waited_for_ = locked_by_another(database_.file());
    return true;
}

void Engine::look_for_files() {
    const auto lost = std::ranges::find_if(beside_, [](const SidecarFile& one) { return !one.file.has_name(); });
    const char* moved = lost != beside_.end() ? lost->ending : nullptr;
    if (database_.has_moved()) moved = "";  // this matters most: the others are made anew where it is
    moved_.store(moved, std::memory_order_relaxed);
    if (moved != nullptr) healthy_.store(false, std::memory_order_relaxed);
}

boost::system::error_code Engine::perform_all(std::span<Task* const> tasks, bool in_transaction) {
    has_written_ = false;
    const auto changes = database_.total_changes();
    if (in_transaction)
        if (const auto begun = begin_.run(); begun.has_error()) return begun.error();
    if (waited_ > Duration(0)) look_for_files();  // they may have been moved during the wait
    for (auto* const task : tasks) {
        task->outcome = run_to_end((*task->work)(transaction_));
        // Only SQLite's own failures to write are the batch's; any other error of a job concerns that job alone.
        if (task->outcome.has_error() && task->outcome.error().category() == category()) {
            if (writes(task->access)) return task->outcome.error();
            task->outcome = note_failed_job(task->outcome.error());
        }
        // A statement may have failed so badly that SQLite rolled the transaction back.
        if (in_transaction && !database_.in_transaction()) return {SQLITE_ABORT_ROLLBACK, category()};
    }
    if (!in_transaction) return {};
    const bool changed = database_.total_changes() != changes;
    // A caller that asked for what is so already gets an answer all the same.
    if (moved() && changed) return {SQLITE_READONLY_DBMOVED, category()};
    const auto committed = commit(changed);
    return committed.has_error() ? committed.error() : boost::system::error_code();
}

JournalStats Engine::stats() const {
    const std::lock_guard lock(mutex_);
    auto stats = stats_;
    stats.flush_times = commit_times_;
    stats.damaged = damaged();
    if (const char* const ending = moved_ending(); ending != nullptr) stats.moved_file = ending;
    return stats;
}

}  // namespace gateway::sqlite
