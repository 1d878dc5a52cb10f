// Has the commands that only look: status, sales, show, totals, findings.
#include "base/calendar.hpp"
#include "base/json_members.hpp"
#include "base/wall_time.hpp"
#include "commands/ask.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace gateway {
namespace {

namespace json = boost::json;

// The gateway puts no more than this into one page.
constexpr std::size_t longest_page = 200;

// So long after a midnight it is the next day and not yet the one after, whatever summer time does.
constexpr std::chrono::hours into_the_next_day{36};
constexpr std::chrono::hours into_the_day_before{-12};

enum class Edge { from, to };

WallTime midnight_of(WallTime at) {
    constexpr std::size_t date = 10;
    return from_local_text(std::string_view(to_local_text(at)).substr(0, date)).value_or(at);
}

// Reads what people type for a time. A date means all of its day: as an end it means the midnight behind it.
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

// From now on times are in the zone of the store whose gateway is asked.
int take_zone(const Shell& shell) {
    const auto store = ask_for_json(shell, "/v1/store");
    if (!store) return exit_failure;
    if (const auto zone = text_in(*store, "timezone"); TimeZone::find(zone)) use_local_zone(std::string(zone));
    return exit_ok;
}

// Adds the times that are given to the query. Returns the exit code of what is wrong, which was said then.
int add_times(const Shell& shell, std::string& query, const ListArguments& arguments) {
    const auto given = {std::tuple("from", &arguments.from, Edge::from), std::tuple("to", &arguments.to, Edge::to)};
    for (const auto& [name, text, edge] : given)
        if (!text->empty() && !time_meant(*text, edge, shell.now))
            return fail(shell, shell.words.say("command.wrong_time", {{"option", fmt::format("--{}", name)}}),
                        exit_usage);
    if (arguments.from.empty() && arguments.to.empty()) return exit_ok;
    if (const auto exit = take_zone(shell); exit != exit_ok) return exit;
    for (const auto& [name, text, edge] : given)
        if (const auto at = time_meant(*text, edge, shell.now)) add_to_query(query, name, to_rfc3339(*at));
    return exit_ok;
}

// Prints the members of an array one a line, for a program.
void print_lines(const Shell& shell, const json::object& answer, std::string_view name) {
    if (const auto* all = array_in(answer, name))
        for (const auto& one : *all)
            shell.out << json::serialize(one) << '\n';
}

// Reads page by page, until there are as many sales as were asked for.
int list_as_json(const Shell& shell, const std::string& wanted, std::size_t limit) {
    for (std::string cursor;;) {
        auto query = wanted;
        add_to_query(query, "limit", std::to_string(std::min(limit, longest_page)));
        if (!cursor.empty()) add_to_query(query, "cursor", cursor);
        const auto page = ask_for_json(shell, "/v1/sales" + query);
        if (!page) return exit_failure;
        print_lines(shell, *page, "sales");
        if (const auto* unreadable = array_in(*page, "unreadable"))
            for (const auto& id : *unreadable)
                shell.err << "warning: " << id << " cannot be read\n";
        cursor = text_in(*page, "next");
        const auto* sales = array_in(*page, "sales");
        limit -= std::min(limit, sales != nullptr ? sales->size() : 0);
        if (cursor.empty() || limit == 0) return exit_ok;
    }
}

}  // namespace

int show_status(const Shell& shell) {
    auto call = call_of(shell, "/v1/status");
    if (!shell.as_json) return ask_and_print(shell, std::move(call));
    const auto status = ask_for_json(shell, std::move(call.target));
    if (!status) return exit_failure;
    shell.out << json::serialize(*status) << '\n';
    return flag_in(*status, "sells").value_or(false) ? exit_ok : exit_not_selling;
}

int list_sales(const Shell& shell, const ListArguments& arguments) {
    std::string query;
    const auto add = [&](std::string_view name, std::string_view value) {
        if (!value.empty()) add_to_query(query, name, value);
    };
    add("status", arguments.status);
    if (arguments.attention) add("attention", "true");
    add("key", arguments.key);
    add("idExterno", arguments.id_externo);
    if (const auto exit = add_times(shell, query, arguments); exit != exit_ok) return exit;
    if (shell.as_json) return list_as_json(shell, query, arguments.limit);
    add("limit", std::to_string(arguments.limit));
    return ask_and_print(shell, call_of(shell, "/v1/sales" + query));
}

int show_sale(const Shell& shell, const std::string& id) {
    const auto target = "/v1/sales/" + encoded_segment(id);
    if (!shell.as_json) return ask_and_print(shell, call_of(shell, target + "/events"));
    const auto sale = ask_for_json(shell, target);
    if (!sale) return exit_failure;
    const auto history = ask_for_json(shell, target + "/events");
    if (!history) return exit_failure;
    shell.out << json::serialize(json::object{{"sale", *sale}, {"story", *history}}) << '\n';
    return exit_ok;
}

int show_totals(const Shell& shell, const TotalsArguments& arguments) {
    std::string query;
    for (const auto& [name, text] :
         {std::pair("day", &arguments.day), std::pair("from", &arguments.from), std::pair("to", &arguments.to)}) {
        if (text->empty()) continue;
        const auto meant = day_meant(shell, fmt::format("--{}", name), *text);
        if (!meant.day) return meant.exit;
        add_to_query(query, name, *meant.day);
    }
    const auto& by = arguments.by.empty() && !shell.as_json ? "family" : arguments.by;
    if (!by.empty()) add_to_query(query, "by", by);
    if (!arguments.estabelecimento.empty()) add_to_query(query, "estabelecimento", arguments.estabelecimento);
    auto call = call_of(shell, "/v1/totals" + query);
    call.patience = AdminClient::summing_patience;
    if (arguments.as_csv) call.accept = "text/csv";
    return ask_and_print(shell, std::move(call));
}

int list_findings(const Shell& shell, const FindingArguments& arguments) {
    std::string query;
    if (!arguments.all) add_to_query(query, "open", "true");
    if (!arguments.kind.empty()) add_to_query(query, "kind", arguments.kind);
    if (!arguments.day.empty()) {
        const auto meant = day_meant(shell, "--day", arguments.day);
        if (!meant.day) return meant.exit;
        add_to_query(query, "day", *meant.day);
    }
    add_to_query(query, "limit", std::to_string(arguments.limit));
    if (!shell.as_json) return ask_and_print(shell, call_of(shell, "/v1/findings" + query));
    const auto page = ask_for_json(shell, "/v1/findings" + query);
    if (!page) return exit_failure;
    print_lines(shell, *page, "findings");
    return exit_ok;
}

}  // namespace gateway
