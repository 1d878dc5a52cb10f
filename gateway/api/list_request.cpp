#include "api/list_request.hpp"

#include "api/openapi/shared.hpp"
#include "api/openapi/written.hpp"
#include "api/query.hpp"
#include "base/ascii.hpp"
#include "families/plain_text.hpp"

#include <fmt/format.h>

namespace gateway {
namespace {

constexpr std::size_t longest_page = 200;
// A sell takes no more either.
constexpr std::size_t most_cents = 99'999'999;

std::optional<std::string> parse_key(std::string_view text) {
    return is_key(text) ? std::optional(std::string(text)) : std::nullopt;
}

std::optional<IdExterno> parse_id_externo(std::string_view text) {
    return IdExterno::parse(id_text(text));
}

std::optional<std::string> parse_id_transacao(std::string_view text) {
    const bool is_one = is_plain_text(text) && trim(text).size() == text.size();
    return is_one ? std::optional(std::string(text)) : std::nullopt;
}

// Refuses what no sale can have instead of looking for it, because an empty list says to a till that nothing was sold.
void read_common(Query& query, SaleFilter& filter) {
    filter.key = query.parsed("key", parse_key,
                              "must be an Idempotency-Key, 1 to 64 visible ASCII characters (a + in a query string is "
                              "written %2B)");
    const auto id_externo = query.parsed("idExterno", parse_id_externo, "must be 26 letters and digits");
    if (id_externo) filter.id_externo = id_externo->str();
    filter.status =
        query.parsed("status", parse_status, "must be PENDENTE, AUTORIZADA, EFETIVADA, CANCELADA or NEGADA");
    filter.attention = query.flag("attention");
    filter.from = query.time("from");
    filter.to = query.time("to");
    query.in_order(filter.from, filter.to);
    filter.limit = query.count("limit", longest_page).value_or(filter.limit);
    filter.after = query.parsed("cursor", SaleId::parse, "must be the \"next\" of the page before");
}

}  // namespace

ResultOrResponse<SaleFilter> read_list_request(const http::Request& request) {
    Query query(request, {"key", "idExterno", "status", "attention", "from", "to", "limit", "cursor"});
    SaleFilter filter;
    read_common(query, filter);
    if (query.failed()) return query.refusal();
    return filter;
}

ResultOrResponse<SaleSearch> read_search_request(const http::Request& request) {
    Query query(request, {"key", "idExterno", "status", "attention", "from", "to", "limit", "cursor", "idTransacao",
                          "nsu", "family", "terminal", "cashier", "estabelecimento", "valor"});
    SaleSearch search;
    auto& filter = search.filter;
    read_common(query, filter);
    filter.id_transacao = query.parsed("idTransacao", parse_id_transacao,
                                       fmt::format("must be 1 to {} characters without control characters and without "
                                                   "spaces around them",
                                                   max_text_length));
    filter.family = query.parsed("family", parse_family, "must be one of " + family_names());
    filter.terminal = query.name("terminal");
    filter.cashier = query.name("cashier");
    filter.estabelecimento = query.name("estabelecimento");
    if (const auto valor = query.count("valor", most_cents)) filter.valor = Cents{static_cast<std::int64_t>(*valor)};
    search.nsu = query.name("nsu").value_or("");
    if (!search.nsu.empty()) filter.limit = longest_page;  // only few of these sales will be shown
    if (query.failed()) return query.refusal();
    return search;
}

namespace openapi {
namespace {

struct ListedSales {
    const SalePage& page;
    Audience audience;
};
constexpr Written<ListedSales> sale_list_members[] = {
    {{"sales", list_of(a("Sale"), R"("maxItems":200)"), "Newest first."},
     [](const ListedSales& listed) {
         return [listed](JsonWriter& json) {
             json.begin_array();
             for (const auto& sale : listed.page.sales)
                 json.raw(sale_json(sale, listed.audience));
             json.end_array();
         };
     }},
    {maybe({"unreadable", list_of(text, R"("minItems":1,"maxItems":200)"),
            "Only where there are any: the ids of the sales that the caller may see and that belong to this page and "
            "are left out of it, because their records in the journal are damaged or were altered and cannot be read. "
            "Each is answered 503 `sale_unreadable` for itself."}),
     [](const ListedSales& listed) -> const std::vector<std::string>& { return listed.page.unreadable; }},
    {{"next", or_null(a("SaleId")),
      "The `cursor` of the page that follows; null where there is none. One call looks at 1000 sales at most: where "
      "most of them are not of the kind that is asked for, a page is shorter than `limit`, or empty, and `next` goes "
      "on behind them.",
      "null"},
     [](const ListedSales& listed) { return listed.page.next; }},
};

constexpr Schema all_sale_list_schemas[] = {
    {.name = "SaleList", .type = object_of<sale_list_members>},
};

// Describes what both listeners say of the call.
Description listed(std::string_view summary, std::string_view text, std::vector<Parameter> parameters, Answer failure) {
    return {.id = "listSales",
            .summary = summary,
            .tag = "Sales",
            .text = text,
            .parameters = std::move(parameters),
            .answers = {gives(200, "A page of sales.", a("SaleList"), {{"page"}}),
                        wrong_parameters("limit", "must be a whole number from 1 to 200"), std::move(failure)}};
}

}  // namespace

std::span<const Schema> sale_list_schemas() {
    return all_sale_list_schemas;
}

Description list_sales() {
    return listed("Sales, newest first",
                  "A terminal sees its own establishment's sales only. A `key` means its own terminal's. A parameter "
                  "that is not here is an error.",
                  list_parameters(), journal_unavailable());
}

Description list_sales_for_operators() {
    auto parameters = list_parameters(
        {{"idTransacao", Type{R"("type":"string","minLength":1,"maxLength":250)"},
          "The idTransacao of any attempt of the sale."},
         {"nsu", short_text, "The number on the receipt, of what was bought."},
         {"family", a("Family")},
         {"terminal", short_text, "One that the configuration or a sale has; any other is a 422."},
         {"cashier", short_text},
         {"estabelecimento", short_text, "One that the configuration or a sale has; any other is a 422."},
         {"valor", cents, "In cents."}});
    return listed("Sales of all establishments, newest first", "A parameter that is not here is an error.",
                  std::move(parameters), journal_unavailable_for_operators());
}

}  // namespace openapi

std::string sale_list_json(const SalePage& page, Audience audience) {
    const openapi::ListedSales listed{page, audience};
    return openapi::write(openapi::sale_list_members, listed);
}

}  // namespace gateway
