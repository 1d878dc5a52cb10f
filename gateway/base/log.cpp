#include "base/log.hpp"

#include "base/ascii.hpp"
#include "base/json_text.hpp"
#include "base/line_writer.hpp"
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

// Whether the text format needs no quotes to tell where the value ends and what it is.
bool stands_for_itself(std::string_view text) noexcept {
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\'; });
}

// Whether it stands in a JSON string as it is, as most values do.
bool is_printable(std::string_view text) noexcept {
    return length_before(text, [](char c) { return (c < ' ') | (c > '~') | (c == '"') | (c == '\\'); }) == text.size();
}

// Bytes that are not UTF-8 become '?', so that a line stays JSON.
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

void append_value(std::string& out, const LogField& field, LogFormat format) {
    if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
        append_number(out, *number);
    } else if (const auto* yes = std::get_if<bool>(&field.value)) {
        out += *yes ? "true" : "false";
    } else {
        const auto text = std::get<std::string_view>(field.value);
        if (format == LogFormat::text && stands_for_itself(text))
            out += text;
        else
            append_text(out, text);
    }
}

void append_field(std::string& out, const LogField& field, LogFormat format) {
    if (format == LogFormat::text)
        out.append(" ").append(field.name).append("=");
    else
        out.append(",\"").append(field.name).append("\":");
    append_value(out, field, format);
}

void append_beginning(std::string& out, LogFormat format, std::string_view time, LogLevel level,
                      std::string_view event) {
    constexpr std::string_view longest_level = "error";
    const auto word = to_string(level);
    if (format == LogFormat::text) {
        out.append(time).append(" ").append(word).append(longest_level.size() + 1 - word.size(), ' ').append(event);
    } else {
        out.append(R"({"time":")").append(time).append(R"(","level":")").append(word);
        out.append(R"(","event":")").append(event).append("\"");
    }
}

bool left_out(const LogField& field) noexcept {
    const auto* text = std::get_if<std::string_view>(&field.value);
    return text != nullptr && text->empty();
}

class StdoutLog final : public Log {
  public:
    StdoutLog(const Clock& clock, LogFormat format, LogPrefix prefix)
        : clock_(clock), format_(format), prefix_(prefix), writer_(STDOUT_FILENO) {}

  private:
    void line(LogLevel level, std::string_view event, std::span<const LogField> fields) override {
        const auto at = clock_.wall();
        writer_.add([&](std::string& out) {
            if (prefix_ == LogPrefix::priority) out += priority_prefix(level);
            append_log_line(out, format_, at, level, event, fields);
            out += '\n';
        });
    }

    const Clock& clock_;
    const LogFormat format_;
    const LogPrefix prefix_;
    LineWriter writer_;
};

class SilentLog final : public Log {
    void line(LogLevel, std::string_view, std::span<const LogField>) override {}
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

void append_log_line(std::string& out, LogFormat format, WallTime at, LogLevel level, std::string_view event,
                     std::span<const LogField> fields) {
    append_beginning(out, format, Rfc3339(at).text(), level, event);
    for (const auto& field : fields)
        if (!left_out(field)) append_field(out, field, format);
    if (format == LogFormat::json) out += '}';
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
