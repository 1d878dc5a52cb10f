#include "app/journal_opening.hpp"

#include "base/system.hpp"
#include "base/systemd.hpp"
#include "base/told.hpp"
#include "config/files.hpp"
#include "journal/chain/tally_file.hpp"
#include "journal/postgres/client.hpp"
#include "journal/postgres/connection_options.hpp"
#include "journal/postgres/postgres_journal.hpp"
#include "journal/postgres/server_checks.hpp"
#include "journal/sqlite/file_user.hpp"
#include "journal/sqlite/open_sqlite_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

namespace gateway {
namespace {

// Gateways that share a journal must agree on these: the numbers that one of them counts on when it takes over a sale
// of another one.
std::string numbers_of_the_law(const Config& config) {
    const auto& sale = config.sale;
    return fmt::format("late_arrival={} confirm_window={} hold={} attempts={} timezone={}", sale.late_arrival.count(),
                       sale.confirm_window.count(), config.sale.hold.count(), sale.max_attempts, config.store.timezone);
}

using OpenedShared = Explained<std::unique_ptr<postgres::PostgresJournal>>;

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

Explained<Database> database_of(const std::string& url, const Secret& password, Log& log) {
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

Explained<Database> database_of(const std::string& url, const std::string& password_file, Log& log) {
    if (password_file.empty()) return database_of(url, Secret(), log);
    const auto password = read_secret(password_file, told("the password"), Lines::the_first);
    if (password.has_error()) return fmt::format(told("the password cannot be read: {}"), password.error());
    return database_of(url, *password, log);
}

boost::asio::awaitable<Explained<std::unique_ptr<Journal>>> open_journal(boost::asio::any_io_executor executor,
                                                                         const Config& config, Clock& clock,
                                                                         Random& random, Log& log) {
    if (config.journal.url.empty()) {
        const JournalOptions file{.path = config.journal.path,
                                  .keys = config.journal.keys,
                                  .random = &random,
                                  .log = &log,
                                  .id_prefix = config.provider.id_prefix};
        co_return open_sqlite_journal(executor, file, clock);
    }
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

namespace {

std::string fault_of_database(const JournalConfig& journal) {
    const auto log = make_silent_log();
    const auto database = database_of(journal.url, journal.password, *log);
    return database.has_error() ? database.error() : std::string();
}

std::string lack_of_room(const DiskRoom& room) {
    if (room.is_full())
        return fmt::format(told("{}; as long as it is full, a gateway may fail to start"), why_no_room(room));
    if (room.lacks_bytes()) return fmt::format(told("the disk is nearly full: {}; make room on it"), in_words(room));
    return room.lacks_inodes()
               ? fmt::format(told("the disk has too few inodes: {}; remove files from it"), in_words(room))
               : std::string();
}

}  // namespace

void look_at_journal(ConfigReading& reading) {
    const auto& journal = reading.seen().journal;
    if (!journal.url.empty() && !reading.has_error("journal.url")) {
        auto fault = fault_of_database(journal);  // it names the key itself
        if (!fault.empty()) reading.errors.push_back({"", line_of(reading.lines, "journal.url"), std::move(fault)});
        if (reading.has_error("journal.tally_file") || reading.has_error("journal.gateway")) return;
        auto in_the_way = postgres::look_at_tally_file(journal.tally_file, journal.gateway);
        if (!in_the_way.empty())
            reading.errors.push_back({"", line_of(reading.lines, "journal.tally_file"), std::move(in_the_way)});
    }
    const std::string key = "journal.path";
    if (journal.path.empty() || reading.has_error(key)) return;
    const auto add = [&](std::vector<ConfigProblem>& problems, std::string message) {
        problems.push_back({key, line_of(reading.lines, key), std::move(message)});
    };
    SystemRandom random;
    const auto cipher = journal.keys.empty() ? FieldCipher() : FieldCipher(journal.keys, random);
    const auto* const known = reading.has_error("journal.key_file") ? nullptr : &cipher;
    const auto look = look_before_opening(journal.path, known, boot_of_this_machine());
    if (!look.fault.empty())
        add(reading.errors, fmt::format(told("\"{}\" cannot be used: {}"), journal.path, look.fault));
    if (auto lack = look.room ? lack_of_room(*look.room) : std::string(); !lack.empty())
        add(reading.warnings, std::move(lack));
}

namespace {

// This is the service as somebody who looks at its configuration knows it.
struct Service {
    FileUser user;
    std::string by;                   // how the user is known
    std::optional<ServiceUnit> unit;  // set where it starts the gateway with this file

    // Root looks at files as that user. Everybody else can do so as themselves only.
    bool can_be_acted_as() const { return ::geteuid() == 0 || ::geteuid() == user.user; }
};

Explained<Service> service_of(const std::string& path, const JournalConfig& journal) {
    if (auto unit = read_service_unit(own_unit); unit && unit->starts_with(path)) {
        const auto user = unit->user.empty() ? FileUser{} : user_named(unit->user);
        if (!user) return fmt::format(told("{} has User={}, whom this machine does not know"), own_unit, unit->user);
        return Service{*user, fmt::format(told("User= in {}"), own_unit), std::move(unit)};
    }
    if (::geteuid() != 0)
        return Service{{.user = ::geteuid()},
                       std::string(told("the one who asks: no unit of systemd starts it with this file")),
                       {}};
    const auto place = std::filesystem::path(journal.path.empty() ? journal.tally_file : journal.path);
    if (place.empty()) return Service{{}, std::string(told("root, who asks")), {}};
    const auto owner = user_for(place.has_parent_path() ? place.parent_path().string() : ".");
    if (owner.has_error()) return owner.error();
    return Service{*owner, std::string(told("the owner of the journal's folder")), {}};
}

// Returns the errno why the calling thread's user cannot use it; 0 where it can.
int trouble_with(const std::string& path, NamedPath::Use use) {
    std::error_code ignored;
    const int in_folders = std::filesystem::is_directory(path, ignored) ? X_OK : 0;
    const int mode = (use == NamedPath::Use::writes ? R_OK | W_OK : R_OK) | in_folders;
    return ::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0 ? 0 : errno;
}

std::string_view what_to_do_about(int why) {
    if (why == EROFS) return told("have that file system mounted for writing, or name another place");
    if (why == ENOENT || why == ENOTDIR) return told("make it first, for that user");
    return told("give that user the right, also to pass the folders above it (chown, chgrp, chmod)");
}

// Looks, as the service's user, at every file and folder that the configuration names.
class ServiceCheck {
  public:
    ServiceCheck(const Service& service, const ConfigReading& reading) : service_(service), reading_(reading) {}

    std::vector<ConfigProblem> faults(const std::string& path) {
        look({.key = "", .path = path});
        std::string unusable;  // a folder: what is in it is not looked at besides
        for (const auto& named : all_paths()) {
            const bool is_in_it = !unusable.empty() && std::filesystem::path(named.path).parent_path() == unusable;
            if (!is_in_it && look(named)) unusable = named.path;
        }
        return std::move(faults_);
    }

  private:
    // Gives all that the configuration names, and the files beside the journal that exist.
    std::vector<NamedPath> all_paths() const {
        auto paths = paths_in(reading_.seen());
        const auto& journal = reading_.seen().journal.path;
        std::error_code ignored;
        for (const std::string ending : {log_endings[0], log_endings[1], lock_ending})
            if (!journal.empty() && std::filesystem::exists(journal + ending, ignored))
                paths.push_back({.key = "journal.path", .path = journal + ending, .use = NamedPath::Use::writes});
        return paths;
    }

    // Tells whether it found a fault.
    bool look(const NamedPath& named) {
        const auto before = faults_.size();
        const auto place = std::filesystem::absolute(named.path).string();
        const bool writes = named.use == NamedPath::Use::writes;
        if (writes && service_.unit && !service_.unit->lets_write(place)) {
            add(named,
                fmt::format(told("\"{}\" cannot be written by the service: {} has ProtectSystem=strict, and lets it "
                                 "write into {} only; name a place there, or add ReadWritePaths= of its folder "
                                 "with systemctl edit sales-gateway"),
                            named.path, own_unit, fmt::join(folders_of_service(), ", ")));
        } else if (const int why = is_to_be_looked_at(named) ? trouble_with(named.path, named.use) : 0;
                   why != 0 && !is_known(named, why)) {
            add(named, fmt::format(told("\"{}\" cannot be {} by {}, the user that the service runs as ({}): {}; {}"),
                                   named.path, writes ? told("written") : told("read"), name_of(service_.user),
                                   service_.by, std::generic_category().message(why), what_to_do_about(why)));
        }
        return faults_.size() > before;
    }

    void add(const NamedPath& named, std::string message) {
        faults_.push_back({std::string(named.key), line_of(reading_.lines, named.key), std::move(message)});
    }

    std::vector<std::string> folders_of_service() const {
        auto folders = service_.unit->made;
        folders.insert(folders.end(), service_.unit->opened.begin(), service_.unit->opened.end());
        return folders;
    }

    // Where the asker reads a file as the service would, it has been read by now.
    bool is_to_be_looked_at(const NamedPath& named) const {
        const bool reads = named.use == NamedPath::Use::reads;
        if (!service_.can_be_acted_as() || (reads && ::geteuid() != 0)) return false;
        const auto file_name = std::filesystem::path(named.path).filename().string();
        return !reads || !service_.unit ||
               std::ranges::find(service_.unit->credentials, file_name) == service_.unit->credentials.end();
    }

    // A file that is missing is an error of its key already, unless the unit makes it.
    bool is_known(const NamedPath& named, int why) const {
        if (why != ENOENT && why != ENOTDIR) return false;
        const auto place = std::filesystem::absolute(named.path).lexically_normal().string();
        return reading_.has_error(named.key) || named.key == "statement.folder" ||
               (service_.unit && std::ranges::find(service_.unit->made, place) != service_.unit->made.end());
    }

    const Service& service_;
    const ConfigReading& reading_;
    std::vector<ConfigProblem> faults_;
};

}  // namespace

std::vector<ConfigProblem> faults_for_service(const std::string& path, const ConfigReading& reading) {
    const auto service = service_of(std::filesystem::absolute(path).lexically_normal(), reading.seen().journal);
    if (service.has_error()) return {{"", 0, service.error()}};
    std::optional<ActingAs> acting;
    if (service->can_be_acted_as()) acting.emplace(service->user);
    return ServiceCheck(*service, reading).faults(path);
}

std::string place_of_journal(const JournalConfig& journal) {
    return journal.url.empty() ? journal.path : journal.url;
}

}  // namespace gateway
