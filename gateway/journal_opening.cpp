#include "journal_opening.hpp"

#include "base/systemd.hpp"
#include "journal/postgres/client_module.hpp"
#include "journal/postgres/connection_options.hpp"
#include "journal/postgres/open_postgres_journal.hpp"
#include "journal/postgres/server_checks.hpp"
#include "journal/sqlite/placing.hpp"
#include "part_options.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

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

namespace {

// The service's own user, and how it is known.
struct ServiceUser {
    FileUser user;
    std::string by;
    std::vector<std::string> credentials{};  // that it is handed, so that it need not read their files
};

constexpr auto unit_name = "sales-gateway.service";

boost::system::result<std::optional<ServiceUser>, std::string> user_of_service(const std::string& path,
                                                                               const JournalConfig& journal) {
    if (const auto unit = read_service_unit(unit_name); unit && unit->command.find(path) != std::string::npos) {
        if (unit->user.empty()) return std::optional<ServiceUser>();
        const auto user = user_named(unit->user);
        if (!user) return fmt::format("{} has User={}, whom this machine does not know", unit_name, unit->user);
        return std::optional(ServiceUser{*user, fmt::format("User= in {}", unit_name), unit->credentials});
    }
    const auto& place = journal.path.empty() ? journal.tally_file : journal.path;
    const auto owner = user_for(place);
    if (owner.has_error()) return owner.error();
    if (*owner == FileUser{} || owner->user == 0) return std::optional<ServiceUser>();
    return std::optional(ServiceUser{*owner, "the owner of the journal's folder"});
}

// Why the calling thread's user cannot use it; 0 where it can.
int trouble_with(const std::string& path, NamedPath::Use use) {
    std::error_code ignored;
    const int in_folders = std::filesystem::is_directory(path, ignored) ? X_OK : 0;
    const int mode = (use == NamedPath::Use::writes ? R_OK | W_OK : R_OK) | in_folders;
    return ::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0 ? 0 : errno;
}

}  // namespace

std::vector<ConfigProblem> faults_for_service(const std::string& path, const ConfigReading& reading) {
    if (::geteuid() != 0) return {};
    const auto& config = *reading.config;
    const auto service = user_of_service(std::filesystem::absolute(path).lexically_normal(), config.journal);
    if (service.has_error()) return {{"", 0, service.error()}};
    if (!*service) return {};
    std::vector<ConfigProblem> faults;
    const auto& as = **service;
    const auto look = [&, name = name_of(as.user)](std::string key, const std::string& file, NamedPath::Use use) {
        const auto file_name = std::filesystem::path(file).filename().string();
        if (std::ranges::find(as.credentials, file_name) != as.credentials.end()) return;
        const int why = trouble_with(file, use);
        if (why == 0) return;
        const bool writes = use == NamedPath::Use::writes;
        const auto line = line_of(reading.lines, key);
        faults.push_back(
            {std::move(key), line,
             fmt::format("\"{}\" cannot be {} by {}, the user that the service runs as ({}): {}; give that "
                         "user the right, also to pass the folders above it (chown, chgrp, chmod)",
                         file, writes ? "written" : "read", name, as.by, std::generic_category().message(why))});
    };
    const ActingAs acting(as.user);
    look("", path, NamedPath::Use::reads);
    for (const auto& named : paths_in(config))
        look(std::string(named.key), named.path, named.use);
    return faults;
}

std::string place_of_journal(const JournalConfig& journal) {
    return journal.url.empty() ? journal.path : journal.url;
}

}  // namespace gateway
