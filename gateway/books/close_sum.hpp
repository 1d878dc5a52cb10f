// Sums up a close: its sales are added one after the other in the order of their ids, and give the totals and the
// digest that are kept. The same sales and the same close before always give the same result.
#pragma once

#include "base/clock.hpp"
#include "journal/journal.hpp"
#include "reconcile/close_digest.hpp"
#include "reconcile/totals.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Says when the first and the last sale of the day were begun.
struct Span {
    std::optional<WallTime> first;
    std::optional<WallTime> last;
};

class CloseSum {
  public:
    // `previous` is the digest of the close before; empty: there is none.
    explicit CloseSum(std::string previous);

    void add(const DayPage& page);

    // Returns the first sale that is not late, and last() the last one; nothing where there is none.
    const std::optional<SaleId>& first() const noexcept { return first_; }
    const std::optional<SaleId>& last() const noexcept { return last_; }
    Cents sold() const noexcept { return families_.total().sold.total.value_or(Cents{0}); }
    std::int64_t sales() const noexcept { return sales_; }
    std::int64_t late() const noexcept { return late_count_; }

    // Returns the text of Close::totals: {sales, late, lateSales, unreadable, first, last, previous, total, families,
    // terminals}. At most max_late_named late sales are named.
    std::string json(const Span& span) const;
    // Returns the digest. Nothing may be added afterwards.
    std::string digest() { return digest_.finish(); }

    static constexpr std::size_t max_late_named = 100;

  private:
    const std::string previous_;
    CloseDigest digest_;
    GroupedTotals families_{{TotalsBy::family}};
    GroupedTotals terminals_{{TotalsBy::terminal}};
    std::int64_t sales_ = 0;
    std::int64_t late_count_ = 0;
    std::size_t unreadable_ = 0;
    std::vector<DaySale> late_named_;
    std::optional<SaleId> first_;
    std::optional<SaleId> last_;
};

// Returns what is counted of a final sale; the second function does it for one that is not final.
CountedSale counted(const DaySale& sale);
CountedSale counted(const Sale& sale);

}  // namespace gateway
