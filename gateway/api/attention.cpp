#include "api/attention.hpp"

#include "api/openapi/shared.hpp"
#include "api/query.hpp"
#include "api/sale_answer.hpp"
#include "api/sale_history.hpp"
#include "sale/advice.hpp"

namespace gateway {
namespace {

// More sales than this cannot be dealt with one by one, so the list leaves them out. `total` counts all of them.
constexpr std::size_t most_told = 500;

}  // namespace

namespace openapi {
namespace {

struct ToldMarkedSale {
    const MarkedSale& sale;
    Advice advice;
    std::optional<WallTime> ends_at;
    std::optional<LastError> last_error;
};

template <auto Member>
constexpr auto of_marked = [](const ToldMarkedSale& told) -> const auto& {
    return told.sale.*Member;
};

constexpr Written<ToldMarkedSale> attention_sale_members[] = {
    {{"id", text, "", "01JD3W4Q8Y7RZK5T9V2XB6M0NA"}, of_marked<&MarkedSale::id>},
    {{"idExterno", text, "", "01JD3W4Q90C4D8E1F5G7H9J2KM"}, of_marked<&MarkedSale::id_externo>},
    {{"idTransacao", text, "", "7781200"}, of_marked<&MarkedSale::id_transacao>},
    {{"family", or_null(a("Family")), "", "esim"}, of_marked<&MarkedSale::family>},
    {{"produto", text, "", "eSIM"}, of_marked<&MarkedSale::produto>},
    {{"terminal", text, "", "caixa-01"}, of_marked<&MarkedSale::terminal>},
    {{"estabelecimento", text, "", "12345678"}, of_marked<&MarkedSale::estabelecimento>},
    {{"valor", or_null(integer), "", "3000"}, of_marked<&MarkedSale::valor>},
    {{"status", or_null(a("Status")), "", "AUTORIZADA"}, of_marked<&MarkedSale::status>},
    {{"mark", a("Mark"), "", "no_callback"}, of_marked<&MarkedSale::attention>},
    {{"createdAt", or_null(a("Time"))}, of_marked<&MarkedSale::created_at>},
    {{"since", or_null(a("Time")), "", "2024-05-02T13:21:11.480Z"},
     [](const ToldMarkedSale& told) { return told.sale.history.marked_since; }},
    {{"known", text, "", "The eSIM was asked for, and no callback has come since."},
     [](const ToldMarkedSale& told) { return told.advice.known; }},
    {{"notKnown", text, "", "Whether it was sold."}, [](const ToldMarkedSale& told) { return told.advice.not_known; }},
    {{"toDo", text, "", "Look up the idExterno at the provider and resolve the sale with what it says."},
     [](const ToldMarkedSale& told) { return told.advice.to_do; }},
    {{"endsAt", or_null(a("Time")),
      "When the provider cancels the sale by itself, where `provider.open_sales_end` says after how long it does; null "
      "where the status is final.",
      "null"},
     its<&ToldMarkedSale::ends_at>},
    {maybe({"lastError", a("LastError")}), [](const ToldMarkedSale& told) { return in_part(told.last_error); }},
};

struct ToldAttention {
    std::vector<ToldMarkedSale> sales{};
    std::size_t total;
    const std::string& provider_phone;
};
constexpr Written<ToldAttention> attention_list_members[] = {
    {{"sales", list_of(a("AttentionSale"))},
     [](const ToldAttention& told) { return parts(attention_sale_members, told.sales); }},
    {{"total", integer, "How many sales need a person, including those that the list leaves out.", "1"},
     its<&ToldAttention::total>},
    {maybe({"providerPhone", text, "`provider.phone`: the provider's telephone.", "0800 123 4567"}),
     [](const ToldAttention& told) { return std::string_view(told.provider_phone); }},
};

}  // namespace
}  // namespace openapi

boost::asio::awaitable<http::Response> AttentionApi::list(http::Request& request) {
    if (Query query(request, {}); query.failed()) co_return query.refusal();
    const auto marked = co_await journal_.marked();
    if (marked.has_error()) co_return journal_unavailable_answer(request);
    openapi::ToldAttention told{.total = marked->size(), .provider_phone = provider_phone_};
    for (const auto& sale : *marked)
        if (told.sales.size() < most_told)
            told.sales.push_back({sale, advice(sale.attention), end_of(sale), last_error(sale)});
    co_return json_text_answer(openapi::write(openapi::attention_list_members, told));
}

std::optional<LastError> AttentionApi::last_error(const MarkedSale& sale) const {
    const auto id = SaleId::parse(sale.id);
    const auto live = id ? seller_.live().find(*id) : seller_.live().end();
    if (live == seller_.live().end()) return sale.history.last_error;
    return newest_error(sale.history.last_error, live->second->last_error());
}

// Returns the time after which there is no hurry, because the provider has cancelled the sale by then.
std::optional<WallTime> AttentionApi::end_of(const MarkedSale& sale) const {
    const bool open = sale.status && !is_final(*sale.status);
    if (!open || !sale.created_at || open_sales_end_ == Duration(0)) return std::nullopt;
    return *sale.created_at + open_sales_end_;
}

namespace openapi {
namespace {

constexpr Schema all_attention_schemas[] = {
    {.name = "AttentionList", .type = object_of<attention_list_members>},
    {.name = "AttentionSale",
     .description = "A sale that needs a person. What a damaged row does not tell is null or empty.",
     .type = object_of<attention_sale_members>},
};

}  // namespace

std::span<const Schema> attention_schemas() {
    return all_attention_schemas;
}

Description list_attention() {
    return {.id = "listAttention",
            .summary = "The sales that need a person, oldest first",
            .tag = "Sales",
            .text = "The list has at most 500 of them. It holds nothing of a customer and nothing of what was bought.",
            .answers = {gives(200, "As the gateway knows it now.", a("AttentionList"), {{"usual"}}), no_parameters(),
                        journal_unavailable_for_operators()}};
}

}  // namespace openapi

}  // namespace gateway
