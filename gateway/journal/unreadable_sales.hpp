// The sales whose rows, or parts of them, cannot be read: each is marked for a person in its row, once, and counted.
// What is written here is written as well as it can be: a disk that takes no mark now gets it at the next reading.
#pragma once

#include "base/clock.hpp"
#include "journal/engine.hpp"
#include "sale/sale.hpp"

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace gateway {

// The marks that only a person takes away, as the statement mark_unreadable takes them.
std::string lasting_marks();

class UnreadableSales {
  public:
    // Every reference must outlive it. `count` is of what was met so far, for the event loop's thread to read.
    UnreadableSales(const Clock& clock, std::atomic<std::uint64_t>& count) noexcept : clock_(clock), count_(count) {}

    // The row with this number cannot be read. It is counted once for as long as it stays so.
    void add(Transaction& tx, std::int64_t number);
    // So many values of a sale cannot be read, and it goes on without them.
    void add_values(Transaction& tx, Sale& sale, std::int64_t number, std::size_t values);
    // Values that belong to no row of a sale.
    void add_values(std::size_t values) { count_ += values; }
    // What is no sale cannot be read, and has this name among all such. It is counted once.
    void add_other(std::string name) {
        if (others_.insert(std::move(name)).second) ++count_;
    }
    // The row with this number was read.
    void remove(std::int64_t number) {
        if (!rows_.empty()) rows_.erase(number);
    }

  private:
    const Clock& clock_;
    std::atomic<std::uint64_t>& count_;
    std::set<std::int64_t> rows_;  // by number
    std::set<std::string> others_;
};

}  // namespace gateway
