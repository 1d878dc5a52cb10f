// This is the TLS side of a client. It speaks version 1.2 or later, always verifies the peer's chain and name, and
// resumes sessions.
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
    std::string ca_file;      // in PEM; empty for the system's store
    std::string client_cert;  // in PEM with the chain; empty if there is none
    std::string client_key;
    // These are SHA-256 of public keys (SubjectPublicKeyInfo in DER), each as 64 lower-case hex digits. If there are
    // any, one of them must be in the peer's chain, in addition to everything else that is verified.
    std::vector<std::string> pinned_keys{};
};

// Holds what is remembered of one origin from one connection to the next.
struct TlsMemory {
    struct FreeSession {
        void operator()(SSL_SESSION* session) const noexcept { SSL_SESSION_free(session); }
    };
    std::unique_ptr<SSL_SESSION, FreeSession> session;
};

// Holds options, certificates and keys. Any number of origins may share one.
class TlsClient {
  public:
    // The error says in words which file cannot be used.
    static boost::system::result<std::shared_ptr<const TlsClient>, std::string> make(const TlsClientOptions& options);

    // Makes the TLS of one connection to `host`, a name or an IP address, which the peer's certificate must be for.
    // `memory` and this object must outlive it. A session in `memory` is resumed without another look at certificates,
    // so it must come from this client.
    Ssl open(const std::string& host, TlsMemory& memory) const;
    // Returns the end of the certificate that we show to a provider, and nothing if we show none.
    std::optional<WallTime> certificate_expires_at() const;

  private:
    struct FreeContext {
        void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
    };
    static int verify(X509_STORE_CTX* chain, void* client);
    TlsClient();
    // Says why a file cannot be used, or is empty if all of them can.
    std::string use(const TlsClientOptions& options);

    std::unique_ptr<SSL_CTX, FreeContext> context_;
    std::vector<std::string> pinned_keys_;
};

// Says in words why a handshake has just failed. The text is never empty.
std::string handshake_failure(SSL* tls);

}  // namespace gateway::http
