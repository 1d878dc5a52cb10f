// The room on the disk of this machine that a journal's file is on, and what is about to be written takes of it: an
// hour of sales, or a journal that is copied there.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

namespace sqlite {
class Database;
}

struct DiskRoom {
    std::string folder;  // of the journal
    std::uint64_t free_bytes = 0;
    std::uint64_t total_bytes = 0;
    std::optional<std::uint64_t> free_inodes;  // one a file; nothing where the file system counts none
    std::uint64_t needed_bytes = 0;            // what that may take
    std::string_view needed_for = "an hour of sales";

    // Files that a start of the gateway and a backup make.
    static constexpr std::uint64_t needed_inodes = 16;
    bool lacks_bytes() const noexcept { return free_bytes < needed_bytes; }
    bool lacks_inodes() const noexcept;
    bool is_full() const noexcept;
};

// Of the file's disk now; nothing where the system does not say. Asking waits for no disk.
std::optional<DiskRoom> room_beside(const std::string& file, std::uint64_t needed_bytes);

// "1.2 MB are free in /var/lib/sales-gateway, and an hour of sales takes up to 5.1 MB"; where inodes are short, of them
// too.
std::string in_words(const DiskRoom& room);

// Why nothing could be written where so much room is left, and what to do: no disk is full that has it.
std::string why_no_room(const DiskRoom& room);

// What an hour of sales takes in any store, in bytes.
inline constexpr std::uint64_t least_needed_bytes = 500 * 4'096;
// What an hour of sales may take, in bytes: the sales of the busiest hour of the last seven days in which something was
// sold, and 500 at least, each as large as one is on average in this journal; the write-ahead log has its room already.
// Looks up 169 sales by their ids, however many there are.
Result<std::uint64_t> needed_for_an_hour(sqlite::Database& journal);

// The error of a write for which there was no room. Its words name the folder of the file, what is free there and what
// is needed; the system is asked whenever the words are wanted.
boost::system::error_code no_room_for(const std::string& file, std::uint64_t needed_bytes);
// Returns whether the error is one of no_room_for().
bool is_no_room(const boost::system::error_code& error) noexcept;

}  // namespace gateway
