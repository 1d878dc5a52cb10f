#include "journal/dating.hpp"

#include "journal/encrypted_fields.hpp"
#include "journal/rows.hpp"
#include "sale/movement_day.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace gateway {
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

}  // namespace

struct Dating::Found {
    std::int64_t number;
    std::string estabelecimento;
    Day day;
};

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

Dating::Dating(sqlite::Database& d, FieldCipher& cipher, ClosesTable& closes, UnreadableSales& unreadable)
    : cipher_(cipher),
      closes_(closes),
      unreadable_(unreadable),
      done_down_to_(d, "SELECT done_down_to FROM dating"),
      newest_(d, "SELECT coalesce(max(n), 0) FROM sales"),
      next_(d,
            "SELECT n, id, estabelecimento, status, updated_at, story, facts, day IS NOT NULL FROM sales WHERE n < ?1"
            " ORDER BY n DESC LIMIT ?2"),
      set_day_(d, "UPDATE sales SET day = ?2, late_day = ?3 WHERE n = ?1"),
      set_done_(d, "INSERT OR REPLACE INTO dating VALUES (1, ?)") {}

// A damaged value would leave some without a day for ever: it begins anew instead, and passes those that have one.
Result<std::int64_t> Dating::done_down_to() {
    done_down_to_.bind_all();
    const auto row = done_down_to_.step();
    if (row.has_error()) return row.error();
    const auto known = *row ? done_down_to_.optional_integer(0) : std::nullopt;
    done_down_to_.reset();
    if (known && *known >= 0) return *known;
    newest_.bind_all();
    const auto newest = newest_.step();
    if (newest.has_error()) return newest.error();
    const auto number = newest_.integer(0);
    newest_.reset();
    return number + 1;
}

Result<Dated> Dating::some(const Rules& rules) {
    auto down_to = done_down_to();
    if (down_to.has_error()) return down_to.error();
    if (*down_to == 0) return Dated{};
    std::vector<Found> found;
    std::vector<std::int64_t> unreadable;
    rows::FieldReader fields(cipher_);
    std::size_t looked_at = 0;
    next_.bind_all(*down_to, sales_at_once);
    while (true) {
        const auto row = next_.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        ++looked_at;
        down_to = next_.integer(0);
        if (next_.integer(7) != 0) continue;
        const auto day = day_of_old_sale(next_, rules, fields);
        if (day.has_error())
            unreadable.push_back(*down_to);
        else if (*day)
            found.push_back({.number = *down_to, .estabelecimento = std::string(next_.text(2)), .day = **day});
    }
    next_.reset();
    for (const auto& sale : found)
        if (auto r = date(sale); r.has_error()) return r.error();
    for (const auto number : unreadable)
        unreadable_.add(number);
    unreadable_.add_values(fields.unreadable());
    const bool more = looked_at == sales_at_once;
    if (auto r = set_done_.run(more ? *down_to : 0); r.has_error()) return r.error();
    return Dated{.sales = found.size(), .more = more};
}

Result<void> Dating::date(const Found& sale) {
    const auto late = closes_.late_day(sale.estabelecimento, sale.day);
    if (late.has_error()) return late.error();
    return set_day_.run(sale.number, to_text(sale.day), *late ? std::optional(to_text(**late)) : std::nullopt);
}

}  // namespace gateway
