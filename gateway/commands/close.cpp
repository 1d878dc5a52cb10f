// `close`: a day becomes a numbered close, once and for all.
#include "commands/commands.hpp"
#include "commands/day_tables.hpp"
#include "commands/days.hpp"
#include "commands/members.hpp"
#include "commands/words.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <map>

namespace gateway {
namespace {

namespace json = boost::json;

// What was open when it was closed, counted by family: the close itself counts what is final.
std::map<std::string, std::int64_t> open_by_family(const json::object& close) {
    std::map<std::string, std::int64_t> counts;
    if (const auto* open = array_in(close, "open"))
        for (const auto& one : *open)
            if (const auto* sale = one.if_object()) ++counts[std::string(text_in(*sale, "family"))];
    return counts;
}

json::object with_open(json::object counts, std::int64_t open) {
    counts["open"] = {{"count", open}};
    return counts;
}

std::string families_table(const Screen& screen, Language language, const json::object& close) {
    const auto* totals = object_in(close, "totals");
    const auto* families = totals != nullptr ? object_in(*totals, "families") : nullptr;
    const auto* total = totals != nullptr ? object_in(*totals, "total") : nullptr;
    if (families == nullptr || total == nullptr) return {};
    auto open = open_by_family(close);
    std::int64_t all_open = 0;
    for (const auto& [family, count] : open)
        all_open += count;
    std::map<std::string, json::object> counted;
    for (const auto& [family, counts] : *families)
        if (const auto* object = counts.if_object()) counted[std::string(family)] = with_open(*object, open[family]);
    for (const auto& [family, count] : open)
        if (!counted.contains(family)) counted[family] = with_open({}, count);
    std::vector<CountedGroup> groups;
    for (const auto& [family, counts] : counted)
        groups.push_back({.values = {family}, .counts = &counts});
    return counts_table(screen, language, {words::family}, groups, with_open(*total, all_open));
}

std::string heading(const json::object& close, Language language) {
    auto name = std::to_string(number_in(close, "number").value_or(0));
    if (const auto series = number_in(close, "series").value_or(1); series > 1) name += fmt::format("/{}", series);
    const auto day = parse_day(text_in(close, "day"));
    auto text = fmt::format("{} {}   {} {}   {}", words::close.in(language), name, words::store_title.in(language),
                            printable(text_in(close, "estabelecimento")),
                            day ? day_text(*day, language) : printable(text_in(close, "day")));
    constexpr std::size_t date = std::string_view("2026-11-20 ").size();
    constexpr std::size_t minutes = std::string_view("07:58").size();
    if (time_in(close, "first") && time_in(close, "last"))
        text += fmt::format("   {} {} {}", local_time(close, "first").substr(date, minutes), words::until.in(language),
                            local_time(close, "last").substr(date, minutes));
    return text;
}

std::string report(const Desk& desk, const json::object& close, Language language) {
    const auto& screen = desk.screen;
    auto text = screen.bold(heading(close, language)) + '\n' + families_table(screen, language, close);
    if (const auto* late = array_in(close, "lateSales"); late != nullptr && !late->empty())
        text += fmt::format("\n{}:\n{}", words::late.in(language), named_sales(screen, *late));
    if (const auto* open = array_in(close, "open"); open != nullptr && !open->empty())
        text += fmt::format("\n{}:\n{}", words::open_title.in(language),
                            named_sales(screen, *open, ask_what_comes_next(desk, *open, language)));
    if (const auto bad = number_in(close, "unreadable").value_or(0); bad > 0)
        text += screen.alarming(fmt::format("{} {}", bad, words::unreadable.in(language))) + '\n';
    return text;
}

std::string preview(const Desk& desk, const json::object& totals, Language language) {
    auto text = desk.screen.bold(fmt::format("{}   {}", words::totals.in(language), days_of(totals, language))) + '\n';
    std::vector<CountedGroup> groups;
    if (const auto* list = array_in(totals, "groups"))
        for (const auto& one : *list)
            if (const auto* counts = one.if_object())
                groups.push_back({.values = {std::string(text_in(*counts, "estabelecimento")),
                                             std::string(text_in(*counts, "family"))},
                                  .counts = counts});
    if (const auto* total = object_in(totals, "total"))
        text += counts_table(desk.screen, language, {words::store, words::family}, groups, *total);
    return text + '\n';
}

void print_closes(const Desk& desk, const AdminAnswer& answer, Language language) {
    const auto* closes = array_in(answer.body, "closes");
    if (closes == nullptr) return;
    bool further = false;
    for (const auto& one : *closes)
        if (const auto* close = one.if_object())
            desk.out << (std::exchange(further, true) ? "\n" : "") << report(desk, *close, language);
    if (answer.status == 200 && further) desk.err << words::was_closed.in(language) << '\n';
    std::string forgotten;
    if (const auto* days = array_in(answer.body, "forgotten"))
        for (const auto& one : *days)
            if (const auto* day = one.if_object())
                forgotten += fmt::format("  {}  {} {}\n", printable(text_in(*day, "day")),
                                         words::store_title.in(language), printable(text_in(*day, "estabelecimento")));
    if (!forgotten.empty()) desk.err << words::forgotten.in(language) << '\n' << forgotten;
}

}  // namespace

int close_day(const Desk& desk, const CloseWishes& wishes, const std::function<bool(const std::string&)>& confirmed) {
    const auto language = wishes.language;
    const TotalsQuestion question{.day = wishes.day.empty() ? "today" : wishes.day,
                                  .by = "estabelecimento,family",
                                  .estabelecimento = wishes.estabelecimento};
    const auto totals = ask_for_totals(desk, question);
    if (!totals.body) return totals.exit;
    if (confirmed) {
        desk.err << preview(desk, *totals.body, language);
        if (!confirmed(std::string(words::ask_to_close.in(language)))) {
            desk.err << words::not_done.in(language) << '\n';
            return exit_failure;
        }
    }
    json::object body{{"day", text_in(*totals.body, "to")}};
    if (!wishes.estabelecimento.empty()) body["estabelecimento"] = wishes.estabelecimento;
    if (!wishes.by.empty()) body["by"] = wishes.by;
    const auto told = desk.gateway.post("/v1/closes", body, AdminClient::summing_patience,
                                        "the same command once more tells; a day is closed only once");
    if (told.has_error() || !told->good()) {
        desk.err << "error: " << (told.has_error() ? told.error() : printable(told->problem())) << '\n';
        return exit_failure;
    }
    if (desk.as_json)
        desk.out << json::serialize(told->body) << '\n';
    else
        print_closes(desk, *told, language);
    return exit_ok;
}

}  // namespace gateway
