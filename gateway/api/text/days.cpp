// Renders what days came to, with the counts beside each other, a line for each group and one for all; and the closes
// of days.
#include "api/text/renderers.hpp"
#include "api/text/table.hpp"
#include "base/json_members.hpp"
#include "base/wall_time.hpp"
#include "families/money.hpp"
#include "reconcile/csv_line.hpp"
#include "reconcile/totals.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace gateway::text {
namespace {

namespace json = boost::json;

// Where more sales are open, it is not asked what comes next of each: something is wrong with all of them.
constexpr std::size_t most_asked = 20;

constexpr std::array<std::string_view, 5> kinds{"sold", "cancelled", "refused", "open", "held"};

// Holds a line of a table of counts: the values that a group has in common, and its counts, as
// {"sold":{"count","valor"},…}.
struct CountedGroup {
    std::vector<std::string> values;
    const json::object* counts;
};

std::optional<std::int64_t> number_of(const json::object& counts, std::string_view kind, std::string_view name) {
    const auto* counted = object_in(counts, kind);
    return counted != nullptr ? number_in(*counted, name) : std::nullopt;
}

std::string count_text(const json::object& counts, std::string_view kind) {
    const auto count = number_of(counts, kind, "count");
    return count ? std::to_string(*count) : "";
}

void add_row(std::vector<Column>& columns, const std::vector<std::string>& values, const json::object& counts) {
    std::size_t column = 0;
    for (const auto& value : values)
        columns[column++].cells.push_back(printable(value));
    for (const auto kind : kinds) {
        columns[column++].cells.push_back(count_text(counts, kind));
        if (kind != "sold") continue;
        const auto valor = number_of(counts, kind, "valor");
        columns[column++].cells.push_back(valor ? amount_text(Cents{*valor}) : "");
    }
}

// `heads` says what the values are. A column that has nothing but zeros is left out, unless it counts what was sold.
std::string counts_table(const Page& page, const std::vector<std::string>& heads,
                         const std::vector<CountedGroup>& groups, const json::object& total) {
    std::vector<Column> columns;
    columns.reserve(heads.size() + kinds.size() + 1);
    for (const auto& head : heads)
        columns.push_back({.head = head, .least = 8});
    for (const auto kind : kinds) {
        columns.push_back({.head = page.words.word("book", kind), .right = true});
        if (kind == "sold") columns.push_back({.head = page.say("book.amount"), .right = true});
    }
    for (const auto& group : groups)
        add_row(columns, group.values, *group.counts);
    std::vector<std::string> of_all(heads.size());
    if (!of_all.empty()) of_all.front() = page.say("book.total");
    add_row(columns, of_all, total);
    for (std::size_t i = heads.size() + 2; i < columns.size(); ++i)
        if (std::ranges::all_of(columns[i].cells, [](const std::string& cell) { return cell == "0" || cell.empty(); }))
            columns[i].cells.assign(columns[i].cells.size(), "");
    return table(page, columns);
}

// Returns the time of day that a member says, for example "07:58".
std::string minute_text(const json::object& object, std::string_view name) {
    constexpr std::size_t date = std::string_view("2026-11-20 ").size();
    constexpr std::size_t minutes = std::string_view("07:58").size();
    const auto at = time_in(object, name);
    return at ? to_local_text(*at).substr(date, minutes) : std::string();
}

// Says what comes next between the gateway and the provider, for example "cancels again at 07:12"; empty where nothing
// does.
std::string next_step(const Page& page, const json::object& now) {
    const auto step = text_in(now, "step");
    const auto at = minute_text(now, "nextAt");
    const auto key = fmt::format("book.next.{}", step);
    if (!page.words.has(key) || (at.empty() && !flag_in(now, "underWay").value_or(false))) return {};
    auto text = page.say(key);
    if (number_in(now, "try").value_or(0) > 1) text += ' ' + page.say("book.again");
    return at.empty() ? text : fmt::format("{} {} {}", text, page.say("book.at"), at);
}

// Holds what comes next of the sales whose histories were asked for, by their ids.
using NextSteps = std::map<std::string_view, std::string>;

NextSteps next_steps(const Page& page, const Answers& answers) {
    NextSteps next;
    for (auto history = answers.begin() + 1; history != answers.end(); ++history)
        if (const auto* now = object_in(*history, "now")) next[text_in(*history, "id")] = next_step(page, *now);
    return next;
}

// Names the sales that are not final, or late: with idExterno, amount and status, and with what comes next where it is
// known.
std::string named_sales(const Page& page, const json::array& sales, const NextSteps& next = {}) {
    std::vector<Column> columns{{.head = "idExterno"},
                                {.head = page.say("text.column.family"), .leaves = 1},
                                {.head = "valor", .right = true},
                                {.head = "terminal", .leaves = 2},
                                {.head = "status"},
                                {.head = ""}};
    for (const auto& one : sales) {
        const auto* sale = one.if_object();
        if (sale == nullptr) continue;
        const auto known = next.find(text_in(*sale, "id"));
        const std::array cells{printable(text_in(*sale, "idExterno")),
                               printable(text_in(*sale, "family")),
                               amount_of(*sale),
                               printable(text_in(*sale, "terminal")),
                               printable(text_in(*sale, "status")),
                               known == next.end() ? std::string() : known->second};
        for (std::size_t i = 0; i < cells.size(); ++i)
            columns[i].cells.push_back(cells.at(i));
    }
    return table(page, columns);
}

std::vector<std::string> ids_in(const json::object& object, std::string_view name) {
    std::vector<std::string> ids;
    if (const auto* sales = array_in(object, name))
        for (const auto& one : *sales)
            if (const auto* sale = one.if_object(); sale != nullptr && !text_in(*sale, "id").empty())
                ids.emplace_back(text_in(*sale, "id"));
    return ids;
}

// Returns the call for the next history. Each history that was asked for is an answer behind the first one.
std::optional<std::string> next_of(const std::vector<std::string>& ids, const Answers& answers) {
    const auto asked = answers.size() - 1;
    if (asked >= std::min(ids.size(), most_asked)) return std::nullopt;
    return fmt::format("/v1/sales/{}/events", ids[asked]);
}

// Returns "20/11/2026", or "20/11/2026 a 22/11/2026" where there are several days.
std::string days_of(const Page& page, const json::object& totals) {
    const auto from = page.day(text_in(totals, "from"));
    const auto to = page.day(text_in(totals, "to"));
    return from == to ? from : fmt::format("{} {} {}", from, page.say("book.until"), to);
}

// Returns by what the totals are grouped: what was asked for, or the family where nothing was.
std::vector<TotalsBy> groups_asked(const http::Request& request) {
    std::vector<TotalsBy> all;
    auto text = request.query_value("by").value_or("");
    while (true) {
        const auto comma = text.find(',');
        if (const auto by = parse_totals_by(text.substr(0, comma))) all.push_back(*by);
        if (comma == std::string_view::npos) return all;
        text.remove_prefix(comma + 1);
    }
}

std::vector<CountedGroup> groups_of(const Page& page, const json::object& totals, const std::vector<TotalsBy>& by) {
    std::vector<CountedGroup> groups;
    const auto* list = array_in(totals, "groups");
    if (list == nullptr) return groups;
    for (const auto& one : *list) {
        const auto* counts = one.if_object();
        if (counts == nullptr) continue;
        CountedGroup group{.values = {}, .counts = counts};
        for (const auto what : by) {
            const auto value = text_in(*counts, to_string(what));
            group.values.push_back(value.empty() ? page.say("book.none") : std::string(value));
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

std::vector<std::string> heads_of(const Page& page, const std::vector<TotalsBy>& by) {
    std::vector<std::string> heads;
    heads.reserve(by.size());
    for (const auto what : by)
        heads.push_back(page.words.word("book.by", to_string(what)));
    return heads;
}

std::string closes_of(const Page& page, const json::object& totals) {
    std::string text;
    if (const auto* closes = array_in(totals, "closes"))
        for (const auto& one : *closes)
            if (const auto* close = one.if_object())
                text += fmt::format("{} {}   {} {}   {}\n", page.say("book.closed_as"),
                                    printable(text_in(*close, "name")), page.say("book.store_title"),
                                    printable(text_in(*close, "estabelecimento")), page.day(text_in(*close, "day")));
    return text;
}

std::string unreadable_line(const Page& page, const json::object& counted) {
    const auto bad = number_in(counted, "unreadable").value_or(0);
    const auto what = page.say("book.unreadable");
    return bad > 0 ? page.alarming(fmt::format("{}: {}", what, bad)) + '\n' : std::string();
}

// Counts, by family, what was open when the day was closed; the close itself counts what is final.
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

std::string families_table(const Page& page, const json::object& close) {
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
    return counts_table(page, {page.say("book.by.family")}, groups, with_open(*total, all_open));
}

// Returns the line with the store's name and CNPJ; nothing where the answer has neither.
std::string letterhead_line(const Page& page, const json::object& closes) {
    const auto* head = object_in(closes, "letterhead");
    if (head == nullptr) return {};
    auto text = printable(text_in(*head, "name"));
    if (const auto cnpj = text_in(*head, "cnpj"); !cnpj.empty())
        text += fmt::format("{}CNPJ {}", text.empty() ? "" : "   ", printable(cnpj));
    return page.bold(text) + '\n';
}

std::string heading(const Page& page, const json::object& close) {
    auto name = std::to_string(number_in(close, "number").value_or(0));
    if (const auto series = number_in(close, "series").value_or(1); series > 1) name += fmt::format("/{}", series);
    auto text = fmt::format("{} {}   {} {}   {}", page.say("book.close"), name, page.say("book.store_title"),
                            printable(text_in(close, "estabelecimento")), page.day(text_in(close, "day")));
    if (time_in(close, "first") && time_in(close, "last"))
        text +=
            fmt::format("   {} {} {}", minute_text(close, "first"), page.say("book.until"), minute_text(close, "last"));
    return text;
}

std::string close_text(const Page& page, const json::object& close, const NextSteps& next) {
    auto text = page.bold(heading(page, close)) + '\n' + families_table(page, close);
    if (const auto* late = array_in(close, "lateSales"); late != nullptr && !late->empty())
        text += fmt::format("\n{}:\n{}", page.say("book.late"), named_sales(page, *late));
    if (const auto* open = array_in(close, "open"); open != nullptr && !open->empty())
        text += fmt::format("\n{}:\n{}", page.say("book.open_title"), named_sales(page, *open, next));
    return text + unreadable_line(page, close);
}

}  // namespace

std::optional<std::string> next_open_sale_of_totals(const Question&, const Answers& answers) {
    return next_of(ids_in(answers.front(), "openSales"), answers);
}

std::optional<std::string> next_open_sale_of_closes(const Question&, const Answers& answers) {
    std::vector<std::string> ids;
    if (const auto* closes = array_in(answers.front(), "closes"))
        for (const auto& one : *closes)
            if (const auto* close = one.if_object()) std::ranges::move(ids_in(*close, "open"), std::back_inserter(ids));
    return next_of(ids, answers);
}

Rendered totals(const Question& question, const Answers& answers) {
    const auto& page = question.page;
    const auto& body = answers.front();
    const auto by = groups_asked(question.request);
    auto title = fmt::format("{}   {}", page.say("book.totals"), days_of(page, body));
    if (const auto store = question.request.query_value("estabelecimento"))
        title += fmt::format("   {} {}", page.say("book.store_title"), printable(*store));
    auto text = page.bold(title) + '\n';
    if (const auto* total = object_in(body, "total"))
        text += counts_table(page, heads_of(page, by), groups_of(page, body, by), *total);
    if (const auto* open = array_in(body, "openSales"); open != nullptr && !open->empty())
        text +=
            fmt::format("\n{}\n{}", page.say("book.still_open"), named_sales(page, *open, next_steps(page, answers)));
    if (const auto more = number_in(body, "openLeftOut").value_or(0); more > 0)
        text += fmt::format("{}: {}\n", page.say("book.more_open"), more);
    text += unreadable_line(page, body) + closes_of(page, body);
    const auto* late = object_in(body, "late");
    const auto count = late != nullptr ? number_in(*late, "count").value_or(0) : 0;
    if (count > 0)
        text += fmt::format("{}: {}, {}\n", page.say("book.after_close"), count,
                            amount_text(Cents{number_in(*late, "valor").value_or(0)}));
    return {.text = std::move(text)};
}

Rendered totals_csv(const Question& question, const Answers& answers) {
    const auto& page = question.page;
    const auto language = page.words.language();
    const auto by = groups_asked(question.request);
    CsvLine heads(language);
    for (const auto& head : heads_of(page, by))
        heads.add_text(head);
    for (const auto kind : kinds) {
        heads.add_text(page.words.word("book", kind));
        heads.add_text(page.words.word("book.amount_of", kind));
    }
    auto text = heads.text();
    for (const auto& group : groups_of(page, answers.front(), by)) {
        CsvLine line(language);
        for (const auto& value : group.values)
            line.add_text(value);
        for (const auto kind : kinds) {
            line.add_count(number_of(*group.counts, kind, "count"));
            const auto valor = number_of(*group.counts, kind, "valor");
            line.add_amount(valor ? std::optional(Cents{*valor}) : std::nullopt);
        }
        text += line.text();
    }
    return {.text = std::move(text)};
}

Rendered closes(const Question& question, const Answers& answers) {
    const auto& page = question.page;
    const auto& body = answers.front();
    const auto next = next_steps(page, answers);
    std::string text;
    if (const auto* all = array_in(body, "closes"))
        for (const auto& one : *all)
            if (const auto* close = one.if_object())
                text.append(text.empty() ? letterhead_line(page, body) : "\n").append(close_text(page, *close, next));
    std::string forgotten;
    if (const auto* days = array_in(body, "forgotten"))
        for (const auto& one : *days)
            if (const auto* day = one.if_object())
                forgotten += fmt::format("  {}  {} {}\n", page.day(text_in(*day, "day")), page.say("book.store_title"),
                                         printable(text_in(*day, "estabelecimento")));
    if (question.request.method == http::verb::post && question.status == http::status::ok && !text.empty())
        text.append("\n").append(page.say("book.was_closed")).append("\n");
    if (!forgotten.empty())
        text.append(text.empty() ? "" : "\n").append(page.say("book.forgotten")).append("\n").append(forgotten);
    return {.text = std::move(text)};
}

}  // namespace gateway::text
