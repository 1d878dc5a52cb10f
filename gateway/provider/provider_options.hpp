// The section [provider] of the configuration says where the provider is, who we are there, and what it can do.
#pragma once

#include "base/clock.hpp"
#include "base/secret.hpp"
#include "http/client/addresses.hpp"
#include "http/client/tls_client.hpp"

#include <string>
#include <vector>

namespace gateway {

struct ProviderOptions {
    std::string environment = "production";  // or "homologation", the provider's test environment
    http::ServiceUrl base_url;
    http::ServiceUrl auth_url;
    bool allow_plaintext = false;
    http::ServiceUrl proxy;              // plain http without a path; empty if connections are made directly
    std::string proxy_credentials_file;  // empty if the proxy asks for no credentials
    Secret proxy_credentials;            // what the file holds, "user:password"
    http::TlsClientOptions tls;
    std::string app_key;
    Secret app_secret;                       // the secret, from the configuration or from app_secret_file
    std::string app_secret_file;             // the file that it was read from; empty if it stands in the configuration
    std::string credential_separator = ":";  // stands between key and secret; the document does not show it
    std::vector<std::string> scopes;
    std::string estabelecimento;      // may be empty only if every terminal has its own
    std::string id_prefix;            // four characters, or empty: see Ulid
    Duration connect_timeout{5'000};  // look-up, connection, tunnel and handshake may take so long together
    // One exchange may take so long, including the waits for a token and a connection.
    Duration request_timeout{15'000};
    http::ServiceUrl callback_url;  // the provider reaches the callbacks listener there
    // The default is the name in the provider's document, which puts neutral words in the place of names.
    std::string callback_field = "the service";
    std::string health_cancel_path;  // empty if there is none; may hold {health}
    // True if a 4xx without a status, as the answer to a cancel, is believed to mean that the provider has no such
    // sale.
    bool trust_cancel_4xx = true;
    // This path asks for an attempt's status, with {idExterno} or {idTransacao}; empty if there is none.
    std::string status_path;
    std::string list_path;  // the path of the list of a day, with {day}; empty if there is none
    // The provider cancels an open sale by itself after so long; 0 if it is not known to do that.
    Duration open_sales_end{0};

    std::string token_path() const { return auth_url.path + "/authorization/token"; }
    // When a sale begins, a token must still last so long: for both steps of the sale, and a little more. A token that
    // lives less than twice as long must last half its life.
    Duration needed_token_life() const { return 3 * request_timeout; }
};

}  // namespace gateway
