// Tells how much room is left on the disk that holds a journal's file, and how much is needed next: for an hour of
// sales, or for a journal that is copied to that disk.
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
    std::uint64_t needed_bytes = 0;            // for the purpose that needed_for names
    std::string_view needed_for = "an hour of sales";

    // A start of the gateway and a backup together make up to this many files.
    static constexpr std::uint64_t needed_inodes = 16;
    bool lacks_bytes() const noexcept { return free_bytes < needed_bytes; }
    bool lacks_inodes() const noexcept;
    bool is_full() const noexcept;
};

// Returns the room that is left on the file's disk now, or nothing where the system does not say. The call does not
// wait for the disk.
std::optional<DiskRoom> room_beside(const std::string& file, std::uint64_t needed_bytes);

// Says for example "1.2 MB are free in /var/lib/sales-gateway, and an hour of sales takes up to 5.1 MB". Where inodes
// are short, it says that too.
std::string in_words(const DiskRoom& room);

// Says why a write failed for lack of room although room is free as `room` says, and what to do. It does not call a
// disk full that has room.
std::string why_no_room(const DiskRoom& room);

// An hour of sales takes at least this many bytes, in any store.
inline constexpr std::uint64_t least_needed_bytes = 500 * 4'096;
// Returns how many bytes an hour of sales may take. It counts the sales of the busiest hour of the last seven days in
// which something was sold, but at least 500, each with the average size of a sale in this journal. The write-ahead log
// is not counted, because it has its room already. The call looks up 169 sales by their ids, however many sales there
// are.
Result<std::uint64_t> needed_for_an_hour(sqlite::Database& journal);

// Makes the error of a write for which there was no room. Its message names the folder of the file, what is free there
// and what is needed; the free room is asked for anew whenever the message is read.
boost::system::error_code no_room_for(const std::string& file, std::uint64_t needed_bytes);
// Tells whether the error is one of no_room_for().
bool is_no_room(const boost::system::error_code& error) noexcept;

}  // namespace gateway
