#include "app/routers.hpp"

#include "console/pages.hpp"

namespace gateway {
namespace {

http::Router console_router(const Parts& parts, SignIn& sign_in, const ListenOptions& listen) {
    http::Router console;
    console.set_hosts({listen.console_names, "listen.console_names"});
    add_pages(console);
    add_routes(console, on_console, parts);
    add_calls(console, console_calls(), on_console, parts);
    console.set_invitation(
        [&sign_in](const http::Request& request) { return sign_in.still_in(sign_in.shown(request)); });
    console.set_filter(
        [&sign_in](http::Request& request, const http::Handler& next) { return sign_in.guard(request, next); });
    return console;
}

}  // namespace

Listeners::Routers make_routers(const Parts& parts, const Doors& doors, const ListenOptions& listen) {
    Listeners::Routers routers;
    add_routes(routers.terminals, on_terminals, parts);
    auto& authenticator = doors.authenticator;
    routers.terminals.set_filter([&authenticator](http::Request& request, const http::Handler& next) {
        return authenticator.authenticate(request, next);
    });
    routers.terminals.set_invitation(
        [&authenticator](const http::Request& request) { return authenticator.knows(request); });
    add_routes(routers.callbacks, on_callbacks, parts);
    add_routes(routers.admin, on_admin, parts);
    add_calls(routers.admin, console_calls(), on_admin, parts);
    routers.admin.set_hosts({listen.admin_names, "listen.admin_names"});
    doors.operator_status.add_filter_to(routers.admin);
    routers.console = console_router(parts, doors.sign_in, listen);
    return routers;
}

}  // namespace gateway
