// The erasure of old personal fields, a limited number of sales at a time and by one gateway at a time. It goes through
// the sales in the order of their ids; one that was open when it passed, or that something personal was written to
// afterwards, is put off, and the erasure comes back to it.
#pragma once

#include "journal/journal.hpp"
#include "journal/postgres/sale_rows.hpp"

#include <string>

namespace gateway::postgres {

class Erasure {
  public:
    explicit Erasure(Storage& storage) : storage_(storage) {}

    // Erases some of what is older than `cutoff`. Where the run is not the one that does the upkeep: nothing.
    Awaited<Erased> some(const std::string& run, WallTime cutoff);

  private:
    Awaited<Erased> work(Transaction& transaction, const std::string& run, WallTime cutoff);
    // Goes on from where the last call ended.
    Awaited<Erased> next(Transaction& transaction, WallTime cutoff);
    // Goes round and round those that were put off, a few at a time: most of them may be too young, or open.
    Awaited<Erased> postponed(Transaction& transaction, WallTime cutoff);

    Storage& storage_;
    // The last sale that the erasure came back to, until it has been through all of them.
    std::string came_back_to_;
};

}  // namespace gateway::postgres
