#include "journal/attempts_text.hpp"

#include "base/check.hpp"
#include "base/json_text.hpp"
#include "base/wall_time.hpp"
#include "journal/rows.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>

namespace gateway::rows {
namespace {

namespace json = boost::json;

std::optional<std::int64_t> number_in(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    if (value == nullptr) return std::nullopt;
    CHECK(value->is_int64());
    return value->get_int64();
}

std::optional<WallTime> time_in(const json::object& object, std::string_view name) {
    const auto at = number_in(object, name);
    return at ? std::optional(wall_time(*at)) : std::nullopt;
}

std::string_view text_in(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    if (value == nullptr) return {};
    CHECK(value->is_string());
    return value->get_string();
}

Instant steady(std::optional<std::int64_t> deadline, WallTime recorded_at, Instant now, WallTime wall) {
    if (!deadline) return never;
    const auto left_then = std::max(wall_time(*deadline) - recorded_at, Duration(0));
    const auto passed = std::clamp(wall - recorded_at, Duration(0), left_then);
    return now + (left_then - passed);
}

Attempt read_attempt(const json::object& object, WallTime recorded_at, Instant now, WallTime wall) {
    const auto id_externo = IdExterno::parse(text_in(object, "idExterno"));
    const auto state = parse_attempt_state(text_in(object, "state"));
    const auto created_at = time_in(object, "createdAt");
    CHECK(id_externo && state && created_at);
    Attempt attempt{
        .id_externo = *id_externo, .state = *state, .id_transacao = std::string(text_in(object, "idTransacao"))};
    attempt.created_at = *created_at;
    attempt.confirm_time = time_in(object, "confirmTime");
    attempt.cancel_time = time_in(object, "cancelTime");
    attempt.deadline = steady(number_in(object, "deadline"), recorded_at, now, wall);
    attempt.attention_at = steady(number_in(object, "attentionAt"), recorded_at, now, wall);
    attempt.next_try = now;
    return attempt;
}

// What is parsed here is a row's, and short: it rarely needs more than this.
using ParsingRoom = std::array<unsigned char, 4096>;

json::value parsed(std::string_view text, json::monotonic_resource& room) {
    boost::system::error_code error;
    auto value = json::parse(text, error, &room);
    CHECK(!error);
    return value;
}

}  // namespace

std::optional<std::int64_t> AttemptsText::deadline(Instant at) const {
    if (at == never) return std::nullopt;
    return milliseconds(wall_) + std::chrono::duration_cast<Duration>(at - now_).count();
}

void AttemptsText::add(const Attempt& attempt) {
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
    json.end_object();
}

const std::string& AttemptsText::finish() {
    text_ += ']';
    return text_;
}

std::vector<Attempt> read_attempts(std::string_view text, WallTime recorded_at, Instant now, WallTime wall) {
    ParsingRoom bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
    json::monotonic_resource room(bytes.data(), bytes.size());
    const auto document = parsed(text, room);
    CHECK(document.is_array() && !document.get_array().empty());
    std::vector<Attempt> attempts;
    attempts.reserve(document.get_array().size());
    for (const auto& item : document.get_array()) {
        CHECK(item.is_object());
        attempts.push_back(read_attempt(item.get_object(), recorded_at, now, wall));
    }
    return attempts;
}

void append_line(std::string& text, const StoryLine& line) {
    if (!text.empty()) text += '\n';
    JsonWriter json(text);
    json.begin_object();
    json.key("at").number(milliseconds(line.at));
    json.key("attempt").number(static_cast<std::int64_t>(line.attempt) + 1);
    json.key("event").plain(line.event);
    if (!line.verdict.empty()) json.key("known").plain(line.verdict);
    if (line.http_status != 0) json.key("httpStatus").number(line.http_status);
    if (line.duration) json.key("durationMs").number(line.duration->count());
    json.key("state").plain(line.state);
    if (!line.detail.empty()) json.key("detail").string(line.detail);
    json.end_object();
}

json::array read_story(std::string_view text, const std::vector<Attempt>& attempts) {
    json::array lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        ParsingRoom bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
        json::monotonic_resource room(bytes.data(), bytes.size());
        const auto document = parsed(text.substr(0, end), room);
        text.remove_prefix(std::min(end + 1, text.size()));
        CHECK(document.is_object());
        const auto& kept = document.get_object();
        json::object line;
        line["at"] = to_rfc3339(time_in(kept, "at").value());
        line["idExterno"] =
            attempts.at(static_cast<std::size_t>(number_in(kept, "attempt").value()) - 1).id_externo.text();
        for (const char* name : {"event", "known", "httpStatus", "durationMs", "state", "detail"})
            if (const auto* value = kept.if_contains(name)) line[name] = *value;
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace gateway::rows
