// Makes an error of the SQLSTATE with which the database refuses a statement: five digits or capital letters. The
// error's message is this program's own, because the server's message may quote customers' data.
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace gateway::postgres {

// The value of an error is its SQLSTATE, read as a number to the base 36.
const boost::system::error_category& category() noexcept;

boost::system::error_code sql_error(std::string_view state) noexcept;
// Returns "23505" or another state; empty for an error of another category.
std::string sql_state(const boost::system::error_code& error);

namespace state {
constexpr std::string_view warning = "01000";  // it is not certain that the standby has what was read
constexpr std::string_view cannot_connect = "08001";
constexpr std::string_view connection_failure = "08006";
constexpr std::string_view not_in_this_text = "22021";
constexpr std::string_view transaction_failed = "25P02";
constexpr std::string_view check_violation = "23514";
constexpr std::string_view disk_full = "53100";
// These are of our own making: see acknowledged_commits.hpp and ServerTransaction::run().
constexpr std::string_view commits_are_lost = "SG001";
constexpr std::string_view epoch_is_over = "SG002";
constexpr std::string_view has_to_be_alone = "SG003";
constexpr std::string_view moved_away = "SG004";  // as copy-journal has marked it
}  // namespace state

// Tells whether the server ended the transaction in favour of another one, so that it may succeed when it is repeated.
bool is_worth_repeating(const boost::system::error_code& error) noexcept;
// Tells whether the statement that failed with this error can succeed only on another connection, because the server
// became a standby, or because its tables are no longer those that the statement was prepared for.
bool needs_a_new_connection(const boost::system::error_code& error) noexcept;
// Tells whether the error concerns the database as a whole, and not a single statement.
bool is_of_the_server(const boost::system::error_code& error) noexcept;
// Tells whether the server refused a value for its own sake.
bool is_of_a_value(const boost::system::error_code& error) noexcept;
// Tells whether the server's message holds at most names and numbers of the database, and nothing that was sent.
bool may_be_quoted(const boost::system::error_code& error) noexcept;
// Tells whether a commit with this error may have been done, because the error comes from something between us and the
// server.
bool leaves_commit_open(const boost::system::error_code& error) noexcept;

}  // namespace gateway::postgres
