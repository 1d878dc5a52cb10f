#include "journal/postgres/dating.hpp"

#include "journal/chain/upkeep.hpp"
#include "journal/dating.hpp"

#include <vector>

namespace gateway::postgres {
namespace {

// A damaged value would leave some without a day for ever: it begins anew instead, and passes those that have one.
constexpr Statement dated_down_to{"dated_down_to",
                                  "SELECT CASE WHEN done_down_to >= 0 THEN done_down_to"
                                  " ELSE (SELECT coalesce(max(n), 0) + 1 FROM sales) END FROM dating"};
constexpr Statement next_to_date{
    "next_to_date",
    "SELECT n, id, estabelecimento, status, updated_at, story, facts, day IS NOT NULL FROM sales WHERE n < $1::bigint"
    " ORDER BY n DESC LIMIT $2::bigint"};
constexpr Statement set_day{
    "set_day",
    "UPDATE sales SET day = $2, late_day = late_day_of(estabelecimento, $2) WHERE n = $1::bigint AND day IS NULL"};
constexpr Statement set_dated{"set_dated", "UPDATE dating SET done_down_to = $1::bigint"};

}  // namespace

struct Dating::Looked {
    Dated dated{};
    std::vector<std::int64_t> unreadable;  // by number
    std::vector<std::string> values;       // that cannot be read
};

Awaited<Dated> Dating::some(const std::string& run, const Rules& rules) {
    const std::function<Awaited<Looked>(Transaction&)> work_on = [&](Transaction& transaction) {
        return work(transaction, run, rules);
    };
    const auto looked = co_await storage_.reader.transaction(work_on);
    if (looked.has_error()) co_return looked.error();
    for (const auto number : looked->unreadable)
        co_await reader_.add(number);
    reader_.add_values(looked->values);
    co_return looked->dated;
}

Awaited<Dating::Looked> Dating::work(Transaction& transaction, const std::string& run, const Rules& rules) {
    const auto mine = co_await take_upkeep(transaction, run);
    if (mine.has_error()) co_return mine.error();
    const auto known = co_await transaction.run(dated_down_to, Parameters());
    if (known.has_error()) co_return known.error();
    auto down_to = known->empty() ? 0 : (*known)[0].integer(0);
    if (!*mine || down_to == 0) co_return Looked();
    Parameters from;
    from.add(down_to).add(dating::sales_at_once);
    const auto found = co_await transaction.run(next_to_date, std::move(from));
    if (found.has_error()) co_return found.error();
    Looked looked;
    rows::FieldReader fields(storage_.cipher);
    for (std::size_t i = 0; i < found->size(); ++i) {
        const auto row = (*found)[i];
        down_to = row.integer(0);
        if (row.integer(7) != 0) continue;
        const auto day = dating::day_of_old_sale(row, rules, fields);
        if (day.has_error()) looked.unreadable.push_back(down_to);
        if (day.has_error() || !*day) continue;
        Parameters dated;
        dated.add(down_to).add(to_text(**day));
        const auto set = co_await transaction.run(set_day, std::move(dated));
        if (set.has_error()) co_return set.error();
        ++looked.dated.sales;
    }
    looked.values = fields.unreadable();
    looked.dated.more = found->size() == dating::sales_at_once;
    Parameters done;
    done.add(looked.dated.more ? down_to : 0);
    const auto noted = co_await transaction.run(set_dated, std::move(done));
    if (noted.has_error()) co_return noted.error();
    co_return looked;
}

}  // namespace gateway::postgres
