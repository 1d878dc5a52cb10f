// The log as entries of systemd's own journal, in its native protocol: the sentence is the message of an entry, without
// the time and the level, which journald shows itself, and every field of the line is a field of the entry, so that
// `journalctl SALE=…` finds the history of one sale. For a gateway whose standard output the journal reads anyway.
#pragma once

#include "base/log.hpp"

#include <memory>
#include <string>

namespace gateway {

// Appends one entry, one field a line: MESSAGE, PRIORITY, SYSLOG_IDENTIFIER, EVENT, and the line's own ("idExterno" as
// ID_EXTERNO). Control characters in a value are blanks. `at` is the time of the line.
void append_journal_entry(std::string& out, WallTime at, const LogLine& line);

// Sends entries from a thread of its own, as make_stdout_log() writes lines. `socket` is a connected datagram socket,
// which the log closes; `clock` must outlive it. Of an entry that the journal does not take, the message is written to
// standard output, with its priority before it.
std::unique_ptr<Log> make_journald_log(const Clock& clock, LogLevel level, int socket);

}  // namespace gateway
