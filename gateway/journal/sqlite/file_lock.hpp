// Locks a file beside the journal for as long as the object lives, because each of two processes on one journal would
// believe that it alone carries its sales. The file stays afterwards. It says whether there was a journal, which sale
// was recorded in it last, how the last run of a gateway on it ended, and on which file its log stands.
#pragma once

#include "base/error.hpp"
#include "journal/sqlite/named_file.hpp"
#include "sale/sale.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gateway {

// Names the sale that was recorded last, and the length of its history at that time. A journal that has less of it is
// older.
struct RecordedSale {
    SaleId id;
    std::int64_t history = 0;  // characters
};

// Names a write-ahead log by its salts, and the beginning of the database's file, on which that log stands, by a
// digest.
struct LogBase {
    std::string log;  // hexadecimal, as the digest
    std::string database;

    bool operator==(const LogBase&) const = default;
};

// Says how far a run of a gateway on the journal has come, as the run itself noted.
enum class RunState {
    unknown,       // an earlier version noted nothing, or the note cannot be read
    begun,         // it is still running, did not end in order, or left no log; its last flush may have failed
    ended,         // it ended in order, and the whole log that it left is on the disk
    lost_commits,  // it found that the disk had lost flushed data, and it has not marked the journal yet
};

class FileLock {
  public:
    FileLock() = default;  // locks nothing
    // Locks the file. Fails with errc::journal_in_use where another process holds the lock, or with the operating
    // system's error.
    static Result<FileLock> take(const std::string& path);
    // Reads the notes in the file without locking it. Where the file cannot be read, there are no notes.
    static FileLock look(const std::string& path);
    // Makes an empty file that only its owner may read. An existing file keeps its content, and becomes unreadable for
    // all others.
    static Result<void> make_private(const std::string& path);

    bool is_held() const noexcept { return descriptor_ >= 0; }

    // Notes durably that there is a journal. One call is enough.
    Result<void> note_journal();
    bool notes_journal() const;

    // Notes which sale was recorded last, in a commit that has returned. The note is not flushed, so that it costs a
    // commit nothing: after a power cut there may be an older note, or none, but never a newer one.
    Result<void> note_recorded_sale(const RecordedSale& sale);
    // Returns nothing where no sale was noted, or where the note makes no sense.
    std::optional<RecordedSale> recorded_sale() const;
    // Removes the note of the last sale durably.
    Result<void> forget_recorded_sale();

    // Notes durably how the run stands, and on which boot of the machine it is (Clock::boot()). Where this cannot be
    // written, the earlier note is gone, too. A lock that holds nothing notes nothing.
    Result<void> note_run(RunState state, std::string_view boot);
    RunState run_state() const;
    // Tells whether the noted run was on this boot of the machine, or on an unknown one.
    bool run_was_on(std::string_view boot) const;

    // Notes on which file the log stands, without a flush. A note is made only behind one of a run.
    Result<void> note_log(const LogBase& base);
    std::optional<LogBase> noted_log() const;

    // Returns the file under the name by which it was locked. It may be called only while the lock is held.
    const NamedFile& file() const { return *file_; }

    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock();
    FileLock(FileLock&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)), file_(std::move(other.file_)) {}
    FileLock& operator=(FileLock&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        std::swap(file_, other.file_);
        return *this;
    }

  private:
    Result<void> write_at(std::size_t at, std::string_view text) const;
    std::string read_at(std::size_t at, std::size_t length) const;
    Result<void> blank_recorded_sale() const;

    int descriptor_ = -1;
    std::optional<NamedFile> file_;
};

}  // namespace gateway
