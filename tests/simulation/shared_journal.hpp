// The journal that several gateways share, as a model: a server whose transactions come one after the other, with a
// standby. While that does not answer, what the server does waits for it and nobody is told; then the standby is back,
// or takes the server's place and knows nothing of what waited. What it holds of sales are the gateway's own tables, in
// SQLite on the world's disk; beside them stand the columns that say who carries each sale, and the leases. Every
// function here is one transaction.
#pragma once

#include "base/check.hpp"
#include "journal/journal.hpp"
#include "simulation/disk.hpp"
#include "simulation/plan.hpp"
#include "simulation/process_clock.hpp"
#include "unit/support/forwarding_journal.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gateway::simulation {

class World;

// What gateways that share a journal could do wrong, for the simulation to find (mutants/).
enum class SharingFault {
    none,
    records_in_any_term,  // the step alone is compared
    records_at_any_step,  // the term alone is compared, and what is unknown is taken for not done
    takes_unknown_for_failure,
    takes_unknown_for_success,
    resolves_by_reading,  // what is unknown is resolved without a write
    adopts_in_the_same_term,
    renews_after_its_end,
    trusts_from_the_answer,  // and not from the beginning of the renewal
    sends_without_a_lease,
    forgets_what_was_sent_late,
    keeps_what_was_taken,       // a run that was ended goes on with what it carried
    leaves_no_words,            // what a terminal says of a sale that another gateway carries is lost
    takes_a_met_row_for_done,   // a begin, or a cancelled key, that is there already is done without a write
    tells_what_was_read,        // without a commit of its own after it
    has_two_tables_of_keys,     // one for sales and one for cancels
    promotes_without_the_tail,  // the standby lacks what was said to be done
    begins_after_its_look,      // a run begins in another transaction than the one that looks what is in its way
    goes_on_without_a_look,     // after a run that was ended
    notes_by_the_name,          // and not by the tally file: of a name of which a later run has begun nothing is noted
};

// Whether that is the one that is made now.
bool makes(SharingFault fault);

// How a gateway knows a sale that it carries: each record moves the step, each change of the carrier the term.
struct Carrying {
    std::uint64_t term = 1;
    std::uint64_t step = 0;
};

// A step of a sale as it travels to the server: nothing of it points into the gateway, which may end meanwhile.
struct SentStep {
    Sale sale;
    Change change;
    std::optional<Attempt> fresh;
    HistoryEntry entry;
    std::shared_ptr<std::vector<std::string>> texts;  // that the entry has views of
};

class SharedJournal {
  public:
    // `world` must outlive it. Its disk has a journal from now on.
    explicit SharedJournal(World& world);
    ~SharedJournal();

    // The standby. What is done while it is behind waits for it.

    void standby_falls_behind();
    void standby_is_back();
    // The standby takes the server's place. What waited for it never was.
    void promote();
    // What the standby has: what is durable.
    const Disk& durable() const;
    // Calls `then` once the standby has what was done last; never, where it is promoted before.
    void once_durable(std::function<void()> then);

    Journal& tables() noexcept { return *front_; }
    // What is in the tables, read or written as one gateway alone would.
    template <class T>
    Result<T> perform(const std::function<Journal::Awaited<T>(Journal&)>& work);

    // Leases.

    // A run that is to begin, of a process that has this name and this tally file; no two of those are one file.
    struct Newcomer {
        std::string run;
        int number = 0;  // of the run, among those of its file
        std::string name;
        std::size_t file = 0;
        std::map<std::string, std::uint64_t> dead{};  // as the process sees the others
    };
    struct Beginning {
        bool has_begun = false;
        bool is_over = false;                           // it had begun by a call that ended unknown, and was ended
        std::map<std::string, std::uint64_t> living{};  // the counters of all others
    };
    // The run begins where no living run of its name or file is in its way. What earlier ones of its file may have sent
    // too late is a word from now on, also where it does not begin.
    Beginning look_and_enter(const Newcomer& newcomer);
    // Each half alone, for the deliberate faults.
    Beginning look(const Newcomer& newcomer);
    Beginning enter(const Newcomer& newcomer);
    // False where another gateway has ended the run, or there is none.
    bool renew(const std::string& run);
    // Whether the run was ended, or has not entered yet.
    bool is_over(const std::string& run) const;
    // The counters of all runs that were not ended.
    std::map<std::string, std::uint64_t> renewals() const;
    // Ends the run, where its counter still stands there.
    void end(const std::string& run, std::uint64_t renewals);

    // Carrying. errc::not_carried where the run does not carry the sale, in this term and at this step.

    struct Begun {
        KeyState state;
        Carrying carrying;  // where it was recorded
    };
    Result<Begun> begin(const std::string& run, const Sale& sale);
    Result<KeyState> cancel_key(const std::string& terminal, const std::string& key);
    Result<void> record(const std::string& run, const SentStep& step, Carrying carrying);
    struct Taken {
        Sale sale;
        Carrying carrying;
    };
    // A write, so that no record of this run that is still under way can come after it.
    Result<Taken> reread(const std::string& run, SaleId id, std::uint64_t term);
    Result<Taken> claim(const std::string& run, SaleId id);
    // What is not settled and is carried by nobody, by a run that was ended, or by this run without its knowing.
    std::vector<Taken> adopt(const std::string& run, const std::set<SaleId>& known, std::size_t most);
    void give_back(const std::string& run);

    // Words. A record takes the word along that led to it.

    std::int64_t leave_word(LeftWord word);
    std::vector<LeftWord> words(const std::string& run) const;
    bool is_waiting(std::int64_t number) const { return columns_.words.contains(number); }
    // Whether nobody carries the sale from now on: it is settled.
    Result<bool> dismiss_word(const std::string& run, SaleId sale, std::int64_t number, Carrying carrying);

    // Who may record a step of the sale now: a run, or nobody.
    std::string carrier(SaleId id) const;

  private:
    struct Row {
        std::string run;  // that carries it; empty: nobody
        Carrying at;
        bool settled = false;
        // Runs that this was taken from, and the attempts whose request they may send yet.
        std::set<std::pair<std::string, std::string>> taken_from{};
    };
    struct Lease {
        std::uint64_t renewals = 0;
        bool ended = false;
        std::string name{};
        std::size_t file = 0;
        int number = 0;
    };

    void open_tables();
    void keep_time();
    bool is_free(const Row& row) const;
    bool is_cancelled_elsewhere(const Sale& sale) const;
    Result<Taken> take(const std::string& run, SaleId id, Row& row);
    void note_what_may_be_sent(const Sale& sale, Row& row) const;
    // Whether one that is there is of the same tally file, so that of two the earlier one's process is gone.
    static bool is_of_one_file(const Lease& one, const Lease& other);
    bool comes_too_late(const Newcomer& newcomer) const;
    bool is_in_the_way(const std::string& run, const Lease& other, const Newcomer& newcomer) const;
    void turn_notes_into_words(const Newcomer& newcomer);

    // What stands beside the tables.
    struct Columns {
        std::map<SaleId, Row> rows;
        std::map<std::int64_t, LeftWord> words;
        std::map<std::string, Lease> leases;
        std::vector<std::string> begun;  // all runs, in this order
    };
    struct Standby {
        Disk disk;
        Columns columns;
        std::vector<std::function<void()>> waiting{};
    };

    World& world_;
    boost::asio::io_context io_{1};
    ProcessClock clock_;
    std::unique_ptr<Journal> tables_;
    std::unique_ptr<test::ForwardingJournal> front_;  // stays where the tables are opened anew
    Columns columns_;
    std::int64_t last_word_ = 0;
    bool wrote_nothing_ = false;     // of the deliberate fault
    std::optional<Standby> behind_;  // as the standby has it, while it is behind
    std::map<std::pair<std::string, std::string>, Time> cancelled_elsewhere_;  // of the deliberate fault
};

// Nothing of it waits: the tables are in memory.
template <class T>
Result<T> SharedJournal::perform(const std::function<Journal::Awaited<T>(Journal&)>& work) {
    keep_time();
    std::optional<Result<T>> result;
    boost::asio::co_spawn(io_, work(*tables_), [&](const std::exception_ptr& fault, Result<T> value) {
        rethrow(fault);
        result.emplace(std::move(value));
    });
    io_.restart();
    io_.poll();
    CHECK(result);
    return std::move(*result);
}

}  // namespace gateway::simulation
