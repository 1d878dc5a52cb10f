#include "journal/moving_mark.hpp"

#include "base/wall_time.hpp"
#include "journal/rows.hpp"

#include <fmt/format.h>

#include <array>

namespace gateway {
namespace {

constexpr std::array all_states{MovingMark::State::leaving, MovingMark::State::moved, MovingMark::State::arriving};

constexpr const char* unreadable = "what copy-journal noted in it cannot be read";

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

std::string why_not_to_start(const MovingMark& mark) {
    const auto at = to_rfc3339(mark.at);
    switch (mark.state) {
        case MovingMark::State::leaving: return {};
        case MovingMark::State::moved:
            return fmt::format(
                "it was moved to {} at {}, and what has happened since then is there: let {} of the configuration say "
                "so, and remove {}. MOVING.md says how to go back",
                mark.place, at, mark.place.starts_with("postgres") ? "journal.url" : "journal.path",
                mark.place.starts_with("postgres") ? "journal.path" : "journal.url");
        case MovingMark::State::arriving:
            return fmt::format(
                "it is a copy of {0} that is not whole yet: sales-gateway copy-journal has worked on it since {1}. "
                "Unless that is at work still, call sales-gateway copy-journal --from {0} --to this one, and it goes "
                "on where it stopped",
                mark.place, at);
    }
    return {};
}

std::string why_not_to_start(const std::optional<MovingMark>& read) {
    return read ? why_not_to_start(*read) : unreadable;
}

boost::system::result<std::optional<MovingMark>, std::string> moving_mark(sqlite::Database& journal) {
    const auto has_table = journal.number("SELECT count(*) FROM sqlite_schema WHERE name = 'moving'");
    if (has_table.has_error()) return journal.message();
    if (*has_table == 0) return std::optional<MovingMark>();
    sqlite::Statement mark(journal, "SELECT state, copy, place, at FROM moving");
    const auto found = mark.step();
    if (found.has_error()) return journal.message();
    if (!*found) return std::optional<MovingMark>();
    auto read = read_mark(mark);
    if (!read) return std::string(unreadable);
    return read;
}

Result<void> set_mark(sqlite::Database& journal, const MovingMark& mark) {
    sqlite::Statement row(journal,
                          "INSERT OR REPLACE INTO moving (one, state, copy, place, at) VALUES (1, ?, ?, ?, ?)");
    return row.run(std::string_view(to_string(mark.state)), mark.copy, mark.place, rows::milliseconds(mark.at));
}

Result<void> remove_mark(sqlite::Database& journal) {
    return journal.run("DELETE FROM moving");
}

}  // namespace gateway
