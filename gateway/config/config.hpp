// This is the configuration: what the file says, checked. It is plain data. A section is the options of its part, with
// the part's own defaults; no part reads the file, the environment or a global variable for a setting.
//
// A file is accepted as a whole or not at all. All its errors are reported at once, each with the key, the line and
// what would be right. No message quotes a value that could be a secret.
#pragma once

#include "api/config_in_force.hpp"
#include "api/letterhead.hpp"
#include "api/proxy.hpp"
#include "api/sell.hpp"
#include "api/terminals.hpp"
#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/secret.hpp"
#include "base/told.hpp"
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
    std::vector<std::string> admin_names;  // names that it answers to, besides IP addresses and localhost
    std::optional<Endpoint> console;
    std::vector<std::string> console_names;    // the same for the console
    std::vector<std::string> trusted_proxies;  // addresses and networks, in front of terminals and callbacks
    bool proxy_protocol = false;               // whether these proxies send a PROXY header
    http::TlsFiles tls;  // cert and key, both or neither; the authorities check terminals' certificates
    // The console's own, both or neither; where it has none, it uses those above, and asks nobody for a certificate.
    http::TlsFiles console_tls;
    std::size_t body = 65536;  // limit of a terminal's request, in bytes
    std::size_t connections_per_address = 10'000;

    bool has_tls() const noexcept { return !tls.cert.empty(); }
    // Return nothing where the listeners do not use TLS. Only terminals are asked for certificates.
    std::optional<http::TlsFiles> tls_of_terminals() const;
    std::optional<http::TlsFiles> tls_of_callbacks() const;
    std::optional<http::TlsFiles> tls_of_console() const;
};

struct JournalConfig {
    // One of these two is set: the file of a journal on SQLite, or the database on PostgreSQL that several gateways
    // share.
    std::string path;
    std::string url;
    std::string password_file;  // holds the password of the user that the URL names; empty: no password is used
    Secret password{};          // the content of that file
    std::string gateway;        // the name of this gateway among those that share the journal
    std::string tally_file;     // where it remembers how much the database has acknowledged to it
    std::string key_file;       // empty: customers' data is not encrypted in the journal
    std::vector<Secret> keys;   // the content of that file, 32 bytes each, the current key first
    Duration retention = std::chrono::days(90);
};

struct StoreConfig {
    std::string timezone = "America/Sao_Paulo";
    TimeZone zone{};  // the rule of that zone
    Letterhead letterhead{};
};

// This is one text or a list of texts; empty where the file has neither.
struct TextOrTexts {
    std::vector<std::string> all;

    bool empty() const noexcept { return all.empty(); }
    friend bool operator==(const TextOrTexts&, const TextOrTexts&) = default;
};

// This is a terminal as the file has it. What is left out here is set for all terminals elsewhere.
struct TerminalConfig {
    std::string id;
    TextOrTexts key_sha256;        // of its key, or of the old and the new key; 64 lower-case hex digits each
    std::string estabelecimento;   // empty: that of the provider section
    std::vector<Family> families;  // in the file's order; empty: all that the gateway can sell
    struct Printer {               // nothing: that of the printer section
        std::optional<std::uint8_t> cp860;
        std::optional<std::uint8_t> cp850;
        std::optional<std::uint8_t> wpc1252;
    } printer{};
};

struct Config {
    ListenOptions listen;
    ProviderOptions provider;
    Rules sale;              // includes limits.hold and statement.day
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
    std::string help;            // console.help: whom a person can call; empty: not given
    std::string colour;          // console.colour: the store's, as "#rrggbb"; empty: not given
    std::string provider_phone;  // provider.phone: its telephone; empty: not given
    CodePageNumbers printer;     // those of the terminals' receipt printers
    std::vector<TerminalConfig> terminals;
    std::vector<Operator> operators;
    std::vector<Product> products;  // those that terminals are told about
    std::vector<ConfigProblem> warnings;

    // Tells whether callbacks can arrive. Otherwise no product can be sold whose outcome arrives by a callback.
    bool takes_callbacks() const noexcept { return listen.callbacks.has_value() && !provider.callback_url.empty(); }
    // Returns the families that the terminal may sell: those that it lists, or else all, as far as they can be sold.
    std::vector<Family> families_of(const TerminalConfig& terminal) const;
    // Returns the terminals that may call, with what the other sections set for them.
    std::vector<Terminal> callers() const;
};

// Maps each key and section of the file to its line.
using ConfigLines = std::map<std::string, unsigned>;
// Returns the line of the key, or else that of its section; 0 where the file has neither.
unsigned line_of(const ConfigLines& lines, std::string_view key);

struct ConfigReading {
    std::optional<Config> config;  // is set exactly where there is no error
    std::vector<ConfigProblem> errors;
    std::vector<ConfigProblem> warnings;
    ConfigLines lines{};
    Config rest{};  // after an error, what could be read, for those who look for further errors

    const Config& seen() const { return config ? *config : rest; }
    bool has_error(std::string_view key) const;
};

// Reads the file and every file that it names. Relative paths are relative to the working directory.
ConfigReading load_config(const std::string& path);
// Does the same for a text.
ConfigReading read_config(std::string_view text);

// This is the error about a configuration that names no journal.
inline constexpr std::string_view no_journal =
    told("is missing: the file of the journal; or, on PostgreSQL, journal.url in its place");
// Reads only where the journal is, whatever else is wrong with the file: a copy of the journal is wanted most on the
// day when the configuration is broken, too.
struct JournalReading {
    std::string path;                   // empty exactly where there is an error, or a URL
    std::string url{};                  // is set for a journal on PostgreSQL
    std::string password_file{};        // holds the password for it; empty: no password is used
    std::vector<ConfigProblem> errors;  // errors of the section, and of the file as a whole
};
JournalReading load_journal_place(const std::string& path);

// Reads only where the admin listener is, for commands that ask a running gateway.
struct AdminReading {
    std::optional<Endpoint> admin;      // is set exactly where there is no error
    std::vector<ConfigProblem> errors;  // errors of the key, and of the file as a whole
};
AdminReading load_admin_address(const std::string& path);
// Returns store.timezone; nothing where the file cannot be read, or names no zone that this machine knows.
std::optional<std::string> load_store_zone(const std::string& path);
// Returns provider.phone; an empty text where the file does not say it, or cannot be read.
std::string load_provider_phone(const std::string& path);

// Returns for example "gateway.toml:12: provider.connect_timeout: …".
std::string to_string(const ConfigProblem& problem, std::string_view path);

// This is a file or folder that a configuration names, and what the service does there.
struct NamedPath {
    enum class Use { reads, writes };
    std::string_view key;
    std::string path;
    Use use = Use::reads;
};
std::vector<NamedPath> paths_in(const Config& config);

}  // namespace gateway
