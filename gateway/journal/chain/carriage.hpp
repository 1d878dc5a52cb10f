// The sales that this gateway carries, and how it knows each: in which term and at which step. What another gateway may
// have taken over is found out by the database, which compares both, and never here.
#pragma once

#include "journal/chain/leases.hpp"
#include "journal/chain/words_table.hpp"
#include "journal/journal.hpp"
#include "journal/postgres/sales_table.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gateway::postgres {

class Carriage {
  public:
    // Every reference must outlive it.
    Carriage(Storage& storage, SaleReader& reader, SalesTable& sales, WordsTable& words, Leases& leases)
        : storage_(storage), reader_(reader), sales_(sales), words_(words), leases_(leases) {}

    // Renews the lease; what was carried by a run that is over is carried no more.
    boost::asio::awaitable<void> renew();
    // The run is over, and nothing is carried any more.
    void abandon();
    bool carries(SaleId id) const { return carried_.contains(id); }

    // As Journal says. `duplicate_hash` as of SalesTable.
    Awaited<KeyState> begin(const Sale& sale, const std::optional<std::string>& duplicate_hash);
    Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh, const HistoryEntry& entry);
    Awaited<Sale> reread(SaleId id);
    Awaited<Sale> claim(SaleId id);
    Awaited<AdoptedSales> adopt();
    Awaited<void> dismiss_word(SaleId sale, std::int64_t number);
    Awaited<void> give_back();

  private:
    // Whether the lease is trusted, once it was renewed where it was not. It is not where the run waits to begin.
    boost::asio::awaitable<bool> is_trusted();
    std::vector<std::string> known() const;
    // Whether there is anything to take over.
    Awaited<bool> is_anything_free(const std::string& run);
    Awaited<Rows> take_free(Transaction& transaction, const std::string& run);
    Awaited<Rows> take_one(Transaction& transaction, const std::string& run, SaleId id);
    Awaited<Sale> taken(const std::string& run, const Row& row);
    void forget_all();

    Storage& storage_;
    SaleReader& reader_;
    SalesTable& sales_;
    WordsTable& words_;
    Leases& leases_;
    std::map<SaleId, Carrying> carried_;
    std::set<SaleId> beginning_;        // being begun, or begun and whether that is done is not known
    std::set<std::string> unreadable_;  // taken over, and their rows cannot be read
    bool gives_back_ = false;           // and begins no run meanwhile
};

}  // namespace gateway::postgres
