#include "journal/statements_table.hpp"

#include "base/utf8.hpp"
#include "journal/rows.hpp"

#include <algorithm>

namespace gateway {
namespace {

// Nothing where this program cannot have written the row.
std::optional<KeptStatement> read_statement(const sqlite::Statement& row) {
    const auto day = row.is_text(1) ? parse_day(row.text(1)) : std::nullopt;
    const auto read_at = rows::readable_time(row, 6);
    const auto is_text = [&](int column) { return row.is_text(column) && is_utf8(row.text(column)); };
    const auto is_count = [&](int column) { return row.is_integer(column) && row.integer(column) >= 0; };
    const bool texts = std::ranges::all_of(std::array{2, 3, 4, 5, 7, 8}, is_text);
    const bool counts = std::ranges::all_of(std::array{9, 10, 11, 12}, is_count);
    if (!day || !read_at || !texts || !counts) return std::nullopt;
    KeptStatement statement{.id = row.integer(0), .day = *day};
    statement.source = row.text(2);
    statement.network = row.text(3);
    statement.digest = row.text(4);
    statement.reading = row.text(5);
    statement.read_at = *read_at;
    statement.by = row.text(7);
    statement.header_money = row.text(8);
    statement.rows = row.integer(9);
    statement.matched = row.integer(10);
    statement.others = row.integer(11);
    statement.findings = row.integer(12);
    statement.replaced = row.optional_integer(13);
    if (const auto counts_now = row.optional_integer(14); counts_now && *counts_now != statement.id)
        statement.superseded = counts_now;
    return statement;
}

std::string selected(const std::string& which) {
    return "SELECT id, day, source, network, digest, reading, read_at, read_by, header_money, rows, matched, others,"
           " findings, replaced, (SELECT max(id) FROM statements AS s WHERE s.day = statements.day)"
           " FROM statements WHERE " +
           which + " ORDER BY id DESC";
}

}  // namespace

StatementsTable::StatementsTable(sqlite::Database& d, UnreadableSales& unreadable)
    : database_(d),
      unreadable_(unreadable),
      by_digest_(d, selected("digest = ? AND reading = ?")),
      latest_(d, "SELECT max(id) FROM statements WHERE day = ?"),
      last_(d, selected("?1 IN ('', source)")),
      list_(d, selected("id < coalesce(?1, 9223372036854775807)")),
      insert_(d,
              "INSERT INTO statements (day, source, network, digest, reading, read_at, read_by, header_money, rows,"
              " matched, others, findings, replaced) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)") {}

Result<std::optional<KeptStatement>> StatementsTable::find(const std::string& digest, const std::string& reading) {
    by_digest_.bind_all(digest, reading);
    return first_readable(by_digest_);
}

Result<std::optional<KeptStatement>> StatementsTable::last(const std::string& source) {
    last_.bind_all(source);
    return first_readable(last_);
}

Result<std::vector<KeptStatement>> StatementsTable::list(std::optional<std::int64_t> before, std::size_t limit) {
    list_.bind_all(before);
    std::vector<KeptStatement> found;
    while (found.size() < limit) {
        auto next = next_readable(list_);
        if (next.has_error()) return next.error();
        if (!*next) break;
        found.push_back(std::move(**next));
    }
    list_.reset();
    return found;
}

Result<std::optional<KeptStatement>> StatementsTable::first_readable(sqlite::Statement& rows) {
    auto found = next_readable(rows);
    rows.reset();
    return found;
}

Result<std::optional<KeptStatement>> StatementsTable::next_readable(sqlite::Statement& rows) {
    std::optional<KeptStatement> found;
    while (!found) {
        const auto row = rows.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        found = read_statement(rows);
        if (!found && known_unreadable_.insert(rows.integer(0)).second) unreadable_.add_values(1);
    }
    return found;
}

Result<KeptStatement> StatementsTable::insert(KeptStatement statement) {
    const auto before = latest_of(statement.day);
    if (before.has_error()) return before.error();
    statement.replaced = *before;
    const auto& s = statement;
    if (auto r = insert_.run(to_text(s.day), s.source, rows::shown(s.network), s.digest, s.reading,
                             rows::milliseconds(s.read_at), rows::shown(s.by), s.header_money, s.rows, s.matched,
                             s.others, s.findings, s.replaced);
        r.has_error())
        return r.error();
    statement.id = sqlite3_last_insert_rowid(database_.raw());
    return statement;
}

Result<std::optional<std::int64_t>> StatementsTable::latest_of(Day day) {
    const auto text = to_text(day);
    latest_.bind_all(text);
    const auto row = latest_.step();
    if (row.has_error()) return row.error();
    const auto id = latest_.optional_integer(0);
    latest_.reset();
    return id;
}

}  // namespace gateway
