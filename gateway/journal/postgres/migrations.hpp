// Brings the database to the tables of this program by numbered files, each as a whole or not at all. Where several
// gateways start at once, one at a time does so.
#pragma once

#include "journal/postgres/session.hpp"
#include "journal/sqlite/schema.hpp"

#include <boost/system/result.hpp>

#include <span>
#include <string>

namespace gateway::postgres {

// Returns the migrations of this program, in order; there is at least one.
std::span<const Migration> migrations() noexcept;

// Applies those of `known` that the database has not seen. The error says in words why the database cannot be used: it
// is another program's, or newer than this program; nothing has been changed then. `with` does what a new journal
// begins with, in the transaction that makes the tables of a database that had none.
boost::asio::awaitable<boost::system::result<void, std::string>> bring_up_to_date(
    Session& session, std::span<const Migration> known = migrations(), Engine::Work with = {});

// The error says in words why no gateway starts on the journal, as its mark (journal/moving_mark.hpp) and a
// copy-journal at work on it say, or that it cannot be read. `url` says where it is, without a password.
boost::asio::awaitable<boost::system::result<void, std::string>> may_start(Session& session, const std::string& url);

}  // namespace gateway::postgres
