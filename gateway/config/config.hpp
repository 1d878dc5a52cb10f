// The configuration: what the file says, checked, with every default filled in. Plain data: the composition root copies
// from it what each part needs, and nothing reads the file, the environment or a global for a setting of its own.
//
// A file is taken whole or not at all. What is wrong with it is told all at once, each with the key, the line and what
// would be right, and no message quotes a value that could be a secret.
#pragma once

#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/secret.hpp"
#include "families/product.hpp"
#include "reconcile/statement_format.hpp"
#include "sale/sale.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

using Endpoint = boost::asio::ip::tcp::endpoint;

// An http or https address without user, query and fragment; empty where the file has none.
struct ServiceUrl {
    std::string text;  // as written, without a slash at the end
    bool tls = false;
    std::string host;  // an IPv6 address without its brackets
    std::uint16_t port = 0;
    std::string path;  // "" or "/prefix", percent-encoded as written

    bool empty() const noexcept { return text.empty(); }
    friend bool operator==(const ServiceUrl&, const ServiceUrl&) = default;
};

// Files in PEM; both or none.
struct TlsConfig {
    std::string cert;
    std::string key;

    bool on() const noexcept { return !cert.empty(); }
};

struct ListenConfig {
    Endpoint terminals;
    std::optional<Endpoint> callbacks;
    Endpoint admin;
    std::vector<std::string> admin_names;  // that it answers to, besides IP addresses and localhost
    std::optional<Endpoint> console;
    std::vector<std::string> console_names;    // the same, of the console
    std::vector<std::string> trusted_proxies;  // addresses and networks, in front of terminals and callbacks
    bool proxy_protocol = false;               // whether those send a PROXY header
    TlsConfig tls;
    std::string client_ca;  // of the terminals' certificates; empty: none are asked for
};

struct ProviderConfig {
    std::string environment;  // "production", or "homologation": the provider's test environment
    ServiceUrl base_url;
    ServiceUrl auth_url;
    bool allow_plaintext = false;
    ServiceUrl proxy;                    // plain http, without a path; empty: connections are made without one
    std::string proxy_credentials_file;  // empty: the proxy asks for none
    Secret proxy_credentials;            // what it holds, "user:password"
    std::string ca_file;                 // empty: the system's
    std::string app_key;
    Secret app_secret;            // whether it stood in the file or in app_secret_file
    std::string app_secret_file;  // where it was read from, if it was
    std::vector<std::string> scopes;
    std::string estabelecimento;  // may be empty only where every terminal has its own
    std::string id_prefix;        // four characters, or empty: see Ulid
    Duration connect_timeout{};
    Duration request_timeout{};
    ServiceUrl callback_url;
    TlsConfig client;                     // client_cert and client_key
    std::vector<std::string> pinned_key;  // 64 lower-case hex digits each; empty: any key that is vouched for
    std::string callback_field;
    std::string health_cancel_path;  // empty: there is none; may hold {health}
    bool trust_cancel_4xx = true;    // to a cancel, without a status: the provider has no such sale
    std::string status_path;         // of an attempt, with {idExterno} or {idTransacao}; empty: there is none
    std::string list_path;           // of its list of a day, with {day}; empty: there is none
    Duration open_sales_end{};       // after which it cancels an open sale by itself; 0: not known that it does
};

struct SaleConfig {
    Duration confirm_window{};
    Duration late_arrival{};
    Duration attention_after{};
    std::int64_t max_attempts = 0;
    Duration duplicate_window{};  // 0: duplicates are not looked for
};

struct LimitsConfig {
    Duration sell_wait{};
    Duration hold{};
    Duration drain{};
    std::int64_t body = 0;  // bytes
    std::int64_t in_flight = 0;
    std::int64_t per_terminal_rate = 0;  // sells a second
    std::int64_t connections_per_address = 0;
};

struct CacheConfig {
    Duration options{};
};

struct ProxyConfig {
    std::vector<std::string> allow;  // exact paths, or prefixes that end in /*
};

struct JournalConfig {
    // One of them is set: the file of a journal on SQLite, or where PostgreSQL keeps one that several gateways share.
    std::string path;
    std::string url;
    std::string password_file;  // with the password of the user that the url names; empty: none is asked for
    Secret password{};          // what it holds
    std::string gateway;        // this gateway's name among those that share the journal
    std::string tally_file;     // where it remembers how much the database has acknowledged to it
    std::string key_file;       // empty: customers' data stands in the journal in clear
    std::vector<Secret> keys;   // what it holds, 32 bytes each, the current one first
    Duration retention{};
};

struct StoreConfig {
    std::string timezone;
    TimeZone zone;  // the same, looked up
};

struct CloseConfig {
    std::string at;                            // empty: days are not closed by themselves
    std::optional<std::chrono::minutes> time;  // the same, from midnight
};

// What tells the movement day of a sale.
enum class DayClock { ours, request };

// The provider's statements, and what is done with them.
struct StatementConfig {
    DayClock day = DayClock::ours;
    StatementFormat format;
    std::string zone;     // of their times, as the tz database names it; empty: the store's
    TimeZone times;       // the same, looked up
    bool settle = false;  // whether a statement may decide an open sale by itself
    std::string folder;   // that is watched for them; empty: none
};

struct LogConfig {
    LogLevel level = LogLevel::info;
    LogFormat format = LogFormat::json;
};

// One text or a list of them; empty where the file has none.
struct TextOrTexts {
    std::vector<std::string> all;

    bool empty() const noexcept { return all.empty(); }
    friend bool operator==(const TextOrTexts&, const TextOrTexts&) = default;
};

// The numbers under which receipt printers know their code pages.
struct PrinterConfig {
    std::int64_t cp860 = 0;
    std::int64_t cp850 = 0;
    std::int64_t wpc1252 = 0;
};

// Of one terminal's printer, where they are others.
struct TerminalPrinterConfig {
    std::optional<std::int64_t> cp860;
    std::optional<std::int64_t> cp850;
    std::optional<std::int64_t> wpc1252;
};

struct TerminalConfig {
    std::string id;
    TextOrTexts key_sha256;        // 64 lower-case hex digits each: of its key, or of the old one and the new
    std::string estabelecimento;   // empty: the provider section's
    std::vector<Family> families;  // as listed; empty: all that the gateway can sell
    TerminalPrinterConfig printer{};
};

// Who may sign in at the console.
struct OperatorConfig {
    std::string name;
    Secret password;  // its hash, as new-operator prints it
    std::string role = "look";
};

struct ConsoleConfig {
    std::string help;  // whom to call; empty: not told
};

struct ConfigProblem {
    std::string key;       // "provider.connect_timeout", "terminals[2].id" (the second one); empty: the file as a whole
    unsigned line = 0;     // 0: the key stands nowhere
    std::string message;   // what is wrong and what would be right
    bool hinders = false;  // of a warning: a gateway starts with it, and cannot sell
};

struct Config {
    ListenConfig listen;
    ProviderConfig provider;
    SaleConfig sale;
    LimitsConfig limits;
    CacheConfig cache;
    ProxyConfig proxy;
    JournalConfig journal;
    StoreConfig store;
    CloseConfig close;
    StatementConfig statement;
    LogConfig log;
    ConsoleConfig console;
    PrinterConfig printer;
    std::vector<TerminalConfig> terminals;
    std::vector<OperatorConfig> operators;
    std::vector<Product> products;  // that terminals are told of
    std::vector<ConfigProblem> warnings;

    // Without a listener for callbacks and an address of it, nothing can be sold whose outcome arrives by one.
    bool takes_callbacks() const noexcept { return listen.callbacks.has_value() && !provider.callback_url.empty(); }
    // What the terminal may sell: what it lists, or else all, of what can be sold.
    std::vector<Family> families_of(const TerminalConfig& terminal) const;
};

// This maps each key and section of the file to its line.
using ConfigLines = std::map<std::string, unsigned>;
// The key's own line, or else its section's; 0 where the file has neither.
unsigned line_of(const ConfigLines& lines, std::string_view key);

struct ConfigReading {
    std::optional<Config> config;  // there exactly if there is no error
    std::vector<ConfigProblem> errors;
    std::vector<ConfigProblem> warnings;
    ConfigLines lines{};
    Config rest{};  // where there is an error: what could be read, for whoever looks for more errors

    const Config& seen() const { return config ? *config : rest; }
    bool has_error(std::string_view key) const;
};

// Reads the file and every file that it names. Relative paths are relative to the working directory.
ConfigReading load_config(const std::string& path);
// The same for a text.
ConfigReading read_config(std::string_view text);

// Where the journal is, whatever else is wrong with the file: a copy of it is wanted most on the day when the
// configuration is broken too.
// What a configuration says that names no journal.
inline constexpr std::string_view no_journal =
    "is missing: the file of the journal; or, on PostgreSQL, journal.url in its place";
struct JournalReading {
    std::string path;                   // empty exactly if there is an error, or a url
    std::string url{};                  // of a journal on PostgreSQL
    std::string password_file{};        // with the password for it; empty: none is asked for
    std::vector<ConfigProblem> errors;  // of the section and of the file as a whole
};
JournalReading load_journal_place(const std::string& path);

// Where the admin listener is, likewise, for commands that ask a gateway that runs.
struct AdminReading {
    std::optional<Endpoint> admin;      // there exactly if there is no error
    std::vector<ConfigProblem> errors;  // of the key and of the file as a whole
};
AdminReading load_admin_address(const std::string& path);
// store.timezone; nothing where the file cannot be read or names no zone that this machine knows.
std::optional<std::string> load_store_zone(const std::string& path);

// "gateway.toml:12: provider.connect_timeout: …".
std::string to_string(const ConfigProblem& problem, std::string_view path);

// A file or folder that a configuration names, and what the service does there.
struct NamedPath {
    enum class Use { reads, writes };
    std::string_view key;
    std::string path;
    Use use = Use::reads;
};
std::vector<NamedPath> paths_in(const Config& config);

}  // namespace gateway
