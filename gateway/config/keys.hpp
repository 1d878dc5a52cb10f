// Lists every key of the configuration file in one table: its type and its default (which are those of its place in a
// Config), its limits, its purpose, and what a reload does with it. Reading, error messages and the test that the
// example file explains everything follow this table. A new key is a row here and a member of its part's options.
#pragma once

#include "config/config.hpp"
#include "config/values.hpp"

#include <span>
#include <string>
#include <string_view>

namespace gateway {

// This is the place that is being read into. A row of a terminal, a product or an operator writes into `terminal`,
// `product` or `person`, and every other one into `config`.
struct Target {
    Config& config;
    TerminalConfig* terminal = nullptr;
    Product* product = nullptr;
    Operator* person = nullptr;
};

// Says what SIGHUP does with a key whose value has changed.
enum class AtReload {
    waits,     // the new value is used after a restart
    taken,     // the new value replaces the old one
    replaced,  // likewise, but only a restart can add or remove the value
};

struct KeyRules {
    Bounds bounds{};  // of numbers and durations
    AtReload at_reload = AtReload::waits;
    bool is_credential = false;  // it names a file that may be handed to the service as a credential instead
    std::string_view missing{};  // says what is missing without a key that must be there; else empty
};

struct Key {
    std::string_view name;  // with its sections; "terminals.id" stands in each [[terminals]]
    Slot (*slot)(Target&);
    KeyRules rules{};
};

std::span<const Key> all_keys() noexcept;

// These are the lists of tables. Their keys are read once for each entry.
constexpr std::string_view terminals_section = "terminals";
constexpr std::string_view products_section = "products";
constexpr std::string_view operators_section = "operators";

// Returns what messages call the entry with this index: the one with 0 is "terminals[1]".
std::string name_of_entry(std::string_view section, std::size_t index);
// Tells whether the key stands in the entries of one of these lists.
bool is_in_a_list(const Key& key) noexcept;

}  // namespace gateway
