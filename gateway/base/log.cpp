#include "base/log.hpp"

#include "base/ascii.hpp"
#include "base/json_text.hpp"
#include "base/line_writer.hpp"
#include "base/log_text.hpp"
#include "base/utf8.hpp"
#include "base/wall_time.hpp"

#include <unistd.h>

#include <algorithm>

namespace gateway {
namespace {

std::string_view to_string(LogLevel level) {
    switch (level) {
        case LogLevel::debug: return "debug";
        case LogLevel::info: return "info";
        case LogLevel::warn: return "warn";
        case LogLevel::error: return "error";
    }
    return "error";
}

// Tells whether the text can stand in a JSON string unchanged, as most values can.
bool is_printable(std::string_view text) noexcept {
    return length_before(text, [](char c) { return (c < ' ') | (c > '~') | (c == '"') | (c == '\\'); }) == text.size();
}

// Replaces bytes that are not UTF-8 with '?', so that a line stays JSON.
void append_text(std::string& out, std::string_view text) {
    if (is_printable(text)) {
        out.append("\"").append(text).append("\"");
        return;
    }
    if (is_utf8(text)) return append_json_string(out, text);
    std::string plain(text);
    std::ranges::replace_if(
        plain, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
    append_json_string(out, plain);
}

void append_json_value(std::string& out, const LogField& field) {
    struct Append {
        std::string& out;
        void operator()(std::string_view text) const { append_text(out, text); }
        void operator()(std::int64_t number) const { append_number(out, number); }
        void operator()(bool yes) const { out += yes ? "true" : "false"; }
        void operator()(Duration length) const { append_number(out, length.count()); }
        void operator()(WallTime at) const { out.append("\"").append(Rfc3339(at).text()).append("\""); }
        void operator()(LogField::Money money) const { append_number(out, money.cents); }
    };
    std::visit(Append{out}, field.value);
}

void append_json_line(std::string& out, WallTime at, const LogLine& line) {
    out.append(R"({"time":")").append(Rfc3339(at).text()).append(R"(","level":")").append(to_string(line.level));
    out.append(R"(","event":")").append(line.event).append("\"");
    for (const auto& field : line.fields) {
        if (is_left_out(field)) continue;
        out.append(",\"").append(field.name).append("\":");
        append_json_value(out, field);
    }
    out += '}';
}

void append_text_line(std::string& out, WallTime at, const LogLine& line) {
    constexpr std::string_view longest_level = "warning";
    const auto level = level_in_words(line.level);
    auto time = to_local_iso8601(at);
    time[time.find('T')] = ' ';
    out.append(time).append(" ").append(level).append(longest_level.size() + 2 - level.size(), ' ');
    append_log_text(out, line.sentence, line.fields, at, line.telling);
}

class StdoutLog final : public Log {
  public:
    StdoutLog(const Clock& clock, LogFormat format, LogPrefix prefix)
        : clock_(clock), format_(format), prefix_(prefix), writer_(STDOUT_FILENO) {}

  private:
    void line(const LogLine& line) override {
        const auto at = clock_.wall();
        writer_.add([&](std::string& out) {
            if (prefix_ == LogPrefix::priority) out += priority_prefix(line.level);
            append_log_line(out, format_, at, line);
            out += '\n';
        });
    }

    const Clock& clock_;
    const LogFormat format_;
    const LogPrefix prefix_;
    LineWriter writer_;
};

class SilentLog final : public Log {
    void line(const LogLine&) override {}
};

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view text) {
    for (const auto level : {LogLevel::debug, LogLevel::info, LogLevel::warn, LogLevel::error})
        if (to_string(level) == text) return level;
    return std::nullopt;
}

std::optional<LogFormat> parse_log_format(std::string_view text) {
    if (text == "json") return LogFormat::json;
    if (text == "text") return LogFormat::text;
    return std::nullopt;
}

void append_log_line(std::string& out, LogFormat format, WallTime at, const LogLine& line) {
    if (format == LogFormat::json)
        append_json_line(out, at, line);
    else
        append_text_line(out, at, line);
}

std::string_view priority_prefix(LogLevel level) noexcept {
    switch (level) {
        case LogLevel::debug: return "<7>";
        case LogLevel::info: return "<6>";
        case LogLevel::warn: return "<4>";
        case LogLevel::error: return "<3>";
    }
    return "<3>";
}

std::unique_ptr<Log> make_stdout_log(const Clock& clock, LogFormat format, LogLevel level, LogPrefix prefix) {
    auto log = std::make_unique<StdoutLog>(clock, format, prefix);
    log->set_level(level);
    return log;
}

std::unique_ptr<Log> make_silent_log() {
    auto log = std::make_unique<SilentLog>();
    log->set_level(LogLevel::error);
    return log;
}

}  // namespace gateway
