// Brings the database to the tables of this program: numbered files, each as a whole or not at all, and one gateway at
// a time where several start at once.
#pragma once

#include "journal/postgres/session.hpp"
#include "journal/sqlite/schema.hpp"

#include <boost/system/result.hpp>

#include <span>
#include <string>

namespace gateway::postgres {

// The migrations of this program, in order; there is at least one.
std::span<const Migration> migrations() noexcept;

// Applies those of `known` that the database has not seen. The error says in words why it cannot be used: it is another
// program's, or newer than this program; nothing has been changed then. What a new journal begins with is done `with`
// the tables of a database that had none, in the same transaction.
boost::asio::awaitable<boost::system::result<void, std::string>> bring_up_to_date(
    Session& session, std::span<const Migration> known = migrations(), Engine::Work with = {});

// Why no gateway starts on the journal, in words, as its mark (journal/moving_mark.hpp) and a copy-journal that is at
// work on it say; or that it cannot be read. `url`: where it is, without a password.
boost::asio::awaitable<boost::system::result<void, std::string>> may_start(Session& session, const std::string& url);

}  // namespace gateway::postgres
