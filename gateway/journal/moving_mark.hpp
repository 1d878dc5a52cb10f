// sales-gateway copy-journal notes in both journals, whichever engine they are on, which of them may be used. Where a
// journal was moved to another place its own gateways must not go on, and a copy may not be used until it is whole.
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
        leaving,   // it is being copied, or was until the copying was interrupted; a gateway that starts ends that
        moved,     // it was copied: no gateway starts on it any more
        arriving,  // it is the copy, and not whole yet: no gateway starts on it
    };
    State state = State::leaving;
    std::string copy;   // which copying: both sides have the same
    std::string place;  // where the other side is
    WallTime at;        // since when
};

const char* to_string(MovingMark::State state) noexcept;

// Reads the mark in a row of (state, copy, place, at); nothing where it makes no sense: no gateway starts on that.
std::optional<MovingMark> read_mark(const Row& row);

// Names the journal that a mark is in, for a person: a file by its full name, or a URL without a password.
struct MarkedPlace {
    std::string name;
    bool may_be_worked_on = true;  // a copy-journal may be at work on it now; false: none is
};
// Says in words why no gateway starts on a journal with the mark, and nobody is told what is in it; empty: one does.
// Times are local, with their zone: copy-journal may be in another one than the gateway.
std::string why_not_to_start(const MovingMark& mark, const MarkedPlace& here);

namespace moving_mark {

// Fails with errc::journal_moved where the mark makes no sense.
Job<std::optional<MovingMark>> find(Transaction& tx);
Job<void> set(Transaction& tx, const MovingMark& mark);
Job<void> remove(Transaction& tx);
// Says the same as why_not_to_start() above of the mark of this journal, also where that makes no sense.
Job<std::string> why_not_to_start(Transaction& tx, MarkedPlace here);
// Ends a copying that was interrupted: what it has copied may change from now on. Fails with errc::journal_moved where
// the journal was moved, or is not whole.
Job<void> end_copying(Transaction& tx);

}  // namespace moving_mark

// Finds the mark of a journal on SQLite; nothing also where there is no table for one yet. Errors are in words.
boost::system::result<std::optional<MovingMark>, std::string> find_mark(sqlite::Database& journal);

}  // namespace gateway
