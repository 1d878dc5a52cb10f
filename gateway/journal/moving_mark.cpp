#include "journal/moving_mark.hpp"

#include "base/ascii.hpp"
#include "base/wall_time.hpp"
#include "journal/rows.hpp"
#include "journal/sqlite/transaction.hpp"
#include "journal/tx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace gateway {
namespace {

constexpr std::array all_states{MovingMark::State::leaving, MovingMark::State::moved, MovingMark::State::arriving};

constexpr const char* unreadable = "what copy-journal noted in it cannot be read";

bool is_on_postgres(const std::string& place) {
    return place.starts_with("postgres");
}

// Quotes the text, so that a shell takes it as one argument of a command that is pasted.
std::string as_word(const std::string& text) {
    const auto is_plain = [](char c) {
        return is_alphanumeric(c) || std::string_view("/._-:@%+=,").find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
    std::string word = "'";
    for (const char c : text)
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

}  // namespace

const char* to_string(MovingMark::State state) noexcept {
    switch (state) {
        case MovingMark::State::leaving: return "leaving";
        case MovingMark::State::moved: return "moved";
        case MovingMark::State::arriving: return "arriving";
    }
    return "";
}

std::optional<MovingMark> read_mark(const Row& row) {
    const auto at = rows::readable_time(row, 3);
    for (const auto state : all_states)
        if (at && row.text(0) == to_string(state))
            return MovingMark{
                .state = state, .copy = std::string(row.text(1)), .place = std::string(row.text(2)), .at = *at};
    return std::nullopt;
}

std::string why_not_to_start(const MovingMark& mark, const MarkedPlace& here) {
    const auto at = to_zoned_text(mark.at);
    switch (mark.state) {
        case MovingMark::State::leaving: return {};
        case MovingMark::State::moved:
            return fmt::format(
                "it was moved to {} at {}, and what has happened since then is there: let {} of the configuration say "
                "so, and remove {}. docs/moving.md says how to go back",
                mark.place, at, is_on_postgres(mark.place) ? "journal.url" : "journal.path",
                is_on_postgres(mark.place) ? "journal.path" : "journal.url");
        case MovingMark::State::arriving:
            return fmt::format(
                "it is a copy of {} that is not whole yet: sales-gateway copy-journal began it at {}. {} sales-gateway "
                "copy-journal --from {} --to {}{}. That goes on where the copying stopped; but where the journal that "
                "is copied has been used since, it copies all of it anew",
                mark.place, at, here.may_be_worked_on ? "Unless that is at work still, call" : "Call",
                as_word(mark.place), as_word(here.name),
                is_on_postgres(mark.place) || is_on_postgres(here.name)
                    ? " (with --password-file FILE where the database asks for a password that the configuration does "
                      "not have)"
                    : "");
    }
    return {};
}

namespace moving_mark {

Job<std::optional<MovingMark>> find(Transaction& tx) {
    const auto found = co_await tx.ask(sql::moving_mark);
    if (found.empty()) co_return std::nullopt;
    auto mark = read_mark(found.front());
    if (!mark) throw JobFailed(errc::journal_moved);
    co_return mark;
}

Job<void> set(Transaction& tx, const MovingMark& mark) {
    tx.run(sql::set_moving_mark, to_string(mark.state), mark.copy, mark.place, rows::milliseconds(mark.at));
    co_return;
}

Job<void> remove(Transaction& tx) {
    tx.run(sql::remove_moving_mark);
    co_return;
}

Job<std::string> why_not_to_start(Transaction& tx, MarkedPlace here) {
    const auto found = co_await tx.ask(sql::moving_mark);
    if (found.empty()) co_return std::string();
    const auto mark = read_mark(found.front());
    co_return mark ? gateway::why_not_to_start(*mark, here) : unreadable;
}

Job<void> end_copying(Transaction& tx) {
    const auto found = co_await tx.ask(sql::moving_mark);
    if (found.empty()) co_return;
    const auto mark = read_mark(found.front());
    if (!mark || mark->state != MovingMark::State::leaving) throw JobFailed(errc::journal_moved);
    tx.run(sql::remove_moving_mark);
}

}  // namespace moving_mark

boost::system::result<std::optional<MovingMark>, std::string> find_mark(sqlite::Database& journal) {
    const auto has_table = journal.number("SELECT count(*) FROM sqlite_schema WHERE name = 'moving'");
    if (has_table.has_error()) return journal.message();
    if (*has_table == 0) return std::optional<MovingMark>();
    auto found = sqlite::run_to_end(journal, moving_mark::find);
    if (found.has_error()) return found.error() == errc::journal_moved ? unreadable : journal.message();
    return std::move(*found);
}

}  // namespace gateway
