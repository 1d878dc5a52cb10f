#include "journal/chain/mark_restored.hpp"

#include "journal/after_restore.hpp"
#include "journal/chain/leases.hpp"
#include "journal/postgres/migrations.hpp"

#include <vector>

namespace gateway::postgres {
namespace {

// What every counted commit changes: those under way are waited for, and those to come wait.
constexpr Statement lock_commits{"lock_commits", "LOCK TABLE commits IN EXCLUSIVE MODE"};
constexpr Statement end_all_runs{"end_all_runs", "UPDATE gateways SET ended = 1 WHERE ended = 0"};
constexpr Statement forget_token{
    "forget_token",
    "UPDATE token SET access = NULL, refresh = NULL, obtained_at = NULL, expires_at = NULL, owner = '',"
    " number = number + 1, asked_by = '', asked_until = '-infinity'"};
constexpr Statement begin_series{
    "begin_series_of_several",
    "INSERT INTO close_series VALUES (1, 1 + (SELECT coalesce(max(series), 0) FROM"
    " (SELECT series FROM close_series UNION ALL SELECT series FROM closes) AS all_series WHERE series < 2147483646))"
    " ON CONFLICT (one) DO UPDATE SET series = EXCLUDED.series"};
constexpr auto open_sales_sql =
    sql("SELECT ", after_restore::columns, " FROM sales WHERE settled = 0 ORDER BY n FOR UPDATE");
constexpr Statement open_sales{"open_after_restore_of_several", open_sales_sql.text};
// Nobody's from then on; whatever a gateway yet wants to record of it finds another term.
constexpr Statement restore_attempts{
    "restore_attempts_of_several",
    "UPDATE sales SET attempts = $2, recorded_at = $3, owner = '', term = term + 1 WHERE n = $1::bigint"};
constexpr Statement write_mark{
    "write_mark",
    "UPDATE sales SET status = $2, attention = $3, updated_at = $4, reason = coalesce(reason, $5),"
    " story = story || chr(10) || $6 WHERE n = $1::bigint"};
constexpr Statement write_unreadable{"write_unreadable",
                                     "UPDATE sales SET owner = '', term = term + 1, attention = 'unreadable',"
                                     " story = story || chr(10) || $2 WHERE n = $1::bigint"};
// Later than every epoch that a gateway may remember, as those were times too.
constexpr Statement begin_epoch{
    "begin_epoch", "UPDATE epoch SET number = greatest(number + 1, $1::bigint), lost_by = '', lost_at = NULL"};
constexpr Statement count_sales{
    "count_sales",
    "SELECT count(*), count(*) FILTER (WHERE settled = 0),"
    " count(*) FILTER (WHERE settled = 0 AND status IN ('PENDENTE', 'AUTORIZADA')), (SELECT lost_by FROM epoch)"
    " FROM sales"};

Awaited<MarkedRestored> count_in(Transaction& transaction) {
    const auto counted = co_await transaction.run(count_sales);
    if (counted.has_error()) co_return counted.error();
    const auto row = (*counted)[0];
    MarkedRestored marked;
    marked.sales = row.integer(0);
    marked.open = row.integer(1);
    marked.unsure = row.integer(2);
    marked.lost_by = row.text(3);
    co_return marked;
}

Awaited<void> write(Transaction& transaction, const after_restore::Change& change) {
    Parameters attempts;
    attempts.add(change.number).add(change.attempts).add(change.recorded_at);
    const auto written = co_await transaction.run(restore_attempts, std::move(attempts));
    if (written.has_error()) co_return written.error();
    if (!change.mark) co_return Result<void>();
    Parameters mark;
    mark.add(change.number).add(change.mark->status).add(change.mark->attention).add(change.recorded_at);
    mark.add(change.mark->reason).add(change.mark->line);
    const auto marked = co_await transaction.run(write_mark, std::move(mark));
    if (marked.has_error()) co_return marked.error();
    co_return Result<void>();
}

Awaited<void> mark_unreadable(Transaction& transaction, std::int64_t number, WallTime now) {
    Parameters parameters;
    parameters.add(number).add(after_restore::unreadable_line(now));
    const auto marked = co_await transaction.run(write_unreadable, std::move(parameters));
    if (marked.has_error()) co_return marked.error();
    co_return Result<void>();
}

// How many a person is asked to look at.
Awaited<std::int64_t> leave_all_to_provider(Transaction& transaction, WallTime now) {
    const auto found = co_await transaction.run(open_sales);
    if (found.has_error()) co_return failure<std::int64_t>(found.error());
    std::int64_t unsure = 0;
    for (std::size_t i = 0; i < found->size(); ++i) {
        const auto row = (*found)[i];
        const auto change = after_restore::change_of(row, now);
        if (!change || change->mark) ++unsure;
        Result<void> done;
        if (change)
            done = co_await write(transaction, *change);
        else
            done = co_await mark_unreadable(transaction, row.integer(0), now);
        if (done.has_error()) co_return failure<std::int64_t>(done.error());
    }
    co_return unsure;
}

Awaited<MarkedRestored> mark_in(Transaction& transaction, WallTime now) {
    for (const auto& statement : {lock_commits, end_all_runs, forget_token, begin_series}) {
        const auto done = co_await transaction.run(statement);
        if (done.has_error()) co_return done.error();
    }
    auto marked = co_await count_in(transaction);
    if (marked.has_error()) co_return marked;
    const auto unsure = co_await leave_all_to_provider(transaction, now);
    if (unsure.has_error()) co_return unsure.error();
    marked->unsure = *unsure;
    Parameters at;
    at.add(rows::milliseconds(now));
    const auto begun = co_await transaction.run(begin_epoch, std::move(at));
    if (begun.has_error()) co_return begun.error();
    co_return marked;
}

using Marked = boost::system::result<MarkedRestored, std::string>;

Marked in_words(const Result<MarkedRestored>& done) {
    if (done.has_value()) return *done;
    return {boost::system::in_place_error, done.error().message()};
}

}  // namespace

boost::asio::awaitable<Marked> mark_restored(Session& uncounted, WallTime now) {
    const auto ready = co_await bring_up_to_date(uncounted);
    if (ready.has_error()) co_return Marked(boost::system::in_place_error, ready.error());
    const std::function<Awaited<MarkedRestored>(Transaction&)> work = [&](Transaction& transaction) {
        return mark_in(transaction, now);
    };
    const auto done = co_await uncounted.transaction(work);
    co_return in_words(done);
}

boost::asio::awaitable<Marked> look_at_loss(Session& uncounted) {
    const auto ready = co_await bring_up_to_date(uncounted);
    if (ready.has_error()) co_return Marked(boost::system::in_place_error, ready.error());
    const std::function<Awaited<MarkedRestored>(Transaction&)> work = [](Transaction& transaction) {
        return count_in(transaction);
    };
    const auto done = co_await uncounted.transaction(work);
    co_return in_words(done);
}

}  // namespace gateway::postgres
