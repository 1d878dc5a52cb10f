#include "config/checks.hpp"
#include "config/files.hpp"
#include "config/keys.hpp"
#include "families/plain_text.hpp"

#include <map>

namespace gateway {

namespace {

void check_operators(const Config& config, Diagnostics& diagnostics) {
    std::map<std::string, std::string> names;
    for (std::size_t i = 0; i < config.operators.size(); ++i) {
        const auto& person = config.operators[i];
        const auto section = name_of_entry(operators_section, i);
        const auto name = section + ".name";
        if (!person.name.empty() && !is_name(person.name)) diagnostics.error(name, told("must be {}"), name_in_words);
        if (person.name == "console") diagnostics.error(name, told("is the name of a person who comes by a link"));
        const auto [first, is_new] = names.emplace(person.name, name);
        if (!is_new && !person.name.empty())
            diagnostics.error(name, told("\"{}\" is {} too"), person.name, first->second);
    }
}

void check_tls(const ListenOptions& listen, Diagnostics& diagnostics) {
    const std::string cert = "listen.console_tls.cert";
    const bool is_misread = diagnostics.has_error("listen.tls.cert") || diagnostics.has_error(cert);
    if (listen.console && !listen.console->address().is_loopback() && !listen.tls_of_console() && !is_misread)
        diagnostics.error(
            "listen.console",
            told("can be reached from other machines: set listen.console_tls.cert and key, which sales-gateway "
                 "new-certificate makes, or those of listen.tls, or passwords would travel where others can "
                 "read them; 127.0.0.1 needs neither"));
    if (listen.console_tls.cert.empty() || diagnostics.has_error(cert)) return;
    if (!listen.console && !diagnostics.has_error("listen.console"))
        diagnostics.warn(cert, told("is of no use without listen.console"));
    for (const auto& name : names_not_in(listen.console_tls.cert, listen.console_names))
        diagnostics.warn(cert,
                         told("\"{}\" is not for \"{}\" of listen.console_names: a browser that calls the console so "
                              "refuses it"),
                         listen.console_tls.cert, name);
}

}  // namespace

void check_console(const Config& config, Diagnostics& diagnostics) {
    check_operators(config, diagnostics);
    const auto& console = config.listen.console;
    if (!console && !config.operators.empty() && !diagnostics.has_error("listen.console"))
        diagnostics.warn(std::string(operators_section), told("are of no use without listen.console"));
    check_tls(config.listen, diagnostics);
}

}  // namespace gateway
