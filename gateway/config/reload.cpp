#include "config/reload.hpp"

#include "base/told.hpp"
#include "config/keys.hpp"

namespace gateway {

namespace {

bool is_taken(AtReload at_reload, const Slot& running, const Slot& fresh) {
    switch (at_reload) {
        case AtReload::waits: return false;
        case AtReload::taken: return true;
        case AtReload::replaced: return is_blank(running) == is_blank(fresh);
    }
    return false;
}

// Calls `visit` with every key that is in no list, and with its place in each of the two configurations.
void for_each_key(Config& running, Config& fresh, const auto& visit) {
    Target from{fresh};
    Target to{running};
    for (const auto& key : all_keys())
        if (!is_in_a_list(key)) visit(key, key.slot(to), key.slot(from));
}

std::optional<ConfigProblem> terminal_without_estabelecimento(const Config& config) {
    if (!config.provider.estabelecimento.empty()) return {};
    for (std::size_t i = 0; i < config.terminals.size(); ++i)
        if (config.terminals[i].estabelecimento.empty())
            return ConfigProblem{name_of_entry(terminals_section, i) + ".estabelecimento", 0,
                                 std::string(told("is missing, and a new provider.estabelecimento needs a restart"))};
    return {};
}

}  // namespace

boost::system::result<Config, ConfigProblem> take_over(const Config& running, Config fresh) {
    auto config = running;
    config.terminals = fresh.terminals;
    config.products = fresh.products;
    config.operators = fresh.operators;
    // A new proxy needs a restart, and its credentials are not for the old one.
    if (config.provider.proxy == fresh.provider.proxy)
        config.provider.proxy_credentials = fresh.provider.proxy_credentials;
    for_each_key(config, fresh, [](const Key& key, const Slot& old_value, const Slot& new_value) {
        if (is_taken(key.rules.at_reload, old_value, new_value)) copy_value(new_value, old_value);
    });
    if (auto problem = terminal_without_estabelecimento(config)) return *std::move(problem);
    return config;
}

std::vector<std::string_view> waiting_keys(Config in_force, Config fresh) {
    std::vector<std::string_view> names;
    for_each_key(in_force, fresh, [&](const Key& key, const Slot& old_value, const Slot& new_value) {
        if (!have_same_value(old_value, new_value)) names.push_back(key.name);
    });
    // The content of a file counts, too. (That of the app-secret was taken over.)
    const auto& old_journal = in_force.journal;
    if (old_journal.key_file == fresh.journal.key_file && old_journal.keys != fresh.journal.keys)
        names.emplace_back("journal.key_file");
    return names;
}

}  // namespace gateway
