#include "journal/log_making.hpp"

#include "journal/log_vfs.hpp"

namespace gateway {
namespace {

// There and back: SQLite writes no page whose content an update leaves as it was, and a commit without a page flushes
// nothing.
constexpr const char* harmless_write =
    "UPDATE erasure SET done_until = done_until || '.';"
    "UPDATE erasure SET done_until = substr(done_until, 1, length(done_until) - 1)";

}  // namespace

Result<void> make_log(sqlite::Database& database, std::int64_t bytes) {
    if (auto begun = database.run("BEGIN IMMEDIATE"); begun.has_error()) return begun;
    auto made = LogVfs::lay_out(database, bytes);
    if (made.has_value()) made = write_harmlessly(database);
    if (made.has_value()) made = database.run("COMMIT");
    if (database.in_transaction()) (void)database.run("ROLLBACK");
    return made;
}

Result<std::int64_t> pages_in_log(sqlite::Database& database, std::int64_t bytes) {
    constexpr std::int64_t frame_header_bytes = 24;  // https://sqlite.org/walformat.html
    const auto page_bytes = database.number("PRAGMA page_size");
    if (page_bytes.has_error()) return page_bytes.error();
    return bytes / (*page_bytes + frame_header_bytes);
}

Result<void> write_harmlessly(sqlite::Database& database) {
    return database.run(harmless_write);
}

}  // namespace gateway
