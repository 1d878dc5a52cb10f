// Makes and verifies a backup copy of the journal while a gateway runs on it, and installs a copy while none does. A
// copy knows nothing of what happened after it, so restore() prepares it for that.
//
// Errors are sentences for the operator. After an error nothing has been changed, unless the sentence says so. `boot`
// is Clock::boot(); empty: it is not known, and the log beside a journal is checked as one of this boot (check_log()).
#pragma once

#include "base/clock.hpp"
#include "journal/sqlite/file_user.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Describes the content of a copy.
struct CopyContents {
    std::int64_t sales = 0;
    std::int64_t open = 0;           // how many of the sales are not settled
    std::optional<WallTime> newest;  // when a sale was last written; nothing: the copy has no sale
    // Each is a sentence for the person who made the copy: for example, that no gateway starts on such a journal, or
    // that last_backup() does not know of the copy.
    std::vector<std::string> warnings{};
};

// Copies the journal, as it stands at one moment, into a new file that only its owner may read. Flushes the file to the
// disk, and reads all of it back. A gateway may be running on the journal; it is not delayed.
Explained<CopyContents> back_up(const std::string& journal, const std::string& file, std::string_view boot = {});
// Tells when a copy was last made; nothing where no copy is known.
std::optional<WallTime> last_backup(const std::string& journal);

struct Restored {
    CopyContents contents;
    std::int64_t unsure = 0;  // sales whose end the copy does not know; each is marked for a person
    std::string set_aside;    // the name that the journal which was in the place has now; empty: there was none
};

// Installs a copy as the journal. No gateway may be running on the journal. A journal that is already there is kept
// beside it under another name, and the copy is left as it is. In the installed journal
// - no idExterno can be used again: an attempt that is open in the copy is never requested nor confirmed again, only
//   cancelled, and whatever the provider answers becomes the sale's status (an eSIM sale takes its status from the end
//   of its wait for a callback). The idExterno of a new attempt is made of the time and 80 random bits, not of the
//   journal;
// - every sale that was open is marked `restored` for a person, with an entry in its history; one whose row cannot be
//   read is left as it is, and marked `unreadable`;
// - there is no access token;
// - there is no mark of copy-journal, because the copy of a journal that was moved is just one that is not the newest.
// A crash in the middle leaves a journal that no gateway starts on until restore() is called again.
Explained<Restored> restore(const std::string& file, const std::string& journal, WallTime now);

// Does to a journal what restore() does to a copy. It is for a journal that came into its place in another way and is
// not the newest: with a machine that was set back to an earlier time, or with an old disk. No gateway may be running
// on it.
Explained<Restored> mark_restored(const std::string& name, WallTime now, std::string_view boot = {});
// Reads what is in a journal, and writes nothing.
Explained<CopyContents> contents_of_journal(const std::string& name, std::string_view boot = {});

// Tells whether a gateway runs on the journal. Leaves no file behind where no gateway ever ran.
bool is_in_use(const std::string& journal);
// Tells whether a restore() of this journal was begun and has not ended.
bool restore_is_unfinished(const std::string& journal);

}  // namespace gateway
