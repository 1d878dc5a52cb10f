// Finds what a disk that lies leaves of the write-ahead log: whole commits behind one that is missing or damaged.
// SQLite takes a log up to the first frame that is not whole and says nothing of what stands behind it: many sales may
// be lost with the one block that the disk did not write, although it was flushed.
//
// An honest disk leaves no such log. A commit is written once the one before it was flushed; one that was not flushed
// is written again in the same place; and frames that are left of a failed attempt follow on none of a later one, for
// the checksum of each goes through all frames before it. So where two commits follow on each other and SQLite takes
// neither, the first of them was flushed, and so was what is missing before it. (Where a program writes to the journal
// without flushing it, a power cut takes its own last commits, and it looks the same.)
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace gateway {

// SQLite's write-ahead log looks like this (https://sqlite.org/walformat.html), as far as this program has to know it:
// a header, and then frames, each a header of its own and a page.
namespace wal {

inline constexpr int header_bytes = 32;
inline constexpr std::int64_t frame_header_bytes = 24;
// A disk writes and loses such a block as a whole; SQLite pads a commit up to the end of one.
inline constexpr std::int64_t block_bytes = 4'096;
using Header = std::array<char, header_bytes>;

// Reads big-endian bytes, as all numbers of the log are but those that its checksums add up.
inline std::uint32_t number_at(const char* bytes) noexcept {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < sizeof(number); ++i)
        number = number << 8U | static_cast<unsigned char>(bytes[i]);
    return number;
}

// Returns the size of the log's pages; 0: SQLite takes nothing from a log that begins so.
inline std::int64_t page_bytes(const Header& header) noexcept {
    constexpr std::size_t at = 8;
    constexpr std::uint32_t least = 512;
    constexpr std::uint32_t most = 65'536;
    const auto size = number_at(header.data() + at);
    return std::has_single_bit(size) && size >= least && size <= most ? size : 0;
}

// Tells by the salts of both whether the frame that begins there is of this run of the log, and not of an earlier one.
inline bool is_of(const Header& header, const char* frame) noexcept {
    constexpr std::size_t in_header = 16;
    constexpr std::size_t in_frame = 8;
    constexpr std::size_t bytes = 8;
    return std::memcmp(frame + in_frame, header.data() + in_header, bytes) == 0;
}

// Tells whether the frame that begins there ends a commit, or fills one up.
inline bool ends_commit(const char* frame) noexcept {
    constexpr std::size_t pages_of_database = 4;
    return number_at(frame + pages_of_database) != 0;
}

}  // namespace wal

class LogGap {
  public:
    // Looks at the log that begins with this header.
    explicit LogGap(const wal::Header& header);

    // Takes the next frame of the log, which is wal::frame_header_bytes + wal::page_bytes() long. Every frame is given,
    // from the first to the end of the file.
    void add(const char* frame);
    bool found() const noexcept { return found_; }
    // Tells whether what is written next would share a block of the disk with the last commit that SQLite takes,
    // because that one's padding is missing: a power cut took it, or another program wrote the commit. A power cut
    // while that block is written could take the commit along.
    bool exposes_last_commit() const noexcept;

  private:
    using Checksum = std::array<std::uint32_t, 2>;

    void add_up(Checksum& sum, const char* bytes, std::size_t length) const;
    bool follows(const char* frame) const;

    wal::Header header_;
    std::size_t page_bytes_;
    bool taken_ = true;              // SQLite takes every frame so far
    bool last_is_ours_ = true;       // the last frame is of this run of the log
    bool last_ends_commit_ = false;  // and is whole: a header may have something of two attempts
    Checksum last_{};
    bool found_ = false;
    std::int64_t frames_ = 0;     // that SQLite takes, up to now
    std::int64_t committed_ = 0;  // of these, those up to the last one that ends a commit
    bool padded_ = false;         // that last one repeats the one before it, and only fills up its commit
    std::string last_commit_;     // what SQLite repeats of the last frame, where that ends a commit
};

}  // namespace gateway
