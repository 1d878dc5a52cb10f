// Reports callers that are refused again and again, such as a till in a loop or a machine with an old key. The first of
// their calls have a line each in the log. After that there is one line a minute, with a count. Calls that the gateway
// or the provider could not serve, through no fault of the caller, do not fill the log either, but their caller is not
// reported for them.
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

// Describes a call that was refused in the way in which a person recognises it.
struct RefusedCall {
    std::string_view caller;  // the id of the terminal, or else the address
    std::string_view remote;  // the address
    std::string_view what;    // "GET /v1/options", or what was wrong if no call was understood
    unsigned status = 0;      // 0 if there was no answer

    // Tells whether the call itself was wrong.
    bool is_wrong() const;
};

// Describes a caller that is refused again and again, or was within the last hour.
struct Hammering {
    // At most so many of its addresses are named.
    static constexpr std::size_t most_remotes = 8;

    std::string listener;
    std::string caller;
    std::string remote;  // the address of the last of its calls
    // These are all addresses that were seen, or the first ones of many: machines with one key.
    std::vector<std::string> remotes;
    std::string what;  // what the last of its calls was
    unsigned status = 0;
    std::uint64_t calls = 0;  // the number of calls since it began
    // These are the moments of the first and the last of them, and nothing if there are none.
    std::optional<RunMoment> since{};
    std::optional<RunMoment> last_at{};
    bool over = false;  // it has stopped: a minute has gone by without too many calls

    std::string in_words() const;
};

class RepeatedCalls {
  public:
    // So many of a caller's calls in a minute have lines of their own.
    static constexpr std::uint64_t lines_each = 10;

    // Every reference must outlive this object. `listener` is the listener's name, for the log.
    RepeatedCalls(Deadlines& deadlines, Clock& clock, Log& log, const std::string& listener)
        : clock_(clock), log_(log), listener_(listener), minute_(deadlines, [this] { tell(); }) {}

    // Tells whether what is wrong with the caller's calls still has lines of its own.
    bool has_lines(std::string_view caller) const;
    // Counts a call, and returns whether it has a line of its own.
    bool note(const RefusedCall& call);
    std::vector<Hammering> hammering() const;

  private:
    struct Account {
        std::uint64_t calls = 0;   // the calls in this minute
        std::uint64_t silent = 0;  // those of them without a line of their own
        Hammering unserved;        // the calls in this minute that were not wrong
        bool hammers = false;      // there were too many calls a minute ago
        Hammering all;             // the calls since it began to hammer
        Hammering past;            // the last time that it hammered and stopped; without calls if it never did
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
