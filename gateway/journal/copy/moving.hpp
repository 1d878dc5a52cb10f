// Moves a journal from one place to another, whichever engine either is on: sales-gateway copy-journal.
//
// - All of it, or nothing: every row of every table (tables.hpp) is copied as it stands, then both sides are read once
//   more and compared value by value, and only then is the source marked as moved. From then on no gateway starts on
//   it, and from after that on one starts on the copy. At no time does one start on both.
// - No gateway may run. While a copy is being made none can begin: a file is locked, and the tables of a database are.
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

// Told how far it is, for a person who waits.
class Progress {
  public:
    virtual ~Progress() = default;
    // A step begins, "checking", "copying" or "comparing"; of which table, and how many rows there will be. `done` of
    // them an earlier call has copied.
    virtual void begin(const std::string& step, const std::string& of, std::int64_t rows, std::int64_t done) = 0;
    virtual void advance(std::int64_t rows) = 0;
    virtual void end() = 0;
    // Something that is to be known.
    virtual void say(const std::string& sentence) = 0;
};

struct MovingOptions {
    Place& from;
    Place& to;
    const Clock& clock;
    Random& random;
    Progress& progress;
    // Asked between two batches: whether to stop, such that it can be gone on with.
    std::function<bool()> stop_wanted{};
};

enum class Moved { now, earlier, stopped };

// What is the matter, in words, where it is not moved: the source is not marked then, and a gateway may start on it.
Explained<Moved> move_journal(const MovingOptions& options);

}  // namespace gateway::moving
