#include "journal/schema.hpp"

#include <fmt/format.h>

#include <array>

namespace gateway {
namespace {

constexpr Migration embedded[] = {
#include "migrations.inc"
};

// "SalG" in the file's header tells a journal of ours from another program's database.
constexpr std::int64_t application_id = 0x53616c47;

using Migrated = boost::system::result<void, std::string>;

// Why the file's own words about itself cannot be read.
std::string illegible(sqlite::Connection& connection) {
    const bool damaged = sqlite::is_damage({sqlite3_errcode(connection.raw()), sqlite::category()});
    return fmt::format("{} (SQLite says: {})",
                       damaged ? "it is damaged, or not a database at all" : "SQLite cannot read it",
                       connection.message());
}

Migrated apply(sqlite::Connection& connection, const Migration& migration) {
    const auto failed = [&] {
        auto message = fmt::format("migration {} failed: {}", migration.name, connection.message());
        if (connection.in_transaction()) (void)connection.run("ROLLBACK");
        return message;
    };
    if (connection.run("BEGIN IMMEDIATE").has_error() || connection.run(migration.sql).has_error()) return failed();
    const auto version =
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, migration.number);
    if (connection.run(version.c_str()).has_error() || connection.run("COMMIT").has_error()) return failed();
    return {};
}

}  // namespace

std::span<const Migration> migrations() noexcept {
    return embedded;
}

boost::system::result<std::int64_t, std::string> schema_version(sqlite::Connection& connection,
                                                                std::span<const Migration> known) {
    const auto tables = connection.number("SELECT count(*) FROM sqlite_schema");
    if (tables.has_error()) return illegible(connection);
    const auto owner = connection.number("PRAGMA application_id");
    const auto version = connection.number("PRAGMA user_version");
    if (owner.has_error() || version.has_error()) return illegible(connection);
    if (*tables > 0 && *owner != application_id) return std::string("it is another program's database");
    if (*version > known.back().number)
        return fmt::format(
            "it was written by a newer version of this program (schema {}, this one knows {}): install "
            "that version again, or restore the copy made before the upgrade",
            *version, known.back().number);
    return *version;
}

Migrated bring_up_to_date(sqlite::Connection& connection, std::span<const Migration> known) {
    const auto version = schema_version(connection, known);
    if (version.has_error()) return version.error();
    for (const auto& migration : known)
        if (migration.number > *version)
            if (auto applied = apply(connection, migration); applied.has_error()) return applied.error();
    return {};
}

}  // namespace gateway
