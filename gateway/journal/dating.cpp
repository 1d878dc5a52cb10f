#include "journal/dating.hpp"

#include "journal/closes.hpp"
#include "journal/encrypted_fields.hpp"
#include "sale/movement_day.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <string>

namespace gateway::dating {
namespace {

namespace json = boost::json;

// The member of a JSON object that may be of any kind, or not there.
const json::value* member(const json::value& of, std::string_view name) {
    const auto* object = of.if_object();
    return object != nullptr ? object->if_contains(name) : nullptr;
}

std::optional<std::int64_t> number_in(const json::value& of, std::string_view name) {
    const auto* value = member(of, name);
    const auto* number = value != nullptr ? value->if_int64() : nullptr;
    return number != nullptr ? std::optional(*number) : std::nullopt;
}

std::string text_in(const json::value& of, std::string_view name) {
    const auto* value = member(of, name);
    const auto* text = value != nullptr ? value->if_string() : nullptr;
    return text != nullptr ? std::string(*text) : std::string();
}

json::value parsed(std::string_view text) {
    boost::system::error_code ec;
    auto value = json::parse(text, ec);
    return ec ? json::value() : value;
}

// A damaged mark would leave some without a day for ever: it begins anew instead, and passes those that have one.
Job<std::int64_t> dated_down_to(Tx& tx) {
    const auto found = co_await tx.ask(sql::dated_down_to);
    const auto row = found.front();
    const auto known = row.optional_integer(0).value_or(-1);
    co_return known >= 0 ? known : row.integer(1) + 1;
}

}  // namespace

std::optional<WallTime> final_time(std::string_view history) {
    std::optional<WallTime> found;
    std::int64_t latest = 0;
    while (!history.empty()) {
        const auto end = std::min(history.find('\n'), history.size());
        const auto entry = parsed(history.substr(0, end));
        history.remove_prefix(std::min(end + 1, history.size()));
        const auto attempt = number_in(entry, "attempt").value_or(0);
        if (attempt < 1 || attempt < latest) continue;
        if (attempt > latest) found.reset();  // the one before came to nothing, and the sale went on
        latest = attempt;
        const auto state = parse_attempt_state(text_in(entry, "state"));
        const auto at = number_in(entry, "at");
        if (!found && state && is_final_in(*state) && at) found = rows::readable_time(*at);
    }
    return found;
}

Result<std::optional<Day>> day_of_old_sale(const Row& row, const Rules& rules, rows::FieldReader& fields) {
    const auto status = parse_status(row.text(3));
    const auto updated_at = rows::readable_time(row, 4);
    if (!status || !updated_at || !row.is_text(2)) return errc::sale_unreadable;
    if (!is_final(*status)) return std::optional<Day>();
    TransactionDetails details;
    if (rules.day_by_request)
        details.data_hora = text_in(parsed(fields.text(row, 6, encrypted::details, row.text(1))), "dataHora");
    // A history that does not tell was damaged: nothing was written to the sale after it was settled, as a rule.
    return std::optional(movement_day(rules, details, final_time(row.text(5)).value_or(*updated_at)));
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
