// Failures are what goes wrong although the program is right and expects that it may. There is one enum for all of
// them, and Result<T> carries one or a T. What a provider answers is never a failure: see sale/answer.hpp.
#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

namespace gateway {

enum class errc {
    journal_unavailable = 1,  // the step is not durable: disk full, I/O error, read-only file system
    commit_unknown,           // nobody knows whether the step is durable, or will be: see journal/journal.hpp
    sale_unreadable,          // the sale's row in the journal is damaged or was altered
    not_owned,                // another gateway owns the sale: see journal/journal.hpp
    close_unreadable,         // the close's row in the journal is damaged or was altered
    journal_foreign,          // the file is not a journal of ours, is damaged, or is newer than this program
    journal_in_use,           // another process has the journal open
    journal_moved,            // copy-journal moved the journal elsewhere, or has not completed it yet
    not_found,                // there is no such row, key or file
    no_token,                 // the token service gave no token in time
    unreachable,              // name look-up, connection or TLS handshake failed, or the circuit is open
    timed_out,                // no complete answer came before the deadline
    connection_lost,          // the connection was closed or reset before the answer was complete
    answer_too_large,         // the answer is larger than the limit for answers of the provider
    malformed,                // this is not what the protocol or the document says
    shutting_down,            // the process is about to end
    stale_connection,         // a connection that had been idle was closed when it was to be used; nothing was sent
};

const boost::system::error_category& gateway_category() noexcept;

inline boost::system::error_code make_error_code(errc e) noexcept {
    return {static_cast<int>(e), gateway_category()};
}

template <class T>
using Result = boost::system::result<T>;

}  // namespace gateway

template <>
struct boost::system::is_error_code_enum<gateway::errc> : std::true_type {};
