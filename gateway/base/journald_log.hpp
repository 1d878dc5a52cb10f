// The log as entries of systemd's own journal, in its native protocol: the line as it would be printed is the message
// of an entry, and every field of it a field of the entry too, so that `journalctl SALE=…` finds the story of one sale.
// For a gateway whose standard output the journal reads anyway.
#pragma once

#include "base/log.hpp"

#include <memory>
#include <span>
#include <string>

namespace gateway {

// Appends one entry, one field a line: MESSAGE, PRIORITY, SYSLOG_IDENTIFIER, EVENT, and the line's own ("idExterno" as
// ID_EXTERNO). Control characters in a value are blanks there; the message has it as it was.
void append_journal_entry(std::string& out, LogFormat format, WallTime at, LogLevel level, std::string_view event,
                          std::span<const LogField> fields);

// Sends entries from a thread of its own, as make_stdout_log() writes lines. `socket` is a connected datagram socket,
// which the log closes; `clock` must outlive it. An entry that the journal does not take is written to standard output,
// with its priority before it.
std::unique_ptr<Log> make_journald_log(const Clock& clock, LogFormat format, LogLevel level, int socket);

}  // namespace gateway
