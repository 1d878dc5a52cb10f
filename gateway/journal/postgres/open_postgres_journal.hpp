// Opens the journal on PostgreSQL: what may be wrong with the database, with the keys and with the other gateways on it
// is found out here, and said in words.
#pragma once

#include "base/random.hpp"
#include "base/secret.hpp"
#include "journal/postgres/postgres_journal.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/result.hpp>

#include <memory>
#include <string>
#include <vector>

namespace gateway::postgres {

struct PostgresOptions {
    SessionOptions session;
    Identity identity;  // its key_name is filled in from the keys
    // What customers' data, goods and tokens are encrypted with: the first one encrypts, all of them decrypt.
    std::vector<Secret> keys{};
    std::string tally_file{};  // see tally_file.hpp; empty: there is none
    std::string id_prefix{};   // of every idExterno from now on, which is remembered; empty: none
};

// Makes the tables or brings them up to date, finds out whether the database has lost commits, begins a run once those
// in its way are dead, and agrees on the keys. The gateway's lease is trusted then; keep_lease() keeps it. The
// references must outlive the journal.
boost::asio::awaitable<boost::system::result<std::unique_ptr<PostgresJournal>, std::string>> open_postgres_journal(
    boost::asio::any_io_executor executor, Clock& clock, const Client& client, PostgresOptions options, Random& random);

}  // namespace gateway::postgres
