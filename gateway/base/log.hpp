// The log: one event a line, as JSON or as text. A line is the name of an event and named fields; the fields that name
// a sale are always called sale, idExterno, terminal, request, step, so that one grep tells one story.
//
// A Secret given as a value is written as ***. Nothing else is filtered: what may not be printed has that type.
#pragma once

#include "base/clock.hpp"
#include "base/secret.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace gateway {

enum class LogLevel { debug, info, warn, error };
enum class LogFormat { json, text };

std::optional<LogLevel> parse_log_level(std::string_view text);
std::optional<LogFormat> parse_log_format(std::string_view text);

// A field of a line. Holds views: make it inside the call that logs it. A field whose text is empty, or that has no
// value, is left out.
struct LogField {
    std::string_view name;
    std::variant<std::string_view, std::int64_t, bool> value;

    LogField(std::string_view n, std::string_view text) : name(n), value(text) {}
    LogField(std::string_view n, const char* text) : name(n), value(std::string_view(text)) {}
    LogField(std::string_view n, const std::string& text) : name(n), value(std::string_view(text)) {}
    LogField(std::string_view n, bool yes) : name(n), value(yes) {}
    LogField(std::string_view n, Duration length) : name(n), value(static_cast<std::int64_t>(length.count())) {}
    LogField(std::string_view n, const Secret&) : name(n), value(std::string_view("***")) {}
    template <std::integral T>
    LogField(std::string_view n, T number) : name(n), value(static_cast<std::int64_t>(number)) {}
    template <class T>
    LogField(std::string_view n, const std::optional<T>& maybe)
        : LogField(maybe ? LogField(n, *maybe) : LogField(n, std::string_view())) {}
    template <class T>
    requires requires(const T& t) {
        { t.text() } -> std::convertible_to<std::string_view>;
    }
    LogField(std::string_view n, const T& id) : name(n), value(id.text()) {}
};

class Log {
  public:
    using Fields = std::initializer_list<LogField>;

    virtual ~Log() = default;
    void debug(std::string_view event, Fields fields = {}) { write(LogLevel::debug, event, fields); }
    void info(std::string_view event, Fields fields = {}) { write(LogLevel::info, event, fields); }
    void warn(std::string_view event, Fields fields = {}) { write(LogLevel::warn, event, fields); }
    void error(std::string_view event, Fields fields = {}) { write(LogLevel::error, event, fields); }
    void write(LogLevel level, std::string_view event, Fields fields) {
        if (level >= level_) line(level, event, {fields.begin(), fields.size()});
    }

    LogLevel level() const noexcept { return level_; }
    void set_level(LogLevel level) noexcept { level_ = level; }

  protected:
    virtual void line(LogLevel level, std::string_view event, std::span<const LogField> fields) = 0;

  private:
    LogLevel level_ = LogLevel::info;
};

// Appends one line as it is printed, without the line break. `at` leads it.
void append_log_line(std::string& out, LogFormat format, WallTime at, LogLevel level, std::string_view event,
                     std::span<const LogField> fields);

// What stands before each line: nothing, or its priority as systemd's journal takes it from a service's output.
enum class LogPrefix { none, priority };
// "<6>" for info and so on; see sd-daemon(3).
std::string_view priority_prefix(LogLevel level) noexcept;

// Writes to standard output from a thread of its own, so that a slow terminal or pipe never delays a sale. What was
// logged before the object is destroyed is written. `clock` must outlive it.
std::unique_ptr<Log> make_stdout_log(const Clock& clock, LogFormat format, LogLevel level,
                                     LogPrefix prefix = LogPrefix::none);

// Writes nothing.
std::unique_ptr<Log> make_silent_log();

}  // namespace gateway
