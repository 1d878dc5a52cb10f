// Computes totals of some days' sales: counts and amounts by outcome, for all sales and for groups of them. The owner
// of the sales hands them in, one after the other, from wherever they are kept.
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

// Holds what the totals need of a sale.
struct CountedSale {
    Family family = Family::tv;
    std::string_view terminal;
    std::string_view cashier;  // empty if none was named
    std::string_view estabelecimento;
    std::string_view produto;
    Cents valor;
    Status status = Status::PENDENTE;
    bool held = false;  // it is authorised and the terminal decides; only if the status is not final
    WallTime begun_at{};
    std::optional<Day> day{};  // the movement day, if the status is final
};

// Every sale counts in one of these.
struct Totals {
    CountAndTotal sold;
    CountAndTotal cancelled;
    CountAndTotal refused;
    CountAndTotal open;  // the sale is neither final nor held
    CountAndTotal held;

    void add(const CountedSale& sale);
    friend bool operator==(const Totals&, const Totals&) = default;
};

// The hour is the one in which the sale was begun, by the store's clocks: "00" to "23". It is "00" if the sale was
// begun on a day before its movement day.
enum class TotalsBy { family, terminal, cashier, estabelecimento, produto, hour };
inline constexpr std::array all_totals_by{TotalsBy::family,          TotalsBy::terminal, TotalsBy::cashier,
                                          TotalsBy::estabelecimento, TotalsBy::produto,  TotalsBy::hour};
std::string_view to_string(TotalsBy by) noexcept;
std::optional<TotalsBy> parse_totals_by(std::string_view text) noexcept;

// Nobody reads more groups. By cashier and product, a year of a chain could have millions.
constexpr std::size_t max_totals_groups = 10'000;

class GroupedTotals {
  public:
    // Groups the sales that are equal in all of these. If `by` is empty, there are no groups. The hours are those of
    // the zone.
    explicit GroupedTotals(std::vector<TotalsBy> by, TimeZone zone = {});

    void add(const CountedSale& sale);

    const Totals& total() const noexcept { return total_; }
    std::span<const TotalsBy> by() const noexcept { return by_; }
    // Returns the totals of each group under the values that its sales have in common, in the order of by(). They are
    // sorted.
    const std::map<std::vector<std::string>, Totals>& groups() const noexcept { return groups_; }
    // Tells whether there were more than max_totals_groups. Then the groups are useless, and the total still counts.
    bool has_too_many_groups() const noexcept { return too_many_; }

  private:
    std::vector<TotalsBy> by_;
    TimeZone zone_;
    Totals total_;
    std::map<std::vector<std::string>, Totals> groups_;
    bool too_many_ = false;
};

}  // namespace gateway
