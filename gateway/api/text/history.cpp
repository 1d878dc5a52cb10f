#include "api/text/history.hpp"

#include "base/json_members.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

namespace gateway::text {
namespace {

namespace json = boost::json;

using Events = std::span<const json::object* const>;

// A sale goes in no longer round than this: four events that take turns.
constexpr std::size_t longest_round = 4;

// An entry that is no object is no event. It stays in the list, so that a passage counts as the array does.
std::vector<const json::object*> events_of(const json::array& events) {
    static const json::object no_event;
    std::vector<const json::object*> all;
    all.reserve(events.size());
    for (const auto& event : events)
        all.push_back(event.is_object() ? &event.get_object() : &no_event);
    return all;
}

// Compares everything but the time, the duration and the number of tries.
bool same(const json::object& a, const json::object& b) {
    const auto counts = [](std::string_view name) { return name != "at" && name != "durationMs" && name != "tries"; };
    const auto within = [&](const json::object& one, const json::object& other) {
        return std::ranges::all_of(one, [&](const json::key_value_pair& member) {
            const auto* value = other.if_contains(member.key());
            return !counts(member.key()) || (value != nullptr && *value == member.value());
        });
    };
    return within(a, b) && within(b, a);
}

// Counts how often the first `length` events come one after the other.
std::size_t rounds(Events events, std::size_t length) {
    std::size_t count = 1;
    while ((count + 1) * length <= events.size() &&
           std::ranges::equal(events.first(length), events.subspan(count * length, length),
                              [](const json::object* a, const json::object* b) { return same(*a, *b); }))
        ++count;
    return count;
}

// Counts the tries of each attempt in the state that it is in. A long history has only some of them, and each of these
// says which try it was.
class Tries {
  public:
    // Returns how many tries the history leaves out before this event.
    std::int64_t left_out_before(const json::object& event) {
        const auto state = text_in(event, "state");
        if (state.empty()) return 0;
        auto& so_far = attempts_[std::string(text_in(event, "idExterno"))];
        if (state != so_far.state) so_far = {.state = std::string(state)};
        const auto number = number_in(event, "tries").value_or(0);
        if (number <= 0) return 0;
        // Where the number did not grow, a gateway that was started again has counted anew.
        const auto missing = number > so_far.last ? number - so_far.last - 1 : number - 1;
        so_far.last = number;
        return missing;
    }

  private:
    struct Counted {
        std::string state;
        std::int64_t last = 0;
    };
    std::map<std::string, Counted> attempts_;
};

// Folds the events from `first` on, between which nothing is left out.
void fold(std::vector<Passage>& passages, Events rest, std::size_t first) {
    while (!rest.empty()) {
        std::size_t length = 1;
        auto times = rounds(rest, 1);
        for (std::size_t longer = 2; times == 1 && longer <= std::min(longest_round, rest.size()); ++longer) {
            if (const auto more = rounds(rest, longer); more > 1) {
                length = longer;
                times = more;
            }
        }
        passages.push_back({.first = first, .length = length, .times = times});
        rest = rest.subspan(length * times);
        first += length * times;
    }
}

bool is_step(std::string_view event) {
    return event == "solicitar" || event == "confirmar" || event == "cancelar" || event == "consultar";
}

std::string of_operator(const Page& page, const json::object& event) {
    auto by = printable(text_in(event, "by"));
    if (by.empty()) by = page.say("text.history.operator");
    const auto decided = printable(text_in(event, "known"));
    auto text = decided.empty() ? page.say("text.history.noted", {{"by", by}})
                                : page.say("text.history.decided", {{"by", by}, {"status", decided}});
    if (const auto note = text_in(event, "detail"); !note.empty()) text += ": \"" + printable(note) + '"';
    return text;
}

// Says what came of the provider's step. The detail of a clear answer is left out, because it says the same in more
// words.
std::string of_step(const Page& page, std::string_view step, const json::object& event) {
    const auto known = text_in(event, "known");
    const auto status = number_in(event, "httpStatus").value_or(0);
    const auto verdict = known == "unknown" && status != 0 ? std::string_view("unusable") : known;
    auto text = fmt::format("{}: {}", step, printable(page.words.word("text.verdict", verdict)));
    auto detail = text_in(event, "detail");
    if (detail.empty() || (known != "unknown" && known != "unsent" && known != "declined"))
        return status == 0 || status == 200 ? text
                                            : page.say("text.history.http", {{"text", text}, {"status", status}});
    for (const std::string_view begins : {"the answer was lost: ", "nothing was sent: "})
        if (detail.starts_with(begins)) detail.remove_prefix(begins.size());
    return text + ": " + page.cause(detail);
}

std::string in_words(const Page& page, const json::object& event) {
    const auto name = text_in(event, "event");
    if (is_step(name)) return of_step(page, name, event);
    if (name == "resolved") return of_operator(page, event);
    auto text = printable(page.words.word("text.event", name));
    if (const auto known = text_in(event, "known"); !known.empty()) text += ": " + printable(known);
    if (const auto detail = text_in(event, "detail"); !detail.empty()) text += ": " + page.cause(detail);
    return text;
}

// Makes the lines of one sale, one after the other, because a line says what changed since the line before.
class Telling {
  public:
    Telling(const Page& page, Events events) : page_(page), events_(events) {
        std::map<std::string_view, bool> attempts;
        for (const auto* event : events)
            if (const auto id = text_in(*event, "idExterno"); !id.empty()) attempts[id] = true;
        several_ = attempts.size() > 1;
    }

    HistoryLine line_of(const Passage& passage) {
        return passage.length == 0 ? of_what_is_left_out(passage) : of_rounds(passage);
    }

  private:
    HistoryLine of_what_is_left_out(const Passage& passage) const {
        HistoryLine line{page_.time(*events_[passage.first], "at"),
                         page_.say("text.history.left_out", {{"count", passage.left_out}})};
        if (passage.lasts)
            line.when += page_.say("text.history.now");
        else
            until(line, *events_[passage.first + 1]);
        return line;
    }

    HistoryLine of_rounds(const Passage& passage) {
        const auto round = events_.subspan(passage.first, passage.length);
        const auto& first = *round.front();
        std::string what;
        for (const auto* event : round)
            what += (what.empty() ? "" : page_.say("text.history.then")) + in_words(page_, *event);
        if (passage.times > 1)
            what += page_.say(passage.length > 1 ? "text.history.times_each" : "text.history.times",
                              {{"number", passage.times}});
        else if (const auto took = number_in(first, "durationMs"))
            what += fmt::format(", {} ms", *took);
        HistoryLine line{page_.time(first, "at"), what + changes(*round.back())};
        if (const auto id = text_in(first, "idExterno"); several_ && !id.empty())
            line.what += page_.say("text.history.attempt", {{"number", number_of(id)}});
        until(line, *events_[passage.first + passage.length * passage.times - 1]);
        return line;
    }

    // Adds when the passage ended, where its last event is later than its first.
    void until(HistoryLine& line, const json::object& event) const {
        const auto end = page_.time_beside(event, "at", line.when);
        if (!line.when.ends_with(end)) line.when += "–" + end;
    }

    // Says what the attempt has become, where it was something else before, and what became of the mark.
    std::string changes(const json::object& event) {
        std::string text;
        auto& before = states_[std::string(text_in(event, "idExterno"))];
        if (const auto state = text_in(event, "state"); !state.empty() && state != before) {
            text += " → " + printable(page_.is_english() ? std::string(state) : page_.words.word("state", state));
            before = state;
        }
        if (const auto mark = text_in(event, "mark"); mark == "none")
            text += page_.say("text.history.unmarked");
        else if (!mark.empty())
            text += page_.say("text.history.marked", {{"mark", page_.mark(mark)}});
        return text;
    }

    std::size_t number_of(std::string_view id) {
        return numbers_.try_emplace(std::string(id), numbers_.size() + 1).first->second;
    }

    const Page& page_;
    const Events events_;
    bool several_ = false;                       // the sale had several attempts
    std::map<std::string, std::string> states_;  // the last state of each attempt, by its idExterno
    std::map<std::string, std::size_t> numbers_;
};

}  // namespace

std::vector<Passage> folded(const json::array& events, std::int64_t left_out_at_end) {
    const auto told = events_of(events);
    std::vector<Passage> passages;
    Tries tries;
    std::size_t first = 0;  // where the events begin between which nothing is left out
    for (std::size_t next = 0; next < told.size(); ++next) {
        const auto missing = tries.left_out_before(*told[next]);
        if (missing == 0 || next == 0) continue;
        fold(passages, Events(told).subspan(first, next - first), first);
        passages.push_back({.first = next - 1, .length = 0, .left_out = missing});
        first = next;
    }
    fold(passages, Events(told).subspan(first), first);
    if (left_out_at_end > 0 && !told.empty())
        passages.push_back({.first = told.size() - 1, .length = 0, .left_out = left_out_at_end, .lasts = true});
    return passages;
}

json::array passages_of(const json::object& history) {
    json::array passages;
    const auto* events = array_in(history, "events");
    if (events == nullptr) return passages;
    const auto told = events_of(*events);
    for (const auto& passage : folded(*events, number_in(history, "leftOutAtEnd").value_or(0))) {
        json::object one{{"first", passage.first}, {"length", passage.length}};
        if (passage.length > 0) one["times"] = passage.times;
        if (passage.length == 0) one["leftOut"] = passage.left_out;
        const auto end = passage.length == 0 ? passage.first + 1 : passage.first + passage.length * passage.times - 1;
        if (!passage.lasts) one["until"] = text_in(*told[end], "at");
        passages.push_back(std::move(one));
    }
    return passages;
}

std::vector<HistoryLine> history_lines(const Page& page, const json::array& events, std::int64_t left_out_at_end) {
    const auto told = events_of(events);
    Telling telling(page, told);
    std::vector<HistoryLine> lines;
    for (const auto& passage : folded(events, left_out_at_end))
        lines.push_back(telling.line_of(passage));
    return lines;
}

}  // namespace gateway::text
