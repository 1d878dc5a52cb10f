#include "config/keys.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace gateway {

namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using enum AtReload;

// A zero would silently switch off what it measures, so nothing below a millisecond is accepted. The upper limits only
// catch a wrong unit.
constexpr Duration shortest = 1ms;
constexpr Bounds up_to(Duration most) {
    return between(shortest, most);
}

// This is the n of the printer's command ESC t n.
constexpr Bounds a_byte = between(0, 255);

#define SLOT(member) [](Target& t) -> Slot { return &t.member; }

constexpr std::array keys{
    Key{"listen.terminals", SLOT(config.listen.terminals)},
    Key{"listen.callbacks", SLOT(config.listen.callbacks)},
    Key{"listen.admin", SLOT(config.listen.admin)},
    Key{"listen.admin_names", SLOT(config.listen.admin_names)},
    Key{"listen.console", SLOT(config.listen.console)},
    Key{"listen.console_names", SLOT(config.listen.console_names)},
    Key{"listen.trusted_proxies", SLOT(config.listen.trusted_proxies)},
    Key{"listen.proxy_protocol", SLOT(config.listen.proxy_protocol)},
    Key{"listen.tls.cert", SLOT(config.listen.tls.cert), {.at_reload = replaced, .is_credential = true}},
    Key{"listen.tls.key", SLOT(config.listen.tls.key), {.at_reload = replaced, .is_credential = true}},
    Key{"listen.tls.client_ca", SLOT(config.listen.tls.client_ca), {.at_reload = replaced, .is_credential = true}},
    Key{"listen.console_tls.cert",
        SLOT(config.listen.console_tls.cert),
        {.at_reload = replaced, .is_credential = true}},
    Key{"listen.console_tls.key", SLOT(config.listen.console_tls.key), {.at_reload = replaced, .is_credential = true}},

    Key{"provider.environment", SLOT(config.provider.environment)},
    Key{"provider.base_url",
        SLOT(config.provider.base_url),
        {.missing = told("The provider's sales address, with its path prefix if it has one.")}},
    Key{"provider.auth_url",
        SLOT(config.provider.auth_url),
        {.missing = told("The provider's token address; /authorization/token is added to it.")}},
    Key{"provider.allow_plaintext", SLOT(config.provider.allow_plaintext)},
    Key{"provider.proxy", SLOT(config.provider.proxy)},
    Key{"provider.proxy_credentials_file",
        SLOT(config.provider.proxy_credentials_file),
        {.at_reload = taken, .is_credential = true}},
    Key{"provider.ca_file", SLOT(config.provider.tls.ca_file), {.at_reload = taken, .is_credential = true}},
    Key{"provider.pinned_key", SLOT(config.provider.tls.pinned_keys), {.at_reload = taken}},
    Key{"provider.client_cert", SLOT(config.provider.tls.client_cert), {.at_reload = taken, .is_credential = true}},
    Key{"provider.client_key", SLOT(config.provider.tls.client_key), {.at_reload = taken, .is_credential = true}},
    Key{"provider.app_key",
        SLOT(config.provider.app_key),
        {.missing = told("The app-key that the provider supplied.")}},
    Key{"provider.app_secret_file", SLOT(config.provider.app_secret_file), {.at_reload = taken, .is_credential = true}},
    Key{"provider.app_secret", SLOT(config.provider.app_secret), {.at_reload = taken}},
    Key{"provider.scopes",
        SLOT(config.provider.scopes),
        {.missing = told("The product scopes that the token is asked for.")}},
    Key{"provider.estabelecimento", SLOT(config.provider.estabelecimento)},
    Key{"provider.id_prefix", SLOT(config.provider.id_prefix)},
    Key{"provider.connect_timeout", SLOT(config.provider.connect_timeout), {.bounds = up_to(1min)}},
    Key{"provider.request_timeout", SLOT(config.provider.request_timeout), {.bounds = up_to(5min)}},
    Key{"provider.callback_url", SLOT(config.provider.callback_url)},
    Key{"provider.callback_field", SLOT(config.provider.callback_field)},
    Key{"provider.health_cancel_path", SLOT(config.provider.health_cancel_path)},
    Key{"provider.trust_cancel_4xx", SLOT(config.provider.trust_cancel_4xx)},
    Key{"provider.status_path", SLOT(config.provider.status_path)},
    Key{"provider.list_path", SLOT(config.provider.list_path)},
    Key{"provider.phone", SLOT(config.provider_phone)},
    Key{"provider.open_sales_end", SLOT(config.provider.open_sales_end), {.bounds = between(0ms, days(90))}},

    Key{"sale.confirm_window", SLOT(config.sale.confirm_window), {.bounds = up_to(1h)}},
    Key{"sale.late_arrival", SLOT(config.sale.late_arrival), {.bounds = up_to(1h)}},
    Key{"sale.attention_after", SLOT(config.sale.attention_after), {.bounds = up_to(days(30))}},
    Key{"sale.max_attempts", SLOT(config.sale.max_attempts), {.bounds = between(1, 10)}},
    Key{"sale.duplicate_window", SLOT(config.seller.duplicate_window), {.bounds = between(0ms, days(1))}},

    Key{"limits.sell_wait", SLOT(config.sell.sell_wait), {.bounds = between(1ms, 120s)}},
    Key{"limits.hold", SLOT(config.sale.hold), {.bounds = up_to(days(1))}},
    Key{"limits.drain", SLOT(config.drain), {.bounds = between(0ms, 10min)}},
    Key{"limits.body", SLOT(config.listen.body), {.bounds = between(1, 16 * 1024 * 1024)}},
    Key{"limits.in_flight", SLOT(config.seller.in_flight), {.bounds = between(1, 1'000'000)}},
    Key{"limits.per_terminal_rate", SLOT(config.sell.per_terminal_rate), {.bounds = between(1, 100'000)}},
    Key{"limits.connections_per_address", SLOT(config.listen.connections_per_address), {.bounds = between(1, 12'000)}},

    Key{"cache.options", SLOT(config.cache.ttl), {.bounds = between(0ms, days(1))}},

    Key{"proxy.allow", SLOT(config.proxy.allow)},

    Key{"journal.path", SLOT(config.journal.path)},
    Key{"journal.url", SLOT(config.journal.url)},
    Key{"journal.password_file", SLOT(config.journal.password_file), {.is_credential = true}},
    Key{"journal.gateway", SLOT(config.journal.gateway)},
    Key{"journal.tally_file", SLOT(config.journal.tally_file)},
    Key{"journal.key_file", SLOT(config.journal.key_file), {.is_credential = true}},
    Key{"journal.retention", SLOT(config.journal.retention), {.bounds = between(1s, days(3650))}},

    Key{"store.name", SLOT(config.store.letterhead.name)},
    Key{"store.cnpj", SLOT(config.store.letterhead.cnpj)},
    Key{"store.timezone", SLOT(config.store.timezone)},

    Key{"close.at", SLOT(config.close.at)},

    Key{"statement.day", SLOT(config.sale.day)},
    Key{"statement.encoding", SLOT(config.statement.format.encoding)},
    Key{"statement.separator", SLOT(config.statement.format.separator)},
    Key{"statement.network", SLOT(config.statement.format.network)},
    Key{"statement.covers", SLOT(config.statement.format.covers)},
    Key{"statement.money", SLOT(config.statement.format.money)},
    Key{"statement.header_money", SLOT(config.statement.format.header_money)},
    Key{"statement.counts", SLOT(config.statement.format.counts)},
    Key{"statement.time", SLOT(config.statement.format.time)},
    Key{"statement.zone", SLOT(config.statement.zone)},
    Key{"statement.ignore", SLOT(config.statement.format.ignored)},
    Key{"statement.any_id", SLOT(config.statement.format.any_id)},
    Key{"statement.settle", SLOT(config.statement.settle)},
    Key{"statement.folder", SLOT(config.statement.folder)},
    Key{"statement.detail.column",
        SLOT(config.statement.format.detail_column),
        {.bounds = between(1, max_statement_columns)}},
    Key{"statement.detail.text", SLOT(config.statement.format.detail_text)},
    Key{"statement.columns.idExterno",
        SLOT(config.statement.format.columns.id_externo),
        {.bounds = between(1, max_statement_columns)}},
    Key{"statement.columns.idTransacao",
        SLOT(config.statement.format.columns.id_transacao),
        {.bounds = between(1, max_statement_columns)}},
    Key{"statement.columns.nsu",
        SLOT(config.statement.format.columns.nsu),
        {.bounds = between(1, max_statement_columns)}},
    Key{"statement.columns.valor",
        SLOT(config.statement.format.columns.valor),
        {.bounds = between(1, max_statement_columns)}},
    Key{"statement.columns.status",
        SLOT(config.statement.format.columns.status),
        {.bounds = between(1, max_statement_columns)}},
    Key{"statement.columns.dataHora",
        SLOT(config.statement.format.columns.data_hora),
        {.bounds = between(1, max_statement_columns)}},
    Key{"statement.columns.estabelecimento",
        SLOT(config.statement.format.columns.estabelecimento),
        {.bounds = between(1, max_statement_columns)}},
    Key{"statement.words.EFETIVADA", SLOT(config.statement.format.words.efetivada)},
    Key{"statement.words.CANCELADA", SLOT(config.statement.format.words.cancelada)},
    Key{"statement.words.NEGADA", SLOT(config.statement.format.words.negada)},
    Key{"statement.words.AUTORIZADA", SLOT(config.statement.format.words.autorizada)},

    Key{"console.help", SLOT(config.help)},
    Key{"console.colour", SLOT(config.colour)},

    Key{"log.level", SLOT(config.log.level), {.at_reload = taken}},
    Key{"log.format", SLOT(config.log.format)},
    Key{"log.language", SLOT(config.log.language), {.at_reload = taken}},

    Key{"printer.cp860", SLOT(config.printer.cp860), {.bounds = a_byte, .at_reload = taken}},
    Key{"printer.cp850", SLOT(config.printer.cp850), {.bounds = a_byte, .at_reload = taken}},
    Key{"printer.wpc1252", SLOT(config.printer.wpc1252), {.bounds = a_byte, .at_reload = taken}},

    Key{"terminals.id",
        SLOT(terminal->id),
        {.missing = told("The terminal's name, in every sale and log line of it.")}},
    Key{"terminals.key_sha256",
        SLOT(terminal->key_sha256),
        {.missing =
             told("The SHA-256 of the terminal's key, in hex, or a list of the old key's and the new one's; the keys "
                  "themselves stand only in the terminal.")}},
    Key{"terminals.estabelecimento", SLOT(terminal->estabelecimento)},
    Key{"terminals.families", SLOT(terminal->families)},
    Key{"terminals.printer.cp860", SLOT(terminal->printer.cp860), {.bounds = a_byte}},
    Key{"terminals.printer.cp850", SLOT(terminal->printer.cp850), {.bounds = a_byte}},
    Key{"terminals.printer.wpc1252", SLOT(terminal->printer.wpc1252), {.bounds = a_byte}},

    Key{"products.family", SLOT(product->family), {.missing = told("The product's family.")}},
    Key{"products.produto", SLOT(product->produto)},
    Key{"products.label", SLOT(product->label)},
    Key{"products.price_list", SLOT(product->price_list)},
    Key{"products.fornecedor", SLOT(product->fornecedor)},
    Key{"products.tipoNegocio",
        SLOT(product->tipo_negocio),
        {.bounds = between(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max())}},
    Key{"products.nomeMenu", SLOT(product->nome_menu)},
    Key{"products.transit", SLOT(product->transit)},
    Key{"products.health", SLOT(product->health)},

    Key{"operators.name",
        SLOT(person->name),
        {.missing = told("Who signs in at the console, and whose name stands in the story of what is settled there.")}},
    Key{"operators.password",
        SLOT(person->password),
        {.missing = told("The hash of the password, as sales-gateway new-operator prints it.")}},
    Key{"operators.role", SLOT(person->role)},
};

#undef SLOT

// The parts that a reload tells these sections, in app/app.cpp and app/lifecycle.cpp, take their new values.
constexpr std::array<std::string_view, 5> reloaded_sections{"listen.tls", "listen.console_tls", "provider", "log",
                                                            "printer"};

constexpr bool is_reloaded(const Key& key) {
    const auto section = key.name.substr(0, key.name.rfind('.'));
    return std::ranges::find(reloaded_sections, section) != reloaded_sections.end();
}
static_assert(std::ranges::all_of(keys,
                                  [](const Key& key) { return key.rules.at_reload == waits || is_reloaded(key); }),
              "a reload takes a key whose section is told to no part: give its part a reload(), name the part with "
              "lifecycle.reloads in app/app.cpp, and add the section to reloaded_sections");

}  // namespace

std::span<const Key> all_keys() noexcept {
    return keys;
}

std::string name_of_entry(std::string_view section, std::size_t index) {
    return std::string(section) + "[" + std::to_string(index + 1) + "]";
}

bool is_in_a_list(const Key& key) noexcept {
    const auto section = key.name.substr(0, key.name.find('.'));
    return section == terminals_section || section == products_section || section == operators_section;
}

}  // namespace gateway
