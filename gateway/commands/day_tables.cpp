#include "commands/day_tables.hpp"

#include "commands/members.hpp"
#include "commands/table.hpp"
#include "commands/words.hpp"
#include "families/money.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gateway {
namespace {

namespace json = boost::json;

struct Kind {
    std::string_view name;
    Word count;
    Word amount;
};
constexpr std::array kinds{
    Kind{"sold", words::sold, words::sold_amount},
    Kind{"cancelled", words::cancelled, words::cancelled_amount},
    Kind{"refused", words::refused, words::refused_amount},
    Kind{"open", words::open, words::open_amount},
    Kind{"held", words::held, words::held_amount},
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
    for (const auto& kind : kinds) {
        columns[column++].cells.push_back(count_text(counts, kind.name));
        if (kind.name != "sold") continue;
        const auto valor = number_of(counts, kind.name, "valor");
        columns[column++].cells.push_back(valor ? amount_text(Cents{*valor}) : "");
    }
}

}  // namespace

std::string counts_table(const Screen& screen, Language language, const std::vector<Word>& heads,
                         const std::vector<CountedGroup>& groups, const json::object& total) {
    std::vector<Column> columns;
    columns.reserve(heads.size() + kinds.size() + 1);
    for (const auto& head : heads)
        columns.push_back({.head = head.in(language), .least = 8});
    for (const auto& kind : kinds) {
        columns.push_back({.head = kind.count.in(language), .right = true});
        if (kind.name == "sold") columns.push_back({.head = words::amount.in(language), .right = true});
    }
    for (const auto& group : groups)
        add_row(columns, group.values, *group.counts);
    std::vector<std::string> of_all(heads.size());
    if (!of_all.empty()) of_all.front() = words::total.in(language);
    add_row(columns, of_all, total);
    for (std::size_t i = heads.size() + 2; i < columns.size(); ++i)
        if (std::ranges::all_of(columns[i].cells, [](const std::string& cell) { return cell == "0" || cell.empty(); }))
            columns[i].cells.assign(columns[i].cells.size(), "");
    return table(screen, columns);
}

std::string next_step(const json::object& now, Language language) {
    const auto step = text_in(now, "step");
    const auto* const word = step == "solicitar"   ? &words::requests
                             : step == "confirmar" ? &words::confirms
                             : step == "cancelar"  ? &words::cancels
                                                   : nullptr;
    const auto at = time_in(now, "nextAt");
    if (word == nullptr || (!at && !flag_in(now, "underWay").value_or(false))) return {};
    std::string text(word->in(language));
    if (number_in(now, "try").value_or(0) > 1) text.append(" ").append(words::again.in(language));
    if (!at) return text;
    constexpr std::size_t date = std::string_view("2026-11-20 ").size();
    constexpr std::size_t minutes = std::string_view("07:58").size();
    return fmt::format("{} {} {}", text, words::at.in(language), local_time(now, "nextAt").substr(date, minutes));
}

std::string named_sales(const Screen& screen, const json::array& sales,
                        const std::map<std::string, std::string>& next) {
    std::vector<Column> columns{{.head = "idExterno"},
                                {.head = "family", .leaves = 1},
                                {.head = "valor", .right = true},
                                {.head = "terminal", .leaves = 2},
                                {.head = "status"},
                                {.head = ""}};
    for (const auto& one : sales) {
        const auto* sale = one.if_object();
        if (sale == nullptr) continue;
        const auto known = next.find(std::string(text_in(*sale, "id")));
        const std::array cells{printable(text_in(*sale, "idExterno")),
                               printable(text_in(*sale, "family")),
                               amount_of(*sale),
                               printable(text_in(*sale, "terminal")),
                               printable(text_in(*sale, "status")),
                               known == next.end() ? "" : known->second};
        for (std::size_t i = 0; i < cells.size(); ++i)
            columns[i].cells.push_back(cells.at(i));
    }
    return table(screen, columns);
}

void add_count_heads(CsvLine& line, Language language) {
    for (const auto& kind : kinds) {
        line.add_text(kind.count.in(language));
        line.add_text(kind.amount.in(language));
    }
}

void add_counts(CsvLine& line, const json::object& counts) {
    for (const auto& kind : kinds) {
        line.add_count(number_of(counts, kind.name, "count"));
        const auto valor = number_of(counts, kind.name, "valor");
        line.add_amount(valor ? std::optional(Cents{*valor}) : std::nullopt);
    }
}

}  // namespace gateway
