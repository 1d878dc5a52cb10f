// What a run is made of, before it begins: who wants to buy what and how they behave, what the weather does, when the
// power fails. Everything in it follows from a seed, or from a step of the complete walk.
#pragma once

#include "reconcile/statement_format.hpp"
#include "sale/machine.hpp"
#include "sandbox/options.hpp"
#include "sandbox/statement.hpp"
#include "simulation/faults.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gateway::simulation {

// Since the beginning of the run; the world's own time, which no clock of the gateway's can move.
using Time = std::chrono::nanoseconds;

// Takes the lines of a trace, as they happen. Empty: nobody listens, and nothing is written.
using Trace = std::function<void(const std::string&)>;

// What a terminal wants of a sale that it holds.
enum class Wish { confirm, cancel, forget };

// One sale that a customer wants. Family and amount are different for every plan of a run, so that a transaction in the
// provider's books tells which plan it belongs to without asking the journal.
struct Plan {
    std::size_t number = 0;
    Family family = Family::tv;
    std::int64_t valor = 0;
    std::string body;  // of the sell
    bool manual = false;
    Wish wish = Wish::confirm;
    std::string terminal;
    std::string key;
    Time start{};
    int tills = 1;               // that post it at the same time, with one key
    bool cancels_first = false;  // the cancel by key comes before the sell
    std::uint64_t mischief = 0;  // per mille of moments in which the terminal does something else than it should
    std::uint64_t deafness = 0;  // per mille of answers that the terminal does not hear
    int wait_s = 25;             // Prefer: wait; 0: not said
    int most_calls = 12;         // then the terminal gives up
};

// What the goods of a family depend on.
struct Weather {
    enum class Kind { provider_down, tokens_down, disk_full, disk_failing, disk_unreadable, clock_jump };
    Kind kind;
    Time at;
    Duration length{0};  // of a clock jump: by how much
};

struct Crash {
    enum class Kind { now, at_handler, at_write, at_flush, at_message, stop };
    Kind kind;
    Time at;  // from when on is counted
    std::uint64_t nth = 1;
    bool tear = false;
    bool killed = false;   // the process alone: the machine, its disk and other programs go on
    Duration down{2'000};  // until it is started again
    // And the power is cut once more at the n-th change of the disk from that start on, torn; 0: it is not.
    std::uint64_t again_nth = 0;
};

// What another program does with the journal (see visitor.hpp).
enum class Deed { edit, vacuum, reindex, move_log, read };
inline constexpr std::array all_deeds{Deed::edit, Deed::vacuum, Deed::reindex, Deed::move_log, Deed::read};

// When it comes.
struct Visits {
    std::vector<Deed> deeds;  // one of these; none: nobody comes
    std::vector<Time> at;     // between two handlers, or in the middle of what the gateway does with the disk
    std::vector<int> autocheckpoints{1'000};  // one of these
    // Per mille of moments after the disk failed, or was well again, or the gateway was gone: before it does anything.
    std::uint64_t afterwards = 0;
};

// What happens to one of several gateways, or between it and the journal that they share.
struct Trouble {
    enum class Kind {
        killed,        // down for so long
        stopped,       // in good order, and down for so long
        paused,        // does nothing for so long, and then goes on as if nothing had been
        cut_off,       // nothing of it reaches the journal, and nothing comes back
        unheard,       // what it asks the journal is done, and it hears no answer
        journal_away,  // for all of them
        // What is committed is seen, and waits for the standby before anybody is told; then the standby is back, or it
        // takes the place of the server, and all of that is gone.
        standby_behind,
        promotion
    };
    Kind kind;
    Time at;
    Duration length;
    std::size_t gateway = 0;
};

// One statement of the provider's: what it says of all attempts in the journal.
struct Word {
    enum class Kind {
        truth,  // what the provider's books say
        open,   // AUTORIZADA, as they said before
        lie,    // another final status than they say, of one sale, and only of attempts that it must not move
    };
    Kind kind;
    Time at{};              // from when on is counted
    std::uint64_t nth = 0;  // after so many messages; 0: at once
};

// How the store keeps its books, and when a person looks into them.
struct Bookkeeping {
    std::string zone = "America/Sao_Paulo";
    Duration zone_from_utc = -std::chrono::hours(3);  // all through these days
    std::optional<std::chrono::minutes> close_at;     // close.at
    struct Closing {
        Time at{};
        int days_back = 0;
        int tills = 1;  // that ask for it at the same time
    };
    std::vector<Closing> closings;
    std::vector<Time> statements_at;  // of all days
    bool evening = false;             // at rest the day is closed
    bool statements = false;          // and statements are read, with a defect and without
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
    std::vector<Word> words;  // those that were not said when all is at rest are said then
    Bookkeeping books;
    Time faults_end{};  // from then on nothing goes wrong
    Rules rules;
    std::string health_cancel_path;
    std::string status_path;
    sandbox::Options provider;
    std::uint64_t callback_faults = 0;  // per mille of callbacks that are lost, late or unheard
    std::uint64_t disk_failures = 0;    // one disk operation fails now and then: the n-th, with n up to this; 0: none
    std::uint64_t fails_first = 0;      // besides, the n-th operation of the run; 0: none
    bool fails_as_full = false;         // for want of room
    bool forgetful_disk = false;
    Visits visits;
    std::vector<Time> damages;  // when a value of the journal is made unreadable
    bool put_right = false;     // and whether the operator puts all of them right once the faults are over
    bool empty_disk = false;    // the gateway's first start is its first ever; else it finds a journal without a sale
    Duration request_timeout{15'000};
    Duration sell_wait{25'000};
    std::size_t gateways = 1;          // more share a journal, and the troubles are theirs
    std::vector<std::string> names{};  // of those, by their numbers; where two are alike, a person made a mistake
    std::vector<Trouble> troubles;
    std::uint64_t late_sends = 0;      // per mille of exchanges before whose first byte a gateway stands still
    std::uint64_t journal_faults = 0;  // per mille of what is asked of a shared journal that is lost, late or unheard
    std::int64_t journal_latency = 5;  // in milliseconds, at most, each way
    bool same_luck = false;            // the gateway's repeats are spread as if chance were always in the middle
    bool jumbled = false;              // messages and handlers that are due together take turns by chance
    std::uint64_t exact_checks_one_in = 64;  // of requests before which the flushed journal itself is read
};

// Whether the provider can be asked how a sale stands: the seed says, or all runs have it, or none.
enum class StatusPath { by_seed, never, always };

// What a random run's provider is like.
struct ProviderWanted {
    StatusPath status = StatusPath::by_seed;
    std::string personality = "by-seed";  // see personalities.hpp
};

// A random run, of one gateway, or of several: of so many, or where it is 0 of two or three.
Setup random_setup(std::uint64_t seed, const ProviderWanted& wanted);
Setup random_chain_setup(std::uint64_t seed, const ProviderWanted& wanted, std::size_t gateways);
Mix random_mix(std::uint64_t seed);

// One sale, in a way that the complete walk takes.
struct Scenario {
    std::string name;
    Family family = Family::tv;
    bool manual = false;
    Wish wish = Wish::confirm;
    bool health_cancel = false;
    bool empty_disk = false;
    bool silent = false;  // no confirm or cancel is answered before the faults end
    bool asked = false;   // the provider can be asked how it stands; of an eSIM no callback comes then
    bool books = false;   // while it goes on its day is closed, and a statement read; walked without faults
};
const std::vector<Scenario>& scenarios();
Setup walk_setup(const Scenario& scenario);

}  // namespace gateway::simulation
