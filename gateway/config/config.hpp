// The configuration: what the file says, checked. Plain data: a section is what its part is made from, with the part's
// own defaults, and nothing reads the file, the environment or a global for a setting of its own.
//
// A file is taken whole or not at all. What is wrong with it is told all at once, each with the key, the line and what
// would be right, and no message quotes a value that could be a secret.
#pragma once

#include "api/config_in_force.hpp"
#include "api/proxy.hpp"
#include "api/sell.hpp"
#include "api/terminals.hpp"
#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/secret.hpp"
#include "books/day_books.hpp"
#include "books/reconciler.hpp"
#include "console/sessions.hpp"
#include "families/product.hpp"
#include "flow/options_cache.hpp"
#include "flow/seller.hpp"
#include "http/server/server.hpp"
#include "paper/code_page.hpp"
#include "provider/provider_options.hpp"
#include "sale/machine.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

using Endpoint = boost::asio::ip::tcp::endpoint;

struct ListenOptions {
    Endpoint terminals{boost::asio::ip::address_v4::any(), 8080};
    std::optional<Endpoint> callbacks;
    Endpoint admin{boost::asio::ip::address_v4::loopback(), 9090};
    std::vector<std::string> admin_names;  // that it answers to, besides IP addresses and localhost
    std::optional<Endpoint> console;
    std::vector<std::string> console_names;    // the same, of the console
    std::vector<std::string> trusted_proxies;  // addresses and networks, in front of terminals and callbacks
    bool proxy_protocol = false;               // whether those send a PROXY header
    http::TlsFiles tls;        // cert and key, both or none; the authorities are of terminals' certificates
    std::size_t body = 65536;  // bytes, of terminals' requests
    std::size_t connections_per_address = 10'000;

    bool has_tls() const noexcept { return !tls.cert.empty(); }
    // Nothing where the listeners speak no TLS. Only terminals are asked for certificates.
    std::optional<http::TlsFiles> tls_of_terminals() const;
    std::optional<http::TlsFiles> tls_of_others() const;
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
    Duration retention = std::chrono::days(90);
};

struct StoreConfig {
    std::string timezone = "America/Sao_Paulo";
    TimeZone zone{};  // the same, looked up
};

// One text or a list of them; empty where the file has none.
struct TextOrTexts {
    std::vector<std::string> all;

    bool empty() const noexcept { return all.empty(); }
    friend bool operator==(const TextOrTexts&, const TextOrTexts&) = default;
};

// A terminal as the file has it: what is left out there is said for all terminals elsewhere.
struct TerminalConfig {
    std::string id;
    TextOrTexts key_sha256;        // 64 lower-case hex digits each: of its key, or of the old one and the new
    std::string estabelecimento;   // empty: the provider section's
    std::vector<Family> families;  // as listed; empty: all that the gateway can sell
    struct Printer {               // nothing: the printer section's
        std::optional<std::uint8_t> cp860;
        std::optional<std::uint8_t> cp850;
        std::optional<std::uint8_t> wpc1252;
    } printer{};
};

struct Config {
    ListenOptions listen;
    ProviderOptions provider;
    Rules sale;              // with limits.hold and statement.day
    SellerOptions seller;    // sale.duplicate_window and limits.in_flight
    SellApiOptions sell;     // limits.sell_wait and limits.per_terminal_rate
    Duration drain{20'000};  // limits.drain: how long a stop waits for running sales
    OptionsCacheOptions cache;
    ProxyApiOptions proxy;
    JournalConfig journal;
    StoreConfig store;
    DayBooksOptions close;
    ReconcilerOptions statement;
    LogOptions log;
    std::string help;         // console.help: whom to call; empty: not told
    CodePageNumbers printer;  // of the terminals' receipt printers
    std::vector<TerminalConfig> terminals;
    std::vector<Operator> operators;
    std::vector<Product> products;  // that terminals are told of
    std::vector<ConfigProblem> warnings;

    // Without a listener for callbacks and an address of it, nothing can be sold whose outcome arrives by one.
    bool takes_callbacks() const noexcept { return listen.callbacks.has_value() && !provider.callback_url.empty(); }
    // What the terminal may sell: what it lists, or else all, of what can be sold.
    std::vector<Family> families_of(const TerminalConfig& terminal) const;
    // Who may call, with all that the other sections say of them.
    std::vector<Terminal> callers() const;
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
    Config rest{};  // where there is an error: what could be read, for those who look for more errors

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
