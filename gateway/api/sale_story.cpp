#include "api/sale_story.hpp"

#include "api/callback_body.hpp"
#include "api/json_values.hpp"
#include "base/wall_time.hpp"
#include "sale/advice.hpp"
#include "sale/progress.hpp"
#include "sale/provider_words.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway {
namespace {

namespace json = boost::json;

json::object mark_json(Attention mark, const std::optional<WallTime>& since) {
    const auto [known, not_known, to_do] = advice_where_told(mark);
    json::object object{{"mark", to_string(mark)}};
    if (since) object["since"] = to_rfc3339(*since);
    object["known"] = known;
    object["notKnown"] = not_known;
    object["toDo"] = to_do;
    return object;
}

json::object progress_json(const Attempt& attempt, const Progress& now) {
    return {{"text", now.text},
            {"idExterno", attempt.id_externo.text()},
            {"state", to_string(attempt.state)},
            {"step", now.step ? json::value(to_string(*now.step)) : json::value(nullptr)},
            {"underWay", now.under_way},
            {"waitsForJournal", now.waits_for_journal},
            {"try", now.number},
            {"nextAt", time_or_null(now.next_at)},
            {"attentionAt", time_or_null(now.attention_at)}};
}

json::object event_json(const PastEvent& event) {
    json::object object{{"at", to_rfc3339(event.at)}};
    const auto put = [&](std::string_view name, std::string_view text) {
        if (!text.empty()) object[name] = text;
    };
    put("idExterno", event.id_externo);
    put("event", event.event);
    put("known", event.verdict);
    put("state", event.state);
    put("detail", event.detail);
    put("by", event.by);
    put("mark", event.mark);
    if (event.http_status != 0) object["httpStatus"] = event.http_status;
    if (event.duration) object["durationMs"] = event.duration->count();
    if (event.tries > 0) object["tries"] = event.tries;
    return object;
}

// Says of one that could not be used why, as far as its body is still known.
json::object callback_json(const KeptCallback& callback) {
    json::object object{{"at", time_or_null(callback.at)}, {"kind", callback.kind}, {"valid", callback.valid}};
    if (!callback.body) return object;
    object["body"] = callback.body->reveal();
    const auto read = read_callback(callback.body->reveal());
    if (!callback.valid && !read) object["why"] = "its body " + read.error();
    return object;
}

}  // namespace

std::optional<LastError> newest_error(const std::optional<LastError>& told, const std::optional<LastError>& known) {
    if (!told || !known) return told ? told : known;
    return known->at >= told->at ? known : told;
}

json::object error_json(const LastError& error) {
    json::object object{{"at", to_rfc3339(error.at)}, {"step", error.step}, {"text", error.text}};
    if (error.may_be_older) object["mayBeOlder"] = true;
    return object;
}

json::object sale_story(const Rules& rules, const LiveSale& live, Carrying carrying, const Context& now,
                        const History& history, const std::vector<KeptCallback>& callbacks) {
    const auto& sale = live.sale();
    const auto facts = history_facts(history, sale.attention, sale.attempts);
    json::array open;
    int tries = 0;
    int left_out = 0;
    bool all_tries = true;
    for (const auto index : open_attempts(sale.attempts)) {
        const auto& attempt = sale.attempts.at(index);
        const auto in_state = state_facts(history, attempt);
        const auto so_far = tries_by_now(in_state, attempt);
        if (open.empty()) {
            tries = so_far;
            left_out = so_far - in_state.tries;
            all_tries = knows_all_tries(history, in_state, attempt);
        }
        const auto being_done = progress(rules, sale, index,
                                         {.under_way = live.under_way(index),
                                          .tries = so_far,
                                          .since = in_state.since,
                                          .marked_since = facts.marked_since,
                                          .waits_for_journal = carrying.waits_for_journal},
                                         now);
        open.push_back(progress_json(attempt, being_done));
    }
    json::object story{{"id", sale.id.text()},
                       {"idExterno", sale.current().id_externo.text()},
                       {"status", to_string(sale.status)},
                       {"settled", sale.settled},
                       {"attention", to_string(sale.attention)}};
    const bool marked = sale.attention != Attention::none;
    story["advice"] = marked ? in_words(advice_where_told(sale.attention)) : std::string();
    if (marked) story["marked"] = mark_json(sale.attention, facts.marked_since);
    story["tries"] = tries;
    if (!all_tries) story["moreTries"] = true;
    if (const auto said = refusal_sentence(sale); !said.empty()) story["providerSaid"] = said;
    if (const auto error = newest_error(facts.last_error, live.last_error())) story["lastError"] = error_json(*error);
    if (carrying.is_carried && !open.empty()) {
        story["now"] = open.front();
        story["open"] = std::move(open);
    }
    auto& events = story["events"].emplace_array();
    for (const auto& event : history.events)
        events.push_back(event_json(event));
    // Nothing is left out but what was of no use.
    if (facts.last_error && facts.last_error->may_be_older) story["leavesOut"] = true;
    if (left_out > 0) story["leftOutAtEnd"] = left_out;
    json::array told;
    for (const auto& callback : callbacks)
        told.push_back(callback_json(callback));
    if (!told.empty()) story["callbacks"] = std::move(told);
    return story;
}

}  // namespace gateway
