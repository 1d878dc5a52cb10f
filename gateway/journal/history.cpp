#include "journal/history.hpp"

#include "journal/recorded_step.hpp"
#include "sale/answer.hpp"
#include "sale/progress.hpp"

#include <algorithm>
#include <array>

namespace gateway {
namespace {

// Tells whether the entry is an exchange that carries the sale on; a request for its status is not.
bool is_an_exchange(const PastEvent& entry) {
    return entry.event == to_string(Step::solicitar) || entry.event == to_string(Step::confirmar) ||
           entry.event == to_string(Step::cancelar);
}

// Tells whether the answer was of no use for its purpose. A status request that brought nothing is no error where the
// sale went on at once.
bool is_an_error(const PastEvent& entry) {
    constexpr std::array verdicts{Verdict::unknown, Verdict::declined, Verdict::unsent, Verdict::unauthorised,
                                  Verdict::throttled};
    const bool is_one =
        std::ranges::any_of(verdicts, [&](const Verdict verdict) { return entry.verdict == to_string(verdict); });
    const bool asked = entry.event == to_string(Step::consultar);
    return (is_an_exchange(entry) && is_one) || ((is_an_exchange(entry) || asked) && entry.tries > 0);
}

// Entries of an older version have no number of tries; their verdict tells whether the entry was a try.
bool was_a_try(const PastEvent& entry, AttemptState state) {
    if (!is_an_exchange(entry)) return false;
    if (entry.verdict == to_string(Verdict::no_such_sale)) return state != AttemptState::lingering;
    return entry.verdict == to_string(Verdict::unknown) || entry.verdict == to_string(Verdict::declined);
}

// A number that did not grow was counted from the beginning again, by a gateway that was restarted.
void count(StateFacts& facts, int tries) {
    facts.tries += tries > facts.last_tries ? tries - facts.last_tries : tries;
    facts.last_tries = tries;
}

// Returns the newest entry for which the predicate is true; null where there is none.
template <class Predicate>
const PastEvent* newest(const History& history, const Predicate& is_so) {
    const auto found = std::find_if(history.events.rbegin(), history.events.rend(), is_so);
    return found == history.events.rend() ? nullptr : &*found;
}

std::optional<LastError> last_error(const History& history) {
    const auto* entry = newest(history, is_an_error);
    if (entry == nullptr) return std::nullopt;
    return LastError{.at = entry->at,
                     .step = entry->event,
                     .text = entry->detail.empty() ? entry->verdict : entry->detail,
                     .may_be_older = history.is_long};
}

// Where the journal itself, or a restore, set the mark, the event has the mark's name.
bool made_mark(const PastEvent& entry, Attention mark) {
    return entry.event == to_string(mark) || entry.mark == to_string(mark);
}

std::optional<WallTime> marked_since(const History& history, Attention mark) {
    if (mark == Attention::none) return std::nullopt;
    const auto* entry = newest(history, [&](const PastEvent& one) { return made_mark(one, mark); });
    return entry != nullptr ? std::optional(entry->at) : std::nullopt;
}

}  // namespace

std::vector<TimedExchange> timed_exchanges(const History& history) {
    std::vector<TimedExchange> found;
    for (const auto& entry : history.events)
        if (is_an_exchange(entry) && entry.verdict != to_string(Verdict::unsent) && entry.duration)
            found.push_back(
                {.at = entry.at, .took = *entry.duration, .unknown = entry.verdict == to_string(Verdict::unknown)});
    return found;
}

StateFacts state_facts(const History& history, const Attempt& attempt) {
    StateFacts facts;
    std::optional<AttemptState> state;
    for (const auto& entry : history.events) {
        const auto told = parse_attempt_state(entry.state);
        if (!told || entry.id_externo != attempt.id_externo.text()) continue;
        if (told != state) {
            facts = {.since = entry.at};
            state = told;
        } else if (entry.tries > 0) {
            count(facts, entry.tries);
        } else if (was_a_try(entry, *told)) {
            ++facts.tries;
        }
    }
    return state == attempt.state ? facts : StateFacts{};
}

int tries_by_now(const StateFacts& facts, const Attempt& attempt) {
    if (attempt.tries == facts.last_tries) return facts.tries;
    auto counted = facts;
    count(counted, attempt.tries);
    return counted.tries;
}

// A count that was never begun anew goes on in memory, so it is complete.
bool knows_all_tries(const History& history, const StateFacts& facts, const Attempt& attempt) {
    const bool counts_on = facts.tries == facts.last_tries && attempt.tries >= facts.last_tries;
    return !history.is_long || (facts.last_tries >= seldom_tries && counts_on);
}

HistoryFacts history_facts(const History& history, Attention mark, const std::vector<Attempt>& attempts) {
    HistoryFacts facts{.marked_since = marked_since(history, mark), .last_error = last_error(history)};
    if (const auto open = open_attempts(attempts); !open.empty())
        facts.tries = state_facts(history, attempts.at(open.front())).tries;
    facts.more_tries = facts.tries > 0 && history.is_long;
    return facts;
}

}  // namespace gateway
