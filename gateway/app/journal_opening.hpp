// Opens the journal that the configuration names: a file, or a database that several gateways share.
#pragma once

#include "base/log.hpp"
#include "base/random.hpp"
#include "base/secret.hpp"
#include "config/config.hpp"
#include "journal/journal.hpp"
#include "journal/postgres/postgres_journal.hpp"
#include "journal/sqlite/file_user.hpp"
#include "sale/machine.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/result.hpp>

#include <memory>
#include <string>
#include <vector>

namespace gateway {

// Opens the journal. The error says in words why it cannot be opened. The references must outlive the journal.
boost::asio::awaitable<Explained<std::unique_ptr<Journal>>> open_journal(boost::asio::any_io_executor executor,
                                                                         const Config& config, Clock& clock,
                                                                         Random& random, Log& log);

// Says how a database is reached, for what asks it without opening the journal.
struct Database {
    const postgres::Client* client;
    postgres::SessionOptions session;
};
Explained<Database> database_of(const std::string& url, const Secret& password, Log& log);
// Does the same with the password that the file has, if one is named.
Explained<Database> database_of(const std::string& url, const std::string& password_file, Log& log);

// Opens the journal as the gateway of this name, which is not this one. This is refused while that one lives, which
// takes some seconds to find out.
boost::asio::awaitable<Explained<std::unique_ptr<postgres::PostgresJournal>>> open_journal_as(
    boost::asio::any_io_executor executor, const Config& config, const std::string& name, Clock& clock, Random& random,
    Log& log);

// Adds what a person has to put right before the journal can be opened, as far as that can be told without a server:
// about its file, which is only read, so that a gateway may run on it; or about the module for PostgreSQL and
// journal.url. Warns of a disk that has too little room.
void look_at_journal(ConfigReading& reading);
// Tells what the service's own user may not read or write of the file `path` and of all that it names, as far as it
// could be read. That user is the one that the unit of the service names, where the unit starts it with this file.
// Without such a unit it is the owner of the journal's folder for root who asks, and everybody else asks for
// themselves. Only root can tell it of another user.
std::vector<ConfigProblem> faults_for_service(const std::string& path, const ConfigReading& reading);

// Says where the journal is, for the log and for a person.
std::string place_of_journal(const JournalConfig& journal);

}  // namespace gateway
