// Copies the journal for bad days, and verifies the copy, while a gateway runs on it; installs a copy while none does.
// A copy knows nothing of what followed it, so installing one prepares the journal for that: see restore().
//
// Errors are sentences for the operator; nothing has been changed then, unless they say so.
#pragma once

#include "base/clock.hpp"
#include "journal/sqlite/file_user.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gateway {

// Says what is in a copy.
struct CopyContents {
    std::int64_t sales = 0;
    std::int64_t open = 0;           // of those, the ones that are not settled
    std::optional<WallTime> newest;  // when something was last written about a sale
    // They tell who made the copy that no gateway starts on such a journal, or that last_backup() does not know of it.
    std::vector<std::string> warnings{};
};

// Copies the journal as it stands at one moment into a new file that only its owner may read, flushes it to the disk,
// and reads all of it back. The journal's own gateway may run, and is not delayed.
Explained<CopyContents> back_up(const std::string& journal, const std::string& file);
// Tells when a copy was made last; nothing where it is not known that one ever was.
std::optional<WallTime> last_backup(const std::string& journal);

struct Restored {
    CopyContents contents;
    std::int64_t unsure = 0;  // sales of the copy whose end it does not know; each is marked for a person
    std::string set_aside;    // where the journal that was in the place is now; empty where there was none
};

// Installs a copy as the journal, which no gateway may be running on. The journal that is in the place is kept beside
// it under another name, and the copy is left as it is. In the journal
// - no idExterno can be used again: an attempt that the copy holds open is never requested nor confirmed again, only
//   cancelled, and the provider's answer, whatever it is, becomes the sale's status (for eSIM what comes of its
//   wait for a callback does). A new attempt's idExterno is made of the time and 80 random bits, not of the journal;
// - every sale that was open is marked `restored` for a person, with an entry in its history; one whose row cannot be
//   read is left as it is, and marked `unreadable`;
// - there is no access token,
// - and there is no mark of copy-journal: a copy of a journal that was moved is only one that is not the newest.
// A crash in the middle leaves a journal that no gateway starts on until restore() is called once more.
Explained<Restored> restore(const std::string& file, const std::string& journal, WallTime now);

// Does to a journal what restore() does to a copy, where the journal came into its place by other means and is not the
// newest: with a machine that was put back to an earlier time, or on a disk that lay aside. No gateway may run on it.
Explained<Restored> mark_restored(const std::string& name, WallTime now);
// Says what is in a journal, which is only read.
Explained<CopyContents> contents_of_journal(const std::string& name);

// Tells whether a gateway runs on the journal. Leaves nothing behind where none ever did.
bool is_in_use(const std::string& journal);
// Tells whether a restore() of this journal was begun and not ended.
bool restore_is_unfinished(const std::string& journal);

}  // namespace gateway
