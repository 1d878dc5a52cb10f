#include "journal/restored_sales.hpp"

#include "journal/doubts.hpp"
#include "journal/rows.hpp"
#include "journal/tx.hpp"

#include <fmt/format.h>

#include <vector>

namespace gateway {
namespace {

struct OpenSales {
    std::vector<Doubts> readable;
    std::vector<std::int64_t> unreadable;  // by number
};

Result<OpenSales> open_sales(sqlite::Database& journal, WallTime now) {
    const auto sql = fmt::format("SELECT {} FROM sales WHERE settled = 0", doubtful_columns);
    auto rows = sqlite::Statement::prepare(journal, sql);
    if (rows.has_error()) return rows.error();
    OpenSales sales;
    while (true) {
        const auto row = rows->step();
        if (row.has_error()) return row.error();
        if (!*row) return sales;
        auto doubts = doubts_of(*rows, now);
        if (doubts)
            sales.readable.push_back(std::move(*doubts));
        else
            sales.unreadable.push_back(rows->integer(0));
    }
}

Result<void> write_doubts(sqlite::Database& journal, const Doubts& doubts) {
    auto update = sqlite::Statement::prepare(journal, "UPDATE sales SET attempts = ?2, recorded_at = ?3 WHERE n = ?1");
    if (update.has_error()) return update.error();
    if (auto r = update->run(doubts.number, doubts.attempts, doubts.recorded_at); r.has_error()) return r.error();
    if (!doubts.mark) return {};
    auto mark = sqlite::Statement::prepare(journal,
                                           "UPDATE sales SET status = ?2, attention = ?3, updated_at = ?4,"
                                           " reason = coalesce(reason, ?5), story = story || char(10) || ?6"
                                           " WHERE n = ?1");
    if (mark.has_error()) return mark.error();
    return mark->run(doubts.number, doubts.mark->status, doubts.mark->attention, doubts.recorded_at,
                     doubts.mark->reason, doubts.mark->line);
}

// A sale whose row cannot be read stays as it is. The gateway does not go on with it.
Result<void> mark_unreadable(sqlite::Database& journal, std::int64_t number, WallTime now) {
    auto mark = sqlite::Statement::prepare(journal, rows::mark_unreadable_sql());
    if (mark.has_error()) return mark.error();
    constexpr bool again = true;
    return mark->run(number, unreadable_line(now), again);
}

}  // namespace

Result<std::int64_t> doubt_open_sales(sqlite::Database& journal, WallTime now) {
    std::int64_t marked = 0;
    if (auto r = journal.run("DELETE FROM token"); r.has_error()) return r.error();
    if (auto r = journal.run(std::string(sql::begin_series.sql).c_str()); r.has_error()) return r.error();
    const auto sales = open_sales(journal, now);
    if (sales.has_error()) return sales.error();
    for (const auto& doubts : sales->readable) {
        if (doubts.mark) ++marked;
        if (auto r = write_doubts(journal, doubts); r.has_error()) return r.error();
    }
    for (const auto number : sales->unreadable)
        if (auto r = mark_unreadable(journal, number, now); r.has_error()) return r.error();
    return marked + static_cast<std::int64_t>(sales->unreadable.size());
}

}  // namespace gateway
