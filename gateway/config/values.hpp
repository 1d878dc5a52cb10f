// Reads one value of the configuration file. It knows the types of values, how each is written, and what is said about
// one that is written otherwise; it knows no key by name.
#pragma once

#include "config/config.hpp"

#include <toml++/toml.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gateway {

// Says what is wrong and what would be right; nothing where all is well.
using Complaint = std::optional<std::string>;

// These are the limits of a number, or of a duration in milliseconds. Both limits are allowed values.
struct Bounds {
    std::int64_t least = 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

inline constexpr Bounds unbounded{};

constexpr Bounds between(std::int64_t least, std::int64_t most) {
    return {least, most};
}
constexpr Bounds between(Duration least, Duration most) {
    return {least.count(), most.count()};
}

// This is the place that a value is put into. Its type says how the value is written.
using Slot =
    std::variant<std::string*, Separator*, Secret*, PasswordHash*, Role*, bool*, std::optional<bool>*, int*,
                 std::size_t*, std::int64_t*, std::optional<std::int64_t>*, std::uint8_t*, std::optional<std::uint8_t>*,
                 Duration*, std::optional<std::chrono::minutes>*, http::ServiceUrl*, Endpoint*,
                 std::optional<Endpoint>*, std::vector<std::string>*, TextOrTexts*, Family*, std::vector<Family>*,
                 LogLevel*, LogFormat*, Language*, StatementEncoding*, AmountUnit*, std::optional<AmountUnit>*,
                 StatementCovers*, CountedRows*, DayClock*>;

// Puts the value into its slot, within the bounds.
Complaint store(const toml::node& value, const Slot& slot, Bounds bounds);
// Tells whether the slot is empty: an empty text or list, or an address that is not given.
bool is_blank(const Slot& slot);
// Compares the two slots of one key in two configurations.
bool have_same_value(const Slot& a, const Slot& b);
void copy_value(const Slot& from, const Slot& to);

// Reads "500ms", "15s", "5m", "2h" or "90d": a whole number and its unit.
std::optional<Duration> parse_duration(std::string_view text);
std::string to_string(Duration length);
// Reads "0.0.0.0:8080" or "[::1]:9090". Names are refused, because a name may resolve to another address tomorrow.
std::optional<Endpoint> parse_endpoint(std::string_view text);

}  // namespace gateway
