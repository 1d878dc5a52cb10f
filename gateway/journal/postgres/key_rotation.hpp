// Seals anew, some sales at a time and by one gateway at a time, what was sealed with an older key or without one. The
// rows are locked meanwhile: a step that is recorded waits for some milliseconds.
#pragma once

#include "journal/journal.hpp"
#include "journal/postgres/sale_rows.hpp"

#include <span>
#include <string>
#include <string_view>

namespace gateway::postgres {

class KeyRotation {
  public:
    // Both must outlive it.
    KeyRotation(Storage& storage, SaleReader& reader) : storage_(storage), reader_(reader) {}

    Awaited<KeyRotationState> some(const std::string& run);

  private:
    struct Progress;
    Awaited<Progress> work(Transaction& transaction, const std::string& run);
    Awaited<Progress> sales(Transaction& transaction, const std::string& after);
    Awaited<void> rest(Transaction& transaction, Progress& progress);
    // Seals the values of the rows anew that need it. Each row begins with what tells it from the others, and with the
    // row of its values' address; a sealed column follows for each of `columns`. `write` takes the first two and the
    // values.
    Awaited<void> seal(Transaction& transaction, const Rows& found, Statement write,
                       std::span<const std::string_view> columns, Progress& progress);

    Storage& storage_;
    SaleReader& reader_;
};

}  // namespace gateway::postgres
