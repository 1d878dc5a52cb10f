// `close`: a day becomes a numbered close, once and for all.
#include "base/clock.hpp"
#include "commands/commands.hpp"
#include "commands/day_tables.hpp"
#include "commands/days.hpp"
#include "commands/members.hpp"
#include "commands/words.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdlib>
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
    groups.reserve(counted.size());
    for (const auto& [family, counts] : counted)
        groups.push_back({.values = {family}, .counts = &counts});
    return counts_table(screen, language, {words::family}, groups, with_open(*total, all_open));
}

// "07:58" in the store, or, where this machine does not know its zone, on this machine.
std::string clock_text(const json::object& object, std::string_view name, const std::optional<TimeZone>& zone) {
    constexpr std::size_t date = std::string_view("2026-11-20 ").size();
    constexpr std::size_t minutes = std::string_view("07:58").size();
    const auto at = time_in(object, name);
    if (!zone || !at) return local_time(object, name).substr(date, minutes);
    const auto shown = zone->minute_of(*at).count();
    return fmt::format("{:02}:{:02}", shown / 60, shown % 60);
}

std::string heading(const json::object& close, Language language, const std::optional<TimeZone>& zone) {
    auto name = std::to_string(number_in(close, "number").value_or(0));
    if (const auto series = number_in(close, "series").value_or(1); series > 1) name += fmt::format("/{}", series);
    const auto day = parse_day(text_in(close, "day"));
    auto text = fmt::format("{} {}   {} {}   {}", words::close.in(language), name, words::store_title.in(language),
                            printable(text_in(close, "estabelecimento")),
                            day ? day_text(*day, language) : printable(text_in(close, "day")));
    if (time_in(close, "first") && time_in(close, "last"))
        text += fmt::format("   {} {} {}", clock_text(close, "first", zone), words::until.in(language),
                            clock_text(close, "last", zone));
    return text;
}

std::string report(const Desk& desk, const json::object& close, Language language,
                   const std::optional<TimeZone>& zone) {
    const auto& screen = desk.screen;
    auto text = screen.bold(heading(close, language, zone)) + '\n' + families_table(screen, language, close);
    if (const auto* late = array_in(close, "lateSales"); late != nullptr && !late->empty())
        text += fmt::format("\n{}:\n{}", words::late.in(language), named_sales(screen, *late));
    if (const auto* open = array_in(close, "open"); open != nullptr && !open->empty())
        text += fmt::format("\n{}:\n{}", words::open_title.in(language),
                            named_sales(screen, *open, ask_what_comes_next(desk, *open, language)));
    if (const auto bad = number_in(close, "unreadable").value_or(0); bad > 0)
        text += screen.alarming(fmt::format("{}: {}", words::unreadable.in(language), bad)) + '\n';
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

void print_closes(const Desk& desk, const AdminAnswer& answer, Language language, const std::optional<TimeZone>& zone) {
    const auto* closes = array_in(answer.body, "closes");
    if (closes == nullptr) return;
    bool further = false;
    for (const auto& one : *closes)
        if (const auto* close = one.if_object())
            desk.out << (std::exchange(further, true) ? "\n" : "") << report(desk, *close, language, zone);
    if (answer.status == 200 && further) desk.err << words::was_closed.in(language) << '\n';
    std::string forgotten;
    if (const auto* days = array_in(answer.body, "forgotten"))
        for (const auto& one : *days)
            if (const auto* day = one.if_object())
                forgotten += fmt::format("  {}  {} {}\n", printable(text_in(*day, "day")),
                                         words::store_title.in(language), printable(text_in(*day, "estabelecimento")));
    if (!forgotten.empty()) desk.err << words::forgotten.in(language) << '\n' << forgotten;
}

// Why the gateway's clock is not believed, by which it tells what today is; empty: it is, as far as is known.
std::string trouble_with_clock(const Desk& desk) {
    const auto told = desk.gateway.get("/v1/status");
    if (told.has_error() || !told->good()) return {};
    if (auto closing = text_in(told->body, "closing"); !closing.empty()) return printable(closing);
    const auto* clock = object_in(told->body, "clock");
    if (clock == nullptr) return {};
    constexpr auto too_much = std::chrono::duration_cast<std::chrono::seconds>(unbelievable_difference).count();
    const bool is_off = std::abs(number_in(*clock, "aheadOfProviderSeconds").value_or(0)) >= too_much ||
                        number_in(*clock, "behindJournalSeconds").value_or(0) >= too_much;
    return is_off ? printable(text_in(*clock, "trouble")) : std::string();
}

}  // namespace

int close_day(const Desk& desk, const CloseWishes& wishes, const std::function<bool(const std::string&)>& confirmed) {
    const auto language = wishes.language;
    const TotalsQuestion question{.day = wishes.day.empty() ? "today" : wishes.day,
                                  .by = "estabelecimento,family",
                                  .estabelecimento = wishes.estabelecimento};
    if (question.day == "today" || question.day == "yesterday") {
        if (const auto trouble = trouble_with_clock(desk); !trouble.empty()) {
            desk.err << fmt::format(
                "error: {}. Until that is put right, say the day with its date, such as --day 2026-11-20: a close is "
                "never undone\n",
                trouble);
            return exit_failure;
        }
    }
    const auto totals = ask_for_totals(desk, question);
    if (!totals.body) return totals.exit;
    if (confirmed) {
        desk.err << preview(desk, *totals.body, language);
        if (question.day == "today") desk.err << words::not_over.in(language) << '\n';
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
        print_closes(desk, *told, language, TimeZone::find(text_in(*totals.body, "timezone")));
    return exit_ok;
}

}  // namespace gateway
