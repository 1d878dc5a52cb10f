// Every key of the configuration file in one table: its type and its default, which are those of its place in a Config,
// its limits, and what a reload does with it. Reading, error messages and the test that the example file explains
// everything all follow it; a new key is a row there, a member of its part's options and a comment in
// config/gateway.example.toml, from which the manual page is made.
#pragma once

#include "config/config.hpp"
#include "config/values.hpp"

#include <span>
#include <string>
#include <string_view>

namespace gateway {

// What is being read: a row of a terminal, a product or an operator writes into `terminal`, `product` or `person`,
// every other into `config`.
struct Target {
    Config& config;
    TerminalConfig* terminal = nullptr;
    Product* product = nullptr;
    Operator* person = nullptr;
};

// What SIGHUP does with a key whose value is another now.
enum class AtReload {
    waits,     // for a restart
    taken,     // in place of the old value
    replaced,  // likewise, but whether there is a value at all is settled at the start
};

struct KeyRules {
    Bounds bounds{};  // of numbers and durations
    AtReload at_reload = AtReload::waits;
    bool is_credential = false;  // it names a file that may be handed to the service as a credential instead
    std::string_view missing{};  // of a key that must be there: what is missing without it; else empty
};

struct Key {
    std::string_view name;  // with its sections; "terminals.id" stands in each [[terminals]]
    Slot (*slot)(Target&);
    KeyRules rules{};
};

std::span<const Key> all_keys() noexcept;

// The lists of tables, whose keys are read once for each entry.
constexpr std::string_view terminals_section = "terminals";
constexpr std::string_view products_section = "products";
constexpr std::string_view operators_section = "operators";

// What the entry with this index is called in messages: that with 0 is "terminals[1]".
std::string name_of_entry(std::string_view section, std::size_t index);
// Whether the key stands in each entry of one of them.
bool is_in_a_list(const Key& key) noexcept;

}  // namespace gateway
