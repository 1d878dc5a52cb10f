// Makes an error of what the database says of a statement that it refused: its SQLSTATE, five digits or capital
// letters. The words are this program's own, as the server's may quote customers' data.
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace gateway::postgres {

// An error's value is its SQLSTATE, read as a number to the base 36.
const boost::system::error_category& category() noexcept;

boost::system::error_code sql_error(std::string_view state) noexcept;
// Returns "23505" or another state; empty for an error of another category.
std::string sql_state(const boost::system::error_code& error);

namespace state {
constexpr std::string_view warning = "01000";  // what was read is not on the standby for sure
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

// Tells whether the server ended the transaction for the sake of another one: repeated, it may succeed.
bool is_worth_repeating(const boost::system::error_code& error) noexcept;
// Tells whether a statement that failed so can succeed on another connection only: the server became a standby, or its
// tables are not those that the statement was prepared for.
bool needs_a_new_connection(const boost::system::error_code& error) noexcept;
// Tells whether it says something of the database as a whole, and not of one statement.
bool is_of_the_server(const boost::system::error_code& error) noexcept;
// Tells whether the server refused a value for its own sake.
bool is_of_a_value(const boost::system::error_code& error) noexcept;
// Tells whether the server's words for it hold at most names and numbers of the database's, and nothing that was sent.
bool may_be_quoted(const boost::system::error_code& error) noexcept;
// Tells whether a commit with this error may have been done: it comes from something between us and the server.
bool leaves_commit_open(const boost::system::error_code& error) noexcept;

}  // namespace gateway::postgres
