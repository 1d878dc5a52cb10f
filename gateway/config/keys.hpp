// Every key of the configuration file: its type, its default, its limits and what it is for, in one table. Reading,
// error messages and the test that the example file explains everything all follow it; a new key is a row there and a
// member of Config.
#pragma once

#include "config/config.hpp"
#include "config/values.hpp"

#include <span>
#include <string_view>

namespace gateway {

// What is being read: a row of a terminal, a product or an operator writes into `terminal`, `product` or `person`,
// every other into `config`.
struct Target {
    Config& config;
    TerminalConfig* terminal = nullptr;
    Product* product = nullptr;
    OperatorConfig* person = nullptr;
};

enum class Presence { required, optional };

// What SIGHUP does with a key whose value is another now.
enum class AtReload {
    waits,     // for a restart
    taken,     // in place of the old value
    replaced,  // likewise, but whether there is a value at all is settled at the start
};

struct Key {
    std::string_view name;  // with its sections; "terminals.id" stands in each [[terminals]]
    Presence presence;
    std::string_view fallback;  // as it would stand in the file; empty: nothing is assumed
    Bounds bounds;              // of numbers and durations
    std::string_view purpose;
    Slot (*slot)(Target&);
    AtReload at_reload = AtReload::waits;
};

std::span<const Key> all_keys() noexcept;

// The lists of tables, whose keys are read once for each entry.
constexpr std::string_view terminals_section = "terminals";
constexpr std::string_view products_section = "products";
constexpr std::string_view operators_section = "operators";

// Whether the key stands in each entry of one of them.
bool is_in_a_list(const Key& key) noexcept;

}  // namespace gateway
