#include "base/log.hpp"

#include "base/eight_bytes.hpp"
#include "base/line_writer.hpp"
#include "base/utf8.hpp"
#include "base/wall_time.hpp"

#include <fmt/format.h>
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

// Writes at a place that has room for it all: a line is made of so many short pieces that asking each time costs more
// than writing them.
class Pen {
  public:
    explicit Pen(char* at) noexcept : at_(at) {}
    char* at() const noexcept { return at_; }

    Pen& put(char c) noexcept {
        *at_++ = c;
        return *this;
    }
    Pen& put(std::string_view text) noexcept {
        at_ = std::copy(text.begin(), text.end(), at_);
        return *this;
    }

  private:
    char* at_;
};

// "\u001f" for one byte.
constexpr std::size_t escape_size = 6;

bool stands_for_itself(char c) noexcept {
    return c >= ' ' && c != '"' && c != '\\' && c < 0x7f;
}

// How much of the text stands for itself, between quotes or, with `first` '!', without them.
std::size_t printable_length(std::string_view text, char first) noexcept {
    return length_before(
        text,
        [first](EightBytes bytes) {
            return bytes.below(static_cast<unsigned char>(first)) | bytes.equal('"') | bytes.equal('\\') |
                   bytes.equal(0x7f) | bytes.high();
        },
        [first](char c) { return c < first || !stands_for_itself(c); });
}

void put_escape(Pen& pen, unsigned char byte) noexcept {
    constexpr std::string_view hex = "0123456789abcdef";
    pen.put("\\u00").put(hex[byte >> 4]).put(hex[byte & 0x0F]);
}

// The text as a JSON string, quotes included; bytes that are not UTF-8 become '?', so that a line stays JSON.
void put_json_string(Pen& pen, std::string_view text) noexcept {
    const auto plain = printable_length(text, ' ');
    pen.put('"').put(text.substr(0, plain));
    text.remove_prefix(plain);
    const bool utf8 = text.empty() || is_utf8(text);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            pen.put('\\').put(c);
        } else if (byte < 0x20 || byte == 0x7f) {
            put_escape(pen, byte);
        } else {
            pen.put(byte < 0x80 || utf8 ? c : '?');
        }
    }
    pen.put('"');
}

void put_value(Pen& pen, const LogField& field, LogFormat format) noexcept {
    if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
        const fmt::format_int digits(*number);
        pen.put(std::string_view(digits.data(), digits.size()));
    } else if (const auto* yes = std::get_if<bool>(&field.value)) {
        pen.put(*yes ? "true" : "false");
    } else {
        const auto text = std::get<std::string_view>(field.value);
        if (format == LogFormat::text && printable_length(text, '!') == text.size())
            pen.put(text);
        else
            put_json_string(pen, text);
    }
}

void put_field(Pen& pen, const LogField& field, LogFormat format) noexcept {
    if (format == LogFormat::text)
        pen.put(' ').put(field.name).put('=');
    else
        pen.put(",\"").put(field.name).put("\":");
    put_value(pen, field, format);
}

void put_beginning(Pen& pen, LogFormat format, std::string_view time, LogLevel level, std::string_view event) noexcept {
    constexpr std::string_view longest_level = "error";
    if (format == LogFormat::text) {
        pen.put(time).put(' ').put(to_string(level));
        for (auto i = to_string(level).size(); i <= longest_level.size(); ++i)
            pen.put(' ');
        pen.put(event);
    } else {
        pen.put(R"({"time":")").put(time).put(R"(","level":")").put(to_string(level));
        pen.put(R"(","event":")").put(event).put('"');
    }
}

// The most bytes that a field can take, a number among them.
std::size_t room_for(const LogField& field) noexcept {
    constexpr std::size_t others = 32;
    const auto* text = std::get_if<std::string_view>(&field.value);
    return field.name.size() + others + (text != nullptr ? text->size() * escape_size : 0);
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
    constexpr std::size_t beginning = 128;
    const Rfc3339 time(at);
    const auto before = out.size();
    std::size_t room = beginning + event.size();
    for (const auto& field : fields)
        room += room_for(field);
    out.resize(before + room);
    Pen pen(out.data() + before);
    put_beginning(pen, format, time.text(), level, event);
    for (const auto& field : fields)
        if (!left_out(field)) put_field(pen, field, format);
    if (format == LogFormat::json) pen.put('}');
    out.resize(static_cast<std::size_t>(pen.at() - out.data()));
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
