#include "api/close_json.hpp"

#include "api/json_values.hpp"
#include "base/wall_time.hpp"
#include "books/day_books.hpp"
#include "reconcile/csv_line.hpp"
#include "words/words.hpp"

#include <boost/json.hpp>

#include <array>

namespace gateway {
namespace {

namespace json = boost::json;

// As the journal has them; it gives out only what is an object and an array.
json::object totals_of(const Close& close) {
    boost::system::error_code ec;
    auto totals = json::parse(close.totals.value_or("{}"), ec);
    return !ec && totals.is_object() ? std::move(totals.get_object()) : json::object();
}

json::value open_of(const Close& close) {
    boost::system::error_code ec;
    auto open = json::parse(close.open, ec);
    return ec ? json::array() : open;
}

json::value member(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    return value != nullptr ? *value : json::value();
}

// The two cells of one count.
void add_count(CsvLine& line, const json::object& totals, std::string_view name) {
    const auto counted = member(totals, name);
    const auto* object = counted.if_object();
    const auto number = [&](std::string_view of) -> std::optional<std::int64_t> {
        const auto value = object != nullptr ? member(*object, of) : json::value();
        return value.is_int64() ? std::optional(value.get_int64()) : std::nullopt;
    };
    line.add_count(number("count"));
    const auto valor = number("valor");
    line.add_amount(valor ? std::optional(Cents{*valor}) : std::nullopt);
}

std::string csv_of(const Close& close, std::string_view group, std::string_view name, const json::value& totals,
                   Language language) {
    CsvLine line(language);
    line.add_text(name_of(close));
    line.add_text(close.estabelecimento);
    line.add_text(day_text(close.day, language));
    line.add_text(Words::in(language).say(group));
    line.add_text(name);
    const auto* object = totals.if_object();
    for (const auto* status : {"sold", "cancelled", "refused"})
        add_count(line, object != nullptr ? *object : json::object(), status);
    return line.text();
}

}  // namespace

json::object close_json(const Close& close) {
    const auto kept = totals_of(close);
    json::object made{
        {"estabelecimento", close.estabelecimento},
        {"name", name_of(close, '-')},
        {"number", close.number},
        {"series", close.series},
        {"day", to_text(close.day)},
        {"madeAt", to_rfc3339(close.made_at)},
        {"by", text_or_null(close.made_by == Close::unnamed ? "" : close.made_by)},
        {"automatic", close.made_by.empty()},
    };
    for (const auto* name : {"sales", "late", "lateSales", "unreadable", "first", "last"})
        made[name] = member(kept, name);
    json::object totals;
    for (const auto* name : {"total", "families", "terminals"})
        totals[name] = member(kept, name);
    made["totals"] = std::move(totals);
    made["open"] = open_of(close);
    made["digest"] = close.digest.value_or("");
    made["previous"] = member(kept, "previous");
    return made;
}

json::array unclosed_json(const std::vector<DayBooks::Unclosed>& unclosed) {
    json::array all;
    for (const auto& [estabelecimento, day, sold, closes_at] : unclosed) {
        json::object one{
            {"estabelecimento", estabelecimento},
            {"day", to_text(day)},
            {"sold",
             {{"count", sold.count}, {"valor", sold.total ? json::value(sold.total->value) : json::value(nullptr)}}}};
        if (closes_at) one["closesAt"] = to_rfc3339(*closes_at);
        all.push_back(std::move(one));
    }
    return all;
}

json::array forgotten_json(const std::vector<CloseKey>& forgotten) {
    json::array all;
    for (const auto& [estabelecimento, day] : forgotten)
        all.push_back({{"estabelecimento", estabelecimento}, {"day", to_text(day)}});
    return all;
}

std::string close_csv(const Close& close, Language language) {
    CsvLine heads(language);
    for (const auto* head :
         {"book.close_head", "book.store", "book.day", "book.group", "book.name", "book.sold", "book.amount_of.sold",
          "book.cancelled", "book.amount_of.cancelled", "book.refused", "book.amount_of.refused"})
        heads.add_text(Words::in(language).say(head));
    auto text = heads.text();
    const auto kept = totals_of(close);
    text += csv_of(close, "book.total", "", member(kept, "total"), language);
    for (const auto& [group, name] :
         {std::pair("book.by.family", "families"), std::pair("book.by.terminal", "terminals")}) {
        const auto groups = member(kept, name);
        if (const auto* object = groups.if_object())
            for (const auto& [of, totals] : *object)
                text += csv_of(close, group, of, totals, language);
    }
    return text;
}

}  // namespace gateway
