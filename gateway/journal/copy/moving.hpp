// Moves a journal from one place to another, whichever engines they use: sales-gateway copy-journal.
//
// - The journal is moved as a whole or not at all. Every row of every table (tables.hpp) is copied as it stands. Then
//   both sides are read again and compared value by value, and only then the source is marked as moved. From then on no
//   gateway starts on the source, and a moment later one can start on the copy. At no time can one start on both.
// - No gateway may be running. While a copy is made none can begin, because the file or the tables are locked.
// - The moving may be interrupted at any moment; a further call goes on where it stopped. A gateway that is started on
//   the source in between goes on selling, and what was copied until then is copied anew.
// - Encrypted values stay encrypted, and no key is needed.
#pragma once

#include "base/random.hpp"
#include "journal/copy/place.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace gateway::moving {

// Is told how far the moving has come, for a person who waits.
class Progress {
  public:
    virtual ~Progress() = default;
    // Begins a step, "checking", "copying" or "comparing", on the table `of`, which has `rows` rows. An earlier call
    // has copied `done` of them already.
    virtual void begin(const std::string& step, const std::string& of, std::int64_t rows, std::int64_t done) = 0;
    virtual void advance(std::int64_t rows) = 0;
    virtual void end() = 0;
    // Tells the person a sentence that matters.
    virtual void say(const std::string& sentence) = 0;
};

struct MovingOptions {
    Place& from;
    Place& to;
    const Clock& clock;
    Random& random;
    Progress& progress;
    // Is asked between two batches whether to stop. A later call can then go on.
    std::function<bool()> stop_wanted{};
};

enum class Moved { now, earlier, stopped };

// The error says in words why the journal was not moved and, where the moving had begun, what to do.
Explained<Moved> move_journal(const MovingOptions& options);

}  // namespace gateway::moving
