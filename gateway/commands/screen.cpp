#include "commands/screen.hpp"

#include "base/ascii.hpp"

#include <pwd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace gateway {
namespace {

// On a narrower page nothing can be read anyway.
constexpr std::size_t least_columns = 40;

std::string_view environment(const char* name) {
    const auto* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::size_t columns_of_standard_output() {
    const auto columns = parse_number<std::size_t>(environment("COLUMNS")).value_or(0);
    if (columns > 0) return std::clamp(columns, least_columns, Screen().columns);
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return Screen().columns;
    return std::max<std::size_t>(size.ws_col, least_columns);
}

// While an object of this class lives, the terminal does not show what is typed.
class Unseen {
  public:
    explicit Unseen(int terminal) : terminal_(terminal), typed_(tcgetattr(terminal, &before_) == 0) {
        if (!typed_) return;
        auto silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        (void)tcsetattr(terminal_, TCSAFLUSH, &silent);
    }
    ~Unseen() {
        if (typed_) (void)tcsetattr(terminal_, TCSAFLUSH, &before_);
    }
    Unseen(const Unseen&) = delete;
    Unseen& operator=(const Unseen&) = delete;

    bool typed() const noexcept { return typed_; }

  private:
    int terminal_;
    termios before_{};
    bool typed_;
};

}  // namespace

Screen screen_of_standard_output() {
    const bool colours =
        ::isatty(STDOUT_FILENO) != 0 && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
    return {.columns = columns_of_standard_output(), .colours = colours};
}

bool can_be_asked() {
    return ::isatty(STDIN_FILENO) != 0;
}

std::string operator_name() {
    if (const auto before_sudo = environment("SUDO_USER"); !before_sudo.empty()) return std::string(before_sudo);
    const auto* entry = ::getpwuid(::getuid());
    return entry != nullptr && entry->pw_name != nullptr ? entry->pw_name : "";
}

Language language_of_environment() {
    std::string_view said;
    for (const auto* name : {"LC_ALL", "LC_MESSAGES", "LANG"})
        if (said.empty()) said = environment(name);
    const bool is_plain = said == "C" || said == "POSIX" || said.starts_with("C.");
    if (const auto wanted = environment("LANGUAGE"); !is_plain && !wanted.empty()) said = wanted;
    return said.starts_with("pt") ? Language::portuguese : Language::english;
}

std::optional<Secret> ask_password(const std::string& question) {
    const Unseen unseen(STDIN_FILENO);
    if (unseen.typed()) std::cerr << question << std::flush;
    std::string line;
    const bool read = static_cast<bool>(std::getline(std::cin, line));
    if (unseen.typed()) std::cerr << '\n';
    return read ? std::optional(Secret(std::move(line))) : std::nullopt;
}

}  // namespace gateway
