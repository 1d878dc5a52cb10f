#include "journal/disk_room.hpp"

#include "base/in_words.hpp"
#include "base/ulid.hpp"
#include "journal/sqlite/database.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <mutex>

namespace gateway {
namespace {

constexpr std::int64_t hours_looked_at = 7 * 24;
constexpr std::int64_t usual_bytes = 4'096;
constexpr auto fewest_sales = static_cast<std::int64_t>(least_needed_bytes) / usual_bytes;
// With fewer sales than this, most of the file is not occupied by sales, so a sale is assumed to need the usual bytes.
constexpr std::int64_t sales_that_tell = 1'000;
// No more than this can be sold in an hour; a clock that was set back can make it seem that more were.
constexpr std::int64_t most_sales = 100'000;
constexpr std::uint64_t bytes_in_a_unit = 1'024;
// No write takes more than this at once, be it a commit of many sales or a part of the write-ahead log.
constexpr std::uint64_t largest_write = 1'048'576;

std::string folder_of(const std::string& file) {
    const auto folder = std::filesystem::path(file).parent_path().string();
    return folder.empty() ? "." : folder;
}

Result<std::int64_t> bytes_of_a_sale(sqlite::Database& journal, std::int64_t sales) {
    if (sales < sales_that_tell) return usual_bytes;
    const auto pages = journal.number("PRAGMA page_count");
    if (pages.has_error()) return pages.error();
    return std::max(usual_bytes, *pages * sqlite::page_bytes / sales);
}

// The sales are numbered in the order in which they were begun, and their ids sort by time.
Result<std::int64_t> sales_of_the_busiest_hour(sqlite::Database& journal, std::int64_t sales) {
    const auto newest = journal.ask("SELECT id FROM sales ORDER BY id DESC LIMIT 1");
    if (newest.has_error()) return newest.error();
    const auto id = newest->empty() ? std::nullopt : Ulid::parse(newest->front().text(0));
    if (!id) return 0;
    sqlite::Prepared first_since(journal.raw(), "SELECT n FROM sales WHERE id >= ? ORDER BY id LIMIT 1");
    std::int64_t busiest = 0;
    std::int64_t later = sales + 1;
    for (std::int64_t hour = 1; hour <= hours_looked_at; ++hour) {
        const auto since = Ulid::first_at(id->time() - std::chrono::hours(hour));
        const std::array bound{Value(since.text())};
        const auto found = first_since.ask(bound);
        if (found.has_error()) return found.error();
        if (found->empty()) return busiest;
        const auto first = found->front().integer(0);
        busiest = std::max(busiest, later - first);
        later = first;
    }
    return std::min(busiest, most_sales);
}

class NoRoom final : public boost::system::error_category {
  public:
    explicit NoRoom(std::string file) : file_(std::move(file)) {}
    const char* name() const noexcept override { return "journal room"; }
    // `needed` is the needed room in units of 1,024 bytes.
    std::string message(int needed) const override {
        const auto room = room_beside(file_, static_cast<std::uint64_t>(needed) * bytes_in_a_unit);
        return room ? why_no_room(*room) : "the disk is full";
    }

  private:
    const std::string file_;
};

// A category lives as long as the program, because its errors may be kept anywhere.
const NoRoom& category_of(const std::string& file) {
    static std::mutex mutex;
    static std::map<std::string, NoRoom> all;
    const std::lock_guard lock(mutex);
    return all.try_emplace(file, file).first->second;
}

}  // namespace

bool DiskRoom::lacks_inodes() const noexcept {
    return free_inodes.value_or(needed_inodes) < needed_inodes;
}

bool DiskRoom::is_full() const noexcept {
    return free_bytes < largest_write || free_inodes == 0u;
}

std::optional<DiskRoom> room_beside(const std::string& file, std::uint64_t needed_bytes) {
    auto folder = folder_of(file);
    struct statvfs disk {};
    if (::statvfs(folder.c_str(), &disk) != 0) return std::nullopt;
    DiskRoom room{.folder = std::move(folder),
                  .free_bytes = std::uint64_t(disk.f_bavail) * disk.f_frsize,
                  .total_bytes = std::uint64_t(disk.f_blocks) * disk.f_frsize,
                  .free_inodes = {},
                  .needed_bytes = needed_bytes};
    if (disk.f_files > 0) room.free_inodes = disk.f_favail;
    return room;
}

std::string in_words(const DiskRoom& room) {
    const auto inodes =
        room.lacks_inodes()
            ? fmt::format("; {} inodes are free, and a start of the gateway and a backup make up to {} files",
                          *room.free_inodes, DiskRoom::needed_inodes)
            : std::string();
    return fmt::format("{} are free in {}, and {} takes up to {}{}", bytes_in_words(room.free_bytes), room.folder,
                       room.needed_for, bytes_in_words(room.needed_bytes), inodes);
}

std::string why_no_room(const DiskRoom& room) {
    if (room.free_bytes < largest_write) return fmt::format("the disk is full: {}; make room on it", in_words(room));
    if (room.is_full()) return fmt::format("the disk has no inodes left: {}; remove files from it", in_words(room));
    return fmt::format(
        "there is no room to write, though {}: a quota, or a limit on the size of a file, is in the "
        "way, or room was made meanwhile",
        in_words(room));
}

Result<std::uint64_t> needed_for_an_hour(sqlite::Database& journal) {
    const auto sales = journal.number("SELECT coalesce(max(n), 0) FROM sales");
    if (sales.has_error()) return sales.error();
    const auto bytes = bytes_of_a_sale(journal, *sales);
    if (bytes.has_error()) return bytes.error();
    const auto busiest = sales_of_the_busiest_hour(journal, *sales);
    if (busiest.has_error()) return busiest.error();
    return static_cast<std::uint64_t>(std::max(*busiest, fewest_sales) * *bytes);
}

boost::system::error_code no_room_for(const std::string& file, std::uint64_t needed_bytes) {
    return {static_cast<int>(needed_bytes / bytes_in_a_unit), category_of(file)};
}

bool is_no_room(const boost::system::error_code& error) noexcept {
    return dynamic_cast<const NoRoom*>(&error.category()) != nullptr;
}

}  // namespace gateway
