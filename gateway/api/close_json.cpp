#include "api/close_json.hpp"

#include "api/openapi/shared.hpp"
#include "api/totals.hpp"
#include "books/day_books.hpp"
#include "books/totals_json.hpp"
#include "reconcile/csv_line.hpp"
#include "words/words.hpp"

#include <boost/json.hpp>

#include <array>

namespace gateway {
namespace {

namespace json = boost::json;

// Returns the totals as JSON. The journal gives out only closes whose totals are an object and whose open sales are an
// array (journal/book_rows.cpp), so nothing is replaced here.
json::object totals_of(const Close& close) {
    boost::system::error_code ec;
    auto totals = json::parse(close.totals.value_or("{}"), ec);
    return !ec && totals.is_object() ? std::move(totals.get_object()) : json::object();
}

// Adds nothing where there are more cashiers than anybody reads.
void add_cashiers(json::object& totals, const GroupedTotals* cashiers) {
    if (cashiers == nullptr || cashiers->has_too_many_groups()) return;
    std::string text;
    JsonWriter writer(text);
    writer.begin_object();
    write_groups(writer, *cashiers);
    writer.end_object();
    totals["cashiers"] = json::parse(text);
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

// Adds the two cells of one count.
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

namespace openapi {
namespace {

// Holds a close, and its totals as the journal has them.
struct MadeClose {
    const Close& close;
    json::object kept;
};

template <auto Member>
constexpr auto of_close = [](const MadeClose& made) -> const auto& {
    return made.close.*Member;
};

json::object totals_json(const json::object& kept) {
    json::object totals;
    for (const auto* name : {"total", "families", "terminals"})
        totals[name] = member(kept, name);
    if (const auto* cashiers = kept.if_contains("cashiers")) totals["cashiers"] = *cashiers;
    return totals;
}

constexpr Field close_late_sales_fields[] = {
    {"id", a("SaleId"), "", "01JD3W4Q8Y7RZK5T9V2XB6M0NB"},
    {"idExterno", a("IdExterno"), "", "01JD3W4Q90C4D8E1F5G7H9J2KN"},
    {"day", a("Day"), "", "2026-11-19"},
    {"family", a("Family")},
    {"valor", count, "", "4990"},
    {"status", a("Status"), "", "EFETIVADA"},
};

constexpr Field close_totals_fields[] = {
    {"total", a("CloseCounts")},
    {"families", map_of(a("CloseCounts")), "",
     R"({"tv":{"sold":{"count":41,"valor":204590},"cancelled":{"count":3,"valor":14700},
        "refused":{"count":1,"valor":4900}}})"},
    {"terminals", map_of(a("CloseCounts")), "",
     R"({"caixa-01":{"sold":{"count":41,"valor":204590},"cancelled":{"count":3,"valor":14700},
        "refused":{"count":1,"valor":4900}}})"},
    maybe({"cashiers", map_of(a("CloseCounts")),
           "Only where one close is asked for. It is summed up from the sales as they are now: what nobody named, or "
           "whose name was erased with the sales' personal fields, is under an empty name.",
           R"({"Rita":{"sold":{"count":41,"valor":204590},"cancelled":{"count":3,"valor":14700},
        "refused":{"count":1,"valor":4900}}})"}),
};

constexpr Field close_open_fields[] = {
    {"id", text, "", "01JD3W4Q8Y7RZK5T9V2XB6M0NA"},
    {"idExterno", text, "", "01JD3W4Q90C4D8E1F5G7H9J2KM"},
    {"family", text, "", "tv"},
    {"valor", integer, "", "1099"},
    {"status", text, "", "PENDENTE"},
};

constexpr Written<MadeClose> close_members[] = {
    {{"estabelecimento", text, "", "12345678"}, of_close<&Close::estabelecimento>},
    {{"name", a("CloseName")}, [](const MadeClose& made) { return name_of(made.close, '-'); }},
    {{"number", count_from_one, "Counts the closes of an establishment from 1 without a gap, whatever the series.",
      "325"},
     of_close<&Close::number>},
    {{"series", count_from_one, "1 at first, and one more after each restore of the journal from a copy.", "1"},
     of_close<&Close::series>},
    {{"day", a("Day")}, of_close<&Close::day>},
    {{"madeAt", a("Time"), "", "2026-11-21T02:30:00.000Z"}, of_close<&Close::made_at>},
    {{"by", or_null(text), "Who closed the day; null where a person gave no name, or the gateway closed it by itself.",
      "maria"},
     [](const MadeClose& made) {
         const auto& by = made.close.made_by;
         return by == Close::unnamed ? std::string() : by;
     }},
    {{"automatic", boolean, "Whether the gateway closed the day by itself.", "false"},
     [](const MadeClose& made) { return made.close.made_by.empty(); }},
    {{"sales", count, "How many sales are in the close.", "45"},
     [](const MadeClose& made) { return member(made.kept, "sales"); }},
    {{"late", count, "How many of these belong to an earlier day, which was closed already when they became final.",
      "1"},
     [](const MadeClose& made) { return member(made.kept, "late"); }},
    {{"lateSales", list_of(object(close_late_sales_fields), R"("maxItems":100)"), "The first 100 of the late sales."},
     [](const MadeClose& made) { return member(made.kept, "lateSales"); }},
    {{"unreadable", count,
      "How many sales belong to it but are not counted, because their records were damaged before it was made.", "0"},
     [](const MadeClose& made) { return member(made.kept, "unreadable"); }},
    {{"first", or_null(date_time), "When the first sale of the day was begun.", "2026-11-20T10:58:03.120Z"},
     [](const MadeClose& made) { return member(made.kept, "first"); }},
    {{"last", or_null(date_time), "When the last sale of the day was begun.", "2026-11-21T01:41:55.002Z"},
     [](const MadeClose& made) { return member(made.kept, "last"); }},
    {{"totals", object(close_totals_fields)}, [](const MadeClose& made) { return totals_json(made.kept); }},
    {{"open", list_of(object(close_open_fields)), "The sales that were not final when the day was closed."},
     [](const MadeClose& made) { return open_of(made.close); }},
    {{"digest", sha256_text,
      "SHA-256 of these lines, each of which ends with a line feed: the digest of the close before, then "
      "`id;valor;status` of each sale in the order of the ids.",
      "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
     [](const MadeClose& made) { return made.close.digest.value_or(""); }},
    {{"previous", or_null(sha256_text), "The digest of the close before; null where a chain begins.", "null"},
     [](const MadeClose& made) { return member(made.kept, "previous"); }},
};

constexpr Written<CloseKey> forgotten_day_members[] = {
    {{"estabelecimento", text, "", "12345678"}, its<&CloseKey::estabelecimento>},
    {{"day", a("Day"), "", "2026-11-17"}, its<&CloseKey::day>},
};

constexpr Written<DayBooks::Unclosed> unclosed_members[] = {
    {{"estabelecimento", text, "", "12345678"}, its<&DayBooks::Unclosed::estabelecimento>},
    {{"day", a("Day")}, its<&DayBooks::Unclosed::day>},
    {{"sold", a("Counted")}, [](const DayBooks::Unclosed& day) { return counted(day.sold); }},
    {maybe(
         {"closesAt", date_time,
          "When this gateway closes the day by itself, some minutes after its start. Where this is absent, a person "
          "can close the day. With `close.at`, the gateway still closes it by itself once something is sold on a later "
          "day, unless a later day is closed first."}),
     its<&DayBooks::Unclosed::closes_at>},
};

constexpr Written<DayBooks::Due> automatic_members[] = {
    {{"day", a("Day"), "", "2026-11-21"}, its<&DayBooks::Due::day>},
    {{"at", date_time, "", "2026-11-22T09:00:00.000Z"}, its<&DayBooks::Due::at>},
};

constexpr Written<Letterhead> letterhead_members[] = {
    {maybe({"name", text, "`store.name`.", "Mercadinho da Praça"}), its<&Letterhead::name>},
    {maybe({"cnpj", text, "`store.cnpj`.", "12.345.678/0001-95"}), its<&Letterhead::cnpj>},
};

struct ListedCloses {
    explicit ListedCloses(const ToldCloses& its_told) : told(its_told) {
        for (const auto& close : told.closes)
            made.push_back({close, totals_of(close)});
    }

    const ToldCloses& told;
    std::vector<MadeClose> made;
};
constexpr Written<ListedCloses> closes_made_members[] = {
    {{"closes", list_of(a("Close"), R"("maxItems":500)")},
     [](const ListedCloses& listed) { return parts(close_members, listed.made); }},
    {{"forgotten", a("ForgottenDays")},
     [](const ListedCloses& listed) { return parts(forgotten_day_members, listed.told.forgotten); }},
    {maybe({"letterhead", object_of<letterhead_members>, "What stands at the head of the store's papers."}),
     [](const ListedCloses& listed) {
         const auto& head = listed.told.letterhead;
         return part(letterhead_members, head.empty() ? nullptr : &head);
     }},
};
constexpr Written<ListedCloses> close_list_members[] = {
    closes_made_members[0],
    closes_made_members[1],
    closes_made_members[2],
    {{"unclosed", a("Unclosed"), "", "[]"},
     [](const ListedCloses& listed) { return parts(unclosed_members, listed.told.unclosed); }},
    {{"automatic", or_null(object_of<automatic_members>),
      "Which day the gateway closes by itself next, and when. It leaves days before the last closed day of an "
      "establishment to a person. Null where `close.at` is not set, and while the gateway closes no day because its "
      "clock was set.",
      R"({"day":"2026-11-21","at":"2026-11-22T09:00:00.000Z"})"},
     [](const ListedCloses& listed) { return part(automatic_members, listed.told.automatic); }},
};

}  // namespace
}  // namespace openapi

std::string close_json(const Close& close, const GroupedTotals* cashiers) {
    openapi::MadeClose made{close, totals_of(close)};
    add_cashiers(made.kept, cashiers);
    return openapi::write(openapi::close_members, made);
}

std::string closes_made_json(const ToldCloses& told) {
    return openapi::write(openapi::closes_made_members, openapi::ListedCloses(told));
}

std::string close_list_json(const ToldCloses& told) {
    return openapi::write(openapi::close_list_members, openapi::ListedCloses(told));
}

openapi::Parts<DayBooks::Unclosed> in_parts(const std::vector<DayBooks::Unclosed>& unclosed) {
    return openapi::parts(openapi::unclosed_members, unclosed);
}

openapi::Parts<CloseKey> in_parts(const std::vector<CloseKey>& forgotten) {
    return openapi::parts(openapi::forgotten_day_members, forgotten);
}

std::string close_csv(const Close& close, Language language, const GroupedTotals* cashiers) {
    CsvLine heads(language);
    for (const auto* head :
         {"book.close_head", "book.store", "book.day", "book.group", "book.name", "book.sold", "book.amount_of.sold",
          "book.cancelled", "book.amount_of.cancelled", "book.refused", "book.amount_of.refused"})
        heads.add_text(Words::in(language).say(head));
    auto text = heads.text();
    auto kept = totals_of(close);
    add_cashiers(kept, cashiers);
    text += csv_of(close, "book.total", "", member(kept, "total"), language);
    for (const auto& [group, name] :
         {std::pair("book.by.family", "families"), std::pair("book.by.terminal", "terminals"),
          std::pair("book.by.cashier", "cashiers")}) {
        const auto groups = member(kept, name);
        if (const auto* object = groups.if_object())
            for (const auto& [of, totals] : *object)
                text += csv_of(close, group, of, totals, language);
    }
    return text;
}

namespace openapi {
namespace {

constexpr Field close_counts_fields[] = {
    {"sold", a("Counted")},
    {"cancelled", a("Counted"), "", R"({"count":3,"valor":14700})"},
    {"refused", a("Counted"), "", R"({"count":1,"valor":4900})"},
};

constexpr Schema all_close_schemas[] = {
    {.name = "CloseCounts",
     .description = "A close counts only sales that are final.",
     .type = object(close_counts_fields)},
    {.name = "Close",
     .description = "The numbered totals of one day of one establishment. They never change.",
     .type = object_of<close_members>},
    {.name = "CloseList", .type = object_of<close_list_members>},
    {.name = "ClosesMade", .type = object_of<closes_made_members>},
    {.name = "Unclosed",
     .description =
         "Yesterday, for each establishment that has sales to close there, late sales of earlier days "
         "included, and has not closed it. Where `close.at` is set, a day is listed only once it should have "
         "been closed by itself.",
     .type = list_of(object_of<unclosed_members>, R"("maxItems":500)")},
    {.name = "ForgottenDays",
     .description =
         "Days of the last month that are over and that nobody closed, although their close would have sales: "
         "their own, or late ones of earlier days.",
     .type = list_of(object_of<forgotten_day_members>, R"("maxItems":15500)")},
};

}  // namespace

std::span<const Schema> close_schemas() {
    return all_close_schemas;
}

}  // namespace openapi

}  // namespace gateway
