// Knows which sales this gateway owns, and each one's term and step. Only the database, which compares both, finds
// out which of them another gateway has taken over.
#pragma once

#include "journal/chain/leases.hpp"
#include "journal/job_runner.hpp"
#include "journal/journal.hpp"
#include "journal/sales.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gateway::postgres {

class Ownership {
  public:
    template <class T>
    using Awaited = Journal::Awaited<T>;

    // Both references must outlive this object.
    Ownership(JobRunner& jobs, Leases& leases) : jobs_(jobs), leases_(leases) {}

    // Renews the lease. The sales of a run that is over are owned no more.
    boost::asio::awaitable<void> renew();
    // Regards the run as over: nothing is owned any more.
    void abandon();
    bool owns(SaleId id) const { return owned_.contains(id); }

    // These do what Journal says. `duplicate_hash` is as in sales::begin().
    Awaited<KeyState> begin(const Sale& sale, const std::optional<std::string>& duplicate_hash);
    Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh, const HistoryEntry& entry);
    Awaited<Sale> reread(SaleId id);
    Awaited<Sale> claim(SaleId id);
    Awaited<AdoptedSales> adopt();
    Awaited<void> dismiss_command(SaleId sale, std::int64_t number);
    Awaited<void> give_back();

  private:
    struct Owned {
        std::int64_t term = 1;
        std::int64_t step = 0;
    };
    struct Taken;

    // Tells whether the lease is trusted; one that is not trusted is renewed first. The lease is not trusted where the
    // run waits to begin.
    boost::asio::awaitable<bool> is_trusted();
    bool knows(std::string_view text) const;
    sales::Owner owner_of(Owned at) const { return {leases_.run(), at.term, at.step}; }
    // Notes what a step of the owned sale came to. With `frees` nobody owns the sale from now on.
    void note_step(SaleId sale, Owned at, const boost::system::error_code& error, bool frees);
    static Job<Taken> read(Tx& tx, Rows::One row, std::int64_t terms);
    static Job<std::vector<Taken>> take(Tx& tx, std::string run, Rows found);
    static Job<Taken> take_one(Tx& tx, std::string run, SaleId id);
    static Job<Taken> reread_one(Tx& tx, sales::Owner by, SaleId id);
    Job<std::vector<Taken>> take_free(Tx& tx, std::string run, const std::vector<std::int64_t>& own);
    Result<Sale> note_taken(Taken taken);
    void forget_all();

    JobRunner& jobs_;
    Leases& leases_;
    std::map<SaleId, Owned> owned_;
    std::set<SaleId> beginning_;  // are being begun, or it is not known whether their beginning is done
    std::set<std::string, std::less<>> unreadable_;  // were taken over, with rows that cannot be read
    bool gives_back_ = false;                        // while it is true, no run begins
};

}  // namespace gateway::postgres
