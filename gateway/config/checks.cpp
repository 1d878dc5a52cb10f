#include "config/checks.hpp"

#include "base/ascii.hpp"
#include "base/ulid.hpp"
#include "config/files.hpp"
#include "config/spelling.hpp"
#include "config/values.hpp"
#include "net/networks.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/url/decode_view.hpp>
#include <boost/url/parse_path.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace gateway {

bool is_loopback(std::string_view host) {
    if (boost::beast::iequals(host, "localhost")) return true;
    boost::system::error_code failure;
    const auto address = boost::asio::ip::make_address(host, failure);
    if (failure) return false;
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return make_address_v4(boost::asio::ip::v4_mapped, address.to_v6()).is_loopback();
    return address.is_loopback();
}

bool is_host_name(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

void remark_on_secret(const Secret& secret, const std::string& path, const std::string& key, Diagnostics& diagnostics) {
    if (is_public(path)) diagnostics.warn(key, told("\"{}\" may be read by everybody on this machine"), path);
    if (const auto doubt = doubt_about_text(secret.reveal()))
        diagnostics.warn(key, told("what \"{}\" holds {}"), path, *doubt);
}

namespace {

// Nobody types a sale twice in less time than this.
constexpr Duration shortest_duplicate_window = std::chrono::seconds(1);

bool overlap(const Endpoint& a, const Endpoint& b) {
    const bool same_address =
        a.address() == b.address() || a.address().is_unspecified() || b.address().is_unspecified();
    // Port 0 stands for any free port.
    return a.port() != 0 && a.port() == b.port() && same_address;
}

// Checks a certificate and its key. The last two texts are the keys of the configuration that name the files.
void check_pair(const std::string& cert_file, const std::string& key_file, const TimeZone& zone,
                const std::string& cert, const std::string& key, Diagnostics& diagnostics) {
    if (cert_file.empty() && key_file.empty()) return;
    const bool is_read = !diagnostics.has_error(cert) && !diagnostics.has_error(key);
    if (is_read && cert_file.empty() != key_file.empty()) {
        const auto& present = cert_file.empty() ? key : cert;
        diagnostics.error(cert_file.empty() ? cert : key, told("is missing: {} is of no use without it"), present);
    }
    const auto remarks = look_at_pair(cert_file, key_file, zone);
    if (remarks.cert) diagnostics.error(cert, *remarks.cert);
    if (remarks.key) diagnostics.error(key, *remarks.key);
    if (remarks.validity) diagnostics.warn(cert, *remarks.validity);
    if (is_public(key_file)) diagnostics.warn(key, told("\"{}\" may be read by everybody on this machine"), key_file);
}

void check_authorities(const std::string& path, const TimeZone& zone, const std::string& key,
                       Diagnostics& diagnostics) {
    const auto remarks = look_at_authorities(path, zone);
    if (remarks.file) diagnostics.error(key, *remarks.file);
    for (const auto& doubt : remarks.validity) {
        if (remarks.none_is_good)
            diagnostics.hinder(key, told("{}; no certificate in the file is good today"), doubt);
        else
            diagnostics.warn(key, doubt);
    }
}

void check_names(const std::vector<std::string>& names, const std::string& key, Diagnostics& diagnostics) {
    for (const auto& name : names)
        if (!is_host_name(name))
            diagnostics.error(key,
                              told("\"{}\" is no name of a host; write it as it is called, without scheme and port, "
                                   "such as \"gateway.store\""),
                              name);
}

void check_trusted_proxies(const ListenOptions& listen, Diagnostics& diagnostics) {
    const std::string proxies = "listen.trusted_proxies";
    const std::string protocol = "listen.proxy_protocol";
    Networks networks;
    for (const auto& text : listen.trusted_proxies) {
        if (const auto wrong = networks.add(text)) diagnostics.error(proxies, told("\"{}\" {}"), text, *wrong);
        if (text.ends_with("/0")) diagnostics.warn(proxies, told("\"{}\" believes every caller"), text);
    }
    if (listen.proxy_protocol && listen.trusted_proxies.empty() && !diagnostics.has_error(proxies))
        diagnostics.error(protocol,
                          told("is of no use without listen.trusted_proxies: a PROXY header is taken from those "
                               "only"));
}

void check_listen(const Config& config, Diagnostics& diagnostics) {
    const auto& listen = config.listen;
    std::vector<std::pair<std::string, Endpoint>> listeners{{"listen.terminals", listen.terminals},
                                                            {"listen.admin", listen.admin}};
    if (listen.callbacks) listeners.emplace_back("listen.callbacks", *listen.callbacks);
    if (listen.console) listeners.emplace_back("listen.console", *listen.console);
    for (std::size_t i = 0; i < listeners.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (!overlap(listeners[i].second, listeners[j].second)) continue;
            if (diagnostics.has_error(listeners[i].first) || diagnostics.has_error(listeners[j].first)) continue;
            diagnostics.error(listeners[i].first,
                              told("is the address of {} too; give each listener a port of its own"),
                              listeners[j].first);
        }
    }
    if (!listen.admin.address().is_loopback()) {
        diagnostics.warn("listen.admin", told("can be reached from other machines, and asks nobody for a key"));
    }
    check_names(listen.admin_names, "listen.admin_names", diagnostics);
    check_names(listen.console_names, "listen.console_names", diagnostics);
    check_trusted_proxies(listen, diagnostics);
    check_pair(listen.tls.cert, listen.tls.key, config.store.zone, "listen.tls.cert", "listen.tls.key", diagnostics);
    check_pair(listen.console_tls.cert, listen.console_tls.key, config.store.zone, "listen.console_tls.cert",
               "listen.console_tls.key", diagnostics);
    if (listen.tls.client_ca.empty()) return;
    const std::string client_ca = "listen.tls.client_ca";
    if (!listen.has_tls() && !diagnostics.has_error("listen.tls.cert"))
        diagnostics.error(client_ca, told("is of no use without listen.tls.cert and key"));
    check_authorities(listen.tls.client_ca, config.store.zone, client_ca, diagnostics);
}

void check_plaintext(const http::ServiceUrl& url, const std::string& key, const ProviderOptions& provider,
                     Diagnostics& diagnostics) {
    // Through a proxy, even an address on this machine is reached by way of the proxy.
    const bool leaves = !is_loopback(provider.proxy.empty() ? url.host : provider.proxy.host) || !is_loopback(url.host);
    if (url.empty() || url.tls || !leaves || diagnostics.has_error("provider.allow_plaintext")) return;
    if (provider.allow_plaintext) {
        diagnostics.warn(key,
                         told("is plain http: credentials and sales travel where others can read and change them"));
    } else {
        diagnostics.error(key,
                          told("is plain http to another machine; use https, or set provider.allow_plaintext = true"));
    }
}

// Returns the secret in a file that has nothing else in its one line; empty after an error.
Secret checked_secret(const std::string& path, const std::string& key, std::string_view what,
                      Diagnostics& diagnostics) {
    auto secret = read_secret(path, what);
    if (!secret) {
        diagnostics.error(key, secret.error());
        return {};
    }
    remark_on_secret(*secret, path, key, diagnostics);
    return std::move(*secret);
}

void check_secret(ProviderOptions& provider, Diagnostics& diagnostics) {
    const std::string literal = "provider.app_secret";
    const std::string file = "provider.app_secret_file";
    if (diagnostics.has_error(literal) || diagnostics.has_error(file)) return;
    if (!provider.app_secret.empty() && !provider.app_secret_file.empty()) {
        diagnostics.error(literal, told("stands beside app_secret_file; keep one of the two: in a store, the file"));
    } else if (!provider.app_secret.empty()) {
        diagnostics.warn(literal, told("stands in the configuration itself; outside of trials put it into an "
                                       "app_secret_file"));
        if (const auto fault = invisible_in(provider.app_secret.reveal())) diagnostics.error(literal, *fault);
    } else if (provider.app_secret_file.empty()) {
        diagnostics.error(file, told("is missing: a file that holds the app-secret and nothing else"));
    } else {
        provider.app_secret = checked_secret(provider.app_secret_file, file, told("the app-secret"), diagnostics);
    }
}

void check_outbound_proxy(ProviderOptions& provider, Diagnostics& diagnostics) {
    const std::string proxy = "provider.proxy";
    const std::string file = "provider.proxy_credentials_file";
    if (provider.proxy.tls || !provider.proxy.path.empty())
        diagnostics.error(proxy,
                          told("must be an address such as \"http://proxy.store:3128\", without a path; the connection "
                               "to the proxy is plain, and the provider's TLS goes through it"));
    if (provider.proxy_credentials_file.empty()) return;
    if (provider.proxy.empty() && !diagnostics.has_error(proxy))
        diagnostics.warn(file, told("is of no use without provider.proxy"));
    constexpr std::string_view what = "user:password";
    provider.proxy_credentials = checked_secret(provider.proxy_credentials_file, file, what, diagnostics);
    const auto colon = provider.proxy_credentials.reveal().find(':');
    if (!diagnostics.has_error(file) && (colon == std::string::npos || colon == 0))
        diagnostics.error(file, told("\"{}\" must hold {} on one line"), provider.proxy_credentials_file, what);
}

void check_pinned_keys(ProviderOptions& provider, Diagnostics& diagnostics) {
    for (auto& digest : provider.tls.pinned_keys) {
        digest = to_lower(digest);
        const bool fine = digest.size() == 64 && digest.find_first_not_of("0123456789abcdef") == std::string::npos;
        if (!fine)
            return diagnostics.error("provider.pinned_key",
                                     told("must list SHA-256 digests of public keys, 64 hex digits each; config/"
                                          "gateway.example.toml says how to make one"));
    }
    const bool knows_addresses =
        !diagnostics.has_error("provider.base_url") && !diagnostics.has_error("provider.auth_url");
    if (!provider.tls.pinned_keys.empty() && knows_addresses && !provider.base_url.tls && !provider.auth_url.tls)
        diagnostics.warn("provider.pinned_key", told("is of no use: neither address of the provider is https"));
}

void check_callback_field(const ProviderOptions& provider, Diagnostics& diagnostics) {
    static constexpr std::array taken{"estabelecimento", "produto",      "idExterno",  "consumidor",      "endereco",
                                      "servicoId",       "valorRecarga", "urlRecarga", "dataHoraCliente", "valor"};
    const std::string key = "provider.callback_field";
    if (diagnostics.has_error(key)) return;
    if (provider.callback_field.empty()) {
        diagnostics.error(key, told("must not be empty; leave the key out for the name in the provider's document"));
    } else if (std::ranges::find(taken, provider.callback_field) != taken.end()) {
        diagnostics.error(key, told("is the name of another field of the eSIM sale request"));
    }
}

void check_id_prefix(const ProviderOptions& provider, Diagnostics& diagnostics) {
    const std::string key = "provider.id_prefix";
    if (diagnostics.has_error(key) || provider.id_prefix.empty() || Ulid::is_prefix(provider.id_prefix)) return;
    diagnostics.error(key,
                      told("must be {} characters of 0-9 and A-Z without I, L, O and U, as all of an idExterno are"),
                      Ulid::prefix_length);
}

// Accepts only segments of plain letters, so that there is no second way to write a forbidden path: no
// percent-encoding, no empty or dot segment, no query.
bool is_plain_path(std::string_view path) {
    if (!path.starts_with('/')) return false;
    while (!path.empty()) {
        path.remove_prefix(1);
        const auto segment = path.substr(0, path.find('/'));
        path.remove_prefix(segment.size());
        const bool plain =
            std::ranges::all_of(segment, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
        const bool dots = segment.find_first_not_of('.') == std::string_view::npos;
        if (segment != "{health}" && (!plain || dots)) return false;
    }
    return true;
}

void check_health_cancel_path(const ProviderOptions& provider, Diagnostics& diagnostics) {
    const std::string key = "provider.health_cancel_path";
    const auto& path = provider.health_cancel_path;
    if (path.empty()) return;
    const auto end = to_lower(path.substr(0, path.find_last_not_of('/') + 1));
    if (end.ends_with("/confirmar")) {
        diagnostics.error(key, told("ends in /confirmar: a cancel sent there confirms the sale"));
    } else if (!is_plain_path(path)) {
        diagnostics.error(key,
                          told("must be a path such as \"/venda/{{health}}/cancelar\": segments of letters, digits, - "
                               "_ and . or {{health}}, no slash at the end, no percent-encoding, no query"));
    }
}

void check_callbacks(const Config& config, Diagnostics& diagnostics) {
    const std::string url = "provider.callback_url";
    const std::string listener = "listen.callbacks";
    if (diagnostics.has_error(url) || diagnostics.has_error(listener)) return;
    if (config.listen.callbacks && config.provider.callback_url.empty()) {
        diagnostics.warn(listener, told("is of no use without provider.callback_url: no eSIM can be sold"));
    }
    if (!config.listen.callbacks && !config.provider.callback_url.empty()) {
        diagnostics.warn(url, told("is of no use without listen.callbacks: no eSIM can be sold"));
    }
    const auto& address = config.provider.callback_url;
    if (!address.empty() && !address.tls && !is_loopback(address.host)) {
        diagnostics.warn(url, told("is plain http: anyone who reads along can report an eSIM sale's outcome in the "
                                   "provider's name"));
    }
    // A proxy in front may accept plain HTTP and pass it on with TLS.
    if (!address.empty() && !address.tls && config.listen.callbacks && config.listen.has_tls() &&
        config.listen.trusted_proxies.empty()) {
        diagnostics.warn(url, told("is plain http, but with listen.tls the callbacks listener speaks TLS too and "
                                   "understands no callback: write https, and let the provider trust listen.tls.cert"));
    }
}

void check_provider(Config& config, Diagnostics& diagnostics) {
    auto& provider = config.provider;
    check_plaintext(provider.base_url, "provider.base_url", provider, diagnostics);
    check_plaintext(provider.auth_url, "provider.auth_url", provider, diagnostics);
    if (!provider.tls.ca_file.empty())
        check_authorities(provider.tls.ca_file, config.store.zone, "provider.ca_file", diagnostics);
    check_pair(provider.tls.client_cert, provider.tls.client_key, config.store.zone, "provider.client_cert",
               "provider.client_key", diagnostics);
    check_pinned_keys(provider, diagnostics);
    check_secret(provider, diagnostics);
    check_outbound_proxy(provider, diagnostics);
    check_provider_facts(provider, diagnostics);
    check_callback_field(provider, diagnostics);
    check_id_prefix(provider, diagnostics);
    check_health_cancel_path(provider, diagnostics);
    check_callbacks(config, diagnostics);
    const bool knows_timeout = !diagnostics.has_error("provider.request_timeout");
    if (provider.connect_timeout > provider.request_timeout) {
        const std::string key = "provider.connect_timeout";
        if (diagnostics.has(key) && knows_timeout && !diagnostics.has_error(key))
            diagnostics.warn(key,
                             told("is longer than provider.request_timeout, which includes it: that is what counts"));
        provider.connect_timeout = provider.request_timeout;
    }
    if (config.sale.confirm_window < provider.request_timeout && knows_timeout &&
        !diagnostics.has_error("sale.confirm_window")) {
        diagnostics.warn("sale.confirm_window",
                         told("is shorter than provider.request_timeout: a confirm whose answer is lost is not "
                              "repeated"));
    }
}

// Says what is wrong with an entry of proxy.allow; empty where it is a path that normalisation does not change.
std::string_view complaint_about_path(std::string_view entry) {
    auto path = entry;
    if (path.ends_with("/*")) path.remove_suffix(1);
    if (!path.starts_with('/')) return told("must begin with a slash");
    if (!boost::urls::parse_path(path) || path.find('*') != std::string_view::npos) {
        return told("must be a path, or a prefix that ends in /*, without a query");
    }
    while (!path.empty()) {
        path.remove_prefix(1);
        const auto segment = path.substr(0, path.find('/'));
        path.remove_prefix(segment.size());
        const boost::urls::decode_view plain(segment);
        // Only the last segment may be empty, behind the slash of a prefix or a folder.
        if (plain == "." || plain == ".." || (plain.empty() && !path.empty()))
            return told("has an empty or a dot segment");
    }
    return {};
}

void check_proxy(const Config& config, Diagnostics& diagnostics) {
    for (const auto& entry : config.proxy.allow) {
        if (const auto wrong = complaint_about_path(entry); !wrong.empty())
            diagnostics.error("proxy.allow", told("\"{}\" {}"), entry, wrong);
    }
}

void check_duplicate_window(const Config& config, Diagnostics& diagnostics) {
    const std::string key = "sale.duplicate_window";
    const auto window = config.seller.duplicate_window;
    if (diagnostics.has_error(key) || diagnostics.has_error("journal.retention") || window == Duration(0)) return;
    if (window < shortest_duplicate_window)
        diagnostics.error(
            key, told("is shorter than a sale takes: write \"0s\" to look for no duplicates, else 1s or more"));
    if (window > config.journal.retention)
        diagnostics.warn(key, told("is longer than journal.retention: older sales are no longer known by then"));
}

void check_environment(const ProviderOptions& provider, Diagnostics& diagnostics) {
    const std::string key = "provider.environment";
    if (!diagnostics.has_error(key) && provider.environment != "production" && provider.environment != "homologation")
        diagnostics.error(key, told("must be \"production\" or \"homologation\""));
}

void check_list_path(const ProviderOptions& provider, Diagnostics& diagnostics) {
    const auto& path = provider.list_path;
    const bool plain = path.starts_with('/') && path.find("{day}") != std::string::npos &&
                       std::ranges::all_of(path, [](char c) { return c > ' ' && c < '\x7f' && c != '#'; });
    if (!path.empty() && !plain)
        diagnostics.error("provider.list_path",
                          told("must be a path that has {{day}} in it, such as \"/list?day={{day}}\""));
}

// Placeholders in braces are filled in. A misspelt one would be sent as it stands.
void check_status_path(const ProviderOptions& provider, Diagnostics& diagnostics) {
    const std::string key = "provider.status_path";
    const auto& path = provider.status_path;
    if (path.empty()) return;
    const bool plain =
        path.starts_with('/') && std::ranges::all_of(path, [](char c) { return c > ' ' && c < '\x7f' && c != '#'; });
    if (!plain) {
        diagnostics.error(key, told("must be a path such as \"/venda/transacao/{{idExterno}}\", without spaces and #"));
        return;
    }
    bool names_a_sale = false;
    for (std::size_t at = 0; (at = path.find_first_of("{}", at)) != std::string::npos;) {
        const auto placeholder = path.substr(at, path.find('}', at) + 1 - at);
        if (placeholder != "{idExterno}" && placeholder != "{idTransacao}") {
            diagnostics.error(key, told("may have {{idExterno}} and {{idTransacao}} in it, and no other braces"));
            return;
        }
        names_a_sale = true;
        at += placeholder.size();
    }
    if (!names_a_sale)
        diagnostics.error(key, told("must have {{idExterno}} or {{idTransacao}} in it: a sale is asked for"));
}

}  // namespace

void look_up_zone(const std::string& key, const std::string& name, TimeZone& zone, Diagnostics& diagnostics) {
    if (diagnostics.has_error(key)) return;
    if (const auto found = TimeZone::find(name)) {
        zone = *found;
        return;
    }
    const auto known = TimeZone::names();
    if (known.empty())
        diagnostics.error(key, told("cannot be looked up: this machine has no time zone database; install tzdata"));
    else
        diagnostics.error(key, told("\"{}\" is no time zone that this machine knows{}"), name,
                          did_you_mean(name, std::vector<std::string_view>(known.begin(), known.end())));
}

// The zone is looked up first, because the other checks show times in it.
void check_config(Config& config, Diagnostics& diagnostics) {
    look_up_zone("store.timezone", config.store.timezone, config.store.zone, diagnostics);
    config.sale.zone = config.store.zone;
    config.close.zone = config.store.zone;
    check_listen(config, diagnostics);
    check_provider(config, diagnostics);
    check_proxy(config, diagnostics);
    check_journal(config.journal, diagnostics);
    check_duplicate_window(config, diagnostics);
    check_status_path(config.provider, diagnostics);
    check_environment(config.provider, diagnostics);
    check_list_path(config.provider, diagnostics);
    check_terminals(config, diagnostics);
    check_store(config, diagnostics);
    check_console(config, diagnostics);
    check_products(config, diagnostics);
    check_statement(config, diagnostics);
}

}  // namespace gateway
