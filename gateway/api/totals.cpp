#include "api/totals.hpp"

#include "api/closes.hpp"
#include "api/openapi/shared.hpp"
#include "api/query.hpp"
#include "api/sale_answer.hpp"
#include "base/json_text.hpp"
#include "base/wall_time.hpp"
#include "books/totals_json.hpp"

#include <utility>

namespace gateway {
namespace {

void write_open(JsonWriter& json, const Sale& sale) {
    json.begin_object();
    json.key("id").string(sale.id.text());
    json.key("idExterno").string(sale.current().id_externo.text());
    json.key("estabelecimento").string(sale.estabelecimento);
    json.key("terminal").string(sale.terminal);
    json.key("family").string(to_string(sale.family));
    json.key("produto").string(sale.produto);
    json.key("valor").number(sale.valor.value);
    json.key("status").string(to_string(sale.status));
    json.key("outcome").string(to_string(outcome_of(sale)));
    json.key("createdAt").string(to_rfc3339(sale.created_at));
    json.end_object();
}

void write_groups(JsonWriter& json, const GroupedTotals& totals) {
    json.key("groups").begin_array();
    for (const auto& [values, counted] : totals.groups()) {
        json.begin_object();
        for (std::size_t i = 0; i < values.size(); ++i)
            json.key(to_string(totals.by()[i])).string(values[i]);
        write_totals(json, counted, TotalsOf::all_sales);
        json.end_object();
    }
    json.end_array();
}

void write_close(JsonWriter& json, const Close& close) {
    json.begin_object();
    json.key("estabelecimento").string(close.estabelecimento);
    json.key("day").string(to_text(close.day));
    json.key("name").string(name_of(close, '-'));
    json.end_object();
}

std::string body_of(const TotalsRequest& wanted, const TimeZone& zone, const DayTotals& made) {
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    json.key("from").string(to_text(wanted.from));
    json.key("to").string(to_text(wanted.to));
    json.key("timezone").string(zone.name());
    json.key("total").begin_object();
    write_totals(json, made.totals.total(), TotalsOf::all_sales);
    json.end_object();
    write_groups(json, made.totals);
    json.key("openSales").begin_array();
    for (const auto& sale : made.open)
        write_open(json, sale);
    json.end_array();
    write_count(json, "late", made.late);
    json.key("openLeftOut").number(static_cast<std::int64_t>(made.left_out));
    json.key("unreadable").number(static_cast<std::int64_t>(made.unreadable));
    json.key("closes").begin_array();
    for (const auto& close : made.closes)
        write_close(json, close);
    json.end_array();
    json.end_object();
    return body;
}

}  // namespace

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
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    json.key("timezone").string(books_.zone().name());
    json.key("today").string(to_text(books_.today()));
    json.end_object();
    co_return json_text_answer(std::move(body));
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
    const auto made = co_await books_.totals(filter, wanted.by);
    if (made.has_error()) co_return books_refused_answer(request, made.error());
    if (made->totals.has_too_many_groups())
        co_return field_errors(
            request,
            {{.pointer = "/by", .detail = "gives more than 10000 groups: ask for fewer days or fewer of them"}});
    co_return json_text_answer(body_of(wanted, books_.zone(), *made));
}

namespace openapi {
namespace {

constexpr Field counted_fields[] = {
    {"count", count, "", "41"},
    {"valor", or_null(count), "null: more than fits.", "204590"},
};

constexpr Field totals_counts_fields[] = {
    {"sold", a("Counted")},
    {"cancelled", a("Counted"), "", R"({"count":3,"valor":14700})"},
    {"refused", a("Counted"), "", R"({"count":1,"valor":4900})"},
    {"open", a("Counted"), "", R"({"count":1,"valor":1099})"},
    {"held", a("Counted"), "", R"({"count":0,"valor":0})"},
};

constexpr Field totals_group_fields[] = {
    maybe({"family", a("Family"), "", "tv"}),
    maybe({"terminal", text}),
    maybe({"cashier", text, "Empty where none was named."}),
    maybe({"estabelecimento", text}),
    maybe({"produto", text}),
    maybe({"hour", Type{R"("type":"string","pattern":"^[0-2][0-9]$")"},
           "In which the sale was begun, by the store's clocks; 00 where that was on a day before."}),
};

constexpr Field totals_open_sale_fields[] = {
    {"id", a("SaleId")},
    {"idExterno", a("IdExterno")},
    {"estabelecimento", text, "", "12345678"},
    {"terminal", text, "", "caixa-01"},
    {"family", a("Family")},
    {"produto", text, "", "TV Mensal"},
    {"valor", count, "", "1099"},
    {"status", a("Status")},
    {"outcome", a("Outcome"), "", "pending"},
    {"createdAt", a("Time"), "", "2026-11-20T13:11:11.480Z"},
};

constexpr Field day_totals_closes_fields[] = {
    {"estabelecimento", text},
    {"day", a("Day")},
    {"name", a("CloseName")},
};

constexpr Field day_totals_fields[] = {
    {"from", a("Day")},
    {"to", a("Day")},
    {"timezone", text, "Whose days these are.", "America/Sao_Paulo"},
    {"total", a("TotalsCounts")},
    {"groups", list_of(a("TotalsGroup")), "Empty without `by`."},
    {"openSales", list_of(a("TotalsOpenSale")), "Sales that are not final and count here, oldest first, 1000 at most."},
    {"late", a("Counted"), "Sold on one of these days after its close: it is in the close of a later day.",
     R"({"count":0,"valor":0})"},
    {"openLeftOut", count, "How many more there are; the counts have them.", "0"},
    {"unreadable", count, "Sales whose records are damaged and that are not counted.", "0"},
    {"closes", list_of(object(day_totals_closes_fields)), "The closes of these days, the newest first, 500 at most.",
     "[]"},
};

constexpr Field store_fields[] = {
    {"timezone", text, "`store.timezone`, by its name in the time zone database.", "America/Sao_Paulo"},
    {"today", a("Day")},
};

constexpr Type groups{R"("type":"string","pattern":"^(family|terminal|cashier|estabelecimento|produto|hour))"
                      R"((,(family|terminal|cashier|estabelecimento|produto|hour))*$")"};

std::vector<Parameter> totals_parameters(std::string_view whose) {
    return {{"day", day_text, "One day; without any it is today, in `store.timezone`.", "2026-11-20"},
            {"from", day_text, "The first of several days, up to `to` or today; 366 at most.", "2026-11-01"},
            {"to", day_text, "The last of them.", "2026-11-30"},
            {"by", groups,
             "Groups: some of family, terminal, cashier, estabelecimento, produto and hour, each once, with commas "
             "between them.",
             "family,terminal"},
            {"estabelecimento", short_text, whose, "12345678"}};
}

Answer wrong_totals() {
    return refuses(422,
                   "A parameter is wrong, unknown or repeated, or the groups are more than 10000; all of them "
                   "are in `errors`.",
                   {invalid("by",
                            "must be family, terminal, cashier, estabelecimento, produto and hour, or some of "
                            "them, each once, with commas between them")});
}

constexpr Schema all_totals_schemas[] = {
    {.name = "Day",
     .description = "A movement day: the date, in `store.timezone`, on which a sale became sold, cancelled or refused.",
     .type = day_text,
     .example = "2026-11-20"},
    {.name = "Counted",
     .description = "A number of sales and what they amount to, in cents.",
     .type = object(counted_fields)},
    {.name = "TotalsCounts",
     .description = "A sale counts in one of them; `open` is what is neither final nor held.",
     .type = object(totals_counts_fields)},
    {.name = "TotalsGroup",
     .description = "The sales that are equal in what was asked for with `by`.",
     .type = object(totals_group_fields, totals_counts_fields)},
    {.name = "TotalsOpenSale", .type = object(totals_open_sale_fields)},
    {.name = "CloseName",
     .description = "The number of a close; of a series that is not the first, with the series: 326-2.",
     .type = Type{R"("type":"string","pattern":"^[1-9][0-9]*(-[1-9][0-9]*)?$")"},
     .example = "325"},
    {.name = "DayTotals", .type = object(day_totals_fields)},
    {.name = "Store", .type = object(store_fields)},
};

}  // namespace

std::span<const Schema> totals_schemas() {
    return all_totals_schemas;
}

Description get_totals() {
    return {.id = "getTotals",
            .summary = "What days came to",
            .tag = "Books",
            .text =
                "Counts and amounts of the final sales of these days, and of what is open, which counts where the days "
                "have today or the day on which it was begun. A terminal is told of its own establishment, and of the "
                "families that it may sell.",
            .parameters = totals_parameters("The terminal's own; it is told no other's."),
            .answers = {gives(200, "What these days came to, as far as they went.", a("DayTotals"), {{"answer"}}),
                        refuses(403, "Another establishment's totals were asked for.",
                                {{"forbidden", "A terminal is told the totals of its own establishment only."}}),
                        wrong_totals(), journal_unavailable()}};
}

Description get_totals_for_operators() {
    return {.id = "getTotals",
            .summary = "What days came to",
            .tag = "Books",
            .text =
                "Counts and amounts of the final sales of these days, and of what is open, which counts where the days "
                "have today or the day on which it was begun.",
            .parameters = totals_parameters("Of one establishment only."),
            .answers = {gives(200, "What these days came to, as far as they went.", a("DayTotals"), {{"answer"}}),
                        wrong_totals(), journal_unavailable_for_operators()}};
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
