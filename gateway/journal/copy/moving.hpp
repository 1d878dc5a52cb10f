// Moves a journal from one place to another, whichever engine either is on: sales-gateway copy-journal.
//
// - The journal is moved as a whole or not at all: every row of every table (tables.hpp) is copied as it stands, then
// both sides are read once more and compared value by value, and only then is the source marked as moved. From then on
// no gateway starts on the source, and a moment later one can start on the copy. At no time can one start on both.
// - No gateway may run. While a copy is made none can begin: the file, or the tables of the database, are locked.
// - It may be interrupted at any moment, by whatever: called once more, it goes on where it stopped. A gateway that is
//   started on the source meanwhile sells on, and what was copied until then is copied anew.
// - What is encrypted stays so, and no key is needed.
#pragma once

#include "base/random.hpp"
#include "journal/copy/place.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace gateway::moving {

// Is told how far the moving is, for a person who waits.
class Progress {
  public:
    virtual ~Progress() = default;
    // Begins a step, "checking", "copying" or "comparing", on the table `of`, which has so many rows. An earlier call
    // has copied `done` of them.
    virtual void begin(const std::string& step, const std::string& of, std::int64_t rows, std::int64_t done) = 0;
    virtual void advance(std::int64_t rows) = 0;
    virtual void end() = 0;
    // Says something that the person must know.
    virtual void say(const std::string& sentence) = 0;
};

struct MovingOptions {
    Place& from;
    Place& to;
    const Clock& clock;
    Random& random;
    Progress& progress;
    // Is asked between two batches whether to stop, in such a way that a later call can go on.
    std::function<bool()> stop_wanted{};
};

enum class Moved { now, earlier, stopped };

// The error says in words why the journal is not moved, and what to do where the moving had begun.
Explained<Moved> move_journal(const MovingOptions& options);

}  // namespace gateway::moving
