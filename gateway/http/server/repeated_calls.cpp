#include "http/server/repeated_calls.hpp"

#include "base/wall_time.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway::http {
namespace {

constexpr Duration a_minute{60'000};
// A caller that has stopped is still reported for so long.
constexpr Duration told_for = std::chrono::hours(1);
// So many callers are told apart at once. All further ones share an account, so that nobody gets more lines by coming
// from many addresses.
constexpr std::size_t most_callers = 1024;
constexpr std::string_view all_others = "other callers";

// Returns the till that calls. It is empty if no key let the caller in, who is then known only by the address.
std::string_view terminal_of(const Hammering& calls) {
    return calls.caller == calls.remote ? std::string_view() : std::string_view(calls.caller);
}

// Returns the addresses that call with its key, except the last one.
std::string other_remotes_of(const Hammering& calls) {
    std::vector<std::string_view> others;
    std::ranges::copy_if(calls.remotes, std::back_inserter(others),
                         [&](const std::string& remote) { return remote != calls.remote; });
    return fmt::format("{}", fmt::join(others, ", "));
}

}  // namespace

bool RefusedCall::is_wrong() const {
    constexpr unsigned refused_by_provider = 402;
    return status < 500 && status != refused_by_provider;
}

std::string Hammering::in_words() const {
    const auto from = caller == remote ? std::string() : fmt::format(" ({})", fmt::join(remotes, ", "));
    const auto answer = status == 0 ? std::string() : fmt::format(", which was answered {}", status);
    return fmt::format("{}{} was refused {} calls to the {} listener from {} to {}, lastly {}{}{}", caller, from, calls,
                       listener, to_local_text(since->wall()), to_local_text(last_at->wall()), what, answer,
                       over ? "; it has stopped since" : "");
}

bool RepeatedCalls::has_lines(std::string_view caller) const {
    auto found = accounts_.find(caller);
    if (found == accounts_.end() && accounts_.size() >= most_callers) found = accounts_.find(all_others);
    return found == accounts_.end() || (!found->second.hammers && found->second.calls < lines_each);
}

RepeatedCalls::Account& RepeatedCalls::account_of(std::string_view caller) {
    if (const auto found = accounts_.find(caller); found != accounts_.end()) return found->second;
    return accounts_[std::string(accounts_.size() < most_callers ? caller : all_others)];
}

bool RepeatedCalls::note(const RefusedCall& call) {
    if (!std::exchange(counting_, true)) minute_.set(clock_.now() + a_minute);
    const bool own_line = has_lines(call.caller);
    auto& account = account_of(call.caller);
    if (!call.is_wrong()) {
        note_last(account.unserved, call);
        return account.unserved.calls <= lines_each;
    }
    note_last(account.all, call);
    ++account.calls;
    if (!own_line) ++account.silent;
    return own_line;
}

void RepeatedCalls::note_last(Hammering& calls, const RefusedCall& call) {
    calls.last_at = RunMoment(clock_);
    if (calls.calls++ == 0) calls.since = calls.last_at;
    calls.listener = listener_;
    calls.caller = call.caller;
    calls.remote = call.remote;
    if (calls.remotes.size() < Hammering::most_remotes &&
        std::ranges::find(calls.remotes, call.remote) == calls.remotes.end())
        calls.remotes.emplace_back(call.remote);
    calls.what = call.what;
    calls.status = call.status;
}

void RepeatedCalls::tell_unserved(const Hammering& calls) {
    log_.info(
        "http.unserved",
        "[{terminal}, ]{remote} calls the {listener} listener again and again, and cannot be served: {times} calls "
        "in a minute, lastly {call}, answered {httpStatus}",
        {{"listener", listener_},
         {"terminal", terminal_of(calls)},
         {"remote", calls.remote},
         {"times", calls.calls},
         {"call", calls.what},
         {"httpStatus", calls.status}});
}

void RepeatedCalls::tell() {
    for (auto& [name, account] : accounts_) {
        auto& all = account.all;
        const bool hammered = std::exchange(account.hammers, account.calls > lines_each);
        if (account.silent > 0 && account.hammers)
            log_.warn("http.hammering",
                      "[{terminal}, ]{remote}[ and {otherRemotes}] called the {listener} listener again and again, and "
                      "was refused: {times} calls within a minute, lastly {call} at {lastAt}[, answered {httpStatus}]",
                      {{"listener", listener_},
                       {"terminal", terminal_of(all)},
                       {"remote", all.remote},
                       {"otherRemotes", other_remotes_of(all)},
                       {"times", account.calls},
                       {"call", all.what},
                       {"lastAt", all.last_at->wall()},
                       {"httpStatus", all.status == 0 ? std::optional<unsigned>() : all.status}});
        if (hammered && !account.hammers)
            log_.warn("http.hammering_over",
                      "[{terminal}, ]{remote} no longer calls the {listener} listener again and again: it was refused "
                      "{times} calls from {firstAt} to {lastAt}",
                      {{"listener", listener_},
                       {"terminal", terminal_of(all)},
                       {"remote", all.remote},
                       {"times", all.calls},
                       {"firstAt", all.since->wall()},
                       {"lastAt", all.last_at->wall()}});
        if (account.unserved.calls > lines_each) tell_unserved(account.unserved);
        account.calls = account.silent = 0;
        account.unserved = {};
        if (account.hammers) continue;
        if (hammered) account.past = std::exchange(all, {});
        account.past.over = true;
        all = {};
    }
    std::erase_if(accounts_, [&](const auto& entry) {
        const auto& account = entry.second;
        return !account.hammers && (account.past.calls == 0 || account.past.last_at->ago() >= told_for);
    });
    counting_ = !accounts_.empty();
    if (counting_) minute_.set(clock_.now() + a_minute);
}

std::vector<Hammering> RepeatedCalls::hammering() const {
    std::vector<Hammering> found;
    for (const auto& [name, account] : accounts_)
        if (account.hammers || account.all.calls > lines_each)
            found.push_back(account.all);
        else if (account.past.calls > 0)
            found.push_back(account.past);
    return found;
}

}  // namespace gateway::http
