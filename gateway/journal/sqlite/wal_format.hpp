// What SQLite's write-ahead log looks like (https://sqlite.org/walformat.html), as far as this program has to know it:
// a header, and then frames, each a header of its own and a page.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gateway::wal {

inline constexpr int header_bytes = 32;
inline constexpr std::int64_t frame_header_bytes = 24;
// A disk writes and loses such a block as a whole; SQLite pads a commit up to the end of one.
inline constexpr std::int64_t block_bytes = 4'096;
using Header = std::array<char, header_bytes>;

// The index of the log in shared memory consists of pieces of so many bytes. Whoever has the lock of checkpoints on it
// may write there how many frames were moved into the database, in the machine's own order of bytes.
inline constexpr int index_piece_bytes = 32'768;
inline constexpr int checkpoint_lock = 1;
inline constexpr std::ptrdiff_t moved_in_index = 96;

// Of big-endian bytes, as all numbers of the log are but those that its checksums add up.
inline std::uint32_t number_at(const char* bytes) noexcept {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < sizeof(number); ++i)
        number = number << 8U | static_cast<unsigned char>(bytes[i]);
    return number;
}

// The size of the log's pages; 0: SQLite takes nothing from a log that begins so.
inline std::int64_t page_bytes(const Header& header) noexcept {
    constexpr std::size_t at = 8;
    constexpr std::uint32_t least = 512;
    constexpr std::uint32_t most = 65'536;
    const auto size = number_at(header.data() + at);
    return std::has_single_bit(size) && size >= least && size <= most ? size : 0;
}

// Whether the frame that begins there is of this run of the log, and not of an earlier one: by the salts of both.
inline bool is_of(const Header& header, const char* frame) noexcept {
    constexpr std::size_t in_header = 16;
    constexpr std::size_t in_frame = 8;
    constexpr std::size_t bytes = 8;
    return std::memcmp(frame + in_frame, header.data() + in_header, bytes) == 0;
}

// Whether the frame that begins there ends a commit, or fills one up.
inline bool ends_commit(const char* frame) noexcept {
    constexpr std::size_t pages_of_database = 4;
    return number_at(frame + pages_of_database) != 0;
}

}  // namespace gateway::wal
