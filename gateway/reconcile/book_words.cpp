#include "reconcile/book_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

std::string csv_cell(const std::string& text, char separator) {
    const bool is_formula = !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
    auto cell = (is_formula ? "'" : "") + text;
    const auto special = [&](char c) { return c == separator || c == '"' || c == '\n' || c == '\r'; };
    if (std::ranges::none_of(cell, special)) return cell;
    std::string quoted = "\"";
    for (const char c : cell)
        quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
}

}  // namespace

const Word& words::of(TotalsBy by) noexcept {
    switch (by) {
        case TotalsBy::family: return family;
        case TotalsBy::terminal: return terminal;
        case TotalsBy::cashier: return cashier;
        case TotalsBy::estabelecimento: return store;
        case TotalsBy::hour: return hour;
        case TotalsBy::produto: break;
    }
    return product;
}

const Word& words::of(Family family) noexcept {
    static constexpr Word tv{"TV", "TV"};
    static constexpr Word egift{"E-gift", "Vale-presente"};
    static constexpr Word transit{"Transit", "Transporte"};
    static constexpr Word health{"Health voucher", "Vale-saúde"};
    static constexpr Word esim{"eSIM", "eSIM"};
    switch (family) {
        case Family::tv: return tv;
        case Family::egift: return egift;
        case Family::transit: return transit;
        case Family::health: return health;
        case Family::esim: break;
    }
    return esim;
}

std::string day_text(Day day, Language language) {
    if (language == Language::english) return to_text(day);
    return fmt::format("{:02}/{:02}/{:04}", static_cast<unsigned>(day.day()), static_cast<unsigned>(day.month()),
                       static_cast<int>(day.year()));
}

std::string csv_line(std::span<const std::string> cells, Language language) {
    const char separator = language == Language::portuguese ? ';' : ',';
    std::string line;
    for (const auto& cell : cells) {
        if (&cell != &cells.front()) line += separator;
        line += csv_cell(cell, separator);
    }
    return line + "\r\n";
}

std::string csv_amount(std::optional<Cents> amount, Language language) {
    constexpr std::int64_t cents = 100;
    if (!amount) return {};
    return fmt::format("{}{}{:02}", amount->value / cents, language == Language::portuguese ? ',' : '.',
                       amount->value % cents);
}

}  // namespace gateway
