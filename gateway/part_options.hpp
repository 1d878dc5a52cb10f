// What each part is told by the configuration: the small options of every part, filled in from the one file.
#pragma once

#include "api/authenticator.hpp"
#include "api/machine.hpp"
#include "api/options.hpp"
#include "api/proxy.hpp"
#include "api/sales.hpp"
#include "api/sell.hpp"
#include "api/terminals.hpp"
#include "books/day_books.hpp"
#include "books/reconciler.hpp"
#include "config/config.hpp"
#include "console/sign_in.hpp"
#include "flow/options_cache.hpp"
#include "flow/seller.hpp"
#include "flow/token_store.hpp"
#include "http/client/https_client.hpp"
#include "http/server/server.hpp"
#include "journal/sqlite/open_sqlite_journal.hpp"
#include "provider/provider.hpp"
#include "provider/token_keeper.hpp"
#include "sale/machine.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gateway {

// `random` is what the journal seals with, and `log` where it says what it finds when it is opened.
JournalOptions journal_options(const Config& config, Random& random, Log& log);
Rules rules_of_law(const Config& config, const Provider& provider);
std::vector<Terminal> terminals_of(const Config& config);
// `tls` is what tls_client() made.
http::HttpsClientOptions client_options(const ProviderConfig& config, const ServiceUrl& url, std::string name,
                                        std::shared_ptr<const http::TlsClient> tls);
// What the proxy is shown: the value of a Proxy-Authorization, or nothing.
Secret proxy_authorization(const ProviderConfig& config);
// Nothing where neither address of the provider is https. The error names the file that cannot be used, in words.
boost::system::result<std::shared_ptr<const http::TlsClient>, std::string> tls_client(const ProviderConfig& config);
// Nothing where the listeners speak no TLS. Only terminals are asked for certificates.
std::optional<http::TlsFiles> tls_of_terminals(const ListenConfig& config);
std::optional<http::TlsFiles> tls_of_callbacks(const ListenConfig& config);
ProviderOptions provider_options(const ProviderConfig& config);
TokenKeeperOptions token_options(const ProviderConfig& config);
TokenOwner token_owner(const ProviderConfig& config);
SellerOptions seller_options(const Config& config);
OptionsCacheOptions options_cache_options(const Config& config);
AuthenticatorOptions authenticator_options(const ListenConfig& config);
SellApiOptions sell_options(const LimitsConfig& config);
SalesApiOptions sales_options(const LimitsConfig& config);
OptionsApiOptions options_options(const Config& config);
ProxyApiOptions proxy_options(const Config& config);
DayBooksOptions day_books_options(const Config& config);
ReconcilerOptions reconciler_options(const Config& config);
std::vector<Operator> operators_of(const Config& config);
SignInOptions sign_in_options(const Config& config);
std::vector<ConfigWarning> warnings_of(const std::vector<ConfigProblem>& problems);
// What the console's pages are told of the store.
boost::json::object console_facts(const Config& config, std::string_view version, WallTime now);
// Where a browser on this machine finds the console that listens there; empty where there is none.
std::string console_address(const std::optional<Endpoint>& console, bool tls);
// The path and query of the provider's list of a day, below provider.base_url.
std::string list_target(const ProviderConfig& config, Day day);

}  // namespace gateway
