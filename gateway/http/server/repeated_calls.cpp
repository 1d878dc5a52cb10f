#include "http/server/repeated_calls.hpp"

#include "base/wall_time.hpp"

#include <fmt/format.h>

namespace gateway::http {
namespace {

constexpr Duration a_minute{60'000};
// How long a caller that has stopped is still told of.
constexpr Duration told_for = std::chrono::hours(1);
// Callers that are told apart at once. All further ones share an account, so that nobody buys lines by coming from many
// addresses.
constexpr std::size_t most_callers = 1024;
constexpr std::string_view all_others = "other callers";

}  // namespace

std::string Hammering::in_words() const {
    const auto from = caller == remote ? std::string() : fmt::format(" ({})", remote);
    const auto answer = status == 0 ? std::string() : fmt::format(", which was answered {}", status);
    return fmt::format("{}{} was refused {} calls from {} to {}, lastly {}{}", caller, from, calls,
                       to_local_text(since), to_local_text(last_at), what, answer);
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
    const bool own_line = has_lines(call.caller);
    auto& account = account_of(call.caller);
    const auto now = clock_.wall();
    if (account.all.calls++ == 0) account.all.since = now;
    account.all.caller = call.caller;
    account.all.remote = call.remote;
    account.all.what = call.what;
    account.all.status = call.status;
    account.all.last_at = now;
    ++account.calls;
    if (!own_line) ++account.silent;
    if (!std::exchange(counting_, true)) minute_.set(clock_.now() + a_minute);
    return own_line;
}

void RepeatedCalls::tell() {
    const auto now = clock_.wall();
    for (auto& [name, account] : accounts_) {
        auto& all = account.all;
        if (account.silent > 0)
            log_.warn("http.hammering",
                      "[{terminal}, ]{remote} calls the {listener} listener again and again, and is refused: {times} "
                      "calls in a minute, lastly {call}[, answered {httpStatus}]",
                      {{"listener", listener_},
                       {"terminal", all.caller == all.remote ? std::string_view() : std::string_view(all.caller)},
                       {"remote", all.remote},
                       {"times", account.calls},
                       {"call", all.what},
                       {"httpStatus", all.status == 0 ? std::optional<unsigned>() : all.status}});
        if (std::exchange(account.hammers, account.calls > lines_each) && !account.hammers)
            log_.warn("http.hammering_over",
                      "[{terminal}, ]{remote} no longer calls the {listener} listener again and again: it was refused "
                      "{times} calls since {since}",
                      {{"listener", listener_},
                       {"terminal", all.caller == all.remote ? std::string_view() : std::string_view(all.caller)},
                       {"remote", all.remote},
                       {"times", all.calls},
                       {"since", all.since}});
        account.calls = account.silent = 0;
    }
    std::erase_if(accounts_, [&](const auto& entry) {
        const auto& account = entry.second;
        return !account.hammers && (account.all.calls <= lines_each || now - account.all.last_at >= told_for);
    });
    counting_ = !accounts_.empty();
    if (counting_) minute_.set(clock_.now() + a_minute);
}

std::vector<Hammering> RepeatedCalls::hammering() const {
    std::vector<Hammering> found;
    for (const auto& [name, account] : accounts_)
        if (account.hammers || account.all.calls > lines_each) found.push_back(account.all);
    return found;
}

}  // namespace gateway::http
