#include "api/routes.hpp"

#include "api/admin.hpp"
#include "api/attention.hpp"
#include "api/callbacks.hpp"
#include "api/closes.hpp"
#include "api/findings.hpp"
#include "api/host.hpp"
#include "api/latency.hpp"
#include "api/metrics_page.hpp"
#include "api/openapi.hpp"
#include "api/openapi/calls.hpp"
#include "api/operator_status.hpp"
#include "api/options.hpp"
#include "api/proxy.hpp"
#include "api/sales.hpp"
#include "api/sell.hpp"
#include "api/statements.hpp"
#include "api/status.hpp"
#include "api/terminal_list.hpp"
#include "api/totals.hpp"

namespace gateway {
namespace {

using http::Access;
using http::verb;

template <auto Handler>
constexpr auto seen_by_terminals = answered_by<&SalesApi::for_terminals<Handler>>;
template <auto Handler>
constexpr auto seen_by_operators = answered_by<&SalesApi::for_operators<Handler>>;
template <auto Handler>
constexpr auto seen_in_console = answered_by<&SalesApi::for_console<Handler>>;

constexpr Call all_routes[] = {
    {verb::post, "/v1/sell", on_terminals, answered_by<&SellApi::sell>, openapi::sell},
    {verb::post, "/v1/cancel", on_terminals, seen_by_terminals<&SalesApi::cancel_key>, openapi::cancel_key},
    {verb::get, "/v1/sales", on_terminals, seen_by_terminals<&SalesApi::list>, openapi::list_sales},
    {verb::get, "/v1/sales/{id}", on_terminals, seen_by_terminals<&SalesApi::one>, openapi::get_sale},
    {verb::get, "/v1/sales/{id}/receipt", on_terminals, seen_by_terminals<&SalesApi::receipt>, openapi::get_receipt},
    {verb::post, "/v1/sales/{id}/confirm", on_terminals, seen_by_terminals<&SalesApi::confirm>, openapi::confirm_sale},
    {verb::post, "/v1/sales/{id}/cancel", on_terminals, seen_by_terminals<&SalesApi::cancel>, openapi::cancel_sale},
    {verb::get, "/v1/options", on_terminals, answered_by<&OptionsApi::ask>, openapi::list_options},
    {verb::get, "/v1/status", on_terminals, answered_by<&StatusApi::status>, openapi::get_status},
    {verb::get, "/v1/provider/{path...}", on_terminals, answered_by<&ProxyApi::get>, openapi::ask_provider},
    {verb::get, "/v1/totals", on_terminals, answered_by<&TotalsApi::of_terminal>, openapi::get_totals},

    {verb::post, "/callbacks/esim/{secret}/sale", on_callbacks, answered_by<&CallbacksApi::sale>},
    {verb::post, "/callbacks/esim/{secret}/recharge", on_callbacks, answered_by<&CallbacksApi::recharge>},

    {verb::get, "/openapi.json", on_terminals, answered_by<&OpenapiApi::terminals>, openapi::get_openapi,
     Access::everybody},
    {verb::get, "/openapi.json", on_admin, answered_by<&OpenapiApi::admin>, openapi::get_openapi_for_operators,
     Access::everybody},

    {verb::get, "/healthz", on_admin, answered_by<&AdminApi::alive>, openapi::get_health},
    {verb::get, "/readyz", on_admin, answered_by<&AdminApi::ready>, openapi::get_readiness},
    {verb::get, "/metrics", on_admin, answered_by<&MetricsPage::page>, openapi::get_metrics},

    {verb::get, "/v1/sales", on_admin, seen_by_operators<&SalesApi::search>, openapi::list_sales_for_operators},
    {verb::get, "/v1/sales/{id}", on_admin, seen_by_operators<&SalesApi::one>, openapi::get_sale_for_operators},
    {verb::get, "/v1/sales/{id}/events", on_admin, seen_by_operators<&SalesApi::history>, openapi::get_history},
    {verb::post, "/v1/sales/{id}/resolve", on_admin, seen_by_operators<&SalesApi::resolve>, openapi::resolve_sale},
    {verb::get, "/v1/sales", on_console, seen_in_console<&SalesApi::search>},
    {verb::get, "/v1/sales/{id}", on_console, seen_in_console<&SalesApi::one>},
    {verb::get, "/v1/sales/{id}/events", on_console, seen_in_console<&SalesApi::history>},
    {verb::post, "/v1/sales/{id}/resolve", on_console, seen_in_console<&SalesApi::resolve>},
    {verb::post, "/v1/sales/{id}/receipt-view", on_console, seen_in_console<&SalesApi::show_receipt>},

    {verb::get, "/v1/status", on_both_of_people, answered_by<&OperatorStatusApi::status>, openapi::get_operator_status},
    {verb::get, "/v1/totals", on_both_of_people, answered_by<&TotalsApi::of_operator>,
     openapi::get_totals_for_operators},
    {verb::get, "/v1/store", on_both_of_people, answered_by<&TotalsApi::store>, openapi::get_store},
    {verb::get, "/v1/closes", on_both_of_people, answered_by<&ClosesApi::list>, openapi::list_closes},
    {verb::post, "/v1/closes", on_both_of_people, answered_by<&ClosesApi::make>, openapi::make_close},
    {verb::get, "/v1/closes/{estabelecimento}/{name}.csv", on_both_of_people, nullptr, openapi::get_close_csv},
    {verb::get, "/v1/closes/{estabelecimento}/{name}", on_both_of_people, answered_by<&ClosesApi::one>,
     openapi::get_close},
    {verb::get, "/v1/closes/{estabelecimento}/{name}/receipt", on_both_of_people, answered_by<&ClosesApi::receipt>,
     openapi::get_close_receipt},
    {verb::get, "/v1/statements", on_both_of_people, answered_by<&StatementsApi::list>, openapi::list_statements},
    {.method = verb::post,
     .path = "/v1/statements",
     .on = on_both_of_people,
     .handler = answered_by<&StatementsApi::read_file>,
     .describe = openapi::import_statement,
     .body_limit = max_statement_bytes},
    {verb::post, "/v1/statements/from-provider", on_both_of_people, answered_by<&StatementsApi::read_list>,
     openapi::import_list},
    {verb::post, "/v1/statements/from-status", on_both_of_people, answered_by<&StatementsApi::ask_for_sales>,
     openapi::ask_for_sales},
    {verb::get, "/v1/findings", on_both_of_people, answered_by<&FindingsApi::list>, openapi::list_findings},
    {verb::get, "/v1/findings/{id}", on_both_of_people, answered_by<&FindingsApi::one>, openapi::get_finding},
    {verb::post, "/v1/findings/{id}/resolve", on_both_of_people, answered_by<&FindingsApi::resolve>,
     openapi::resolve_finding},
    {verb::get, "/v1/attention", on_both_of_people, answered_by<&AttentionApi::list>, openapi::list_attention},
    {verb::get, "/v1/latency", on_both_of_people, answered_by<&LatencyApi::latency>, openapi::get_latency},
    {verb::get, "/v1/terminals", on_both_of_people, answered_by<&TerminalListApi::list>, openapi::list_terminals},
    {verb::get, "/v1/health", on_both_of_people, answered_by<&HostApi::health>, openapi::get_host},
};

}  // namespace

std::span<const Call> routes() noexcept {
    return all_routes;
}

void add_calls(http::Router& router, std::span<const Call> calls, ListenerSet listener, const Parts& parts) {
    for (const auto& call : calls) {
        if ((call.on & listener) == 0 || call.handler == nullptr) continue;
        auto handler = call.handler(parts);
        if (!handler) continue;
        router.add(call.method, std::string(call.path), std::move(handler), call.access);
        if (call.body_limit > 0) router.set_body_limit(call.method, call.path, call.body_limit);
    }
}

}  // namespace gateway
