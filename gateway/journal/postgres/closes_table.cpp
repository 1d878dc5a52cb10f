#include "journal/postgres/closes_table.hpp"

#include "base/check.hpp"
#include "journal/book_rows.hpp"

namespace gateway::postgres {
namespace {

// How many closes one call gives, so that it never takes long.
constexpr std::size_t closes_at_once = 500;

constexpr char close_columns[] = "estabelecimento, series, number, day, made_at, made_by, open, totals, digest";

constexpr Statement lock_days{"lock_days", "SELECT pg_advisory_xact_lock(day_lock($1))"};
constexpr auto find_close_sql = sql("SELECT ", close_columns, " FROM closes WHERE estabelecimento = $1 AND day = $2");
constexpr Statement find_close{"find_close", find_close_sql.text};
// One that was final would have a day by now, unless it has to be given it yet: the status of what has none was
// altered.
constexpr Statement open_of_close{
    "open_of_close",
    "SELECT id, attempts, family, valor, status FROM sales WHERE settled = 0 AND estabelecimento = $1"
    " AND (status IN ('PENDENTE', 'AUTORIZADA') OR (day IS NULL"
    " AND (status NOT IN ('EFETIVADA', 'CANCELADA', 'NEGADA') OR n >= (SELECT done_down_to FROM dating)))) ORDER BY n"};
// All rows are counted too: a number that was damaged is not given again.
constexpr auto insert_close_sql =
    sql("INSERT INTO closes (estabelecimento, series, number, day, made_at, made_by, open)"
        " SELECT $1, (SELECT series FROM close_series),"
        " 1 + greatest(count(*), coalesce(max(number) FILTER (WHERE number < 2147483647), 0)), $2, $3::bigint, $4, $5"
        " FROM closes WHERE estabelecimento = $1 RETURNING ",
        close_columns);
constexpr Statement insert_close{"insert_close", insert_close_sql.text};
// Where the series was damaged the closes go on in another one: which it was, nobody can say.
constexpr Statement mend_series{
    "mend_series",
    "INSERT INTO close_series AS s VALUES (1, 1 + (SELECT coalesce(max(series), 0) FROM closes WHERE series <"
    " 2147483647)) ON CONFLICT (one) DO UPDATE SET series = EXCLUDED.series WHERE s.series NOT BETWEEN 1 AND"
    " 2147483646"};
constexpr Statement finish_close{"finish_close",
                                 "UPDATE closes SET totals = coalesce(totals, $4), digest = coalesce(digest, $5)"
                                 " WHERE estabelecimento = $1 AND number = $2::integer AND series = $3::integer"};

constexpr char of_filter[] =
    " FROM closes WHERE ($1::text IS NULL OR estabelecimento = $1) AND ($2::integer IS NULL OR number = $2)"
    " AND ($3::integer IS NULL OR series = $3) AND ($4::text IS NULL OR day >= $4) AND ($5::text IS NULL OR day <= $5)"
    " AND (NOT $6::boolean OR digest IS NULL) ORDER BY day DESC, estabelecimento DESC LIMIT $7::bigint";
constexpr auto list_closes_sql = sql("SELECT ", close_columns, of_filter);
constexpr Statement list_closes{"list_closes", list_closes_sql.text};
// Who a close is, without what it holds.
constexpr auto name_closes_sql =
    sql("SELECT estabelecimento, series, number, day, made_at, made_by, '[]', NULL, NULL", of_filter);
constexpr Statement name_closes{"name_closes", name_closes_sql.text};

// From day to day by the index, whatever the number of a day's sales.
constexpr Statement forgotten{
    "forgotten_days",
    "WITH RECURSIVE days (day) AS ("
    " SELECT greatest($2, (SELECT min(day) FROM closes WHERE estabelecimento = $1))"
    " UNION ALL SELECT (SELECT least("
    " (SELECT min(s.day) FROM sales AS s WHERE s.day IS NOT NULL AND s.day > days.day AND s.day < $3),"
    " (SELECT min(s.late_day) FROM sales AS s WHERE s.late_day IS NOT NULL AND s.late_day > days.day"
    " AND s.late_day < $3))) FROM days WHERE days.day IS NOT NULL)"
    " SELECT day FROM days WHERE day < $3"
    " AND EXISTS (SELECT 1 FROM closes WHERE estabelecimento = $1)"
    " AND (EXISTS (SELECT 1 FROM sales WHERE sales.day = days.day AND estabelecimento = $1 AND late_day IS NULL)"
    " OR EXISTS (SELECT 1 FROM sales WHERE late_day = days.day AND estabelecimento = $1))"
    " AND NOT EXISTS (SELECT 1 FROM closes WHERE closes.day = days.day AND estabelecimento = $1) ORDER BY day"};

}  // namespace

Awaited<Rows> ClosesTable::row_of(Transaction& transaction, const CloseKey& key, WallTime at, const std::string& by) {
    const auto day = to_text(key.day);
    Parameters lock;
    lock.add(key.estabelecimento);
    const auto locked = co_await transaction.run(lock_days, std::move(lock));
    if (locked.has_error()) co_return locked.error();
    Parameters which;
    which.add(key.estabelecimento).add(day);
    auto found = co_await transaction.run(find_close, std::move(which));
    if (found.has_error() || !found->empty()) co_return found;
    const auto mended = co_await transaction.run(mend_series, Parameters());
    if (mended.has_error()) co_return mended.error();
    if (mended->affected() > 0) reader_.add_replaced();
    Parameters of;
    of.add(key.estabelecimento);
    const auto open = co_await transaction.run(open_of_close, std::move(of));
    if (open.has_error()) co_return open.error();
    rows::OpenSalesText text;
    for (std::size_t i = 0; i < open->size(); ++i)
        text.add((*open)[i]);
    Parameters row;
    row.add(key.estabelecimento).add(day).add(rows::milliseconds(at)).add(rows::shown(by)).add(text.finish());
    co_return co_await transaction.run(insert_close, std::move(row));
}

Awaited<Close> ClosesTable::begin(const CloseKey& key, WallTime at, const std::string& by) {
    const std::function<Awaited<Rows>(Transaction&)> work = [&](Transaction& transaction) {
        return row_of(transaction, key, at, by);
    };
    const auto found = co_await storage_.writer.transaction(work);
    if (found.has_error()) co_return found.error();
    const auto row = (*found)[0];
    auto close = rows::read_close(row);
    if (close) co_return std::move(*close);
    count_unreadable(row);
    co_return errc::close_unreadable;
}

Awaited<void> ClosesTable::finish(const Close& close) {
    CHECK(close.totals && close.digest);
    Parameters parameters;
    parameters.add(close.estabelecimento).add(close.number).add(close.series).add(close.totals).add(close.digest);
    const auto finished = co_await storage_.writer.write(finish_close, std::move(parameters));
    if (finished.has_error()) co_return finished.error();
    const bool is_there = finished->affected() > 0;
    co_return is_there ? Result<void>() : Result<void>(errc::not_found);
}

Awaited<std::vector<Close>> ClosesTable::list(const CloseFilter& filter) {
    Parameters parameters;
    parameters.add(filter.estabelecimento).add(filter.number).add(filter.series);
    parameters.add(filter.from ? std::optional(to_text(*filter.from)) : std::nullopt);
    parameters.add(filter.to ? std::optional(to_text(*filter.to)) : std::nullopt);
    parameters.add(filter.unfinished).add(std::min(filter.limit, closes_at_once));
    const auto& statement = filter.names ? name_closes : list_closes;
    const auto found = co_await storage_.reader.read(statement, std::move(parameters));
    if (found.has_error()) co_return found.error();
    std::vector<Close> closes;
    for (std::size_t i = 0; i < found->size(); ++i) {
        const auto row = (*found)[i];
        if (auto close = rows::read_close(row))
            closes.push_back(std::move(*close));
        else
            count_unreadable(row);
    }
    co_return closes;
}

Awaited<std::vector<Day>> ClosesTable::forgotten_days(const std::string& estabelecimento, Day from, Day to) {
    Parameters parameters;
    parameters.add(estabelecimento).add(to_text(from)).add(to_text(to));
    const auto found = co_await storage_.reader.read(forgotten, std::move(parameters));
    if (found.has_error()) co_return found.error();
    std::vector<Day> days;
    for (std::size_t i = 0; i < found->size(); ++i)
        if (const auto day = parse_day((*found)[i].text(0))) days.push_back(*day);
    co_return days;
}

void ClosesTable::count_unreadable(const Row& row) {
    reader_.add_other(std::string("close ").append(row.text(0)).append("/").append(row.text(3)));
}

}  // namespace gateway::postgres
