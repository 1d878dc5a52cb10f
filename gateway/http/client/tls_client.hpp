// The TLS side of a client: version 1.2 or later, the peer's chain and name always verified, sessions resumed.
#pragma once

#include "base/clock.hpp"
#include "net/stream.hpp"

#include <boost/system/result.hpp>
#include <openssl/ssl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gateway::http {

struct TlsClientOptions {
    std::string ca_file;      // PEM; empty: the system's store
    std::string client_cert;  // PEM with the chain; empty: none
    std::string client_key;
    // SHA-256 of public keys (SubjectPublicKeyInfo in DER), 64 lower-case hex digits each. Where there are any, one of
    // them must be in the peer's chain, besides all that is verified anyway.
    std::vector<std::string> pinned_keys{};
};

// What is remembered of one origin from one connection to the next.
struct TlsMemory {
    struct FreeSession {
        void operator()(SSL_SESSION* session) const noexcept { SSL_SESSION_free(session); }
    };
    std::unique_ptr<SSL_SESSION, FreeSession> session;
};

// Options, certificates and keys; any number of origins may share one.
class TlsClient {
  public:
    // The error names the file that cannot be used, in words.
    static boost::system::result<std::shared_ptr<const TlsClient>, std::string> make(const TlsClientOptions& options);

    // For one connection to `host`, a name or an IP address, which the peer's certificate must be for. `memory` and
    // this must outlive it. A session in `memory` is resumed without another look at certificates: it must be of this
    // client.
    Ssl open(const std::string& host, TlsMemory& memory) const;
    // When the certificate ends that a provider is shown; nothing where it is shown none.
    std::optional<WallTime> certificate_expires_at() const;

  private:
    struct FreeContext {
        void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
    };
    static int verify(X509_STORE_CTX* chain, void* client);
    TlsClient();
    // Why a file cannot be used; empty where all of them can.
    std::string use(const TlsClientOptions& options);

    std::unique_ptr<SSL_CTX, FreeContext> context_;
    std::vector<std::string> pinned_keys_;
};

// Why a handshake has just failed, in words; never empty.
std::string handshake_failure(SSL* tls);

}  // namespace gateway::http
