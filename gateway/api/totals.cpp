#include "api/totals.hpp"

#include "api/openapi/shared.hpp"
#include "api/query.hpp"
#include "api/sale_answer.hpp"

#include <utility>

namespace gateway {
namespace openapi {
namespace {

constexpr Written<CountAndTotal> counted_members[] = {
    {{"count", count, "", "41"}, its<&CountAndTotal::count>},
    {{"valor", or_null(count), "null: more than fits.", "204590"}, its<&CountAndTotal::total>},
};

template <auto Member>
constexpr auto counted_in = [](const Totals& totals) { return counted(totals.*Member); };

constexpr Written<Totals> totals_counts_members[] = {
    {{"sold", a("Counted")}, counted_in<&Totals::sold>},
    {{"cancelled", a("Counted"), "", R"({"count":3,"valor":14700})"}, counted_in<&Totals::cancelled>},
    {{"refused", a("Counted"), "", R"({"count":1,"valor":4900})"}, counted_in<&Totals::refused>},
    {{"open", a("Counted"), "", R"({"count":1,"valor":1099})"}, counted_in<&Totals::open>},
    {{"held", a("Counted"), "", R"({"count":0,"valor":0})"}, counted_in<&Totals::held>},
};

// A group has these in the order in which they were asked for.
constexpr Field totals_group_fields[] = {
    maybe({"family", a("Family"), "", "tv"}),
    maybe({"terminal", text}),
    maybe({"cashier", text, "Empty where none was named."}),
    maybe({"estabelecimento", text}),
    maybe({"produto", text}),
    maybe({"hour", Type{R"("type":"string","pattern":"^[0-2][0-9]$")"},
           "In which the sale was begun, by the store's clocks; 00 where that was on a day before."}),
};

void write_groups(JsonWriter& json, const GroupedTotals& totals) {
    json.begin_array();
    for (const auto& [values, counted] : totals.groups()) {
        json.begin_object();
        for (std::size_t i = 0; i < values.size(); ++i)
            json.key(to_string(totals.by()[i])).string(values[i]);
        write_members(json, Table<Totals>(totals_counts_members), counted, everywhere);
        json.end_object();
    }
    json.end_array();
}

constexpr Written<Sale> totals_open_sale_members[] = {
    {{"id", a("SaleId")}, its<&Sale::id>},
    {{"idExterno", a("IdExterno")}, [](const Sale& sale) { return sale.current().id_externo; }},
    {{"estabelecimento", text, "", "12345678"}, its<&Sale::estabelecimento>},
    {{"terminal", text, "", "caixa-01"}, its<&Sale::terminal>},
    {{"family", a("Family")}, its<&Sale::family>},
    {{"produto", text, "", "TV Mensal"}, its<&Sale::produto>},
    {{"valor", count, "", "1099"}, its<&Sale::valor>},
    {{"status", a("Status")}, its<&Sale::status>},
    {{"outcome", a("Outcome"), "", "pending"}, [](const Sale& sale) { return outcome_of(sale); }},
    {{"createdAt", a("Time"), "", "2026-11-20T13:11:11.480Z"}, its<&Sale::created_at>},
};

constexpr Written<Close> totals_close_members[] = {
    {{"estabelecimento", text}, its<&Close::estabelecimento>},
    {{"day", a("Day")}, its<&Close::day>},
    {{"name", a("CloseName")}, [](const Close& close) { return name_of(close, '-'); }},
};

struct ToldTotals {
    const TotalsRequest& wanted;
    const TimeZone& zone;
    const DayTotals& made;
};
constexpr Written<ToldTotals> day_totals_members[] = {
    {{"from", a("Day")}, [](const ToldTotals& told) { return told.wanted.from; }},
    {{"to", a("Day")}, [](const ToldTotals& told) { return told.wanted.to; }},
    {{"timezone", text, "Whose days these are.", "America/Sao_Paulo"},
     [](const ToldTotals& told) { return told.zone.name(); }},
    {{"total", a("TotalsCounts")},
     [](const ToldTotals& told) { return part(totals_counts_members, told.made.totals.total()); }},
    {{"groups", list_of(a("TotalsGroup")), "Empty without `by`."},
     [](const ToldTotals& told) {
         return [&totals = told.made.totals](JsonWriter& json) { write_groups(json, totals); };
     }},
    {{"openSales", list_of(a("TotalsOpenSale")),
      "Sales that are not final and count here, oldest first, 1000 at most."},
     [](const ToldTotals& told) { return parts(totals_open_sale_members, told.made.open); }},
    {{"late", a("Counted"), "Sold on one of these days after its close: it is in the close of a later day.",
      R"({"count":0,"valor":0})"},
     [](const ToldTotals& told) { return counted(told.made.late); }},
    {{"openLeftOut", count, "How many more there are; the counts have them.", "0"},
     [](const ToldTotals& told) { return told.made.left_out; }},
    {{"unreadable", count, "Sales whose records are damaged and that are not counted.", "0"},
     [](const ToldTotals& told) { return told.made.unreadable; }},
    {{"closes", list_of(object_of<totals_close_members>), "The closes of these days, the newest first, 500 at most.",
      "[]"},
     [](const ToldTotals& told) { return parts(totals_close_members, told.made.closes); }},
};

constexpr Written<DayBooks> store_members[] = {
    {{"timezone", text, "`store.timezone`, by its name in the time zone database.", "America/Sao_Paulo"},
     [](const DayBooks& books) { return books.zone().name(); }},
    {{"today", a("Day")}, [](const DayBooks& books) { return books.today(); }},
};

}  // namespace
}  // namespace openapi

openapi::Part<CountAndTotal> counted(const CountAndTotal& counted) {
    return openapi::part(openapi::counted_members, counted);
}

boost::asio::awaitable<http::Response> TotalsApi::of_terminal(http::Request& request) {
    const auto terminal = terminals_.by_id(request.principal);
    if (!terminal) co_return unknown_terminal_answer(request);
    auto wanted = read_totals_request(request, books_.today());
    if (wanted.has_error()) co_return wanted.error();
    if (wanted->estabelecimento.value_or(terminal->estabelecimento) != terminal->estabelecimento)
        co_return refuse(request, http::status::forbidden, "forbidden",
                         "A terminal is told the totals of its own establishment only.");
    wanted->estabelecimento = terminal->estabelecimento;
    std::optional<SaleFilter::Among> among;
    if (terminal->families.size() < all_families.size())
        among = {.families = terminal->families, .or_terminal = terminal->id};
    co_return co_await answer(request, std::move(*wanted), std::move(among));
}

boost::asio::awaitable<http::Response> TotalsApi::store(http::Request& request) {
    if (Query query(request, {}); query.failed()) co_return query.refusal();
    co_return json_text_answer(openapi::write(openapi::store_members, books_));
}

boost::asio::awaitable<http::Response> TotalsApi::of_operator(http::Request& request) {
    auto wanted = read_totals_request(request, books_.today());
    if (wanted.has_error()) co_return wanted.error();
    if (wanted->estabelecimento) {
        const auto known = co_await books_.knows(*wanted->estabelecimento);
        if (known.has_error()) co_return books_refused_answer(request, known.error());
        if (!*known) co_return unknown_establishment_answer(request);
    }
    co_return co_await answer(request, std::move(*wanted), std::nullopt);
}

boost::asio::awaitable<http::Response> TotalsApi::answer(const http::Request& request, TotalsRequest wanted,
                                                         std::optional<SaleFilter::Among> among) {
    const DayFilter filter{
        .from = wanted.from, .to = wanted.to, .estabelecimento = wanted.estabelecimento, .among = std::move(among)};
    const auto made = co_await books_.totals(filter, wanted.by, wanted.begun_before);
    if (made.has_error()) co_return books_refused_answer(request, made.error());
    if (made->totals.has_too_many_groups())
        co_return field_errors(
            request,
            {{.pointer = "/by", .detail = "gives more than 10000 groups: ask for fewer days or fewer of them"}});
    const openapi::ToldTotals told{wanted, books_.zone(), *made};
    co_return json_text_answer(openapi::write(openapi::day_totals_members, told));
}

namespace openapi {
namespace {

constexpr Type groups{R"("type":"string","pattern":"^(family|terminal|cashier|estabelecimento|produto|hour))"
                      R"((,(family|terminal|cashier|estabelecimento|produto|hour))*$")"};

// Describes what both listeners say of the call; `whose` is what they say of the establishment.
Description totals(std::string_view text, std::string_view whose, std::vector<Answer> more) {
    Description described{
        .id = "getTotals",
        .summary = "What days came to",
        .tag = "Books",
        .text = text,
        .parameters = {{"day", day_text, "One day; without any it is today, in `store.timezone`.", "2026-11-20"},
                       {"from", day_text, "The first of several days, up to `to` or today; 366 at most.", "2026-11-01"},
                       {"to", day_text, "The last of them.", "2026-11-30"},
                       {"by", groups,
                        "Groups: some of family, terminal, cashier, estabelecimento, produto and hour, each once, with "
                        "commas between them.",
                        "family,terminal"},
                       {"estabelecimento", short_text, whose, "12345678"},
                       {"begunBefore", time_text,
                        "Only sales that were begun before this time (RFC 3339): an earlier day up to the time of day "
                        "that it is now.",
                        "2026-11-20T17:35:00Z"}},
        .answers = {gives(200, "What these days came to, as far as they went.", a("DayTotals"), {{"answer"}}),
                    refuses(422,
                            "A parameter is wrong, unknown or repeated, or the groups are more than 10000; all of them "
                            "are in `errors`.",
                            {invalid("by",
                                     "must be family, terminal, cashier, estabelecimento, produto and hour, or some of "
                                     "them, each once, with commas between them")})}};
    described.answers.insert(described.answers.end(), more.begin(), more.end());
    return described;
}

constexpr Schema all_totals_schemas[] = {
    {.name = "Day",
     .description = "A movement day: the date, in `store.timezone`, on which a sale became sold, cancelled or refused.",
     .type = day_text,
     .example = "2026-11-20"},
    {.name = "Counted",
     .description = "A number of sales and what they amount to, in cents.",
     .type = object_of<counted_members>},
    {.name = "TotalsCounts",
     .description = "A sale counts in one of them; `open` is what is neither final nor held.",
     .type = object_of<totals_counts_members>},
    {.name = "TotalsGroup",
     .description = "The sales that are equal in what was asked for with `by`.",
     .type = object(totals_group_fields, fields<totals_counts_members>)},
    {.name = "TotalsOpenSale", .type = object_of<totals_open_sale_members>},
    {.name = "CloseName",
     .description = "The number of a close; of a series that is not the first, with the series: 326-2.",
     .type = Type{R"("type":"string","pattern":"^[1-9][0-9]*(-[1-9][0-9]*)?$")"},
     .example = "325"},
    {.name = "DayTotals", .type = object_of<day_totals_members>},
    {.name = "Store", .type = object_of<store_members>},
};

}  // namespace

std::span<const Schema> totals_schemas() {
    return all_totals_schemas;
}

Description get_totals() {
    return totals(
        "Counts and amounts of the final sales of these days, and of what is open, which counts where the days have "
        "today or the day on which it was begun. A terminal is told of its own establishment, and of the families that "
        "it may sell.",
        "The terminal's own; it is told no other's.",
        {refuses(403, "Another establishment's totals were asked for.",
                 {{"forbidden", "A terminal is told the totals of its own establishment only."}}),
         journal_unavailable()});
}

Description get_totals_for_operators() {
    return totals(
        "Counts and amounts of the final sales of these days, and of what is open, which counts where the days have "
        "today or the day on which it was begun.",
        "Of one establishment only.", {journal_unavailable_for_operators()});
}

Description get_store() {
    return {.id = "getStore",
            .summary = "The zone that times and days are told in",
            .tag = "Monitoring",
            .text = "For a program that shows times to people in the store. Without parameters.",
            .answers = {gives(200, "As the gateway knows it now.", a("Store"), {{"usual"}}), no_parameters()}};
}

}  // namespace openapi

}  // namespace gateway
