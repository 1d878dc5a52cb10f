#include "commands/ask.hpp"

#include "base/calendar.hpp"
#include "base/json_members.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway {

int fail(const Shell& shell, const std::string& what, int exit) {
    shell.err << shell.words.say("text.error", {{"what", what}}) << '\n';
    return exit;
}

AdminCall call_of(const Shell& shell, std::string target) {
    AdminCall call{.target = std::move(target)};
    if (shell.as_json) return call;
    const auto* const colours = shell.screen.colours ? ";colours=yes" : "";
    call.accept = fmt::format("text/plain;width={}{}", shell.screen.columns, colours);
    call.accept_language = shell.words.language() == Language::portuguese ? "pt-BR" : "en";
    return call;
}

AdminCall post_of(const Shell& shell, std::string target, const boost::json::object& body) {
    auto call = call_of(shell, std::move(target));
    call.content_type = "application/json";
    call.body = boost::json::serialize(body);
    call.patience = AdminClient::deciding_patience;
    return call;
}

int ask_and_print(const Shell& shell, AdminCall call) {
    return print(shell, shell.gateway.ask(std::move(call)));
}

int print(const Shell& shell, const AdminClient::Told& told) {
    if (told.has_error()) return fail(shell, told.error());
    if (!told->good()) {
        if (!told->is_text()) return fail(shell, told->problem());
        shell.err << told->body;
        return exit_failure;
    }
    shell.out << told->body;
    if (!told->is_text()) shell.out << '\n';
    return told->exit;
}

std::optional<boost::json::object> ask_for_json(const Shell& shell, std::string target) {
    const auto told = shell.gateway.ask({.target = std::move(target)});
    if (told.has_value() && told->good()) return told->object();
    fail(shell, told.has_error() ? told.error() : told->problem());
    return std::nullopt;
}

// Asks the gateway which day it is, because only the gateway knows: the store's zone need not be this machine's.
MeantDay day_meant(const Shell& shell, std::string_view option, std::string_view text) {
    if (parse_day(text)) return {.day = std::string(text)};
    if (text != "today" && text != "yesterday")
        return {.exit = fail(shell, shell.words.say("command.wrong_day", {{"option", option}}), exit_usage)};
    const auto store = ask_for_json(shell, "/v1/store");
    if (!store) return {.exit = exit_failure};
    const auto today = parse_day(text_in(*store, "today"));
    if (!today) return {.exit = fail(shell, shell.words.say("command.day_unknown"))};
    return {.day = to_text(text == "today" ? *today : day_before(*today))};
}

}  // namespace gateway
