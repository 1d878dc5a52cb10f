#include "api/terminal_list.hpp"

#include "api/openapi/shared.hpp"
#include "api/openapi/written.hpp"
#include "api/query.hpp"
#include "api/sale_answer.hpp"

namespace gateway {
namespace {

// So many sales from before the start are looked at.
constexpr std::size_t looked_at = 1'000;
constexpr std::size_t page = 200;

}  // namespace

namespace openapi {
namespace {

constexpr Written<Sale> last_sale_members[] = {
    {{"id", a("SaleId")}, its<&Sale::id>},
    {{"outcome", a("Outcome")}, [](const Sale& sale) { return outcome_of(sale); }},
    {{"status", a("Status"), "", "EFETIVADA"}, its<&Sale::status>},
    {{"createdAt", a("Time")}, its<&Sale::created_at>},
    {{"valor", integer, "", "1099"}, its<&Sale::valor>},
    {{"family", a("Family")}, its<&Sale::family>},
    {{"produto", text, "", "TV Mensal"}, its<&Sale::produto>},
};

struct SeenTerminal {
    const Terminal& terminal;
    const TerminalCalls* calls;  // null where it has not called since the start
    std::optional<Sale> last_sale;
};

template <auto Member>
constexpr auto of_terminal = [](const SeenTerminal& seen) -> const auto& {
    return seen.terminal.*Member;
};
template <auto Member>
constexpr auto of_calls =
    [](const SeenTerminal& seen) { return seen.calls != nullptr ? seen.calls->*Member : TerminalCalls{}.*Member; };

constexpr Written<SeenTerminal> terminal_seen_members[] = {
    {{"id", text, "", "caixa-01"}, of_terminal<&Terminal::id>},
    {{"estabelecimento", text, "", "12345678"}, of_terminal<&Terminal::estabelecimento>},
    {{"families", list_of(a("Family")), "", R"(["tv","egift"])"}, of_terminal<&Terminal::families>},
    {{"lastSeenAt", or_null(a("Time")),
      "Its last call since the start; where there was none, when it began its last sale."},
     [](const SeenTerminal& seen) -> std::optional<WallTime> {
         if (seen.calls != nullptr && seen.calls->last_at) return seen.calls->last_at->wall();
         // A sale from before the start is a call that was not seen.
         return seen.calls == nullptr && seen.last_sale ? std::optional(seen.last_sale->created_at) : std::nullopt;
     }},
    {{"address", or_null(text), "", "192.168.1.20"},
     [](const SeenTerminal& seen) { return seen.calls != nullptr ? seen.calls->address.to_string() : std::string(); }},
    {{"client", or_null(text), "Its User-Agent.", "pdv/4.2"}, of_calls<&TerminalCalls::client>},
    {{"certificateEndsAt", or_null(a("Time")), "Of the certificate that it showed.", "null"},
     of_calls<&TerminalCalls::certificate_ends_at>},
    {{"refused", integer, "Answers of 400 to 499 since the start.", "1"}, of_calls<&TerminalCalls::refused>},
    {{"lastRefusedAt", or_null(a("Time")), "", "2024-05-02T12:00:00.000Z"}, of_calls<&TerminalCalls::refused_at>},
    {{"lastRefusedWith", or_null(integer), "The HTTP status.", "422"}, of_calls<&TerminalCalls::refused_with>},
    {{"lastSale", or_null(object_of<last_sale_members>)},
     [](const SeenTerminal& seen) { return part(last_sale_members, seen.last_sale); }},
};

constexpr Written<UnknownCalls> unknown_calls_members[] = {
    {{"count", integer, "", "0"}, its<&UnknownCalls::count>},
    {{"lastAt", or_null(a("Time")), "", "null"}, its<&UnknownCalls::last_at>},
    {{"lastAddress", or_null(text), "", "null"}, its<&UnknownCalls::last_address>},
};

struct SeenTerminals {
    const RunMoment& since;
    std::vector<SeenTerminal> terminals;
    const UnknownCalls& unknown;
};
constexpr Written<SeenTerminals> terminal_list_members[] = {
    {{"since", a("Time"), "Since when calls are seen: the start of the gateway. Sales are known of before.",
      "2024-05-02T09:00:00.120Z"},
     [](const SeenTerminals& seen) { return seen.since; }},
    {{"terminals", list_of(a("TerminalSeen"))},
     [](const SeenTerminals& seen) { return parts(terminal_seen_members, seen.terminals); }},
    {{"unknownKeys", object_of<unknown_calls_members>, "Calls whose key let nobody in, since the start."},
     [](const SeenTerminals& seen) { return part(unknown_calls_members, seen.unknown); }},
};

}  // namespace
}  // namespace openapi

boost::asio::awaitable<http::Response> TerminalListApi::list(http::Request& request) {
    if (Query query(request, {}); query.failed()) co_return query.refusal();
    if (const auto looked = co_await look_back(); looked.has_error()) co_return journal_unavailable_answer(request);
    const auto terminals = terminals_.all();
    openapi::SeenTerminals seen{.since = since_, .terminals = {}, .unknown = seen_.unknown()};
    for (const auto& terminal : terminals) {
        auto sale = co_await last_sale(terminal->id);
        seen.terminals.push_back({*terminal, seen_.of(terminal->id), std::move(sale)});
    }
    co_return json_text_answer(openapi::write(openapi::terminal_list_members, seen));
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

// Returns nothing where the sale cannot be read.
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

constexpr Schema all_terminal_list_schemas[] = {
    {.name = "TerminalList", .type = object_of<terminal_list_members>},
    {.name = "TerminalSeen",
     .description = "What is seen of a terminal since the start of the gateway; its last sale may be older.",
     .type = object_of<terminal_seen_members>},
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
