#include "api/totals.hpp"

#include "api/books_answer.hpp"
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

void TotalsApi::add_to_terminals(http::Router& router) {
    router.add(http::verb::get, "/v1/totals", [this](http::Request& request) { return of_terminal(request); });
}

void TotalsApi::add_to_admin(http::Router& router) {
    router.add(http::verb::get, "/v1/totals", [this](http::Request& request) { return of_operator(request); });
    router.add(http::verb::get, "/v1/store", [this](http::Request& request) { return store(request); });
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

}  // namespace gateway
