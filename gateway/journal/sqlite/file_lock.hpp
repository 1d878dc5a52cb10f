// Locks a file beside the journal as long as the object lives: two processes on one journal would each believe that
// they alone own its sales. The file stays, and says whether there was a journal, which sale was recorded in it last,
// and how the last run of a gateway on it stood.
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

// This is the sale that was recorded last, and how long its history was then. A journal with less of it is older.
struct RecordedSale {
    SaleId id;
    std::int64_t history = 0;  // characters
};

// Says how far a run of a gateway on the journal had come, by its own last word.
enum class RunState {
    unknown,       // an earlier version noted nothing, or the note cannot be read
    begun,         // it goes on, did not end in order, or left no log; its last flush may have failed
    ended,         // it ended in order, and all of the log that it left is on the disk
    lost_commits,  // it found that the disk had lost what it had flushed, and has not marked the journal yet
};

class FileLock {
  public:
    FileLock() = default;  // holds nothing
    // Fails with errc::journal_in_use where another one holds it, or with the operating system's own error.
    static Result<FileLock> take(const std::string& path);
    // Holds nothing, and shows what another one may have noted; nothing was noted where the file cannot be read.
    static FileLock look(const std::string& path);
    // Makes the file, empty, for its owner alone. A file that is there already is taken away from all others.
    static Result<void> make_private(const std::string& path);

    // Writes into the file, for good, that there is a journal. Once is enough.
    Result<void> note_journal();
    bool notes_journal() const;

    // Writes into the file which sale was recorded last, in a commit that has returned. It is not flushed to the disk,
    // so that it costs a commit nothing: after a power cut an older note may be there, or none, and never a newer one.
    Result<void> note_recorded_sale(const RecordedSale& sale);
    // Returns nothing where none was noted, or the note makes no sense.
    std::optional<RecordedSale> recorded_sale() const;
    // Forgets it for good.
    Result<void> forget_recorded_sale();

    // Writes into the file how the run stands, and on which boot of the machine (Clock::boot()). It outlives a power
    // cut. Where it cannot be written, nothing that was noted before is left. A lock that holds nothing notes nothing.
    Result<void> note_run(RunState state, std::string_view boot);
    RunState run_state() const;
    // Tells whether that run was on this boot of the machine, or on one that is not known.
    bool run_was_on(std::string_view boot) const;

    // Returns the file, by the name that it was locked by. Only a lock that is held has one.
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
