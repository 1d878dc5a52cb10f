// Callers that are refused again and again: a till in a loop, or a machine with an old key. The first of their calls
// have a line each in the log; from then on there is one a minute, with a count. Calls that the gateway or the provider
// could not serve, by no fault of the caller, fill no log either, but nobody hammers by them.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/run_moment.hpp"
#include "net/deadlines.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::http {

// A call that was refused, as a person recognises it.
struct RefusedCall {
    std::string_view caller;  // the terminal's id, else the address
    std::string_view remote;  // the address
    std::string_view what;    // "GET /v1/options", or what was wrong where no call was understood
    unsigned status = 0;      // 0: there was no answer

    // Returns whether the call itself was wrong.
    bool is_wrong() const;
};

// A caller that hammers, or did within the last hour.
struct Hammering {
    // So many of its addresses are named.
    static constexpr std::size_t most_remotes = 8;

    std::string listener;
    std::string caller;
    std::string remote;                // of the last of its calls
    std::vector<std::string> remotes;  // all that were seen, the first ones where there are many: machines with one key
    std::string what;                  // the last of its calls
    unsigned status = 0;
    std::uint64_t calls = 0;  // since it began
    // The first and the last of them came then; nothing where there are none.
    std::optional<RunMoment> since{};
    std::optional<RunMoment> last_at{};
    bool over = false;  // it has stopped: a minute has gone by without too many calls

    std::string in_words() const;
};

class RepeatedCalls {
  public:
    // So many of a caller's calls in a minute have lines of their own.
    static constexpr std::uint64_t lines_each = 10;

    // Every reference must outlive it. `listener` is its name, for the log.
    RepeatedCalls(Deadlines& deadlines, Clock& clock, Log& log, const std::string& listener)
        : clock_(clock), log_(log), listener_(listener), minute_(deadlines, [this] { tell(); }) {}

    // Whether what is wrong with the caller's calls still has lines of its own.
    bool has_lines(std::string_view caller) const;
    // Counts a call, and says whether it has a line of its own.
    bool note(const RefusedCall& call);
    std::vector<Hammering> hammering() const;

  private:
    struct Account {
        std::uint64_t calls = 0;   // in this minute
        std::uint64_t silent = 0;  // of these, without a line of their own
        Hammering unserved;        // in this minute: calls that were not wrong
        bool hammers = false;      // they were too many a minute ago
        Hammering all;             // since it began to hammer
        Hammering past;            // the last time that it did and stopped; no calls: never
    };
    using Accounts = std::map<std::string, Account, std::less<>>;

    Account& account_of(std::string_view caller);
    void note_last(Hammering& calls, const RefusedCall& call);
    void tell();
    void tell_unserved(const Hammering& calls);

    Clock& clock_;
    Log& log_;
    const std::string& listener_;
    Accounts accounts_;
    bool counting_ = false;  // the minute has begun
    Deadline minute_;
};

}  // namespace gateway::http
