// Defines a run before it begins: what customers want to buy, how terminals behave, what goes wrong around them, and
// when the power fails. All of it follows from a seed, or from a step of the complete walk.
#pragma once

#include "reconcile/statement_format.hpp"
#include "sale/machine.hpp"
#include "sandbox/personality.hpp"
#include "sandbox/statement.hpp"
#include "simulation/disk.hpp"
#include "simulation/faults.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gateway::simulation {

// This is the time since the beginning of the run. It is the world's own time, which no clock of the gateway can move.
using Time = std::chrono::nanoseconds;

// Takes the lines of the run's trace as they happen. Empty: nobody listens, and nothing is written.
using Trace = std::function<void(const std::string&)>;

// This is what a terminal wants to do with a sale that it holds.
enum class Wish { confirm, cancel, forget };

// This is one sale that a customer wants. Each plan of a run has another family or amount, so that a transaction in the
// provider's books shows which plan it belongs to, without asking the journal.
struct Plan {
    std::size_t number = 0;
    Family family = Family::tv;
    std::int64_t valor = 0;
    std::string body;  // the body of the sell
    bool manual = false;
    Wish wish = Wish::confirm;
    std::string terminal;
    std::string key;
    Time start{};
    int tills = 1;               // how many post it at the same time, with one key
    bool cancels_first = false;  // the cancel by key comes before the sell
    std::uint64_t mischief = 0;  // per mille of moments in which the terminal does not do what it should
    std::uint64_t deafness = 0;  // per mille of answers that do not reach the terminal
    int wait_s = 25;             // Prefer: wait, in seconds; 0: not sent
    int most_calls = 12;         // after this many calls the terminal gives up
};

// This is trouble around the gateway: with the provider, the disk or the clock.
struct Weather {
    enum class Kind { provider_down, tokens_down, disk_full, disk_failing, disk_unreadable, clock_jump };
    Kind kind;
    Time at;
    Duration length{0};  // for a clock jump, by how much the clock is set
};

// This is how a person puts a copy in the journal's place. With cp, the log of the journal may be left beside it.
enum class PutBack { by_chance, cp, cp_beside_log, restore };

struct Crash {
    enum class Kind { now, at_handler, at_write, at_flush, at_message, stop };
    Kind kind;
    Time at;  // the moment from which `nth` is counted
    std::uint64_t nth = 1;
    std::string fates = Fates::all_old;  // what is left of what was not flushed
    bool killed = false;                 // only the process is killed: the machine, its disk and other programs go on
    // A person puts the newest copy in the journal's place once the process was killed or stopped.
    std::optional<PutBack> puts_back{};
    Duration down{2'000};       // the time until it is started again
    std::vector<Crash> then{};  // the first of these is counted from that start on
};

// This is what another program does with the journal (see visitor.hpp). The last one is a second gateway, which must be
// refused while one runs.
enum class Deed { edit, vacuum, reindex, move_log, leave_wal, read, back_up, start_gateway };
inline constexpr std::array all_deeds{Deed::edit,      Deed::vacuum, Deed::reindex, Deed::move_log,
                                      Deed::leave_wal, Deed::read,   Deed::back_up, Deed::start_gateway};

// Says when another program comes.
struct Visits {
    std::vector<Deed> deeds;  // one of these is done; none: nobody comes
    std::vector<Time> at;     // the times, between two handlers or in the middle of the gateway's work on the disk
    std::vector<int> autocheckpoints{1'000};  // one of these is set
    // Per mille of the moments after the disk failed or was well again, or the gateway was gone, at which a program
    // comes before the gateway does anything.
    std::uint64_t afterwards = 0;
};

// This is what happens to one of several gateways, or between it and the journal that they share.
struct Trouble {
    enum class Kind {
        killed,        // it is down for `length`
        stopped,       // it stops in order, and is down for `length`
        paused,        // it does nothing for `length`, and then goes on as if nothing had happened
        cut_off,       // nothing from it reaches the journal, and nothing comes back
        unheard,       // what it asks of the journal is done, but no answer reaches it
        journal_away,  // for all gateways
        // What is committed can be read, but nobody is told of it until the standby has it. Then the standby is back,
        // or takes the place of the server, and all of that is gone.
        standby_behind,
        promotion
    };
    Kind kind;
    Time at;
    Duration length;
    std::size_t gateway = 0;
};

// This is one statement of the provider, which says something about all attempts in the journal.
struct Word {
    enum class Kind {
        truth,  // what the provider's books say
        open,   // AUTORIZADA, as the books said before
        lie,    // another final status than the books have, for one sale, and only for attempts that it must not move
    };
    Kind kind;
    Time at{};              // the moment from which `nth` is counted
    std::uint64_t nth = 0;  // after this many messages; 0: at once
};

// Says how the store keeps its books, and when a person looks into them.
struct Bookkeeping {
    std::string zone = "America/Sao_Paulo";
    Duration zone_from_utc = -std::chrono::hours(3);  // the same on all days of the run
    std::optional<std::chrono::minutes> close_at;     // close.at
    struct Closing {
        Time at{};
        int days_back = 0;
        int tills = 1;  // how many terminals ask for it at the same time
    };
    std::vector<Closing> closings;
    std::vector<Time> statements_at;  // when statements of all days are read
    bool evening = false;             // when all is at rest, the day is closed
    bool statements = false;          // then statements are read, with a defect and without
    bool settle = false;
    StatementCovers covers = StatementCovers::this_gateway;
    bool names_network = false;
    bool sold_only = false;
    sandbox::StatementForm form;
};

struct Setup {
    std::uint64_t seed = 0;
    WallTime beginning{std::chrono::sys_days(std::chrono::year(2024) / 5 / 2) + std::chrono::hours(13)};
    std::vector<Plan> plans;
    std::vector<Weather> weather;
    std::vector<Crash> crashes;
    std::vector<Word> words;  // those that were not read before all is at rest are read then
    Bookkeeping books;
    Time faults_end{};  // from then on nothing goes wrong
    Rules rules;
    std::string health_cancel_path;
    std::string status_path;
    sandbox::Options provider;
    std::uint64_t callback_faults = 0;  // per mille of callbacks that are lost, late or unanswered
    std::uint64_t disk_failures = 0;    // now and then the n-th disk operation fails, with n up to this; 0: none
    std::uint64_t fails_first = 0;      // the n-th operation of the run fails, too; 0: none
    bool fails_as_full = false;         // these operations fail for lack of room
    bool forgetful_disk = false;
    std::size_t block_bytes = padded_block_bytes;  // of the disk
    std::int64_t log_bytes = journal_log_bytes;
    Visits visits;
    std::uint64_t copied_after = 0;  // the journal is copied after the n-th message, too; 0: it is not
    std::vector<Time> damages;       // the times at which a value of the journal is made unreadable
    bool put_right = false;          // whether the operator repairs all of them once the faults are over
    bool empty_disk = false;  // the gateway's first start is its first ever; else it finds a journal without sales
    Duration request_timeout{15'000};
    Duration sell_wait{25'000};
    std::size_t gateways = 1;          // if more than 1, they share a journal and have the troubles
    std::vector<std::string> names{};  // the gateways' names, by number; two equal names are a person's mistake
    std::vector<Trouble> troubles;
    std::uint64_t late_sends = 0;      // per mille of exchanges before whose first byte a gateway is paused
    std::uint64_t journal_faults = 0;  // per mille of what is asked of a shared journal that is lost, late or unheard
    std::int64_t journal_latency = 5;  // the most, in milliseconds, in each direction
    bool same_luck = false;            // the gateway's repeats are spread as if chance were always in the middle
    bool jumbled = false;              // messages and handlers that are due at the same time run in random order
    std::uint64_t exact_checks_one_in = 64;  // one in this many requests has the flushed journal itself read before it
};

// Says whether the provider can be asked for a sale's status: as the seed says, in no run, or in all.
enum class StatusPath { by_seed, never, always };

// This is what the provider of a random run is like.
struct ProviderWanted {
    StatusPath status = StatusPath::by_seed;
    std::string personality = "by-seed";  // see personalities.hpp
};

// Makes the plan with this number. With `dynamic`, its product comes from a menu, or its amount chooses what an eSIM's
// callback says.
Plan make_plan(std::size_t number, Family family, bool manual, bool dynamic);

// Makes a random run: of one gateway, or of `gateways` gateways (0: two or three).
Setup random_setup(std::uint64_t seed, const ProviderWanted& wanted);
Setup random_chain_setup(std::uint64_t seed, const ProviderWanted& wanted, std::size_t gateways);
Mix random_mix(std::uint64_t seed);

// This is one sale in a way that the complete walk follows.
struct Scenario {
    std::string name;
    Family family = Family::tv;
    bool manual = false;
    Wish wish = Wish::confirm;
    bool health_cancel = false;
    bool empty_disk = false;
    bool silent = false;  // no confirm or cancel is answered before the faults end
    bool asked = false;   // the provider can be asked for the status; an eSIM then gets no callback
    bool books = false;   // its day is closed and a statement read meanwhile; walked without faults
};
const std::vector<Scenario>& scenarios();
Setup walk_setup(const Scenario& scenario);

}  // namespace gateway::simulation
