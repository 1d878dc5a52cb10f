#include "simulation/sqlite_dialect.hpp"

#include "base/check.hpp"
#include "journal/postgres/migrations.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gateway::simulation {
namespace {

using Word = std::pair<std::string_view, std::string_view>;

constexpr std::array words_of_tables{
    Word{" COLLATE \"C\"", ""},     // SQLite has this order anyway
    Word{"bytea", "blob"},          // no bytes in it become a number
    Word{"timestamptz", "bigint"},  // in milliseconds
    Word{"'-infinity'", "-1"},
    Word{"epoch VALUES (1, gen_random_uuid()::text, 1)", "epoch (one, journal, number) VALUES (1, 'simulated', 1)"},
    Word{" WITH (fillfactor = 20)", ""},
};
constexpr std::array words_of_statements{
    Word{"'-infinity'", "-1"},
    Word{"interval '30 seconds'", "30000"},
    Word{"strpos(", "instr("},
    Word{"pg_notify('sales_gateway_commands', ?1)", "NULL"},
    // PostgreSQL writes through a view here.
    Word{"INTO cancelled_keys VALUES", "INTO keys (terminal, key, cancelled_at) VALUES"},
};

void replace_all(std::string& text, std::string_view word, std::string_view by) {
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + by.size()))
        text.replace(at, word.size(), by);
}

bool take_end(std::string& text, std::string_view end) {
    if (!text.ends_with(end)) return false;
    text.resize(text.size() - end.size());
    return true;
}

std::string word_behind(std::string_view sql, std::string_view words) {
    const auto begin = sql.find(words) + words.size();
    return std::string(sql.substr(begin, sql.find(' ', begin) - begin));
}

std::string without_comments(std::string_view sql) {
    std::string text;
    while (!sql.empty()) {
        const auto line = sql.substr(0, sql.find('\n'));
        text.append(line.substr(0, line.find("--"))).append("\n");
        sql.remove_prefix(std::min(line.size() + 1, sql.size()));
    }
    return text;
}

// A statement ends with a semicolon that is not in the text of a function.
std::string take_statement(std::string_view& sql) {
    std::size_t end = 0;
    bool in_function = false;
    for (; end < sql.size() && (in_function || sql[end] != ';'); ++end)
        if (sql.substr(end).starts_with("$$")) in_function = !in_function;
    const auto begin = std::min(sql.find_first_not_of(" \n"), end);
    std::string statement(sql.substr(begin, end - begin));
    sql.remove_prefix(std::min(end + 1, sql.size()));
    return statement;
}

// Functions, and the views for people, are left out.
bool is_wanted(std::string_view statement) {
    constexpr std::array wanted{"CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ", "INSERT INTO ",
                                "CREATE VIEW cancelled_keys "};
    return std::ranges::any_of(wanted, [&](std::string_view begin) { return statement.starts_with(begin); });
}

}  // namespace

std::string shared_tables() {
    std::string tables;
    for (const auto& migration : postgres::migrations()) {
        const auto text = without_comments(migration.sql);
        for (std::string_view left = text; !left.empty();) {
            auto statement = take_statement(left);
            if (!is_wanted(statement)) continue;
            const auto name = word_behind(statement, "TABLE ");
            for (const auto* when : {"BY DEFAULT", "ALWAYS"})
                replace_all(statement, std::string(" GENERATED ") + when + " AS IDENTITY",
                            " DEFAULT (nextval('" + name + "'))");
            for (const auto& [word, by] : words_of_tables)
                replace_all(statement, word, by);
            tables += statement + ";\n";
        }
    }
    return tables;
}

SqliteText as_sqlite_takes_it(std::string sql) {
    using Locks = SqliteText::Locks;
    if (sql.starts_with("SELECT pg_advisory_xact_lock(")) return {"SELECT NULL", Locks::words_alone};
    if (sql.starts_with("SELECT pg_advisory_xact_lock_shared(")) return {"SELECT NULL", Locks::words_with_others};
    std::ranges::replace(sql, '$', '?');
    for (const auto& [word, by] : words_of_statements)
        replace_all(sql, word, by);
    SqliteText text;
    const bool skips = take_end(sql, " SKIP LOCKED");
    if (take_end(sql, " FOR UPDATE")) text.locks = Locks::rows_alone;
    if (take_end(sql, " FOR SHARE")) text.locks = Locks::rows_with_others;
    constexpr std::string_view select = "SELECT ";
    constexpr std::string_view insert = "INSERT INTO ";
    text.writes = !sql.starts_with(select) && !sql.starts_with("WITH ");
    text.inserts = sql.starts_with(insert);
    if (text.inserts) text.table = word_behind(sql, insert);
    if (text.locks != Locks::nothing) text.table = word_behind(sql, " FROM ");
    constexpr std::string_view where = " WHERE ";
    if (skips) sql.insert(sql.find(where) + where.size(), "may_lock('" + text.table + "', rowid) AND ");
    if (text.locks != Locks::nothing) sql.insert(select.size(), "rowid, ");
    text.sql = std::move(sql);
    return text;
}

}  // namespace gateway::simulation
