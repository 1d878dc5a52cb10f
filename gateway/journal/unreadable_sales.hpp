// Knows the sales whose rows, or parts of them, cannot be read. Each is marked for a person in its row, once, and
// counted. A mark that the disk does not take now is written at the next reading.
#pragma once

#include "base/clock.hpp"
#include "journal/engine.hpp"
#include "journal/job.hpp"
#include "sale/sale.hpp"

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway {

// Returns the marks that only a person takes away, in the form that the statement mark_unreadable needs.
std::string lasting_marks();

class UnreadableSales {
  public:
    // The event loop's thread reads these.
    struct Counts {
        std::atomic<std::uint64_t> met{0};    // everything that was found unreadable so far
        std::atomic<std::uint64_t> sales{0};  // sales of which nothing can be read now, as far as is known
    };

    // Every reference must outlive this object.
    UnreadableSales(const Clock& clock, Counts& counts) noexcept : clock_(clock), counts_(counts) {}

    // Notes that the row with this number cannot be read. The row is counted once for as long as it stays unreadable.
    void meet(std::int64_t number) {
        if (rows_.insert(number).second) ++counts_.met;
        counts_.sales = rows_.size();
    }
    // Does the same, and marks the sale.
    Job<void> add(Transaction& tx, std::int64_t number);
    // Notes that these values of a sale cannot be read, and marks the sale, which goes on without them.
    Job<void> add_values(Transaction& tx, Sale& sale, std::int64_t number, std::vector<std::string> names);
    // Counts unreadable values for which no sale is marked. Each is counted once, by its name.
    void add_values(const std::vector<std::string>& names) {
        for (const auto& name : names)
            add_other(name);
    }
    void add_other(std::string name) {
        if (others_.insert(std::move(name)).second) ++counts_.met;
    }
    // Counts an unreadable value that belongs to no sale and that is replaced at once.
    void add_replaced() { ++counts_.met; }
    // Notes that the row with this number can be read.
    void remove(std::int64_t number) {
        rows_.erase(number);
        counts_.sales = rows_.size();
    }

  private:
    // Returns whether the mark is new. A mark that could not be written counts as new; the next reading writes it.
    static Job<bool> mark(Transaction& tx, std::int64_t number, std::string line, bool again);

    const Clock& clock_;
    Counts& counts_;
    std::set<std::int64_t> rows_;  // by number
    std::set<std::string> others_;
};

}  // namespace gateway
