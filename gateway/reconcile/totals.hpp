// Totals of some days' sales: counts and amounts by outcome, for all of them and for groups of them. The owner of the
// sales hands them in, one after the other, from wherever they are kept.
#pragma once

#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "reconcile/statement_checks.hpp"
#include "sale/sale.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// A sale as totals count it.
struct CountedSale {
    Family family = Family::tv;
    std::string_view terminal;
    std::string_view cashier;  // empty where none was named
    std::string_view estabelecimento;
    std::string_view produto;
    Cents valor;
    Status status = Status::PENDENTE;
    bool held = false;  // authorised, and the terminal decides; only where the status is not final
    WallTime begun_at{};
    std::optional<Day> day{};  // the movement day, where the status is final
};

// A sale counts in one of them.
struct Totals {
    CountAndTotal sold;
    CountAndTotal cancelled;
    CountAndTotal refused;
    CountAndTotal open;  // neither final nor held
    CountAndTotal held;

    void add(const CountedSale& sale);
    friend bool operator==(const Totals&, const Totals&) = default;
};

// The hour is the one in which the sale was begun: "00" to "23", as the store's clocks show it; "00" where that was on
// a day before its own.
enum class TotalsBy { family, terminal, cashier, estabelecimento, produto, hour };
inline constexpr std::array all_totals_by{TotalsBy::family,          TotalsBy::terminal, TotalsBy::cashier,
                                          TotalsBy::estabelecimento, TotalsBy::produto,  TotalsBy::hour};
std::string_view to_string(TotalsBy by) noexcept;
std::optional<TotalsBy> parse_totals_by(std::string_view text) noexcept;

// More groups than anybody reads; asked for by cashier and product, a chain's year could have millions.
constexpr std::size_t max_totals_groups = 10'000;

class GroupedTotals {
  public:
    // Of sales that are equal in all of these; of none: no groups. The hours are the zone's.
    explicit GroupedTotals(std::vector<TotalsBy> by, TimeZone zone = {});

    void add(const CountedSale& sale);

    const Totals& total() const noexcept { return total_; }
    std::span<const TotalsBy> by() const noexcept { return by_; }
    // The values that the sales of a group have in common, in the order of by(), and their totals; sorted.
    const std::map<std::vector<std::string>, Totals>& groups() const noexcept { return groups_; }
    // Whether there were more than max_totals_groups: then the groups are of no use, and the total is.
    bool has_too_many_groups() const noexcept { return too_many_; }

  private:
    std::vector<TotalsBy> by_;
    TimeZone zone_;
    Totals total_;
    std::map<std::vector<std::string>, Totals> groups_;
    bool too_many_ = false;
};

}  // namespace gateway
