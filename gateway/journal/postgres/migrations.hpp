// Brings the database to the tables of this program by numbered files; each is applied completely or not at all. Where
// several gateways start at once, they do this one after the other.
#pragma once

#include "journal/postgres/session.hpp"
#include "journal/sqlite/schema.hpp"

#include <boost/system/result.hpp>

#include <span>
#include <string>

namespace gateway::postgres {

// Returns the migrations of this program in their order; there is at least one.
std::span<const Migration> migrations() noexcept;

// Applies those of the migrations `known` that the database does not have yet. The error says in words why the database
// cannot be used: it is another program's, or newer than this program; nothing has been changed then. `with` makes the
// initial content of a new journal, in the transaction that makes the tables.
boost::asio::awaitable<boost::system::result<void, std::string>> bring_up_to_date(
    Session& session, std::span<const Migration> known = migrations(), Engine::Work with = {});

// The error says in words why no gateway may start on the journal: because of its mark (journal/moving_mark.hpp),
// because a copy-journal is at work on it, or because it cannot be read. `url` says where the journal is, without a
// password.
boost::asio::awaitable<boost::system::result<void, std::string>> may_start(Session& session, const std::string& url);

}  // namespace gateway::postgres
