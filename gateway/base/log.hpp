// The log has one event on each line. A line has the name of an event, one sentence for people, and named fields for
// programs. As JSON it shows the fields, and as text the sentence (log_text). A field's name means the same thing, of
// one type, in all lines; docs/log-fields.md lists them. The fields that name a sale are always called sale, idExterno,
// terminal and request, so that one grep finds everything about it.
//
// A Secret given as a value is written as ***. Nothing else is filtered: everything that may not be printed has that
// type.
#pragma once

#include "base/clock.hpp"
#include "base/secret.hpp"
#include "base/sentence.hpp"
#include "base/told.hpp"

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

struct LogOptions {
    LogLevel level = LogLevel::info;
    LogFormat format = LogFormat::json;
    Language language = Language::english;  // of the sentences
};

std::optional<LogLevel> parse_log_level(std::string_view text);
std::optional<LogFormat> parse_log_format(std::string_view text);

// This is a field of a line. It holds views, so make it inside the call that logs it. A field whose text is empty, or
// that has no value, is left out. In JSON a length of time is written in milliseconds, an amount in cents, and a time
// in RFC 3339 in UTC.
struct LogField {
    struct Money {
        std::int64_t cents;
    };

    std::string_view name;
    std::variant<std::string_view, std::int64_t, bool, Duration, WallTime, Money> value;

    LogField(std::string_view n, std::string_view text) : name(n), value(text) {}
    LogField(std::string_view n, const char* text) : name(n), value(std::string_view(text)) {}
    LogField(std::string_view n, const std::string& text) : name(n), value(std::string_view(text)) {}
    LogField(std::string_view n, bool yes) : name(n), value(yes) {}
    LogField(std::string_view n, Duration length) : name(n), value(length) {}
    LogField(std::string_view n, WallTime at) : name(n), value(at) {}
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
    // Takes an amount of money, in cents.
    template <class T>
    requires requires(const T& t) {
        { t.value } -> std::convertible_to<std::int64_t>;
    }
    LogField(std::string_view n, const T& amount) : name(n), value(Money{amount.value}) {}
};

// Holds what one call said. It holds views.
struct LogLine {
    LogLevel level;
    std::string_view event;
    const Sentence& sentence;
    std::span<const LogField> fields;
    Telling telling{};
};

class Log {
  public:
    using Fields = std::initializer_list<LogField>;

    virtual ~Log() = default;
    void debug(std::string_view event, const Sentence& sentence, Fields fields = {}) {
        write(LogLevel::debug, event, sentence, fields);
    }
    void info(std::string_view event, const Sentence& sentence, Fields fields = {}) {
        write(LogLevel::info, event, sentence, fields);
    }
    void warn(std::string_view event, const Sentence& sentence, Fields fields = {}) {
        write(LogLevel::warn, event, sentence, fields);
    }
    void error(std::string_view event, const Sentence& sentence, Fields fields = {}) {
        write(LogLevel::error, event, sentence, fields);
    }
    void write(LogLevel level, std::string_view event, const Sentence& sentence, Fields fields = {}) {
        if (level >= level_) line({level, event, sentence, {fields.begin(), fields.size()}, telling_});
    }

    LogLevel level() const noexcept { return level_; }
    void set_level(LogLevel level) noexcept { level_ = level; }
    // Has further lines tell their sentences so.
    void set_telling(const Telling& telling) noexcept { telling_ = telling; }
    // Takes over the level and the language. The format does not change.
    void reload(const LogOptions& options) noexcept {
        set_level(options.level);
        telling_.language = options.language;
    }

  protected:
    virtual void line(const LogLine& line) = 0;

  private:
    LogLevel level_ = LogLevel::info;
    Telling telling_;
};

// Appends one line as it is printed, without the line break. It begins with `at`: in UTC as JSON, and in this machine's
// zone as text.
void append_log_line(std::string& out, LogFormat format, WallTime at, const LogLine& line);

// Says what stands before each line: nothing, or its priority in the form in which systemd's journal takes it from a
// service's output.
enum class LogPrefix { none, priority };
// Returns "<6>" for info and so on; see sd-daemon(3).
std::string_view priority_prefix(LogLevel level) noexcept;

// Writes to standard output from a thread of its own, so that a slow terminal or pipe never delays a sale. Everything
// that was logged before the object is destroyed is written. `clock` must outlive it.
std::unique_ptr<Log> make_stdout_log(const Clock& clock, LogFormat format, LogLevel level,
                                     LogPrefix prefix = LogPrefix::none);

// Returns a log that writes nothing.
std::unique_ptr<Log> make_silent_log();

}  // namespace gateway
