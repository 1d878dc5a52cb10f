#include "journal/closes_table.hpp"

#include "base/check.hpp"
#include "journal/book_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

constexpr const char* select_close =
    "SELECT estabelecimento, series, number, day, made_at, made_by, open, totals, digest FROM closes";

// Who a close is, without what it holds.
constexpr const char* select_close_name =
    "SELECT estabelecimento, series, number, day, made_at, made_by, '[]', NULL, NULL FROM closes";

// How many closes one call gives, so that it never takes long.
constexpr std::size_t closes_at_once = 500;

// Whatever else a damaged row has is none.
constexpr const char* greatest_series =
    "(SELECT coalesce(max(series), 0) FROM (SELECT series FROM closes UNION ALL SELECT series FROM close_series)"
    " WHERE typeof(series) = 'integer' AND series < 2147483647)";

}  // namespace

ClosesTable::ClosesTable(sqlite::Database& d, UnreadableSales& unreadable)
    : database_(d),
      unreadable_(unreadable),
      by_day_(d, std::string(select_close) + " WHERE estabelecimento = ? AND day = ?"),
      is_closed_(d, "SELECT 1 FROM closes WHERE estabelecimento = ? AND day = ?"),
      series_(d, "SELECT series FROM close_series"),
      // All rows are counted too: a number that was damaged is not given again.
      next_number_(d,
                   "SELECT 1 + max(count(*), coalesce(max(CASE WHEN typeof(number) = 'integer' AND number < 2147483647 "
                   "THEN number END), 0))"
                   " FROM closes WHERE estabelecimento = ?"),
      open_(d,
            "SELECT id, CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idExterno') END, family,"
            " valor, status FROM sales INDEXED BY sales_open WHERE settled = 0 AND estabelecimento = ?"
            " AND status NOT IN ('EFETIVADA', 'CANCELADA', 'NEGADA') ORDER BY n"),
      insert_(d,
              "INSERT INTO closes (estabelecimento, series, number, day, made_at, made_by, open)"
              " VALUES (?,?,?,?,?,?,?)"),
      finish_(d,
              "UPDATE closes SET totals = ?4, digest = ?5"
              " WHERE estabelecimento = ?1 AND number = ?2 AND series = ?3 AND digest IS NULL"),
      is_there_(d, "SELECT 1 FROM closes WHERE estabelecimento = ? AND number = ? AND series = ?"),
      // From day to day by the index, whatever the number of a day's sales.
      forgotten_(d,
                 "WITH RECURSIVE days (day) AS ("
                 " SELECT max(?2, (SELECT min(day) FROM closes WHERE estabelecimento = ?1))"
                 " UNION ALL"
                 " SELECT (SELECT min(day) FROM ("
                 "SELECT min(day) AS day FROM sales INDEXED BY sales_of_day WHERE day > days.day AND day < ?3"
                 " UNION ALL SELECT min(late_day) FROM sales INDEXED BY sales_of_late_day"
                 " WHERE late_day > days.day AND late_day < ?3))"
                 " FROM days WHERE days.day IS NOT NULL)"
                 " SELECT day FROM days WHERE day < ?3"
                 " AND (EXISTS (SELECT 1 FROM sales INDEXED BY sales_of_day WHERE sales.day = days.day"
                 " AND estabelecimento = ?1 AND late_day IS NULL)"
                 " OR EXISTS (SELECT 1 FROM sales INDEXED BY sales_of_late_day WHERE late_day = days.day"
                 " AND estabelecimento = ?1))"
                 " AND NOT EXISTS (SELECT 1 FROM closes WHERE closes.day = days.day AND estabelecimento = ?1)") {}

Result<Close> ClosesTable::begin(const CloseKey& key, WallTime at, const std::string& by) {
    auto found = find(key);
    if (found.has_error()) return found.error();
    if (*found) return std::move(**found);
    const auto in_series = series();
    if (in_series.has_error()) return in_series.error();
    const auto number = next_number(key.estabelecimento);
    if (number.has_error()) return number.error();
    const auto open = open_sales(key.estabelecimento);
    if (open.has_error()) return open.error();
    if (auto r = insert_.run(key.estabelecimento, *in_series, *number, to_text(key.day), rows::milliseconds(at),
                             rows::shown(by), *open);
        r.has_error())
        return r.error();
    // Read back, so that what cannot be read is not given out either.
    found = find(key);
    if (found.has_error()) return found.error();
    if (!*found) return errc::close_unreadable;
    return std::move(**found);
}

Result<std::optional<Close>> ClosesTable::find(const CloseKey& key) {
    const auto day = to_text(key.day);
    by_day_.bind_all(key.estabelecimento, day);
    const auto row = by_day_.step();
    if (row.has_error()) return row.error();
    if (!*row) return std::optional<Close>();
    auto close = rows::read_close(by_day_);
    if (!close) count_unreadable(by_day_);
    by_day_.reset();
    if (!close) return errc::close_unreadable;
    return close;
}

Result<void> ClosesTable::finish(const Close& close) {
    CHECK(close.totals && close.digest);
    if (auto r = finish_.run(close.estabelecimento, close.number, close.series, *close.totals, *close.digest);
        r.has_error())
        return r;
    if (database_.changes() > 0) return {};
    is_there_.bind_all(close.estabelecimento, close.number, close.series);
    const auto there = is_there_.step();
    is_there_.reset();
    if (there.has_error()) return there.error();
    if (!*there) return errc::not_found;
    return {};
}

Result<std::vector<Close>> ClosesTable::list(const CloseFilter& filter) {
    std::string conditions = "1";
    std::vector<std::string> values;
    const auto add = [&](std::string_view condition, std::string value) {
        conditions.append(" AND ").append(condition);
        values.push_back(std::move(value));
    };
    if (filter.unfinished) conditions += " AND digest IS NULL";
    if (filter.estabelecimento) add("estabelecimento = ?", *filter.estabelecimento);
    if (filter.number) add("number = ?", std::to_string(*filter.number));
    if (filter.series) add("series = ?", std::to_string(*filter.series));
    if (filter.from) add("day >= ?", to_text(*filter.from));
    if (filter.to) add("day <= ?", to_text(*filter.to));
    sqlite::Statement rows(database_, fmt::format("{} WHERE {} ORDER BY day DESC, estabelecimento DESC LIMIT {}",
                                                  filter.names ? select_close_name : select_close, conditions,
                                                  std::min(filter.limit, closes_at_once)));
    rows.bind_texts(values);
    std::vector<Close> closes;
    while (true) {
        const auto row = rows.step();
        if (row.has_error()) return row.error();
        if (!*row) return closes;
        if (auto close = rows::read_close(rows))
            closes.push_back(std::move(*close));
        else
            count_unreadable(rows);
    }
}

Result<std::vector<Day>> ClosesTable::forgotten_days(const std::string& estabelecimento, Day from, Day to) {
    const auto first = to_text(from);
    const auto end = to_text(to);
    std::vector<Day> days;
    forgotten_.bind_all(estabelecimento, first, end);
    while (true) {
        const auto row = forgotten_.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        if (const auto day = parse_day(forgotten_.text(0))) days.push_back(*day);
    }
    forgotten_.reset();
    return days;
}

Result<std::optional<Day>> ClosesTable::late_day(const std::string& estabelecimento, Day day) {
    auto closed = is_closed(estabelecimento, day);
    if (closed.has_error()) return closed.error();
    if (!*closed) return std::optional<Day>();
    while (*closed) {
        day = next_day(day);
        closed = is_closed(estabelecimento, day);
        if (closed.has_error()) return closed.error();
    }
    return std::optional(day);
}

Result<bool> ClosesTable::is_closed(const std::string& estabelecimento, Day day) {
    const auto text = to_text(day);
    is_closed_.bind_all(estabelecimento, text);
    auto closed = is_closed_.step();
    is_closed_.reset();
    return closed;
}

Result<void> ClosesTable::begin_series(sqlite::Database& database) {
    return database.run(fmt::format("INSERT OR REPLACE INTO close_series SELECT 1, 1 + {}", greatest_series).c_str());
}

// Where it was damaged the closes go on in another one: which it was, nobody can say.
Result<std::int64_t> ClosesTable::series() {
    const auto read = [this]() -> Result<std::optional<std::int64_t>> {
        series_.bind_all();
        const auto row = series_.step();
        if (row.has_error()) return row.error();
        const auto number = *row ? rows::readable_number(series_, 0) : std::nullopt;
        series_.reset();
        return number ? std::optional<std::int64_t>(*number) : std::nullopt;
    };
    auto number = read();
    if (number.has_error()) return number.error();
    if (*number) return **number;
    unreadable_.add_values(1);
    if (auto r = begin_series(database_); r.has_error()) return r.error();
    number = read();
    if (number.has_error()) return number.error();
    if (!*number) return errc::close_unreadable;
    return **number;
}

Result<std::int64_t> ClosesTable::next_number(const std::string& estabelecimento) {
    next_number_.bind_all(estabelecimento);
    const auto row = next_number_.step();
    if (row.has_error()) return row.error();
    const auto number = next_number_.integer(0);
    next_number_.reset();
    return number;
}

// Of these there are as many as are under way: a close that waited for none of them would be of no day.
Result<std::string> ClosesTable::open_sales(const std::string& estabelecimento) {
    rows::OpenSalesText text;
    open_.bind_all(estabelecimento);
    while (true) {
        const auto row = open_.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        text.add(open_);
    }
    open_.reset();
    return text.finish();
}

void ClosesTable::count_unreadable(const Row& row) {
    if (known_unreadable_.insert(std::string(row.text(0)) + "/" + std::string(row.text(3))).second)
        unreadable_.add_values(1);
}

}  // namespace gateway
