#include "reconcile/amount_text.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <optional>

namespace gateway {
namespace {

std::optional<std::int64_t> whole_number(std::string_view digits) {
    if (!is_digits(digits)) return std::nullopt;
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.size() > max_statement_digits) return std::nullopt;
    std::int64_t value = 0;
    for (const char digit : digits)
        value = value * 10 + (digit - '0');
    return value;
}

// Joins groups of three digits: "1.049" becomes "1049". Returns nothing if these are no groups of three.
std::optional<std::string> without_groups(std::string_view text, char between) {
    const auto first = text.find(between);
    if (first == std::string_view::npos) return std::string(text);
    std::string joined(text.substr(0, first));
    if (joined.empty() || joined.size() > 3) return std::nullopt;
    for (auto rest = text.substr(first); !rest.empty(); rest.remove_prefix(4)) {
        constexpr std::size_t group = 4;  // three digits and the separator before them
        if (rest.size() < group || rest.front() != between) return std::nullopt;
        joined += rest.substr(1, 3);
    }
    return joined;
}

std::string with_decimals(std::size_t count) {
    if (count == 0) return "has no decimals, and two are expected";
    if (count == 1) return "has one decimal, and two are expected";
    return count == 3 ? "has three decimals" : "has " + std::to_string(count) + " decimals";
}

}  // namespace

boost::system::result<Cents, std::string> statement_amount(std::string_view text, AmountUnit unit, Decimals decimals) {
    using Wrong = std::string;
    if (text.empty()) return Wrong("is empty where an amount is expected");
    if (text.front() == '-' || text.front() == '+' || text.back() == '-' || text.back() == '+')
        return Wrong("has a sign, and an amount of a statement has none");
    if (unit == AmountUnit::cents) {
        const auto cents = whole_number(text);
        return cents ? boost::system::result<Cents, Wrong>(Cents{*cents})
                     : Wrong("is no whole number of cents (statement.money)");
    }
    const char mark = unit == AmountUnit::comma ? ',' : '.';
    const char between = unit == AmountUnit::comma ? '.' : ',';
    const auto end = std::min(text.find(mark), text.size());
    const auto joined = without_groups(text.substr(0, end), between);
    const auto whole = joined ? whole_number(*joined) : std::nullopt;
    const auto part = text.substr(std::min(end + 1, text.size()));
    if (!whole || (!part.empty() && !is_digits(part)) || (part.empty() && end < text.size()))
        return Wrong("is no amount such as ") + (unit == AmountUnit::comma ? "1049,90" : "1049.90");
    if (part.size() > 2 || (part.size() < 2 && decimals == Decimals::two)) return with_decimals(part.size());
    const auto of_part = whole_number(part).value_or(0);
    return Cents{*whole * 100 + (part.size() == 1 ? of_part * 10 : of_part)};
}

std::optional<AmountUnit> unit_by_agreement(std::string_view text, Cents amount) {
    for (const auto unit : {AmountUnit::cents, AmountUnit::comma, AmountUnit::point}) {
        const auto read = statement_amount(text, unit, Decimals::up_to_two);
        if (read && *read == amount) return unit;
    }
    return std::nullopt;
}

}  // namespace gateway
