#include "journal/dating.hpp"

#include "journal/closes.hpp"
#include "journal/encrypted_fields.hpp"
#include "sale/movement_day.hpp"

#include <algorithm>
#include <string>

namespace gateway::dating {
namespace {

// A damaged position would leave some sales without a movement day for ever. Dating begins anew instead, and passes
// over the sales that have one.
Job<std::int64_t> dated_down_to(Tx& tx) {
    const auto found = co_await tx.ask(sql::dated_down_to);
    const auto row = found.front();
    const auto known = row.optional_integer(0).value_or(-1);
    co_return known >= 0 ? known : row.integer(1) + 1;
}

}  // namespace

std::optional<WallTime> final_time(const History& history) {
    std::optional<WallTime> found;
    std::size_t latest = 0;
    for (const auto& entry : history.events) {
        if (entry.attempt < latest) continue;
        if (entry.attempt > latest) found.reset();  // the earlier attempt came to nothing, and the sale went on
        latest = entry.attempt;
        const auto state = parse_attempt_state(entry.state);
        if (!found && state && is_final_in(*state)) found = entry.at;
    }
    return found;
}

Result<std::optional<Day>> day_of_old_sale(const Row& row, const Rules& rules, rows::FieldReader& fields) {
    const auto status = parse_status(row.text(3));
    const auto updated_at = rows::readable_time(row, 4);
    if (!status || !updated_at || !row.is_text(2)) return errc::sale_unreadable;
    if (!is_final(*status)) return std::optional<Day>();
    TransactionDetails details;
    if (rules.day == DayClock::request)
        details.data_hora = rows::Members(fields.text(row, 6, encrypted::details, row.text(1))).text("dataHora");
    // The ids of the attempts are not needed here. Where the history is damaged, updated_at is taken: as a rule nothing
    // is written to a sale after it was settled.
    const auto history = rows::read_history(row.text(5), errc::sale_unreadable);
    const auto told = history.is_complete ? final_time(history) : std::nullopt;
    return std::optional(movement_day(rules, details, told.value_or(*updated_at)));
}

Job<Dated> date_some(Tx& tx, const Rules& rules) {
    auto down_to = co_await dated_down_to(tx);
    if (down_to == 0) co_return Dated{};
    const auto found = co_await tx.ask(sql::next_to_date, down_to, sales_at_once);
    Dated dated{.sales = 0, .more = found.size() == sales_at_once};
    rows::FieldReader fields(tx.cipher);
    for (const auto& row : found) {
        down_to = row.integer(0);
        if (row.integer(7) != 0) continue;
        const auto day = day_of_old_sale(row, rules, fields);
        if (day.has_error()) co_await tx.mark_unreadable(down_to);
        if (day.has_error() || !*day) continue;
        const auto late = co_await closes::late_day(tx, row.text(2), **day);
        tx.run(sql::date_sale, down_to, to_text(**day), late ? std::optional(to_text(*late)) : std::nullopt);
        ++dated.sales;
    }
    tx.unreadable.add_values(fields.unreadable());
    tx.run(sql::set_dated_down_to, dated.more ? down_to : 0);
    co_return dated;
}

}  // namespace gateway::dating
