#include "journal/closes.hpp"

#include "base/check.hpp"
#include "journal/book_rows.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gateway::closes {
namespace {

// One call returns at most this many closes, so that it never takes long.
constexpr std::size_t closes_at_once = 500;
// This many closed days are read at once. As a rule a late sale comes a day after its own day, so one read is enough.
constexpr std::size_t days_at_once = 32;
// This text sorts after every day.
constexpr std::string_view no_end = "~";

void count_unreadable(Tx& tx, const Row& row) {
    tx.unreadable.add_other(std::string("close ").append(row.text(0)).append("/").append(row.text(3)));
}

// Returns the series of new closes. Where it is damaged, a new one takes its place, because nobody can say which it
// was.
Job<int> series(Tx& tx) {
    auto kept = co_await tx.ask(sql::close_series);
    auto series = kept.empty() ? std::nullopt : rows::readable_number(kept.front(), 0);
    if (series) co_return *series;
    tx.unreadable.add_replaced();
    tx.run(sql::begin_series);
    kept = co_await tx.ask(sql::close_series);
    co_return static_cast<int>(kept.front().integer(0));
}

// The number is also greater than the count of the rows, so that a number that was damaged is not given again.
Job<int> next_number(Tx& tx, std::string_view estabelecimento) {
    const auto numbers = co_await tx.ask(sql::numbers_of_closes, estabelecimento);
    const auto row = numbers.front();
    co_return static_cast<int>(1 + std::max(row.integer(0), row.integer(1)));
}

Job<std::string> open_sales(Tx& tx, std::string_view estabelecimento) {
    const auto open = co_await tx.ask(sql::open_of_close, estabelecimento);
    rows::OpenSalesText text;
    for (const auto& row : open)
        text.add(row);
    co_return text.finish();
}

}  // namespace

std::string days_of(std::string_view estabelecimento) {
    return std::string("day ").append(estabelecimento);
}

Job<Close> begin(Tx& tx, const CloseKey& key, WallTime at, std::string_view by) {
    tx.hold(days_of(key.estabelecimento));
    const auto day = to_text(key.day);
    const auto found = co_await tx.ask(sql::find_close, key.estabelecimento, day);
    if (!found.empty()) {
        auto known = rows::read_close(found.front());
        if (known) co_return std::move(*known);
        count_unreadable(tx, found.front());
        throw JobFailed(errc::close_unreadable);
    }
    Close close{.estabelecimento = key.estabelecimento, .day = key.day, .made_at = at};
    close.series = co_await series(tx);
    close.number = co_await next_number(tx, key.estabelecimento);
    close.made_by = rows::shown(std::string(by));
    close.open = co_await open_sales(tx, key.estabelecimento);
    tx.run(sql::insert_close, close.estabelecimento, close.series, close.number, day, rows::milliseconds(at),
           close.made_by, close.open);
    co_return close;
}

Job<void> finish(Tx& tx, const Close& close) {
    CHECK(close.totals && close.digest);
    const auto finished = co_await tx.ask(sql::finish_close, close.estabelecimento, close.number, close.series,
                                          *close.totals, *close.digest);
    if (finished.changed() == 0) throw JobFailed(errc::not_found);
}

Job<std::vector<Close>> list(Tx& tx, const CloseFilter& filter) {
    const auto& statement = filter.unfinished        ? sql::list_unfinished_closes
                            : filter.estabelecimento ? sql::list_closes_of_establishment
                                                     : sql::list_closes;
    const auto from = filter.from ? to_text(*filter.from) : std::string();
    const auto to = filter.to ? to_text(*filter.to) : std::string(no_end);
    const auto found = co_await tx.ask(statement, filter.names, from, to, filter.estabelecimento, filter.number,
                                       filter.series, std::min(filter.limit, closes_at_once));
    std::vector<Close> closes;
    for (const auto& row : found) {
        if (auto close = rows::read_close(row))
            closes.push_back(std::move(*close));
        else
            count_unreadable(tx, row);
    }
    co_return closes;
}

Job<std::vector<Day>> forgotten_days(Tx& tx, std::string_view estabelecimento, Day from, Day to) {
    std::vector<Day> days;
    const auto closed = co_await tx.ask(sql::first_closed_day, estabelecimento);
    if (closed.front().is_null(0)) co_return days;
    const auto start = std::max(to_text(from), std::string(closed.front().text(0)));
    const auto end = to_text(to);
    const auto forgotten = co_await tx.ask(sql::forgotten_days, estabelecimento, start, end);
    for (const auto& row : forgotten)
        if (const auto day = parse_day(row.text(0))) days.push_back(*day);
    co_return days;
}

Job<std::optional<Day>> late_day(Tx& tx, std::string_view estabelecimento, Day day) {
    tx.hold_with_others(days_of(estabelecimento));
    for (auto later = day;;) {
        const auto closed = co_await tx.ask(sql::days_closed_since, estabelecimento, to_text(later), days_at_once);
        const auto first = later;
        bool is_gap = false;
        for (const auto& row : closed) {
            const auto known = parse_day(row.text(0));
            if (!known) continue;  // it was damaged
            is_gap = *known != later;
            if (is_gap) break;
            later = next_day(later);
        }
        if (is_gap || later == first || closed.size() < days_at_once)
            co_return later == day ? std::nullopt : std::optional(later);
    }
}

}  // namespace gateway::closes
