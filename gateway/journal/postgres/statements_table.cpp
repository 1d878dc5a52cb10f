#include "journal/postgres/statements_table.hpp"

#include "journal/book_rows.hpp"

#include <fmt/format.h>

namespace gateway::postgres {
namespace {

constexpr char select_statement[] =
    "SELECT id, day, source, network, digest, reading, read_at, read_by, header_money, rows, matched, others,"
    " findings, replaced, (SELECT max(id) FROM statements AS s WHERE s.day = statements.day) FROM statements WHERE ";
constexpr auto by_digest_sql = sql(select_statement, "digest = $1 AND reading = $2 ORDER BY id DESC");
constexpr Statement statement_by_digest{"statement_by_digest", by_digest_sql.text};
// The first of them that can be read.
constexpr auto of_source_sql = sql(select_statement,
                                   "($1 = source OR ($1 = '' AND source <> 'status'))"
                                   " ORDER BY id DESC LIMIT 50");
constexpr Statement statements_of_source{"statements_of_source", of_source_sql.text};
constexpr auto before_sql = sql(select_statement, "id < coalesce($1, 9223372036854775807) ORDER BY id DESC LIMIT $2");
constexpr Statement statements_before{"statements_before", before_sql.text};
constexpr Statement lock_statements{"lock_statements",
                                    "SELECT pg_advisory_xact_lock(hashtextextended('statements', 0))"};
constexpr Statement insert_statement{
    "insert_statement",
    "INSERT INTO statements (day, source, network, digest, reading, read_at, read_by, header_money, rows, matched,"
    " others, findings, replaced) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,"
    " (SELECT max(id) FROM statements WHERE day = $1)) RETURNING id, replaced"};

}  // namespace

Awaited<std::optional<KeptStatement>> StatementsTable::find(const std::string& digest, const std::string& reading) {
    Parameters parameters;
    parameters.add(digest).add(reading);
    return newest(statement_by_digest, std::move(parameters));
}

Awaited<std::optional<KeptStatement>> StatementsTable::last(const std::string& source) {
    Parameters parameters;
    parameters.add(source);
    return newest(statements_of_source, std::move(parameters));
}

Awaited<std::optional<KeptStatement>> StatementsTable::newest(Statement statement, Parameters parameters) {
    const auto found = co_await storage_.reader.read(statement, std::move(parameters));
    if (found.has_error()) co_return found.error();
    auto statements = readable(*found);
    if (statements.empty()) co_return std::optional<KeptStatement>();
    co_return std::optional(std::move(statements.front()));
}

Awaited<std::vector<KeptStatement>> StatementsTable::list(std::optional<std::int64_t> before, std::size_t limit) {
    Parameters parameters;
    parameters.add(before).add(limit);
    const auto found = co_await storage_.reader.read(statements_before, std::move(parameters));
    if (found.has_error()) co_return found.error();
    co_return readable(*found);
}

std::vector<KeptStatement> StatementsTable::readable(const Rows& found) {
    std::vector<KeptStatement> statements;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto row = found[i];
        if (auto statement = rows::read_statement(row))
            statements.push_back(std::move(*statement));
        else
            reader_.add_other(fmt::format("statements/{}", row.integer(0)));
    }
    return statements;
}

Awaited<KeptStatement> StatementsTable::insert(Transaction& transaction, KeptStatement statement) {
    const auto locked = co_await transaction.run(lock_statements, Parameters());
    if (locked.has_error()) co_return locked.error();
    const auto& s = statement;
    Parameters row;
    row.add(to_text(s.day)).add(s.source).add(rows::shown(s.network)).add(s.digest).add(s.reading);
    row.add(rows::milliseconds(s.read_at)).add(rows::shown(s.by)).add(s.header_money).add(s.rows).add(s.matched);
    row.add(s.others).add(s.findings);
    const auto kept = co_await transaction.run(insert_statement, std::move(row));
    if (kept.has_error()) co_return kept.error();
    statement.id = (*kept)[0].integer(0);
    statement.replaced = (*kept)[0].optional_integer(1);
    co_return statement;
}

}  // namespace gateway::postgres
