#include "journal/history_facts.hpp"

#include "base/wall_time.hpp"
#include "journal/recorded_step.hpp"
#include "sale/answer.hpp"
#include "sale/progress.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace gateway {
namespace {

namespace json = boost::json;

std::string_view text_of(const json::object& entry, std::string_view name) {
    const auto* value = entry.if_contains(name);
    return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

int tries_of(const json::object& entry) {
    const auto* value = entry.if_contains("tries");
    return value != nullptr && value->is_int64() ? static_cast<int>(value->get_int64()) : 0;
}

// That leads on: a status is asked for besides.
bool is_an_exchange(const json::object& entry) {
    const auto event = text_of(entry, "event");
    return event == to_string(Step::solicitar) || event == to_string(Step::confirmar) ||
           event == to_string(Step::cancelar);
}

// Whether the answer was of no use for what it was asked for. A status that brought nothing is none where something
// else followed at once.
bool is_an_error(const json::object& entry) {
    constexpr std::array verdicts{Verdict::unknown, Verdict::declined, Verdict::unsent, Verdict::unauthorised,
                                  Verdict::throttled};
    const auto known = text_of(entry, "known");
    const bool is_one =
        std::ranges::any_of(verdicts, [&](const Verdict verdict) { return known == to_string(verdict); });
    const bool asked = text_of(entry, "event") == to_string(Step::consultar);
    return (is_an_exchange(entry) && is_one) || ((is_an_exchange(entry) || asked) && tries_of(entry) > 0);
}

// An entry of an older version does not say how many tries there were: a try is told by its verdict.
bool was_a_try(const json::object& entry, AttemptState state) {
    const auto known = text_of(entry, "known");
    if (!is_an_exchange(entry)) return false;
    if (known == to_string(Verdict::no_such_sale)) return state != AttemptState::lingering;
    return known == to_string(Verdict::unknown) || known == to_string(Verdict::declined);
}

// Where the number did not grow, it was counted anew, by a gateway that was started again.
void count(StateFacts& facts, int tries) {
    facts.tries += tries > facts.last_tries ? tries - facts.last_tries : tries;
    facts.last_tries = tries;
}

// Whether repeats may have been left out of it. As it was written it is no longer than as it was read.
bool may_leave_out(const json::array& history) {
    return json::serialize(history).size() >= std::size_t(long_history);
}

// The newest entry that is so; null where none is.
template <class Predicate>
const json::object* newest(const json::array& history, const Predicate& is_so) {
    const auto found = std::find_if(history.rbegin(), history.rend(),
                                    [&](const json::value& entry) { return is_so(entry.get_object()); });
    return found == history.rend() ? nullptr : &found->get_object();
}

std::optional<LastError> last_error(const json::array& history) {
    const auto* entry = newest(history, is_an_error);
    const auto at = entry != nullptr ? from_rfc3339(text_of(*entry, "at")) : std::nullopt;
    if (!at) return std::nullopt;
    const auto detail = text_of(*entry, "detail");
    return LastError{.at = *at,
                     .step = std::string(text_of(*entry, "event")),
                     .text = std::string(detail.empty() ? text_of(*entry, "known") : detail),
                     .may_be_older = may_leave_out(history)};
}

// The journal writes of what it marked by itself, and of what a restore did, which event it was.
bool made_mark(const json::object& entry, Attention mark) {
    const bool by_event =
        (mark == Attention::unreadable || mark == Attention::restored) && text_of(entry, "event") == to_string(mark);
    return by_event || text_of(entry, "mark") == to_string(mark);
}

std::optional<WallTime> marked_since(const json::array& history, Attention mark) {
    if (mark == Attention::none) return std::nullopt;
    const auto* entry = newest(history, [&](const json::object& one) { return made_mark(one, mark); });
    return entry != nullptr ? from_rfc3339(text_of(*entry, "at")) : std::nullopt;
}

}  // namespace

std::vector<TimedExchange> timed_exchanges(const json::array& history) {
    std::vector<TimedExchange> found;
    for (const auto& value : history) {
        const auto* entry = value.if_object();
        if (entry == nullptr || !is_an_exchange(*entry)) continue;
        if (text_of(*entry, "known") == to_string(Verdict::unsent)) continue;
        const auto at = from_rfc3339(text_of(*entry, "at"));
        const auto* took = entry->if_contains("durationMs");
        if (!at || took == nullptr || !took->is_int64()) continue;
        found.push_back({.at = *at,
                         .took = Duration(took->get_int64()),
                         .unknown = text_of(*entry, "known") == to_string(Verdict::unknown)});
    }
    return found;
}

StateFacts state_facts(const json::array& history, const Attempt& attempt) {
    StateFacts facts;
    std::optional<AttemptState> state;
    for (const auto& one : history) {
        const auto& entry = one.get_object();
        const auto told = parse_attempt_state(text_of(entry, "state"));
        if (!told || text_of(entry, "idExterno") != attempt.id_externo.text()) continue;
        if (told != state) {
            facts = {.since = from_rfc3339(text_of(entry, "at"))};
            state = told;
        } else if (const int tries = tries_of(entry); tries > 0) {
            count(facts, tries);
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

// Since its count was never begun anew, it goes on in memory.
bool knows_all_tries(const json::array& history, const StateFacts& facts, const Attempt& attempt) {
    const bool counts_on = facts.tries == facts.last_tries && attempt.tries >= facts.last_tries;
    return !may_leave_out(history) || (facts.last_tries >= seldom_tries && counts_on);
}

HistoryFacts history_facts(const json::array& history, Attention mark, const std::vector<Attempt>& attempts) {
    HistoryFacts facts{.marked_since = marked_since(history, mark), .last_error = last_error(history)};
    if (const auto open = open_attempts(attempts); !open.empty())
        facts.tries = state_facts(history, attempts.at(open.front())).tries;
    facts.more_tries = facts.tries > 0 && may_leave_out(history);
    return facts;
}

}  // namespace gateway
