// Tells how much room is left on the disk that a journal's file is on, and how much of it is needed next: by an hour of
// sales, or by a journal that is copied there.
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
    std::optional<std::uint64_t> free_inodes;  // each file needs one; nothing where the file system counts none
    std::uint64_t needed_bytes = 0;            // by what needed_for says
    std::string_view needed_for = "an hour of sales";

    // A start of the gateway and a backup make up to so many files.
    static constexpr std::uint64_t needed_inodes = 16;
    bool lacks_bytes() const noexcept { return free_bytes < needed_bytes; }
    bool lacks_inodes() const noexcept;
    bool is_full() const noexcept;
};

// Returns the room on the file's disk now, or nothing where the system does not say. Asking waits for no disk.
std::optional<DiskRoom> room_beside(const std::string& file, std::uint64_t needed_bytes);

// Says "1.2 MB are free in /var/lib/sales-gateway, and an hour of sales takes up to 5.1 MB"; where inodes are short, it
// says so too.
std::string in_words(const DiskRoom& room);

// Says why a write found no room where so much is free, and what to do. It calls no disk full that has room.
std::string why_no_room(const DiskRoom& room);

// An hour of sales takes at least so many bytes, in any store.
inline constexpr std::uint64_t least_needed_bytes = 500 * 4'096;
// Returns how many bytes an hour of sales may take: those of the busiest hour of the last seven days in which something
// was sold, and of 500 sales at least, each as large as one is on average in this journal. The write-ahead log has its
// room already. Looks up 169 sales by their ids, however many there are.
Result<std::uint64_t> needed_for_an_hour(sqlite::Database& journal);

// Makes the error of a write for which there was no room. Its words name the folder of the file, what is free there and
// what is needed; the system is asked whenever the words are wanted.
boost::system::error_code no_room_for(const std::string& file, std::uint64_t needed_bytes);
// Tells whether the error is one of no_room_for().
bool is_no_room(const boost::system::error_code& error) noexcept;

}  // namespace gateway
