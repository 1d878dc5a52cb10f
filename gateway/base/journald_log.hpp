// Writes the log as entries of systemd's own journal, in its native protocol. The sentence is the message of an entry,
// without the time and the level, which journald shows itself. Every field of the line is a field of the entry, so that
// `journalctl SALE=…` finds everything about one sale. It is for a gateway whose standard output the journal reads
// anyway.
#pragma once

#include "base/log.hpp"

#include <memory>
#include <string>

namespace gateway {

// Appends one entry, one field a line: MESSAGE, PRIORITY, SYSLOG_IDENTIFIER, EVENT, and the line's own fields
// ("idExterno" as ID_EXTERNO). Control characters in a value become blanks. `at` is the time of the line.
void append_journal_entry(std::string& out, WallTime at, const LogLine& line);

// Sends entries from a thread of its own, as make_stdout_log() writes lines. `socket` is a connected datagram socket,
// which the log closes. `clock` must outlive the log. If the journal does not take an entry, its message is written to
// standard output, with its priority before it.
std::unique_ptr<Log> make_journald_log(const Clock& clock, LogLevel level, int socket);

}  // namespace gateway
