// What a disk that lies leaves of the write-ahead log: commits that are whole, behind one that is missing or damaged.
// SQLite takes a log up to the first frame that is not whole and says nothing of what stands behind it: many sales may
// be lost with the one block that the disk did not write, although it was flushed.
//
// An honest disk leaves no such log. A commit is written once the one before it was flushed; one that was not flushed
// is written again in the same place; and frames that are left of an attempt that failed follow on none of a later one,
// for the checksum of each goes through all frames before it. Where two commits follow on each other and SQLite takes
// neither, the first of them was flushed therefore, and so was what is missing before it. (Of a program that writes to
// the journal without flushing it, the power cut takes its own last commits, and it looks the same.)
#pragma once

#include "journal/sqlite/wal_format.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gateway {

class LogGap {
  public:
    // Of the log that begins with this header.
    explicit LogGap(const wal::Header& header);

    // The next frame of the log, which is wal::frame_header_bytes + wal::page_bytes() long. Every frame is given, from
    // the first to the end of the file.
    void add(const char* frame);
    bool found() const noexcept { return found_; }
    // Whether what is written next would share a block of the disk with the last commit that SQLite takes, because that
    // one's padding is missing: a power cut took it, or another program wrote the commit. A power cut while that block
    // is written could take the commit along.
    bool exposes_last_commit() const noexcept;

  private:
    using Checksum = std::array<std::uint32_t, 2>;

    void add_up(Checksum& sum, const char* bytes, std::size_t length) const;
    bool follows(const char* frame) const;

    wal::Header header_;
    std::size_t page_bytes_;
    bool taken_ = true;              // by SQLite: every frame so far
    bool last_is_ours_ = true;       // of this run of the log
    bool last_ends_commit_ = false;  // and is whole: a header may have something of two attempts
    Checksum last_{};
    bool found_ = false;
    std::int64_t frames_ = 0;     // that are taken, up to now
    std::int64_t committed_ = 0;  // of these, up to the last one that ends a commit
    bool padded_ = false;         // that one repeats the one before it, and only fills that one's commit up
    std::string last_commit_;     // the last frame, where it ends a commit: what SQLite repeats of it
};

}  // namespace gateway
