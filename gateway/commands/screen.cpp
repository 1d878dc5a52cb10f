#include "commands/screen.hpp"

#include "base/ascii.hpp"
#include "paper/columns.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iostream>

namespace gateway {
namespace {

// Narrower, nothing can be read anyway.
constexpr std::size_t least_columns = 40;
// Longer lines of prose are hard to read, however wide the terminal is.
constexpr std::size_t widest_prose = 100;

std::string_view environment(const char* name) {
    const auto* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::size_t columns_of_standard_output() {
    const auto said = environment("COLUMNS");
    std::size_t columns = 0;
    const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), columns);
    if (error == std::errc() && end == said.data() + said.size() && columns > 0)
        return std::max(columns, least_columns);
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return Screen().columns;
    return std::max<std::size_t>(size.ws_col, least_columns);
}

// Of control, of direction, of no meaning here, and what ends a line.
constexpr std::array hidden{UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CF, UTF8PROC_CATEGORY_CN, UTF8PROC_CATEGORY_CO,
                            UTF8PROC_CATEGORY_CS, UTF8PROC_CATEGORY_ZL, UTF8PROC_CATEGORY_ZP};

bool is_shown(utf8proc_int32_t point) {
    return std::ranges::find(hidden, utf8proc_category(point)) == hidden.end();
}

std::string in_style(bool colours, std::string_view code, std::string_view text) {
    return colours ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

// While one lives, a terminal does not show what is typed.
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

std::string Screen::bold(std::string_view text) const {
    return in_style(colours, "1", text);
}
std::string Screen::faint(std::string_view text) const {
    return in_style(colours, "2", text);
}
std::string Screen::alarming(std::string_view text) const {
    return in_style(colours, "1;33", text);
}

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
    for (const auto* name : {"LC_ALL", "LC_MESSAGES", "LANG"})
        if (const auto said = environment(name); !said.empty())
            return said.starts_with("pt") ? Language::portuguese : Language::english;
    return Language::english;
}

std::string printable(std::string_view text) {
    std::string shown;
    while (!text.empty()) {
        utf8proc_int32_t point = -1;
        const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                             static_cast<utf8proc_ssize_t>(text.size()), &point);
        const auto bytes = static_cast<std::size_t>(std::max<utf8proc_ssize_t>(length, 1));
        if (length > 0 && is_shown(point))
            shown += text.substr(0, bytes);
        else
            shown += '?';
        text.remove_prefix(bytes);
    }
    return shown;
}

std::string cut_to(std::string_view text, std::size_t columns) {
    if (columns_of(text) <= columns) return std::string(text);
    std::string cut(text.substr(0, fitting_length(text, std::max<std::size_t>(columns, 2) - 1)));
    while (cut.ends_with(' '))
        cut.pop_back();
    return cut + "…";
}

std::string padded(std::string text, std::size_t columns) {
    const auto taken = columns_of(text);
    return text.append(columns - std::min(taken, columns), ' ');
}

std::string padded_left(std::string text, std::size_t columns) {
    const auto taken = columns_of(text);
    return text.insert(0, columns - std::min(taken, columns), ' ');
}

std::string hanging(std::string_view head, std::size_t head_columns, std::string_view text, std::size_t columns) {
    std::string lines(head);
    std::size_t column = head_columns;
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        const auto width = columns_of(word);
        if (column > head_columns && column + 1 + width > columns) {
            lines += '\n' + std::string(head_columns, ' ');
            column = head_columns;
        } else if (column > head_columns) {
            lines += ' ';
            ++column;
        }
        lines += word;
        column += width;
    }
    return lines + '\n';
}

std::string paragraph(const Screen& screen, std::string_view title, std::string_view text, std::size_t columns) {
    const auto head = "  " + screen.faint(padded(std::string(title), columns - 2));
    return hanging(head, columns, text, std::min(screen.columns, widest_prose));
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
