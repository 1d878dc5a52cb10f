#include "commands/story.hpp"

#include "commands/members.hpp"
#include "commands/screen.hpp"
#include "commands/words.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

namespace gateway {
namespace {

namespace json = boost::json;

using Events = std::span<const json::object* const>;

// Four events that take turns are the longest round that a sale goes in.
constexpr std::size_t longest_round = 4;

struct Meaning {
    std::string_view word;
    std::string_view words;
};

constexpr std::array verdicts{
    Meaning{"authorised", "authorised"},       Meaning{"refused", "refused"},
    Meaning{"unsent", "nothing was sent"},     Meaning{"unauthorised", "the token was not accepted"},
    Meaning{"throttled", "too many requests"}, Meaning{"sold", "sold"},
    Meaning{"cancelled", "cancelled"},         Meaning{"no_such_sale", "the provider knows no such sale"},
    Meaning{"declined", "declined"},
};

constexpr std::array happenings{
    Meaning{"begun", "begun"},
    Meaning{"adopted", "taken up again: no answer is taken any more to what was under way"},
    Meaning{"elapsed", "a time limit was reached"},
    Meaning{"confirm_asked", "the terminal asked to confirm"},
    Meaning{"cancel_asked", "the terminal asked to cancel"},
    Meaning{"callback", "callback"},
    Meaning{"statement", "the provider's statement"},
    Meaning{"sent_late", "its request may have left only now, from a gateway that stood still"},
    Meaning{"receipt", "the receipt was fetched"},
};

template <std::size_t N>
std::string_view meaning_of(const std::array<Meaning, N>& meanings, std::string_view word) {
    const auto* const found = std::ranges::find(meanings, word, &Meaning::word);
    return found == meanings.end() ? std::string_view() : found->words;
}

bool is_step(std::string_view event) {
    return event == "solicitar" || event == "confirmar" || event == "cancelar" || event == "consultar";
}

// Everything but when, and how long it took.
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

// How often the first `length` events come one after the other.
std::size_t rounds(Events events, std::size_t length) {
    std::size_t count = 1;
    while ((count + 1) * length <= events.size() &&
           std::ranges::equal(events.first(length), events.subspan(count * length, length),
                              [](const json::object* a, const json::object* b) { return same(*a, *b); }))
        ++count;
    return count;
}

// Counts the tries of each attempt in the state that it is in: of a long history only some are recorded, and each of
// these says which it was.
class Tries {
  public:
    // How many the history leaves out before this event.
    std::int64_t left_out_before(const json::object& event) {
        const auto state = text_in(event, "state");
        if (state.empty()) return 0;
        auto& so_far = attempts_[std::string(text_in(event, "idExterno"))];
        if (state != so_far.state) so_far = {.state = std::string(state)};
        const auto number = number_in(event, "tries").value_or(0);
        if (number <= 0) return 0;
        // If it did not grow, a gateway that was started again has counted anew.
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

std::string of_operator(const json::object& event) {
    const auto by = printable(text_in(event, "by"));
    const auto decided = printable(text_in(event, "known"));
    auto text = by.empty() ? std::string("an operator") : by;
    text += decided.empty() ? " noted" : " decided " + decided;
    if (const auto note = text_in(event, "detail"); !note.empty()) text += ": \"" + printable(note) + '"';
    return text;
}

// What the verdict of an exchange means; one that is not known here is said as it came.
std::string verdict_words(std::string_view verdict, std::int64_t http_status) {
    const auto meaning = meaning_of(verdicts, verdict);
    auto text = !meaning.empty() ? std::string(meaning) : printable(verdict);
    if (verdict == "unknown") text = http_status == 0 ? "no answer" : "no usable answer";
    return text;
}

// What the provider's step came to. The detail of a clear answer says it a second time, in more words.
std::string of_step(std::string_view step, const json::object& event) {
    const auto known = text_in(event, "known");
    const auto status = number_in(event, "httpStatus").value_or(0);
    auto detail = text_in(event, "detail");
    auto text = fmt::format("{}: {}", step, verdict_words(known, status));
    if (detail.empty() || (known != "unknown" && known != "unsent" && known != "declined"))
        return status == 0 || status == 200 ? text : fmt::format("{}, HTTP {}", text, status);
    for (const std::string_view begins : {"the answer was lost: ", "nothing was sent: "})
        if (detail.starts_with(begins)) detail.remove_prefix(begins.size());
    return text + ": " + printable(detail);
}

std::string in_words(const json::object& event) {
    const auto name = text_in(event, "event");
    if (is_step(name)) return of_step(name, event);
    if (name == "resolved") return of_operator(event);
    const auto happening = meaning_of(happenings, name);
    auto text = happening.empty() ? printable(name) : std::string(happening);
    for (const auto* member : {"known", "detail"})
        if (const auto more = text_in(event, member); !more.empty()) text += ": " + printable(more);
    return text;
}

// The lines of one sale, one after the other: what changed is seen by what was before.
class Telling {
  public:
    explicit Telling(std::size_t attempts) : several_(attempts > 1) {}

    void add_all(Events rest) {
        while (!rest.empty()) {
            std::size_t length = 1;
            auto times = rounds(rest, 1);
            for (std::size_t longer = 2; times == 1 && longer <= std::min(longest_round, rest.size()); ++longer) {
                if (const auto more = rounds(rest, longer); more > 1) {
                    length = longer;
                    times = more;
                }
            }
            add(rest.first(length * times), length);
            until(*rest[length * times - 1]);
            rest = rest.subspan(length * times);
        }
    }
    // It counts the tries that the history leaves out after the event.
    void add_left_out(std::int64_t tries, const json::object& after) {
        lines_.push_back({local_time(after, "at"), counted(tries, "more try", "more tries") +
                                                       ", left out of the history because it has grown long; the log "
                                                       "has them"});
    }
    void until_now() { lines_.back().when += "–now"; }
    // Its last event is later than its first.
    void until(const json::object& event) {
        auto& when = lines_.back().when;
        const auto end = local_time_beside(event, "at", when);
        if (!when.ends_with(end)) when += "–" + end;
    }
    std::vector<StoryLine> take() { return std::move(lines_); }

  private:
    // A run of equal rounds, each of `length` events.
    void add(Events run, std::size_t length) {
        const auto round = run.first(length);
        const auto times = run.size() / length;
        const auto& first = *round.front();
        const auto& last = *round.back();
        std::string what;
        for (const auto* event : round)
            what += (what.empty() ? "" : ", then ") + in_words(*event);
        if (times > 1)
            what += fmt::format(", {} times{}", times, round.size() > 1 ? " each" : "");
        else if (const auto took = number_in(first, "durationMs"))
            what += fmt::format(", {} ms", *took);
        lines_.push_back({local_time(first, "at"), what + changes(last)});
        if (several_)
            if (const auto id = text_in(first, "idExterno"); !id.empty()) lines_.back().what += attempt_of(id);
    }
    // What the attempt has become, where it was something else before, and what became of the mark.
    std::string changes(const json::object& event) {
        std::string text;
        auto& before = states_[std::string(text_in(event, "idExterno"))];
        if (const auto state = text_in(event, "state"); !state.empty() && state != before) {
            text += " → " + printable(state);
            before = state;
        }
        if (const auto mark = text_in(event, "mark"); mark == "none")
            text += "; no longer marked";
        else if (!mark.empty())
            text += "; needs a person: " + printable(mark);
        return text;
    }

    std::string attempt_of(std::string_view id) {
        const auto found = numbers_.try_emplace(std::string(id), numbers_.size() + 1).first;
        return fmt::format(" [attempt {}]", found->second);
    }

    const bool several_;
    std::vector<StoryLine> lines_;
    std::map<std::string, std::string> states_;  // of each attempt
    std::map<std::string, std::size_t> numbers_;
};

std::size_t attempts_in(Events events) {
    std::vector<std::string_view> seen;
    for (const auto* event : events)
        if (const auto id = text_in(*event, "idExterno"); std::ranges::find(seen, id) == seen.end()) seen.push_back(id);
    return seen.size();
}

}  // namespace

std::vector<StoryLine> story_lines(const json::array& events, std::int64_t left_out_at_end) {
    std::vector<const json::object*> told;
    for (const auto& event : events)
        if (const auto* object = event.if_object()) told.push_back(object);
    Telling telling(attempts_in(told));
    Tries tries;
    std::size_t first = 0;  // of those that nothing is left out between
    for (std::size_t next = 0; next < told.size(); ++next) {
        const auto missing = tries.left_out_before(*told[next]);
        if (missing == 0 || next == 0) continue;
        telling.add_all(Events(told).subspan(first, next - first));
        telling.add_left_out(missing, *told[next - 1]);
        telling.until(*told[next]);
        first = next;
    }
    telling.add_all(Events(told).subspan(first));
    if (left_out_at_end > 0 && !told.empty()) {
        telling.add_left_out(left_out_at_end, *told.back());
        telling.until_now();
    }
    return telling.take();
}

}  // namespace gateway
