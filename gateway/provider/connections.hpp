// Holds the connections to both services of the provider: the one that sells and the one that gives tokens. Both use
// the same certificates and the same proxy.
#pragma once

#include "base/error.hpp"
#include "http/client/https_client.hpp"
#include "provider/provider_options.hpp"

#include <memory>
#include <string>

namespace gateway {

class Connections {
  public:
    using Tls = std::shared_ptr<const http::TlsClient>;
    // Reads the certificates. The result is null if neither address is https. The error says in words which file cannot
    // be used.
    static boost::system::result<Tls, std::string> read_tls(const ProviderOptions& options);

    // `tls` is what read_tls() returned. `idle_max` says how long an idle connection to the service that sells is kept.
    Connections(const boost::asio::any_io_executor& executor, const ProviderOptions& options, Tls tls, Clock& clock,
                Random& random, Log& log, Duration idle_max = http::HttpsClientOptions().idle_max);

    http::HttpsClient& sales() noexcept { return sales_; }
    http::HttpsClient& tokens() noexcept { return tokens_; }
    // Uses these certificates and proxy credentials from the next connection on. `tls` is as for the constructor; null
    // leaves the certificates unchanged.
    void reload(const ProviderOptions& options, const Tls& tls);

  private:
    http::HttpsClient sales_;
    http::HttpsClient tokens_;
};

}  // namespace gateway
