#include "base/journald_log.hpp"

#include "base/ascii.hpp"
#include "base/line_writer.hpp"
#include "base/log_text.hpp"
#include "base/wall_time.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace gateway {
namespace {

constexpr std::string_view message = "MESSAGE=";
constexpr std::string_view priority = "PRIORITY=";
// This stands between two entries that wait to be sent. No value contains it.
constexpr char end_of_entry = '\0';
// One system call sends at most so many entries.
constexpr std::size_t most_at_once = 64;

char digit_of(LogLevel level) {
    return priority_prefix(level)[1];
}

// Writes the name "idExterno" as ID_EXTERNO.
void append_name(std::string& out, std::string_view name) {
    for (const char c : name) {
        if (is_upper(c)) out += '_';
        out += to_upper(c);
    }
}

void append_value(std::string& out, const LogField& field) {
    struct Append {
        std::string& out;
        void operator()(std::string_view text) const {
            for (const char c : text)
                out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
        void operator()(std::int64_t number) const { append_number(out, number); }
        void operator()(bool yes) const { out += yes ? "true" : "false"; }
        void operator()(Duration length) const { append_number(out, length.count()); }
        void operator()(WallTime at) const { out += Rfc3339(at).text(); }
        void operator()(LogField::Money money) const { append_number(out, money.cents); }
    };
    std::visit(Append{out}, field.value);
}

// Prints what journald would get from standard output: "<6>" and the message.
void print(std::string_view entry) {
    const auto end = entry.find('\n');
    const auto digit = entry[end + 1 + priority.size()];
    write_all(STDOUT_FILENO, fmt::format("<{}>{}\n", digit, entry.substr(message.size(), end - message.size())));
}

// Sends some of the entries at the front of `rest`, and removes them from it.
void send_some(int socket, std::string_view& rest) {
    std::array<iovec, most_at_once> texts{};
    std::array<mmsghdr, most_at_once> entries{};
    unsigned count = 0;
    for (auto ahead = rest; count < most_at_once && !ahead.empty(); ++count) {
        const auto entry = ahead.substr(0, ahead.find(end_of_entry));
        ahead.remove_prefix(entry.size() + 1);
        texts.at(count) = {.iov_base = const_cast<char*>(entry.data()), .iov_len = entry.size()};
        entries.at(count).msg_hdr.msg_iov = &texts.at(count);
        entries.at(count).msg_hdr.msg_iovlen = 1;
    }
    const int sent = ::sendmmsg(socket, entries.data(), count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) return;
    if (sent < 0) print(rest.substr(0, texts.front().iov_len));
    for (int i = 0; i < std::max(sent, 1); ++i)
        rest.remove_prefix(texts.at(static_cast<std::size_t>(i)).iov_len + 1);
}

class JournalLog final : public Log {
  public:
    JournalLog(const Clock& clock, int socket)
        : clock_(clock), socket_(socket), writer_([socket](std::string_view entries) {
              while (!entries.empty())
                  send_some(socket, entries);
          }) {}
    JournalLog(const JournalLog&) = delete;
    JournalLog& operator=(const JournalLog&) = delete;
    ~JournalLog() override = default;

  private:
    struct Socket {
        explicit Socket(int descriptor) : number(descriptor) {}
        Socket(const Socket&) = delete;
        Socket& operator=(const Socket&) = delete;
        ~Socket() { ::close(number); }
        const int number;
    };

    void line(const LogLine& line) override {
        const auto at = clock_.wall();
        writer_.add([&](std::string& out) {
            append_journal_entry(out, at, line);
            out += end_of_entry;
        });
    }

    const Clock& clock_;
    const Socket socket_;  // closed when the writer has sent the last entry
    LineWriter writer_;
};

}  // namespace

void append_journal_entry(std::string& out, WallTime at, const LogLine& line) {
    out += message;
    append_log_text(out, line.sentence, line.fields, at, line.telling);
    out.append("\n").append(priority) += digit_of(line.level);
    out.append("\nSYSLOG_IDENTIFIER=sales-gateway\nEVENT=").append(line.event).append("\n");
    for (const auto& field : line.fields) {
        if (is_left_out(field)) continue;
        append_name(out, field.name);
        out += '=';
        append_value(out, field);
        out += '\n';
    }
}

std::unique_ptr<Log> make_journald_log(const Clock& clock, LogLevel level, int socket) {
    auto log = std::make_unique<JournalLog>(clock, socket);
    log->set_level(level);
    return log;
}

}  // namespace gateway
