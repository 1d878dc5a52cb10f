// Finds the traces that a disk which falsely reports its flushes leaves in the write-ahead log: whole commits behind
// one that is missing or damaged. SQLite reads a log up to the first frame that is not whole, and does not mention what
// stands behind it. With the one block that the disk did not write, although it was flushed, many sales may be lost.
//
// An honest disk leaves no such log. A commit is written after the one before it was flushed; one that was not flushed
// is written again in the same place. Frames that are left of a failed attempt do not follow on frames of a later one,
// because the checksum of each frame covers all frames before it. So where two commits follow on each other and SQLite
// reads neither, the first of them was flushed, and so was whatever is missing before it. (Where a program writes to
// the journal without flushing, a power cut takes that program's last commits, and the log looks the same.)
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace gateway {

// These are the parts of SQLite's write-ahead log that this program has to know (https://sqlite.org/walformat.html).
// The log is a header and then frames; each frame is a header of its own and a page.
namespace wal {

inline constexpr int header_bytes = 32;
inline constexpr std::int64_t frame_header_bytes = 24;
// A disk writes and loses a block of this size as a whole. SQLite pads a commit up to the end of a block.
inline constexpr std::int64_t block_bytes = 4'096;
using Header = std::array<char, header_bytes>;

// Reads a big-endian number. All numbers of the log are big-endian, except for those that the checksums add up.
inline std::uint32_t number_at(const char* bytes) noexcept {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < sizeof(number); ++i)
        number = number << 8U | static_cast<unsigned char>(bytes[i]);
    return number;
}

// Returns the size of the log's pages; 0: SQLite reads nothing from a log with this header.
inline std::int64_t page_bytes(const Header& header) noexcept {
    constexpr std::size_t at = 8;
    constexpr std::uint32_t least = 512;
    constexpr std::uint32_t most = 65'536;
    const auto size = number_at(header.data() + at);
    return std::has_single_bit(size) && size >= least && size <= most ? size : 0;
}

// Tells by the salts of both whether the frame belongs to this run of the log, and not to an earlier one.
inline bool is_of(const Header& header, const char* frame) noexcept {
    constexpr std::size_t in_header = 16;
    constexpr std::size_t in_frame = 8;
    constexpr std::size_t bytes = 8;
    return std::memcmp(frame + in_frame, header.data() + in_header, bytes) == 0;
}

// Tells whether the frame ends a commit, or pads one.
inline bool ends_commit(const char* frame) noexcept {
    constexpr std::size_t pages_of_database = 4;
    return number_at(frame + pages_of_database) != 0;
}

}  // namespace wal

class LogGap {
  public:
    // Begins to look at a log that has this header.
    explicit LogGap(const wal::Header& header);

    // Takes the next frame of the log, which is wal::frame_header_bytes + wal::page_bytes() long. The caller passes
    // every frame, from the first one to the end of the file.
    void add(const char* frame);
    bool found() const noexcept { return found_; }
    // Tells whether what is written next would share a block of the disk with the last commit that SQLite reads. That
    // is so where the commit's padding is missing: a power cut took it, or another program wrote the commit. A power
    // cut while that block is written could destroy the commit.
    bool exposes_last_commit() const noexcept;

  private:
    using Checksum = std::array<std::uint32_t, 2>;

    void add_up(Checksum& sum, const char* bytes, std::size_t length) const;
    bool follows(const char* frame) const;

    wal::Header header_;
    std::size_t page_bytes_;
    bool taken_ = true;              // SQLite reads every frame so far
    bool last_is_ours_ = true;       // the last frame belongs to this run of the log
    bool last_ends_commit_ = false;  // it ends a commit and is whole; a header alone may be of two attempts
    Checksum last_{};
    bool found_ = false;
    std::int64_t frames_ = 0;     // how many frames SQLite reads, so far
    std::int64_t committed_ = 0;  // how many of them there are up to the last one that ends a commit
    bool padded_ = false;         // that last frame repeats the one before it, and only pads its commit
    std::string last_commit_;     // what padding repeats of the last frame, where that ends a commit
};

}  // namespace gateway
