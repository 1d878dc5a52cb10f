#include "api/attention.hpp"

#include "api/json_values.hpp"
#include "api/openapi/shared.hpp"
#include "api/query.hpp"
#include "api/sale_answer.hpp"
#include "api/sale_history.hpp"
#include "base/wall_time.hpp"
#include "sale/advice.hpp"

#include <boost/json.hpp>

namespace gateway {
namespace {

namespace json = boost::json;

// More need another way to be dealt with than one after the other; the total says how many there are.
constexpr std::size_t most_told = 500;

}  // namespace

boost::asio::awaitable<http::Response> AttentionApi::list(http::Request& request) {
    if (Query query(request, {}); query.failed()) co_return query.refusal();
    const auto marked = co_await journal_.marked();
    if (marked.has_error()) co_return journal_unavailable_answer(request);
    json::array sales;
    for (const auto& sale : *marked) {
        if (sales.size() == most_told) break;
        const auto [known, not_known, to_do] = advice(sale.attention);
        json::object told{{"id", sale.id},
                          {"idExterno", sale.id_externo},
                          {"idTransacao", sale.id_transacao},
                          {"family", sale.family ? json::value(to_string(*sale.family)) : json::value(nullptr)},
                          {"produto", sale.produto},
                          {"terminal", sale.terminal},
                          {"estabelecimento", sale.estabelecimento},
                          {"valor", sale.valor ? json::value(sale.valor->value) : json::value(nullptr)},
                          {"status", sale.status ? json::value(to_string(*sale.status)) : json::value(nullptr)},
                          {"mark", to_string(sale.attention)},
                          {"createdAt", time_or_null(sale.created_at)},
                          {"since", time_or_null(sale.history.marked_since)},
                          {"known", known},
                          {"notKnown", not_known},
                          {"toDo", to_do},
                          {"endsAt", time_or_null(end_of(sale))}};
        if (const auto error = last_error(sale)) told["lastError"] = error_json(*error);
        sales.push_back(std::move(told));
    }
    const json::object body{{"sales", std::move(sales)}, {"total", marked->size()}};
    co_return json_answer(body);
}

std::optional<LastError> AttentionApi::last_error(const MarkedSale& sale) const {
    const auto id = SaleId::parse(sale.id);
    const auto live = id ? seller_.live().find(*id) : seller_.live().end();
    if (live == seller_.live().end()) return sale.history.last_error;
    return newest_error(sale.history.last_error, live->second->last_error());
}

// What the provider has cancelled by then needs no hurry any more.
std::optional<WallTime> AttentionApi::end_of(const MarkedSale& sale) const {
    const bool open = sale.status && !is_final(*sale.status);
    if (!open || !sale.created_at || open_sales_end_ == Duration(0)) return std::nullopt;
    return *sale.created_at + open_sales_end_;
}

namespace openapi {
namespace {

constexpr Field attention_list_fields[] = {
    {"sales", list_of(a("AttentionSale"))},
    {"total", integer, "Of all, those that are left out included.", "1"},
};

constexpr Field attention_sale_fields[] = {
    {"id", text, "", "01JD3W4Q8Y7RZK5T9V2XB6M0NA"},
    {"idExterno", text, "", "01JD3W4Q90C4D8E1F5G7H9J2KM"},
    {"idTransacao", text, "", "7781200"},
    {"family", or_null(a("Family")), "", "esim"},
    {"produto", text, "", "eSIM"},
    {"terminal", text, "", "caixa-01"},
    {"estabelecimento", text, "", "12345678"},
    {"valor", or_null(integer), "", "3000"},
    {"status", or_null(a("Status")), "", "AUTORIZADA"},
    {"mark", a("Mark"), "", "no_callback"},
    {"createdAt", or_null(a("Time"))},
    {"since", or_null(a("Time")), "", "2024-05-02T13:21:11.480Z"},
    {"known", text, "", "The eSIM was asked for, and no callback has come since."},
    {"notKnown", text, "", "Whether it was sold."},
    {"toDo", text, "", "Look up the idExterno at the provider and resolve the sale with what it says."},
    {"endsAt", or_null(a("Time")),
     "When the provider cancels it by itself, where provider.open_sales_end says after how long; null where it is "
     "final.",
     "null"},
    maybe({"lastError", a("LastError")}),
};

constexpr Schema all_attention_schemas[] = {
    {.name = "AttentionList", .type = object(attention_list_fields)},
    {.name = "AttentionSale",
     .description = "A sale that needs a person. What a damaged row does not tell is null or empty.",
     .type = object(attention_sale_fields)},
};

}  // namespace

std::span<const Schema> attention_schemas() {
    return all_attention_schemas;
}

Description list_attention() {
    return {.id = "listAttention",
            .summary = "The sales that need a person, oldest first",
            .tag = "Sales",
            .text = "At most 500 of them. Holds nothing of a customer and nothing of what was bought.",
            .answers = {gives(200, "As the gateway knows it now.", a("AttentionList"), {{"usual"}}), no_parameters(),
                        journal_unavailable_for_operators()}};
}

}  // namespace openapi

}  // namespace gateway
