// The section [provider] of the configuration: where the provider is, who we are there, and what it can do.
#pragma once

#include "base/clock.hpp"
#include "base/secret.hpp"
#include "http/client/addresses.hpp"
#include "http/client/tls_client.hpp"

#include <string>
#include <vector>

namespace gateway {

struct ProviderOptions {
    std::string environment = "production";  // or "homologation": the provider's test environment
    http::ServiceUrl base_url;
    http::ServiceUrl auth_url;
    bool allow_plaintext = false;
    http::ServiceUrl proxy;              // plain http, without a path; empty: connections are made without one
    std::string proxy_credentials_file;  // empty: the proxy asks for none
    Secret proxy_credentials;            // what it holds, "user:password"
    http::TlsClientOptions tls;
    std::string app_key;
    Secret app_secret;                       // whether it stood in the file or in app_secret_file
    std::string app_secret_file;             // where it was read from, if it was
    std::string credential_separator = ":";  // between key and secret; the document does not show it
    std::vector<std::string> scopes;
    std::string estabelecimento;       // may be empty only where every terminal has its own
    std::string id_prefix;             // four characters, or empty: see Ulid
    Duration connect_timeout{5'000};   // for look-up, connection, tunnel and handshake together
    Duration request_timeout{15'000};  // for one exchange, waiting for a token and a connection included
    http::ServiceUrl callback_url;     // how the provider reaches the callbacks listener
    std::string callback_field = "the service";
    std::string health_cancel_path;  // empty: there is none; may hold {health}
    bool trust_cancel_4xx = true;    // to a cancel, without a status: the provider has no such sale
    std::string status_path;         // of an attempt, with {idExterno} or {idTransacao}; empty: there is none
    std::string list_path;           // of its list of a day, with {day}; empty: there is none
    Duration open_sales_end{0};      // after which it cancels an open sale by itself; 0: not known that it does

    std::string token_path() const { return auth_url.path + "/authorization/token"; }
    // How long a token must still last when a sale begins: for both of its steps, and a little more. Of a token that
    // lives shorter than twice that, half its life.
    Duration needed_token_life() const { return 3 * request_timeout; }
};

}  // namespace gateway
