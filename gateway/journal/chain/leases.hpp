// Knows the run of this gateway, and those of the others by their leases in the database (journal/chain/lease.hpp). A
// run that another gateway has ended is over; the next one is another run, which owns nothing yet.
//
// A run begins only where no living run is in its way. The transaction that begins it looks for that under a lock that
// every beginning takes, at a start and when a process goes on after its run was ended. In its way are the runs of its
// name or of its tally file, and of gateways that say something else of themselves. Dead ones are ended.
#pragma once

#include "base/random.hpp"
#include "journal/chain/forwarded_commands.hpp"
#include "journal/chain/lease.hpp"
#include "journal/chain/tally_file.hpp"
#include "journal/job_runner.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gateway::postgres {

// Every job that takes a sale from a run, or ends or begins a run, holds the lock of this name.
inline constexpr std::string_view runs = "gateways";

// A gateway says this of itself. Gateways that share a journal say the same but for their names.
struct Identity {
    std::string name;
    std::string provider;
    std::string key_name;  // empty: the gateway has no key
    std::string rules;     // the numbers of the law
};

class Leases {
  public:
    // Every reference must outlive this object. `file` is opened before anything is asked of it.
    Leases(JobRunner& jobs, Identity identity, const TallyFile& file, Random& random);

    const std::string& run() const noexcept { return run_; }
    // Tells whether what this gateway knows of the sales that it owns is still true.
    bool trusted() const { return lease_.trusted(jobs_.clock().now()); }
    // Tells whether, at the last renewal of the lease, this gateway was the one that does what one does for all.
    bool is_on_duty() const noexcept { return on_duty_; }
    // Tells whether the run cannot begin yet, because others are in its way.
    bool waits() const noexcept { return !in_the_way_.empty(); }
    // Returns which living run is in the way; empty where none is.
    const std::string& hindrance() const noexcept { return hindrance_; }

    // Begins the run at a start, as soon as those in its way are dead. Where one of them lives, the error says so in
    // words.
    boost::asio::awaitable<boost::system::result<void, std::string>> begin();
    // Renews the lease, and looks at the others. After a run that was ended, another one begins at a later call, when
    // nothing is in its way any more.
    boost::asio::awaitable<void> renew();
    // Returns the dead runs, with the counters at which they stand still.
    Renewals dead() const { return others_.dead(jobs_.clock().now()); }
    // Regards this gateway's run as over. Another run follows, whose beginning ends this one in the database, too.
    void abandon();
    // Takes the operator's word that no earlier run of this name can send anything any more, whatever its tally file.
    JobRunner::Awaited<void> let_go_of_name();

  private:
    enum class Standing { lives, over, waits };
    struct Look;

    template <class T>
    using Awaited = JobRunner::Awaited<T>;

    void next_run();
    Awaited<Standing> renewed();
    Awaited<Standing> renew_row();
    Awaited<Standing> enter();
    Job<Look> look_and_enter(Tx& tx, std::string run, Sender sender) const;
    bool is_in_the_way(const Row& living) const;
    void look_at_others(const Rows& found);
    void look_at_what_is_in_the_way(const Rows& living);
    std::string words_on(const Row& in_the_way) const;

    JobRunner& jobs_;
    const Identity identity_;
    const TallyFile& file_;
    Random& random_;
    std::string run_;
    bool has_begun_ = false;
    bool on_duty_ = false;
    std::vector<std::string> earlier_;  // runs of this process that may not have ended
    Lease lease_;
    OtherLeases others_;
    Renewals in_the_way_;  // the counters are those that were first seen
    std::string hindrance_;
};

// Notes that the run does what one gateway does for all. Returns whether it may, which is so unless another living run
// does it, or the run itself has ended. A transaction that does such a thing asks this first, so that no other run can
// take over meanwhile.
Job<bool> take_duty(Tx& tx, std::string run);

}  // namespace gateway::postgres
