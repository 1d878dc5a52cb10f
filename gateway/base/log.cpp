#include "base/log.hpp"

#include "base/line_writer.hpp"
#include "base/utf8.hpp"
#include "base/wall_time.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace gateway {
namespace {

std::string_view word(LogLevel level) {
    switch (level) {
        case LogLevel::debug: return "debug";
        case LogLevel::info: return "info";
        case LogLevel::warn: return "warn";
        case LogLevel::error: return "error";
    }
    return "error";
}

bool stands_for_itself(char c) {
    return c >= ' ' && c != '"' && c != '\\' && c < 0x7f;
}

// Appends `text` as a JSON string, quotes included; bytes that are not UTF-8 become '?', so that a line stays JSON.
void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    const auto strange = std::find_if_not(text.begin(), text.end(), stands_for_itself);
    out.append(text.begin(), strange);
    text.remove_prefix(static_cast<std::size_t>(strange - text.begin()));
    const bool utf8 = is_utf8(text);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte == 0x7f) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
        } else {
            out += byte < 0x80 || utf8 ? c : '?';
        }
    }
    out += '"';
}

bool plain(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c != '"' && c != '\\' && c < 0x7f; });
}

void append_value(std::string& out, const LogField& field, LogFormat format) {
    if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
        const fmt::format_int digits(*number);
        out.append(digits.data(), digits.size());
    } else if (const auto* yes = std::get_if<bool>(&field.value)) {
        out += *yes ? "true" : "false";
    } else {
        const auto text = std::get<std::string_view>(field.value);
        if (format == LogFormat::text && plain(text)) {
            out += text;
        } else {
            append_json_string(out, text);
        }
    }
}

bool left_out(const LogField& field) {
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
        if (word(level) == text) return level;
    return std::nullopt;
}

std::optional<LogFormat> parse_log_format(std::string_view text) {
    if (text == "json") return LogFormat::json;
    if (text == "text") return LogFormat::text;
    return std::nullopt;
}

void append_log_line(std::string& out, LogFormat format, WallTime at, LogLevel level, std::string_view event,
                     std::span<const LogField> fields) {
    const auto time = to_rfc3339(at);
    if (format == LogFormat::text) {
        fmt::format_to(std::back_inserter(out), "{} {:<5} {}", time, word(level), event);
    } else {
        out.append(R"({"time":")").append(time).append(R"(","level":")").append(word(level));
        out.append(R"(","event":")").append(event).append("\"");
    }
    for (const auto& field : fields) {
        if (left_out(field)) continue;
        if (format == LogFormat::text) {
            out += ' ';
            out += field.name;
            out += '=';
        } else {
            out += ",\"";
            out += field.name;
            out += "\":";
        }
        append_value(out, field, format);
    }
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
