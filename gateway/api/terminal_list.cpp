#include "api/terminal_list.hpp"

#include "api/json_values.hpp"
#include "api/openapi/shared.hpp"
#include "api/query.hpp"
#include "api/sale_answer.hpp"
#include "api/sale_json.hpp"
#include "base/wall_time.hpp"

#include <boost/json.hpp>

namespace gateway {
namespace {

namespace json = boost::json;

// How many sales of before the start are looked at.
constexpr std::size_t looked_at = 1'000;
constexpr std::size_t page = 200;

json::array words_of(const std::vector<Family>& families) {
    json::array words;
    for (const auto family : families)
        words.emplace_back(to_string(family));
    return words;
}

json::value sale_facts(const std::optional<Sale>& sale) {
    if (!sale) return nullptr;
    auto facts = existing_sale(*sale);
    facts["valor"] = sale->valor.value;
    facts["family"] = to_string(sale->family);
    facts["produto"] = sale->produto;
    return facts;
}

json::object terminal_json(const Terminal& terminal, const TerminalCalls& calls, bool has_called) {
    json::value refused_with = nullptr;
    if (calls.refused_with != 0) refused_with = calls.refused_with;
    return {{"id", terminal.id},
            {"estabelecimento", terminal.estabelecimento},
            {"families", words_of(terminal.families)},
            {"lastSeenAt", time_or_null(calls.last_at)},
            {"address", has_called ? json::value(calls.address.to_string()) : json::value(nullptr)},
            {"client", text_or_null(calls.client)},
            {"certificateEndsAt", time_or_null(calls.certificate_ends_at)},
            {"refused", calls.refused},
            {"lastRefusedAt", time_or_null(calls.refused_at)},
            {"lastRefusedWith", std::move(refused_with)}};
}

}  // namespace

boost::asio::awaitable<http::Response> TerminalListApi::list(http::Request& request) {
    if (Query query(request, {}); query.failed()) co_return query.refusal();
    if (const auto looked = co_await look_back(); looked.has_error()) co_return journal_unavailable_answer(request);
    const auto terminals = terminals_.all();
    json::array all;
    for (const auto& terminal : terminals) {
        const auto sale = co_await last_sale(terminal->id);
        const auto* calls = seen_.of(terminal->id);
        auto told = terminal_json(*terminal, calls == nullptr ? TerminalCalls{} : *calls, calls != nullptr);
        // A sale of before the start is a call that was not seen.
        if (calls == nullptr && sale) told["lastSeenAt"] = to_rfc3339(sale->created_at);
        told["lastSale"] = sale_facts(sale);
        all.push_back(std::move(told));
    }
    const auto& unknown = seen_.unknown();
    const json::object body{{"since", to_rfc3339(since_.wall())},
                            {"terminals", std::move(all)},
                            {"unknownKeys",
                             {{"count", unknown.count},
                              {"lastAt", time_or_null(unknown.last_at)},
                              {"lastAddress", text_or_null(unknown.last_address)}}}};
    co_return json_answer(body);
}

boost::asio::awaitable<Result<void>> TerminalListApi::look_back() {
    SaleFilter filter{.limit = page};
    for (std::size_t seen = 0; !looked_back_ && seen < looked_at; seen += page) {
        const auto sales = co_await journal_.list(filter);
        if (sales.has_error()) co_return sales.error();
        for (const auto& sale : sales->sales)
            sold_before_.try_emplace(sale.terminal, sale.id);
        filter.after = sales->next;
        if (!filter.after) break;
    }
    looked_back_ = true;
    co_return Result<void>();
}

// A sale that cannot be read is none to tell of.
boost::asio::awaitable<std::optional<Sale>> TerminalListApi::last_sale(const std::string& terminal) {
    const auto* calls = seen_.of(terminal);
    auto id = calls == nullptr ? std::nullopt : calls->last_sale;
    if (const auto before = sold_before_.find(terminal); before != sold_before_.end())
        id = std::max(id.value_or(before->second), before->second);
    if (!id) co_return std::nullopt;
    auto found = co_await journal_.find(*id);
    if (found.has_error()) co_return std::nullopt;
    co_return std::move(*found);
}

namespace openapi {
namespace {

constexpr Field terminal_list_unknown_keys_fields[] = {
    {"count", integer, "", "0"},
    {"lastAt", or_null(a("Time")), "", "null"},
    {"lastAddress", or_null(text), "", "null"},
};

constexpr Field terminal_list_fields[] = {
    {"since", a("Time"), "Since when calls are seen: the start of the gateway. Sales are known of before.",
     "2024-05-02T09:00:00.120Z"},
    {"terminals", list_of(a("TerminalSeen"))},
    {"unknownKeys", object(terminal_list_unknown_keys_fields), "Calls whose key let nobody in, since the start."},
};

constexpr Field terminal_seen_last_sale_fields[] = {
    {"id", a("SaleId")},
    {"outcome", a("Outcome")},
    {"status", a("Status"), "", "EFETIVADA"},
    {"createdAt", a("Time")},
    {"valor", integer, "", "1099"},
    {"family", a("Family")},
    {"produto", text, "", "TV Mensal"},
};

constexpr Field terminal_seen_fields[] = {
    {"id", text, "", "caixa-01"},
    {"estabelecimento", text, "", "12345678"},
    {"families", list_of(a("Family")), "", R"(["tv","egift"])"},
    {"lastSeenAt", or_null(a("Time")),
     "Its last call since the start; where there was none, when it began its last sale."},
    {"address", or_null(text), "", "192.168.1.20"},
    {"client", or_null(text), "Its User-Agent.", "pdv/4.2"},
    {"certificateEndsAt", or_null(a("Time")), "Of the certificate that it showed.", "null"},
    {"refused", integer, "Answers of 400 to 499 since the start.", "1"},
    {"lastRefusedAt", or_null(a("Time")), "", "2024-05-02T12:00:00.000Z"},
    {"lastRefusedWith", or_null(integer), "The HTTP status.", "422"},
    {"lastSale", or_null(object(terminal_seen_last_sale_fields))},
};

constexpr Schema all_terminal_list_schemas[] = {
    {.name = "TerminalList", .type = object(terminal_list_fields)},
    {.name = "TerminalSeen",
     .description = "What is seen of a terminal since the start of the gateway; its last sale may be older.",
     .type = object(terminal_seen_fields)},
};

}  // namespace

std::span<const Schema> terminal_list_schemas() {
    return all_terminal_list_schemas;
}

Description list_terminals() {
    return {.id = "listTerminals",
            .summary = "Every terminal: when it called last, and what it sold last",
            .tag = "Monitoring",
            .text = "Calls and refusals are counted since the gateway was started.",
            .answers = {gives(200, "As the gateway knows it now.", a("TerminalList"), {{"usual"}}), no_parameters(),
                        journal_unavailable_for_operators()}};
}

}  // namespace openapi

}  // namespace gateway
