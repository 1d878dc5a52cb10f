#include "base/log.hpp"

#include "base/utf8.hpp"
#include "base/wall_time.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/sinks/stdout_sinks.h>

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

// Appends `text` as a JSON string, quotes included; bytes that are not UTF-8 become '?', so that a line stays JSON.
void append_json_string(std::string& out, std::string_view text) {
    const bool utf8 = is_utf8(text);
    out += '"';
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
        fmt::format_to(std::back_inserter(out), "{}", *number);
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
        : clock_(clock),
          format_(format),
          prefix_(prefix),
          pool_(std::make_shared<spdlog::details::thread_pool>(queue_lines, 1)),
          logger_(std::make_shared<spdlog::async_logger>("gateway", std::make_shared<spdlog::sinks::stdout_sink_st>(),
                                                         pool_, spdlog::async_overflow_policy::block)) {
        logger_->set_pattern("%v");
        logger_->set_level(spdlog::level::trace);
        logger_->flush_on(spdlog::level::trace);
    }

  private:
    // Enough for a second of a busy store; a full queue makes the writer wait rather than lose a line of a sale.
    static constexpr std::size_t queue_lines = 8192;

    void line(LogLevel level, std::string_view event, std::span<const LogField> fields) override {
        auto text = render_log_line(format_, clock_.wall(), level, event, fields);
        if (prefix_ == LogPrefix::priority) text.insert(0, priority_prefix(level));
        logger_->log(spdlog::level::info, spdlog::string_view_t(text.data(), text.size()));
    }

    const Clock& clock_;
    const LogFormat format_;
    const LogPrefix prefix_;
    std::shared_ptr<spdlog::details::thread_pool> pool_;
    std::shared_ptr<spdlog::async_logger> logger_;
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

std::string render_log_line(LogFormat format, WallTime at, LogLevel level, std::string_view event,
                            std::span<const LogField> fields) {
    std::string out;
    out.reserve(256);
    if (format == LogFormat::text) {
        fmt::format_to(std::back_inserter(out), "{} {:<5} {}", to_rfc3339(at), word(level), event);
    } else {
        fmt::format_to(std::back_inserter(out), R"({{"time":"{}","level":"{}","event":"{}")", to_rfc3339(at),
                       word(level), event);
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
    return out;
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
