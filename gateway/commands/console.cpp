// `console`: a link that opens the console in a browser on this machine, once.
#include "commands/commands.hpp"
#include "commands/members.hpp"

#include <boost/json.hpp>

namespace gateway {

int show_console_link(const Desk& desk) {
    boost::json::object wish;
    if (const auto name = operator_name(); !name.empty()) wish["by"] = name;
    const auto told = desk.gateway.post("/v1/console/links", wish, AdminClient::deciding_patience,
                                        "a link that nobody follows ends by itself");
    if (told.has_error()) {
        desk.err << "error: " << told.error() << '\n';
        return exit_failure;
    }
    if (!told->good()) {
        desk.err << "error: " << printable(told->problem()) << '\n';
        if (told->status == 404)
            desk.err << "Write listen.console = \"127.0.0.1:9091\" into the configuration, under [listen], and restart "
                        "the gateway.\n";
        return exit_failure;
    }
    if (desk.as_json) {
        desk.out << boost::json::serialize(told->body) << '\n';
        return exit_ok;
    }
    // Behind the # a browser keeps it to itself: it stands in no request, and so in no log.
    desk.out << printable(text_in(told->body, "url")) << "#link=" << printable(text_in(told->body, "secret")) << '\n';
    desk.err << "Open it in a browser on this machine. It works once, for five minutes, and lets its reader settle "
                "sales: show it to nobody.\n";
    return exit_ok;
}

}  // namespace gateway
