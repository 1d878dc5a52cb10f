#include "reconcile/totals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gateway {
namespace {

std::string value_of(const CountedSale& sale, TotalsBy by, const TimeZone& zone) {
    switch (by) {
        case TotalsBy::family: return std::string(to_string(sale.family));
        case TotalsBy::terminal: return std::string(sale.terminal);
        case TotalsBy::cashier: return std::string(sale.cashier);
        case TotalsBy::estabelecimento: return std::string(sale.estabelecimento);
        case TotalsBy::hour:
            // A sale that was begun before midnight became final after it.
            if (sale.day && zone.day_of(sale.begun_at) < *sale.day) return "00";
            return fmt::format("{:02}", zone.minute_of(sale.begun_at) / std::chrono::hours(1));
        case TotalsBy::produto: break;
    }
    return std::string(sale.produto);
}

CountAndTotal& place_of(Totals& totals, const CountedSale& sale) {
    switch (sale.status) {
        case Status::EFETIVADA: return totals.sold;
        case Status::CANCELADA: return totals.cancelled;
        case Status::NEGADA: return totals.refused;
        case Status::PENDENTE:
        case Status::AUTORIZADA: break;
    }
    return sale.held ? totals.held : totals.open;
}

}  // namespace

void Totals::add(const CountedSale& sale) {
    place_of(*this, sale).add(sale.valor);
}

std::string_view to_string(TotalsBy by) noexcept {
    switch (by) {
        case TotalsBy::family: return "family";
        case TotalsBy::terminal: return "terminal";
        case TotalsBy::cashier: return "cashier";
        case TotalsBy::estabelecimento: return "estabelecimento";
        case TotalsBy::produto: return "produto";
        case TotalsBy::hour: return "hour";
    }
    return "";
}

std::optional<TotalsBy> parse_totals_by(std::string_view text) noexcept {
    const auto* const found = std::ranges::find_if(all_totals_by, [&](TotalsBy by) { return to_string(by) == text; });
    return found == all_totals_by.end() ? std::nullopt : std::optional(*found);
}

GroupedTotals::GroupedTotals(std::vector<TotalsBy> by, TimeZone zone) : by_(std::move(by)), zone_(zone) {}

void GroupedTotals::add(const CountedSale& sale) {
    total_.add(sale);
    if (by_.empty() || too_many_) return;
    std::vector<std::string> values;
    values.reserve(by_.size());
    for (const auto by : by_)
        values.emplace_back(value_of(sale, by, zone_));
    groups_[std::move(values)].add(sale);
    if (groups_.size() <= max_totals_groups) return;
    too_many_ = true;
    groups_.clear();
}

}  // namespace gateway
