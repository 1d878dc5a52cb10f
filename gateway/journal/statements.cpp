#include "journal/statements.hpp"

#include "journal/book_rows.hpp"

#include <fmt/format.h>

namespace gateway::statements {
namespace {

std::optional<KeptStatement> read(Tx& tx, const Row& row) {
    auto statement = rows::read_statement(row);
    if (!statement) tx.unreadable.add_other(fmt::format("statements/{}", row.integer(0)));
    return statement;
}

Job<std::vector<KeptStatement>> newest(Tx& tx, std::optional<std::int64_t> before,
                                       std::optional<std::string_view> source, std::size_t limit) {
    std::vector<KeptStatement> statements;
    for (bool more = true; more && statements.size() < limit;) {
        const auto wanted = limit - statements.size();
        const auto page = co_await tx.ask(sql::statements_before, before, source, wanted);
        for (const auto& row : page) {
            before = row.integer(0);
            if (auto statement = read(tx, row)) statements.push_back(std::move(*statement));
        }
        more = page.size() == wanted;
    }
    co_return statements;
}

}  // namespace

Job<std::optional<KeptStatement>> find(Tx& tx, std::string_view digest, std::string_view reading) {
    const auto found = co_await tx.ask(sql::statements_by_digest, digest, reading);
    for (const auto& row : found)
        if (auto statement = read(tx, row)) co_return statement;
    co_return std::nullopt;
}

Job<std::optional<KeptStatement>> last(Tx& tx, std::string_view source) {
    auto found = co_await newest(tx, std::nullopt, source, 1);
    co_return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

Job<std::vector<KeptStatement>> list(Tx& tx, std::optional<std::int64_t> before, std::size_t limit) {
    co_return co_await newest(tx, before, std::nullopt, limit);
}

Job<KeptStatement> insert(Tx& tx, const KeptStatement& statement) {
    const auto& s = statement;
    const auto kept = co_await tx.ask(sql::insert_statement, to_text(s.day), s.source, rows::shown(s.network), s.digest,
                                      s.reading, rows::milliseconds(s.read_at), rows::shown(s.by), s.header_money,
                                      s.rows, s.matched, s.others, s.findings);
    auto with_ids = statement;
    with_ids.id = kept.front().integer(0);
    with_ids.replaced = kept.front().optional_integer(1);
    co_return with_ids;
}

}  // namespace gateway::statements
