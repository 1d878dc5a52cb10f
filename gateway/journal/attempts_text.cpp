#include "journal/attempts_text.hpp"

#include "base/json_text.hpp"
#include "journal/recorded_step.hpp"
#include "journal/rows.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>

namespace gateway::rows {
namespace {

namespace json = boost::json;

constexpr std::size_t usual_bytes = 256;  // the usual length of an attempt, and of a line of the history

// No wait is longer than this. A longer one would not fit into the steady clock.
constexpr Duration longest_wait = std::chrono::years(100);

bool is_readable(const std::optional<std::int64_t>& deadline, WallTime recorded_at) {
    if (!deadline || *deadline <= 0) return true;
    const auto at = readable_time(*deadline);
    return at && *at - recorded_at <= longest_wait;
}

// Returns how much was left of the wait at the time of writing.
Duration left_at(WallTime recorded_at, std::int64_t deadline) {
    return std::max(wall_time(std::max(deadline, std::int64_t{0})) - recorded_at, Duration(0));
}

Instant steady(std::optional<std::int64_t> deadline, WallTime recorded_at, Moment at) {
    if (!deadline) return never;
    const auto left_then = left_at(recorded_at, *deadline);
    const auto passed = std::clamp(at.wall - recorded_at, Duration(0), left_then);
    return at.now + (left_then - passed);
}

// Returns the milliseconds since the beginning of the steady clock.
std::int64_t milliseconds_of(Instant at) {
    return std::chrono::duration_cast<Duration>(at.time_since_epoch()).count();
}

// Tells whether the attempt lacks the time that its next request has to carry: in some states, the time at which that
// request was decided.
bool lacks_a_time(const Attempt& attempt) {
    switch (attempt.state) {
        case AttemptState::confirming:
        case AttemptState::collecting: return !attempt.confirm_time;
        case AttemptState::disputing:
        case AttemptState::retracting:
        case AttemptState::cancelling:
        case AttemptState::lingering: return !attempt.cancel_time;
        case AttemptState::requesting:
        case AttemptState::held:
        case AttemptState::awaiting:
        case AttemptState::sold:
        case AttemptState::cancelled:
        case AttemptState::refused:
        case AttemptState::unsent:
        case AttemptState::unauthorised:
        case AttemptState::throttled: return false;
    }
    return false;
}

constexpr std::array<std::string_view, 10> attempt_members{"idExterno",   "state",         "idTransacao", "createdAt",
                                                           "confirmTime", "cancelTime",    "deadline",    "attentionAt",
                                                           "boot",        "steadyDeadline"};

// A member with an unknown name had its name altered, and must not be ignored: if it was the deadline, that would never
// come.
bool has_other_members(const json::object& object) {
    return std::ranges::any_of(object, [](const auto& member) {
        return std::ranges::find(attempt_members, std::string_view(member.key())) == attempt_members.end();
    });
}

// Takes the deadline on the steady clock, which is certain: the clock has counted the whole wait, unless the machine
// was started again since.
void take_steady_deadline(Attempt& attempt, Members& members, Duration left_then, Moment at) {
    const auto boot = members.text("boot");
    const auto deadline = members.number("steadyDeadline");
    if (boot.empty() || boot != at.boot || !deadline) return;
    const Duration left(*deadline - milliseconds_of(at.now));
    if (left > left_then) return;  // it was altered
    attempt.deadline = at.now + std::max(left, Duration(0));
    attempt.deadline_is_certain = true;
}

std::optional<Attempt> read_attempt(const json::object& object, WallTime recorded_at, Moment at) {
    Members members(object);
    const auto id_externo = IdExterno::parse(members.text("idExterno"));
    const auto state = parse_attempt_state(members.text("state"));
    const auto created_at = members.time("createdAt");
    const auto deadline = members.number("deadline");
    const auto attention_at = members.number("attentionAt");
    if (!id_externo || !state || !created_at) return std::nullopt;
    if (!is_readable(deadline, recorded_at) || !is_readable(attention_at, recorded_at)) return std::nullopt;
    Attempt attempt{.id_externo = *id_externo, .state = *state, .id_transacao = members.text("idTransacao")};
    attempt.created_at = *created_at;
    attempt.confirm_time = members.time("confirmTime");
    attempt.cancel_time = members.time("cancelTime");
    attempt.deadline = steady(deadline, recorded_at, at);
    attempt.attention_at = steady(attention_at, recorded_at, at);
    attempt.next_try = at.now;
    if (deadline) take_steady_deadline(attempt, members, left_at(recorded_at, *deadline), at);
    if (!members.good() || has_other_members(object) || lacks_a_time(attempt)) return std::nullopt;
    return attempt;
}

// The texts of rows are short, so parsing one rarely needs more than this.
using ParsingBuffer = std::array<unsigned char, 4096>;

// Returns a null value where the text is no JSON.
json::value parsed(std::string_view text, json::monotonic_resource& buffer) {
    boost::system::error_code error;
    auto value = json::parse(text, error, &buffer);
    return error ? json::value() : value;
}

std::optional<PastEvent> read_line(std::string_view text, const Result<std::vector<Attempt>>& attempts) {
    ParsingBuffer bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
    json::monotonic_resource buffer(bytes.data(), bytes.size());
    const auto document = parsed(text, buffer);
    if (!document.is_object()) return std::nullopt;
    Members members(document.get_object());
    const auto at = members.time("at");
    const auto number = members.number("attempt").value_or(0);
    PastEvent line{.event = members.text("event")};
    if (!at || number < 1 || line.event.empty()) return std::nullopt;
    line.at = *at;
    line.attempt = static_cast<std::size_t>(number) - 1;
    if (attempts.has_value() && line.attempt >= attempts->size()) return std::nullopt;
    if (attempts.has_value()) line.id_externo = (*attempts)[line.attempt].id_externo.text();
    line.verdict = members.text("known");
    line.state = members.text("state");
    line.detail = members.text("detail");
    line.by = members.text("by");
    line.mark = members.text("mark");
    line.http_status = static_cast<unsigned>(members.number("httpStatus").value_or(0));
    if (const auto milliseconds = members.number("durationMs")) line.duration = Duration(*milliseconds);
    line.tries = static_cast<int>(members.number("tries").value_or(0));
    return members.good() ? std::optional(std::move(line)) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> AttemptsText::deadline(Instant at) const {
    if (at == never) return std::nullopt;
    return milliseconds(at_.wall) + std::chrono::duration_cast<Duration>(at - at_.now).count();
}

void AttemptsText::add(const Attempt& attempt) {
    text_.reserve(text_.size() + usual_bytes);
    if (text_.size() > 1) text_ += ',';
    JsonWriter json(text_);
    const auto optional_number = [&json](std::string_view name, const std::optional<std::int64_t>& number) {
        if (number) json.key(name).number(*number);
    };
    const auto optional_time = [&](std::string_view name, const std::optional<WallTime>& at) {
        if (at) json.key(name).number(milliseconds(*at));
    };
    json.begin_object();
    json.key("idExterno").plain(attempt.id_externo.text());
    json.key("state").plain(to_string(attempt.state));
    if (!attempt.id_transacao.empty()) json.key("idTransacao").string(attempt.id_transacao);
    json.key("createdAt").number(milliseconds(attempt.created_at));
    optional_time("confirmTime", attempt.confirm_time);
    optional_time("cancelTime", attempt.cancel_time);
    optional_number("deadline", deadline(attempt.deadline));
    optional_number("attentionAt", deadline(attempt.attention_at));
    if (attempt.deadline_is_certain && !at_.boot.empty()) {
        json.key("boot").string(at_.boot);
        json.key("steadyDeadline").number(milliseconds_of(attempt.deadline));
    }
    json.end_object();
}

const std::string& AttemptsText::finish() {
    text_ += ']';
    return text_;
}

Result<std::vector<Attempt>> read_attempts(std::string_view text, WallTime recorded_at, Moment at) {
    ParsingBuffer bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
    json::monotonic_resource buffer(bytes.data(), bytes.size());
    const auto document = parsed(text, buffer);
    if (!document.is_array() || document.get_array().empty()) return errc::sale_unreadable;
    std::vector<Attempt> attempts;
    attempts.reserve(document.get_array().size());
    for (const auto& item : document.get_array()) {
        auto attempt = item.is_object() ? read_attempt(item.get_object(), recorded_at, at) : std::nullopt;
        if (!attempt) return errc::sale_unreadable;
        attempts.push_back(std::move(*attempt));
    }
    return attempts;
}

LatestAttempt latest_attempt(std::string_view text) {
    ParsingBuffer bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
    json::monotonic_resource buffer(bytes.data(), bytes.size());
    const auto document = parsed(text, buffer);
    const auto* const attempts = document.if_array();
    const auto* const latest = attempts != nullptr && !attempts->empty() ? attempts->back().if_object() : nullptr;
    if (latest == nullptr) return {};
    Members members(*latest);
    return {.id_externo = members.text("idExterno"),
            .id_transacao = members.text("idTransacao"),
            .state = parse_attempt_state(members.text("state")),
            .retried = attempts->size() > 1};
}

void append_entry(std::string& text, const HistoryEntry& entry) {
    text.reserve(text.size() + usual_bytes);
    if (!text.empty()) text += '\n';
    JsonWriter json(text);
    json.begin_object();
    json.key("at").number(milliseconds(entry.at));
    json.key("attempt").number(static_cast<std::int64_t>(entry.attempt) + 1);
    json.key("event").plain(entry.event);
    if (!entry.verdict.empty()) json.key("known").plain(entry.verdict);
    if (entry.http_status != 0) json.key("httpStatus").number(entry.http_status);
    if (entry.duration) json.key("durationMs").number(entry.duration->count());
    if (!entry.state.empty()) json.key("state").plain(entry.state);
    if (!entry.detail.empty()) json.key("detail").string(entry.detail);
    if (!entry.by.empty()) json.key("by").string(entry.by);
    if (!entry.mark.empty()) json.key("mark").plain(entry.mark);
    if (entry.tries > 0) json.key("tries").number(entry.tries);
    json.end_object();
}

History read_history(std::string_view text, const Result<std::vector<Attempt>>& attempts) {
    // The length is counted in characters, as the SQL statement that leaves a line out counts it.
    const auto length =
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
    History history{.events = {}, .is_long = length >= long_history};
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = read_line(text.substr(0, end), attempts);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line)
            history.events.push_back(std::move(*line));
        else
            history.is_complete = false;
    }
    return history;
}

}  // namespace gateway::rows
