// Knows the sales whose rows, or parts of them, cannot be read: each is marked for a person in its row, once, and
// counted. All is written as well as it can be: a disk that takes no mark now gets it at the next reading.
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

// Returns the marks that only a person takes away, as the statement mark_unreadable takes them.
std::string lasting_marks();

class UnreadableSales {
  public:
    // The event loop's thread reads these.
    struct Counts {
        std::atomic<std::uint64_t> met{0};    // all that was met so far
        std::atomic<std::uint64_t> sales{0};  // sales of which nothing can be read now, as far as is known
    };

    // Every reference must outlive this object.
    UnreadableSales(const Clock& clock, Counts& counts) noexcept : clock_(clock), counts_(counts) {}

    // Is told that the row with this number cannot be read. The row is counted once for as long as it stays so.
    void meet(std::int64_t number) {
        if (rows_.insert(number).second) ++counts_.met;
        counts_.sales = rows_.size();
    }
    // Is told the same, and marks the sale.
    Job<void> add(Transaction& tx, std::int64_t number);
    // Is told that these values of a sale cannot be read, and that the sale goes on without them.
    Job<void> add_values(Transaction& tx, Sale& sale, std::int64_t number, std::vector<std::string> names);
    // Counts values that no sale is marked for, each once, by its name among all that is no row of a sale.
    void add_values(const std::vector<std::string>& names) {
        for (const auto& name : names)
            add_other(name);
    }
    void add_other(std::string name) {
        if (others_.insert(std::move(name)).second) ++counts_.met;
    }
    // Is told that a value that is no sale's cannot be read, and that another one takes its place at once.
    void add_replaced() { ++counts_.met; }
    // Is told that the row with this number was read.
    void remove(std::int64_t number) {
        if (!rows_.empty() && rows_.erase(number) > 0) counts_.sales = rows_.size();
    }

  private:
    // Returns whether the mark is new. A mark that could not be written is taken for new: the next reading brings it.
    static Job<bool> mark(Transaction& tx, std::int64_t number, std::string line, bool again);

    const Clock& clock_;
    Counts& counts_;
    std::set<std::int64_t> rows_;  // by number
    std::set<std::string> others_;
};

}  // namespace gateway
