// The run of this gateway, and those of the others, as their leases in the database say: journal/lease.hpp. A run that
// another gateway has ended is over; what comes after it is another run, which carries nothing yet.
#pragma once

#include "base/random.hpp"
#include "journal/lease.hpp"
#include "postgres/sale_rows.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gateway::postgres {

// What a gateway says of itself. Gateways that share a journal say the same but for their names.
struct Identity {
    std::string name;
    std::string provider;
    std::string key_name;  // empty: without a key
    std::string rules;     // the numbers of the law
};

class Leases {
  public:
    // Every reference must outlive it.
    Leases(Storage& storage, Identity identity, Random& random);

    const std::string& run() const noexcept { return run_; }
    // Whether what this gateway knows of the sales that it carries is still so.
    bool trusted() const { return lease_.trusted(storage_.clock.now()); }
    // Whether this gateway does what one does for all, as it was when the lease was renewed.
    bool keeps_house() const noexcept { return keeps_house_; }
    // Enters the run where that was not done yet, renews its lease, and looks at the others. False: the run was over,
    // and another one has begun, which is not entered yet.
    boost::asio::awaitable<bool> renew();
    // The runs that are dead, with the counters at which they stand still.
    std::map<std::string, std::int64_t> dead() const;
    // The run has ended by this gateway's own word.
    void begin_run();

    // Before the first renewal: waits out the runs that are in the way, which are those of this gateway's name and of
    // gateways that say something else of themselves, and ends them. What is the matter, in words, where one of them
    // lives.
    boost::asio::awaitable<boost::system::result<void, std::string>> wait_out_others();

    // In a transaction of the writer's that takes a sale from a run or ends a run: no other gateway does meanwhile, and
    // no run is entered.
    static Awaited<void> lock(Transaction& transaction);
    // Ends a run whose counter still stands there.
    static Awaited<void> end(Transaction& transaction, const std::string& run, std::int64_t renewals);

  private:
    // Whether the run has not ended.
    Awaited<bool> enter(const std::string& run);
    Awaited<Rows> enter_in(Transaction& transaction, const std::string& run);
    Awaited<bool> renew_row(const std::string& run);
    void look_at_others(const Rows& found);
    // What a run of this name may have sent too late is a word from now on.
    Awaited<void> turn_notes_into_words(Transaction& transaction);
    struct InTheWay;
    Awaited<std::vector<InTheWay>> in_the_way();
    Awaited<void> end_all(const std::vector<InTheWay>& runs);

    Storage& storage_;
    const Identity identity_;
    Random& random_;
    std::string run_;
    bool entered_ = false;
    bool keeps_house_ = false;
    Lease lease_;
    OtherLeases others_;
    std::map<std::string, std::int64_t> looked_;  // the counters, as they were seen last
};

}  // namespace gateway::postgres
