#include "journal/sqlite/schema.hpp"

#include <fmt/format.h>

#include <array>

namespace gateway {
namespace {

constexpr Migration embedded[] = {
#include "migrations.inc"
};

// These four letters, "SalG", in the file's header distinguish our journal from another program's database.
constexpr std::int64_t application_id = 0x53616c47;

// Says why the header and the schema of the file cannot be read.
std::string illegible(sqlite::Database& database) {
    const bool damaged = sqlite::is_damage({sqlite3_errcode(database.raw()), sqlite::category()});
    return fmt::format("{} (SQLite says: {})",
                       damaged ? "it is damaged, or not a database at all" : "SQLite cannot read it",
                       database.message());
}

Result<void> apply(sqlite::Database& database, const Migration& migration) {
    if (auto r = database.run(migration.sql); r.has_error()) return r;
    const auto version =
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, migration.number);
    return database.run(version.c_str());
}

}  // namespace

std::span<const Migration> migrations() noexcept {
    return embedded;
}

Explained<std::int64_t> schema_version(sqlite::Database& database, std::span<const Migration> known) {
    const auto tables = database.number("SELECT count(*) FROM sqlite_schema");
    if (tables.has_error()) return illegible(database);
    const auto owner = database.number("PRAGMA application_id");
    const auto version = database.number("PRAGMA user_version");
    if (owner.has_error() || version.has_error()) return illegible(database);
    const auto page_bytes = database.number("PRAGMA page_size");
    if (page_bytes.has_error()) return illegible(database);
    if (*tables > 0 && *owner != application_id) return std::string("it is another program's database");
    if (*version > known.back().number)
        return fmt::format(
            "it was written by a newer version of this program (schema {}, this one knows {}): install "
            "that version again, or restore the copy made before the upgrade",
            *version, known.back().number);
    if (*page_bytes < sqlite::page_bytes)
        return fmt::format(
            "it has pages of {} bytes, as no released version made it, and a power cut may damage such a journal: with "
            "the gateway stopped, sqlite3 '{}' 'PRAGMA journal_mode = DELETE; PRAGMA page_size = {}; VACUUM' writes it "
            "with pages that are safe",
            *page_bytes, database.file(), sqlite::page_bytes);
    return *version;
}

Explained<void> bring_up_to_date(sqlite::Database& database, std::span<const Migration> known,
                                 const std::function<Result<void>()>& with) {
    const auto version = schema_version(database, known);
    if (version.has_error()) return version.error();
    if (*version == known.back().number && !with) return {};
    const auto failed = [&](const std::string& what) {
        auto message = fmt::format("{}: {}", what, database.message());
        if (database.in_transaction()) (void)database.run("ROLLBACK");
        return message;
    };
    const std::string cannot_be_written = "it cannot be written";
    if (database.run("BEGIN IMMEDIATE").has_error()) return failed(cannot_be_written);
    for (const auto& migration : known)
        if (migration.number > *version && apply(database, migration).has_error())
            return failed(fmt::format("migration {} failed", migration.name));
    if (with && with().has_error()) return failed(cannot_be_written);
    if (database.run("COMMIT").has_error()) return failed(cannot_be_written);
    return {};
}

}  // namespace gateway
