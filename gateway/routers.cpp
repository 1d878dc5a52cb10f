#include "routers.hpp"

#include "api/openapi.hpp"
#include "console/pages.hpp"

namespace gateway {
namespace {

// What people ask for, at the command line and on the console's pages.
void add_operators_calls(http::Router& router, const Apis& apis) {
    apis.operator_status.add_to(router);
    apis.totals.add_to_admin(router);
    apis.closes.add_to(router);
    apis.statements.add_to(router);
    apis.findings.add_to(router);
    apis.attention.add_to(router);
    apis.latency.add_to(router);
    apis.terminal_list.add_to(router);
    apis.machine.add_to(router);
}

http::Router console_router(const Apis& apis, const ListenOptions& listen) {
    http::Router console;
    console.set_hosts({listen.console_names, "listen.console_names"});
    add_pages(console);
    apis.sign_in.add_to(console);
    apis.event_streams.add_to(console);
    apis.sales.add_to_console(console);
    add_operators_calls(console, apis);
    auto& sign_in = apis.sign_in;
    console.set_invitation(
        [&sign_in](const http::Request& request) { return sign_in.still_in(sign_in.shown(request)); });
    console.set_filter(
        [&sign_in](http::Request& request, const http::Handler& next) { return sign_in.guard(request, next); });
    return console;
}

}  // namespace

Listeners::Routers make_routers(const Apis& apis, const Listeners& listeners, const ListenOptions& listen) {
    Listeners::Routers routers;
    apis.sell.add_to(routers.terminals);
    apis.sales.add_to_terminals(routers.terminals);
    apis.options.add_to(routers.terminals);
    apis.proxy.add_to(routers.terminals);
    apis.status.add_to(routers.terminals);
    apis.totals.add_to_terminals(routers.terminals);
    add_openapi(routers.terminals, terminals_openapi());
    auto& authenticator = apis.authenticator;
    routers.terminals.set_filter([&authenticator](http::Request& request, const http::Handler& next) {
        return authenticator.authenticate(request, next);
    });
    routers.terminals.set_invitation(
        [&authenticator](const http::Request& request) { return authenticator.knows(request); });
    apis.callbacks.add_to(routers.callbacks);
    apis.admin.add_to(routers.admin);
    apis.metrics_page.add_to(routers.admin);
    routers.admin.set_hosts({listen.admin_names, "listen.admin_names"});
    apis.operator_status.add_filter_to(routers.admin);
    apis.sales.add_to_admin(routers.admin);
    add_operators_calls(routers.admin, apis);
    apis.sign_in.add_links_to(routers.admin, [&listeners] { return listeners.console(); });
    add_openapi(routers.admin, admin_openapi());
    routers.console = console_router(apis, listen);
    return routers;
}

}  // namespace gateway
