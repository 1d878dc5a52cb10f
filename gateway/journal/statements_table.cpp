#include "journal/statements_table.hpp"

#include "journal/book_rows.hpp"

namespace gateway {
namespace {

// As rows::read_statement() takes them.
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
      last_(d, selected("?1 = source OR (?1 = '' AND source <> 'status')")),
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
        found = rows::read_statement(rows);
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
