#include "part_options.hpp"

#include "provider/token_answer.hpp"

#include <fmt/format.h>

namespace gateway {
namespace {

// A token that a sale begins with must last for both of its steps, and a little more.
Duration needed_token_life(const ProviderConfig& provider) {
    return 3 * provider.request_timeout;
}

// What the terminal's own printer says of itself, and for the rest what the printers of the store do.
CodePageNumbers numbers_of(const PrinterConfig& store, const TerminalPrinterConfig& own) {
    const auto number = [](std::optional<std::int64_t> first, std::int64_t otherwise) {
        return static_cast<std::uint8_t>(first.value_or(otherwise));
    };
    return {.cp860 = number(own.cp860, store.cp860),
            .cp850 = number(own.cp850, store.cp850),
            .wpc1252 = number(own.wpc1252, store.wpc1252)};
}

}  // namespace

JournalOptions journal_options(const Config& config, Random& random, Log& log) {
    JournalOptions options;
    options.path = config.journal.path;
    options.keys = config.journal.keys;
    options.random = &random;
    options.log = &log;
    options.id_prefix = config.provider.id_prefix;
    return options;
}

Rules rules_of_law(const Config& config, const Provider& provider) {
    Rules rules;
    rules.confirm_window = config.sale.confirm_window;
    rules.late_arrival = config.sale.late_arrival;
    rules.attention_after = config.sale.attention_after;
    rules.hold = config.limits.hold;
    rules.max_attempts = static_cast<int>(config.sale.max_attempts);
    rules.attempt_time = config.provider.request_timeout;
    rules.zone = config.store.zone;
    rules.day_by_request = config.statement.day == DayClock::request;
    for (const auto family : all_families)
        rules.can_cancel.at(static_cast<std::size_t>(family)) = provider.can_cancel(family);
    rules.trusts_cancel_4xx = config.provider.trust_cancel_4xx;
    rules.can_ask = provider.can_ask();
    rules.asks_by_id_transacao = provider.asks_by_id_transacao();
    return rules;
}

std::vector<Terminal> terminals_of(const Config& config) {
    std::vector<Terminal> terminals;
    for (const auto& terminal : config.terminals)
        terminals.push_back({.id = terminal.id,
                             .key_sha256 = terminal.key_sha256.all,
                             .estabelecimento = terminal.estabelecimento.empty() ? config.provider.estabelecimento
                                                                                 : terminal.estabelecimento,
                             .families = config.families_of(terminal),
                             .printer = numbers_of(config.printer, terminal.printer)});
    return terminals;
}

std::vector<Operator> operators_of(const Config& config) {
    std::vector<Operator> operators;
    for (const auto& person : config.operators) {
        auto password = PasswordHash::parse(person.password.reveal());
        const auto role = parse_role(person.role);
        if (password && role) operators.push_back({person.name, std::move(*password), *role});
    }
    return operators;
}

std::vector<ConfigWarning> warnings_of(const std::vector<ConfigProblem>& problems) {
    std::vector<ConfigWarning> warnings;
    warnings.reserve(problems.size());
    for (const auto& problem : problems)
        warnings.push_back({problem.key, problem.line, problem.message});
    return warnings;
}

SignInOptions sign_in_options(const Config& config) {
    return {.tls = config.listen.tls.on(), .operators = operators_of(config)};
}

boost::json::object console_facts(const Config& config, std::string_view version, WallTime now) {
    const auto& zone = config.store.zone;
    boost::json::value end = nullptr;
    if (config.provider.open_sales_end > Duration(0))
        end = std::chrono::duration_cast<std::chrono::seconds>(config.provider.open_sales_end).count();
    return {{"version", version},
            {"store", {{"timezone", config.store.timezone}, {"today", to_text(zone.day_of(now))}}},
            {"help", config.console.help},
            {"openSalesEnd", std::move(end)}};
}

std::string console_address(const std::optional<Endpoint>& console, bool tls) {
    if (!console) return {};
    const auto& address = console->address();
    auto host = address.is_unspecified() ? std::string("localhost") : address.to_string();
    if (address.is_v6() && !address.is_unspecified()) host = "[" + host + "]";
    return fmt::format("{}://{}:{}/", tls ? "https" : "http", host, console->port());
}

http::HttpsClientOptions client_options(const ProviderConfig& config, const ServiceUrl& url, std::string name,
                                        std::shared_ptr<const http::TlsClient> tls) {
    http::HttpsClientOptions options;
    options.name = std::move(name);
    options.origin = {.tls = url.tls, .host = url.host, .port = url.port};
    if (!config.proxy.empty())
        options.proxy = {.url = config.proxy.text,
                         .host = config.proxy.host,
                         .port = config.proxy.port,
                         .authorization = proxy_authorization(config)};
    options.tls = std::move(tls);
    options.connect_timeout = config.connect_timeout;
    return options;
}

Secret proxy_authorization(const ProviderConfig& config) {
    if (config.proxy_credentials.empty()) return {};
    return basic_credentials("", "", config.proxy_credentials);  // the separator stands in them already
}

boost::system::result<std::shared_ptr<const http::TlsClient>, std::string> tls_client(const ProviderConfig& config) {
    if (!config.base_url.tls && !config.auth_url.tls) return std::shared_ptr<const http::TlsClient>();
    const http::TlsClientOptions options{.ca_file = config.ca_file,
                                         .client_cert = config.client.cert,
                                         .client_key = config.client.key,
                                         .pinned_keys = config.pinned_key};
    return http::TlsClient::make(options);
}

std::optional<http::TlsFiles> tls_of_callbacks(const ListenConfig& config) {
    if (!config.tls.on()) return std::nullopt;
    return http::TlsFiles{.cert = config.tls.cert, .key = config.tls.key};
}

std::optional<http::TlsFiles> tls_of_terminals(const ListenConfig& config) {
    auto files = tls_of_callbacks(config);
    if (files) files->client_ca = config.client_ca;
    return files;
}

ProviderOptions provider_options(const ProviderConfig& config) {
    ProviderOptions options;
    options.base_path = config.base_url.path;
    options.request_timeout = config.request_timeout;
    options.callback_url = config.callback_url.text;
    options.callback_field = config.callback_field;
    options.health_cancel_path = config.health_cancel_path;
    options.status_path = config.status_path;
    return options;
}

TokenKeeperOptions token_options(const ProviderConfig& config) {
    TokenKeeperOptions options;
    options.token_path = config.auth_url.path + "/authorization/token";
    options.app_key = config.app_key;
    options.app_secret = config.app_secret;
    options.scopes = config.scopes;
    options.request_timeout = config.request_timeout;
    options.connect_timeout = config.connect_timeout;
    options.needed_life = needed_token_life(config);
    return options;
}

TokenOwner token_owner(const ProviderConfig& config) {
    return {.auth_url = config.auth_url.text,
            .app_key = config.app_key,
            .app_secret = config.app_secret,
            .scopes = config.scopes};
}

SellerOptions seller_options(const Config& config) {
    return {.in_flight = static_cast<std::size_t>(config.limits.in_flight),
            .duplicate_window = config.sale.duplicate_window};
}

OptionsCacheOptions options_cache_options(const Config& config) {
    OptionsCacheOptions options;
    options.ttl = config.cache.options;
    options.query_timeout = config.provider.request_timeout;
    return options;
}

AuthenticatorOptions authenticator_options(const ListenConfig& config) {
    return {.certificates = !config.client_ca.empty()};
}

SellApiOptions sell_options(const LimitsConfig& config) {
    return {.sell_wait = config.sell_wait, .per_terminal_rate = config.per_terminal_rate};
}

SalesApiOptions sales_options(const LimitsConfig& config) {
    return {.settle_wait = config.sell_wait};
}

OptionsApiOptions options_options(const Config& config) {
    return {.wait = config.provider.request_timeout, .products = config.products};
}

ProxyApiOptions proxy_options(const Config& config) {
    return {.allow = config.proxy.allow, .timeout = config.provider.request_timeout};
}

DayBooksOptions day_books_options(const Config& config) {
    return {.zone = config.store.zone, .at = config.close.time};
}

ReconcilerOptions reconciler_options(const Config& config) {
    ReconcilerOptions options;
    options.format = config.statement.format;
    options.zone = config.store.zone;
    options.settle = config.statement.settle;
    // On the two days of a year on which clocks are set it may be an hour off: a time only suggests which sale is
    // meant.
    options.statement_zone = [zone = config.statement.times](LocalTime time) {
        const auto midnight = std::chrono::floor<std::chrono::days>(time);
        return zone.begin_of(Day(midnight)) + (time - midnight);
    };
    return options;
}

std::string list_target(const ProviderConfig& config, Day day) {
    constexpr std::string_view placeholder = "{day}";
    auto path = config.list_path;
    for (auto at = path.find(placeholder); at != std::string::npos; at = path.find(placeholder, at))
        path.replace(at, placeholder.size(), to_text(day));
    return path;
}

}  // namespace gateway
