// `totals`: what some days came to, as far as they went.
#include "commands/commands.hpp"
#include "commands/day_tables.hpp"
#include "commands/days.hpp"
#include "commands/members.hpp"
#include "families/money.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway {
namespace {

namespace json = boost::json;

std::vector<TotalsBy> groups_in(std::string_view text) {
    std::vector<TotalsBy> all;
    while (true) {
        const auto comma = text.find(',');
        if (const auto by = parse_totals_by(text.substr(0, comma))) all.push_back(*by);
        if (comma == std::string_view::npos) return all;
        text.remove_prefix(comma + 1);
    }
}

std::vector<CountedGroup> groups_of(const json::object& totals, const std::vector<TotalsBy>& by, Language language) {
    std::vector<CountedGroup> groups;
    const auto* list = array_in(totals, "groups");
    if (list == nullptr) return groups;
    for (const auto& one : *list) {
        const auto* counts = one.if_object();
        if (counts == nullptr) continue;
        CountedGroup group{.values = {}, .counts = counts};
        for (const auto what : by) {
            const auto value = text_in(*counts, to_string(what));
            group.values.emplace_back(value.empty() ? words::none.in(language) : value);
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

std::vector<Word> heads_of(const std::vector<TotalsBy>& by) {
    std::vector<Word> heads;
    heads.reserve(by.size());
    for (const auto what : by)
        heads.push_back(words::of(what));
    return heads;
}

std::string csv(const json::object& totals, const std::vector<TotalsBy>& by, Language language) {
    CsvLine heads(language);
    for (const auto& head : heads_of(by))
        heads.add_text(head.in(language));
    add_count_heads(heads, language);
    auto text = heads.text();
    for (const auto& group : groups_of(totals, by, language)) {
        CsvLine line(language);
        for (const auto& value : group.values)
            line.add_text(value);
        add_counts(line, *group.counts);
        text += line.text();
    }
    return text;
}

std::string closes_of(const json::object& totals, Language language) {
    const auto* closes = array_in(totals, "closes");
    std::string text;
    if (closes == nullptr) return text;
    for (const auto& one : *closes)
        if (const auto* close = one.if_object())
            text += fmt::format("{} {}   {} {}   {}\n", words::closed_as.in(language),
                                printable(text_in(*close, "name")), words::store_title.in(language),
                                printable(text_in(*close, "estabelecimento")), printable(text_in(*close, "day")));
    return text;
}

std::string report(const Desk& desk, const json::object& totals, const std::vector<TotalsBy>& by,
                   const TotalsWishes& wishes) {
    const auto language = wishes.language;
    auto title = fmt::format("{}   {}", words::totals.in(language), days_of(totals, language));
    if (!wishes.estabelecimento.empty())
        title += fmt::format("   {} {}", words::store_title.in(language), printable(wishes.estabelecimento));
    auto text = desk.screen.bold(title) + '\n';
    if (const auto* total = object_in(totals, "total"))
        text += counts_table(desk.screen, language, heads_of(by), groups_of(totals, by, language), *total);
    if (const auto* open = array_in(totals, "openSales"); open != nullptr && !open->empty())
        text += fmt::format("\n{}\n{}", words::still_open.in(language),
                            named_sales(desk.screen, *open, ask_what_comes_next(desk, *open, language)));
    if (const auto more = number_in(totals, "openLeftOut").value_or(0); more > 0)
        text += fmt::format("{}: {}\n", words::more_open.in(language), more);
    if (const auto bad = number_in(totals, "unreadable").value_or(0); bad > 0)
        text += desk.screen.alarming(fmt::format("{}: {}", words::unreadable.in(language), bad)) + '\n';
    text += closes_of(totals, language);
    const auto* late = object_in(totals, "late");
    const auto count = late != nullptr ? number_in(*late, "count").value_or(0) : 0;
    if (count > 0)
        text += fmt::format("{}: {}, {}\n", words::after_close.in(language), count,
                            amount_text(Cents{number_in(*late, "valor").value_or(0)}));
    return text;
}

}  // namespace

int show_totals(const Desk& desk, const TotalsWishes& wishes) {
    const auto by = wishes.by.empty() && !desk.as_json ? std::string(to_string(TotalsBy::family)) : wishes.by;
    const TotalsQuestion question{
        .day = wishes.day, .from = wishes.from, .to = wishes.to, .by = by, .estabelecimento = wishes.estabelecimento};
    const auto reply = ask_for_totals(desk, question);
    if (!reply.body) return reply.exit;
    if (desk.as_json)
        desk.out << json::serialize(*reply.body) << '\n';
    else if (wishes.as_csv)
        desk.out << csv(*reply.body, groups_in(by), wishes.language);
    else
        desk.out << report(desk, *reply.body, groups_in(by), wishes);
    return exit_ok;
}

}  // namespace gateway
