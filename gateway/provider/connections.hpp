// The connections to both services of the provider, the one that sells and the one that gives tokens: with the same
// certificates, and through the same proxy.
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
    // Reads the certificates; null where neither address is https. The error names the file that cannot be used, in
    // words.
    static boost::system::result<Tls, std::string> read_tls(const ProviderOptions& options);

    // `tls` is what read_tls() gave, and `idle_max` how long a connection to the service that sells is kept while it is
    // idle.
    Connections(const boost::asio::any_io_executor& executor, const ProviderOptions& options, Tls tls, Clock& clock,
                Random& random, Log& log, Duration idle_max = http::HttpsClientOptions().idle_max);

    http::HttpsClient& sales() noexcept { return sales_; }
    http::HttpsClient& tokens() noexcept { return tokens_; }
    // Shows these certificates and the proxy's credentials from the next connection on. `tls` is as for the
    // constructor; null leaves the certificates as they are.
    void reload(const ProviderOptions& options, const Tls& tls);

  private:
    http::HttpsClient sales_;
    http::HttpsClient tokens_;
};

}  // namespace gateway
