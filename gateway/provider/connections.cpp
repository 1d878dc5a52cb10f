#include "provider/connections.hpp"

#include "provider/token_answer.hpp"

namespace gateway {
namespace {

// The credentials of the proxy contain their separator already.
Secret proxy_authorization(const ProviderOptions& options) {
    return options.proxy_credentials.empty() ? Secret() : basic_credentials("", "", options.proxy_credentials);
}

http::HttpsClientOptions client_options(const ProviderOptions& options, std::string name, const http::Origin& origin,
                                        Connections::Tls tls) {
    http::HttpsClientOptions made;
    made.name = std::move(name);
    made.origin = origin;
    if (!options.proxy.empty())
        made.proxy = {.url = options.proxy.text,
                      .host = options.proxy.host,
                      .port = options.proxy.port,
                      .authorization = proxy_authorization(options)};
    made.tls = std::move(tls);
    made.connect_timeout = options.connect_timeout;
    return made;
}

http::HttpsClientOptions kept_for(http::HttpsClientOptions options, Duration idle_max) {
    options.idle_max = idle_max;
    return options;
}

}  // namespace

boost::system::result<Connections::Tls, std::string> Connections::read_tls(const ProviderOptions& options) {
    if (!options.base_url.tls && !options.auth_url.tls) return Tls();
    return http::TlsClient::make(options.tls);
}

Connections::Connections(const boost::asio::any_io_executor& executor, const ProviderOptions& options, Tls tls,
                         Clock& clock, Random& random, Log& log, Duration idle_max)
    : sales_(executor, kept_for(client_options(options, "provider", options.base_url, tls), idle_max), clock, random,
             log),
      tokens_(executor, client_options(options, "token_service", options.auth_url, tls), clock, random, log) {}

void Connections::reload(const ProviderOptions& options, const Tls& tls) {
    const auto authorization = proxy_authorization(options);
    for (auto* client : {&sales_, &tokens_}) {
        if (tls) client->use(tls);
        client->use_at_proxy(authorization);
    }
}

}  // namespace gateway
