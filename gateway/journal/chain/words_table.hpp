// The words that wait for the gateway that carries their sale: one row each, taken away by the record that it leads to.
#pragma once

#include "journal/journal.hpp"
#include "journal/postgres/sales_table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gateway::postgres {

class WordsTable {
  public:
    // Both must outlive it.
    WordsTable(Storage& storage, SaleReader& reader) : storage_(storage), reader_(reader) {}

    // Its number. errc::not_found where there is no such sale.
    Awaited<std::int64_t> leave(const LeftWord& word);
    // Oldest first: of sales that the run carries, and of those that no living run does.
    Awaited<std::vector<LeftWord>> waiting_for(const std::string& run);
    Awaited<bool> is_waiting(std::int64_t number);
    // Whether nobody carries the sale from now on: it is settled. errc::not_carried as of SalesTable::record().
    Awaited<bool> dismiss(const std::string& run, Carrying at, SaleId sale, std::int64_t number);

  private:
    Storage& storage_;
    SaleReader& reader_;
};

// Adds a word as the parameters of leave_word(): sale, attempt, event, request_id, left_at.
void add_word(Parameters& parameters, const Storage& storage, const LeftWord& word);
extern const Statement leave_word;

}  // namespace gateway::postgres
