#include "journal/erasure.hpp"

#include "base/ulid.hpp"
#include "journal/rows.hpp"

#include <fmt/format.h>

#include <vector>

namespace gateway::erasure {
namespace {

using Tables = std::span<const encrypted::Table>;

// One call looks at this many old sales, so that it never delays a commit for long.
constexpr std::size_t erased_at_once = 200;

std::string columns_to_erase(const encrypted::Table& table) {
    std::string columns;
    for (const auto& field : table.fields)
        if (field.is_personal) columns += fmt::format("{}{} = NULL", columns.empty() ? "" : ", ", field.column);
    return columns;
}

// The table of sales comes first, because a job that writes personal fields of a sale locks the sale's row.
void erase(Tx& tx, Tables tables, const std::vector<std::string>& sales) {
    if (sales.empty()) return;
    const std::vector<Value> values(sales.begin(), sales.end());
    std::string all;
    for (std::size_t number = 1; number <= values.size(); ++number)
        all += fmt::format("{}?{}", number == 1 ? "" : ", ", number);
    for (const auto& table : tables) {
        const auto columns = columns_to_erase(table);
        if (columns.empty()) continue;
        const auto change = table.rows_go ? fmt::format("DELETE FROM {}", table.name)
                                          : fmt::format("UPDATE {} SET {}", table.name, columns);
        tx.run(fmt::format("{} WHERE {} IN ({})", change, table.sale, all), values);
    }
    tx.run(fmt::format("DELETE FROM erase_later WHERE sale IN ({})", all), values);
}

// Erases the sales that follow where the last call ended.
Job<Erased> erase_next(Tx& tx, Tables tables, WallTime cutoff) {
    const auto before = Ulid::first_at(cutoff);
    const auto found = co_await tx.ask(sql::next_to_erase, before.text(), erased_at_once);
    if (found.empty()) co_return Erased{};
    std::vector<std::string> settled;
    for (const auto& row : found) {
        if (row.optional_integer(1) == 1)
            settled.emplace_back(row.text(0));
        else
            tx.run(sql::erase_open_sale_later, row.text(0));
    }
    erase(tx, tables, settled);
    tx.run(sql::set_erased_until, found[found.size() - 1].text(0));
    co_return Erased{.sales = settled.size(), .more = found.size() == erased_at_once};
}

// Goes through the postponed sales again and again, some at a time: most of them may be too young, or open.
Job<Round> erase_postponed(Tx& tx, Tables tables, WallTime cutoff, std::string_view came_back_to) {
    const auto now = rows::milliseconds(tx.at.wall);
    const auto found = co_await tx.ask(sql::postponed_erasure, came_back_to, erased_at_once);
    std::vector<std::string> due;
    for (const auto& row : found) {
        const auto met_at = row.optional_integer(1);
        // A sale that was met in the future was met under a clock that was ahead.
        if (!met_at || *met_at > now)
            tx.run(sql::meet_postponed, row.text(0), now);
        else if (*met_at < rows::milliseconds(cutoff) && row.optional_integer(2) == 1)
            due.emplace_back(row.text(0));
    }
    erase(tx, tables, due);
    Round round{.erased = {.sales = due.size(), .more = found.size() == erased_at_once}};
    if (round.erased.more) round.came_back_to = found[found.size() - 1].text(0);
    co_return round;
}

}  // namespace

void written(Tx& tx, std::string_view sale) {
    tx.run(sql::erase_written_sale_later, sale);
}

Job<Round> erase_some(Tx& tx, WallTime cutoff, std::string_view came_back_to, Tables tables) {
    const auto next = co_await erase_next(tx, tables, cutoff);
    auto round = co_await erase_postponed(tx, tables, cutoff, came_back_to);
    const auto notes = co_await tx.ask(sql::erase_notes_of_no_sale, rows::milliseconds(cutoff), erased_at_once);
    const bool more_notes = notes.changed() == static_cast<std::int64_t>(erased_at_once);
    round.erased.sales += next.sales;
    round.erased.more = round.erased.more || next.more || more_notes;
    co_return round;
}

}  // namespace gateway::erasure
