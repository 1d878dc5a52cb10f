#include "config/checks.hpp"
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
        if (!person.name.empty() && !is_name(person.name))
            diagnostics.error(name, "must be " + std::string(name_in_words));
        if (person.name == "console") diagnostics.error(name, "is the name of a person who comes by a link");
        const auto [first, is_new] = names.emplace(person.name, name);
        if (!is_new && !person.name.empty())
            diagnostics.error(name, "\"" + person.name + "\" is " + first->second + " too");
    }
}

}  // namespace

void check_console(const Config& config, Diagnostics& diagnostics) {
    check_operators(config, diagnostics);
    const auto& console = config.listen.console;
    if (!console && !config.operators.empty() && !diagnostics.has_error("listen.console"))
        diagnostics.warn(std::string(operators_section), "are of no use without listen.console");
    const bool has_tls = config.listen.has_tls() || diagnostics.has_error("listen.tls.cert");
    if (console && !console->address().is_loopback() && !has_tls)
        diagnostics.error("listen.console",
                          "can be reached from other machines: set listen.tls.cert and key too, or passwords would "
                          "travel where others can read them; 127.0.0.1 needs neither");
}

}  // namespace gateway
