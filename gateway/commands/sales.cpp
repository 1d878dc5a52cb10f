// `sales`: a list of sales, newest first.
#include "base/wall_time.hpp"
#include "commands/commands.hpp"
#include "commands/members.hpp"
#include "commands/table.hpp"
#include "commands/words.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

namespace json = boost::json;

// The most that the gateway puts into one page.
constexpr std::size_t longest_page = 200;

// A day after a midnight and before the next one, whatever summer time does.
constexpr std::chrono::hours into_the_next_day{36};
constexpr std::chrono::hours into_the_day_before{-12};

enum class Edge { from, to };

WallTime midnight_of(WallTime at) {
    constexpr std::size_t date = 10;
    return from_local_text(std::string_view(to_local_text(at)).substr(0, date)).value_or(at);
}

// What people type for a time. A date means all of the day: as an end, the midnight behind it.
std::optional<WallTime> time_meant(std::string_view text, Edge edge, WallTime now) {
    std::optional<WallTime> day;
    constexpr std::size_t date = 10;
    if (text == "today") day = midnight_of(now);
    if (text == "yesterday") day = midnight_of(midnight_of(now) + into_the_day_before);
    if (text.size() == date) day = from_local_text(text);
    if (day) return edge == Edge::to ? midnight_of(*day + into_the_next_day) : *day;
    const auto at = from_rfc3339(text);
    return at ? at : from_local_text(text);
}

// Everything but how many; or in words what cannot be asked for.
boost::system::result<std::string, std::string> query_of(const ListWishes& wishes, WallTime now) {
    std::string query;
    const auto add = [&](std::string_view name, std::string_view value) {
        if (!value.empty()) add_to_query(query, name, value);
    };
    add("status", wishes.status);
    if (wishes.attention) add("attention", "true");
    add("key", wishes.key);
    add("idExterno", wishes.id_externo);
    for (const auto& [name, text, edge] :
         {std::tuple("from", &wishes.from, Edge::from), std::tuple("to", &wishes.to, Edge::to)}) {
        if (text->empty()) continue;
        const auto at = time_meant(*text, edge, now);
        if (!at)
            return {boost::system::in_place_error,
                    fmt::format("--{} is a day or a time, such as today, yesterday, 2026-11-22, \"2026-11-22 17:05\" "
                                "or 2026-11-22T20:05:00Z",
                                name)};
        add(name, to_rfc3339(*at));
    }
    return {boost::system::in_place_value, std::move(query)};
}

struct List {
    std::vector<json::object> sales;
    std::vector<std::string> unreadable;
    bool more = false;
};

// Page by page, until there are as many as were asked for.
boost::system::result<List, std::string> fetch(AdminClient& gateway, const std::string& wanted, std::size_t limit) {
    using boost::system::in_place_error;
    List list;
    for (std::string cursor;;) {
        auto query = wanted;
        add_to_query(query, "limit", std::to_string(std::min(limit - list.sales.size(), longest_page)));
        if (!cursor.empty()) add_to_query(query, "cursor", cursor);
        const auto told = gateway.get("/v1/sales" + query);
        if (told.has_error()) return {in_place_error, told.error()};
        if (!told->good()) return {in_place_error, printable(told->problem())};
        if (const auto* sales = array_in(told->body, "sales"))
            for (const auto& sale : *sales)
                if (const auto* object = sale.if_object()) list.sales.push_back(*object);
        if (const auto* unreadable = array_in(told->body, "unreadable"))
            for (const auto& id : *unreadable)
                if (const auto* text = id.if_string()) list.unreadable.push_back(printable(*text));
        cursor = text_in(told->body, "next");
        list.more = !cursor.empty();
        if (!list.more || list.sales.size() >= limit) return {boost::system::in_place_value, std::move(list)};
    }
}

// What is left out first where there is no room for all: the family, then the terminal, then the product.
std::vector<Column> columns_for(const std::string& time_head) {
    return {{.head = time_head},
            {.head = "id"},
            {.head = "family", .leaves = 1},
            {.head = "produto", .least = 10, .leaves = 3},
            {.head = "amount", .right = true},
            {.head = "terminal", .leaves = 2},
            {.head = "outcome"},
            {.head = "attention", .least = 11, .alarming = true}};
}

std::string table_of(const Desk& desk, const std::vector<json::object>& sales) {
    const auto newest = time_in(sales.front(), "createdAt").value_or(desk.now);
    const auto time_head = fmt::format("time ({})", local_offset(newest));
    auto columns = columns_for(time_head);
    for (const auto& sale : sales) {
        const std::array cells{local_time(sale, "createdAt"),
                               printable(text_in(sale, "id")),
                               printable(text_in(sale, "family")),
                               printable(text_in(sale, "produto")),
                               amount_of(sale),
                               printable(text_in(sale, "terminal")),
                               outcome_of(sale),
                               mark_of(sale)};
        for (std::size_t i = 0; i < cells.size(); ++i)
            columns[i].cells.push_back(cells.at(i));
    }
    return table(desk.screen, columns);
}

bool wants_all(const ListWishes& wishes) {
    return wishes.status.empty() && !wishes.attention && wishes.key.empty() && wishes.id_externo.empty() &&
           wishes.from.empty() && wishes.to.empty();
}

std::string report(const Desk& desk, const ListWishes& wishes, const List& list) {
    std::string text;
    if (list.sales.empty() && list.unreadable.empty())
        text = wants_all(wishes) ? "There are no sales yet.\n" : "No sale is like that.\n";
    else if (!list.sales.empty())
        text = table_of(desk, list.sales);
    if (list.more) text += desk.screen.faint("Older ones are not shown: --limit shows more.") + '\n';
    for (const auto& id : list.unreadable)
        text += fmt::format("{} cannot be read: its record in the journal is damaged or was altered.\n", id);
    return text;
}

}  // namespace

int list_sales(const Desk& desk, const ListWishes& wishes) {
    const auto query = query_of(wishes, desk.now);
    if (query.has_error()) {
        desk.err << "error: " << query.error() << '\n';
        return exit_usage;
    }
    const auto list = fetch(desk.gateway, *query, wishes.limit);
    if (list.has_error()) {
        desk.err << "error: " << list.error() << '\n';
        return exit_failure;
    }
    if (!desk.as_json) desk.out << report(desk, wishes, *list);
    for (const auto& sale : list->sales)
        if (desk.as_json) desk.out << json::serialize(sale) << '\n';
    for (const auto& id : list->unreadable)
        if (desk.as_json) desk.err << "warning: " << id << " cannot be read\n";
    return exit_ok;
}

}  // namespace gateway
