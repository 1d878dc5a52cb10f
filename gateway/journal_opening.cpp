#include "journal_opening.hpp"

#include "part_options.hpp"
#include "postgres/client_module.hpp"
#include "postgres/connection_options.hpp"
#include "postgres/open_postgres_journal.hpp"
#include "postgres/server_checks.hpp"

#include <fmt/format.h>

namespace gateway {
namespace {

using Opened = boost::system::result<std::unique_ptr<Journal>, std::string>;

// What gateways that share a journal must agree on: the numbers that one of them counts on when it takes over a sale of
// another one.
std::string numbers_of_the_law(const Config& config) {
    const auto& sale = config.sale;
    return fmt::format("late_arrival={} confirm_window={} hold={} attempts={} timezone={}", sale.late_arrival.count(),
                       sale.confirm_window.count(), config.limits.hold.count(), sale.max_attempts,
                       config.store.timezone);
}

using OpenedShared = boost::system::result<std::unique_ptr<postgres::PostgresJournal>, std::string>;

boost::asio::awaitable<OpenedShared> open_shared(boost::asio::any_io_executor executor, const Config& config,
                                                 postgres::PostgresOptions options, Clock& clock, Random& random,
                                                 Log& log) {
    auto database = database_of(config.journal.url, config.journal.password, log);
    if (database.has_error()) co_return database.error();
    options.session = std::move(database->session);
    options.identity.provider = config.provider.base_url.text;
    options.identity.rules = numbers_of_the_law(config);
    options.keys = config.journal.keys;
    options.id_prefix = config.provider.id_prefix;
    auto opening = postgres::open_postgres_journal(executor, clock, *database->client, std::move(options), random);
    co_return co_await std::move(opening);
}

}  // namespace

boost::system::result<Database, std::string> database_of(const std::string& url, const Secret& password, Log& log) {
    const auto client = postgres::load_client();
    if (client.has_error()) return client.error();
    auto connection = postgres::read_url(**client, url, password);
    if (connection.has_error()) return connection.error();
    Database database{.client = *client, .session = {}};
    database.session.connection = std::move(*connection);
    database.session.opened = postgres::look_at_server(log);
    database.session.log = &log;
    return database;
}

boost::asio::awaitable<Opened> open_journal(boost::asio::any_io_executor executor, const Config& config, Clock& clock,
                                            Random& random, Log& log) {
    if (config.journal.url.empty())
        co_return open_sqlite_journal(executor, journal_options(config, random, log), clock);
    postgres::PostgresOptions options;
    options.identity.name = config.journal.gateway;
    options.tally_file = config.journal.tally_file;
    auto opening = open_shared(executor, config, std::move(options), clock, random, log);
    auto journal = co_await std::move(opening);
    if (journal.has_error()) co_return journal.error();
    co_return std::unique_ptr<Journal>(std::move(*journal));
}

boost::asio::awaitable<OpenedShared> open_journal_as(boost::asio::any_io_executor executor, const Config& config,
                                                     const std::string& name, Clock& clock, Random& random, Log& log) {
    postgres::PostgresOptions options;
    options.identity.name = name;
    auto opening = open_shared(executor, config, std::move(options), clock, random, log);
    co_return co_await std::move(opening);
}

std::string fault_before_opening(const JournalConfig& journal) {
    if (journal.url.empty()) return {};
    const auto client = postgres::load_client();
    if (client.has_error()) return client.error();
    const auto connection = postgres::read_url(**client, journal.url, journal.password);
    return connection.has_error() ? connection.error() : std::string();
}

std::string place_of_journal(const JournalConfig& journal) {
    return journal.url.empty() ? journal.path : journal.url;
}

}  // namespace gateway
