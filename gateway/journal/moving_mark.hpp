// The command copy-journal notes in both journals, on whichever engine they are, which of the two may be used. After a
// move, no gateway may go on with the journal that was left; and a copy may not be used until it is whole.
#pragma once

#include "base/clock.hpp"
#include "journal/engine.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/tx.hpp"

#include <boost/system/result.hpp>

#include <optional>
#include <string>

namespace gateway {

struct MovingMark {
    enum class State {
        leaving,   // it is being copied, or the copying was interrupted; a gateway that starts ends that
        moved,     // it was copied to another place: no gateway starts on it any more
        arriving,  // it is the copy and not whole yet: no gateway starts on it
    };
    State state = State::leaving;
    std::string copy;   // identifies the copying; both sides have the same text
    std::string place;  // where the other side is
    WallTime at;        // since when
};

const char* to_string(MovingMark::State state) noexcept;

// Reads the mark in a row of (state, copy, place, at). Returns nothing where the row makes no sense; no gateway starts
// on such a journal.
std::optional<MovingMark> read_mark(const Row& row);

// Names for a person the journal that a mark is in: a file by its full name, or a URL without its password.
struct MarkedPlace {
    std::string name;
    bool may_be_worked_on = true;  // false: it is certain that no copy-journal is at work on it
};
// Says in words why no gateway starts on a journal with this mark, and why its content is shown to nobody; empty: a
// gateway may start. Times are local and have their zone, because copy-journal may run in another zone than the
// gateway.
std::string why_not_to_start(const MovingMark& mark, const MarkedPlace& here);

namespace moving_mark {

// Returns nothing where the journal has no mark. Fails with errc::journal_moved where the mark makes no sense.
Job<std::optional<MovingMark>> find(Transaction& tx);
Job<void> set(Transaction& tx, const MovingMark& mark);
Job<void> remove(Transaction& tx);
// Says the same as the function above about the mark that this journal has, even one that makes no sense.
Job<std::string> why_not_to_start(Transaction& tx, MarkedPlace here);
// Removes the mark of a copying that was interrupted; what that had copied may change from now on. Fails with
// errc::journal_moved where the journal was moved, or is not whole.
Job<void> end_copying(Transaction& tx);

}  // namespace moving_mark

// Finds the mark of a journal on SQLite. Returns nothing too where the journal has no table for it yet. Errors are in
// words.
boost::system::result<std::optional<MovingMark>, std::string> find_mark(sqlite::Database& journal);

}  // namespace gateway
