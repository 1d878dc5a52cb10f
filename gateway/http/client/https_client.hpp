// Reaches the provider over the network: by HTTP/1.1, with TLS if the address says so, at one origin, and through a
// proxy if there is one. Connections are kept open and used again. A request is sent on a connection that is known to
// be alive, in one write, once.
//
// It refuses to follow a redirect; to send anything a second time once the operating system has taken a byte of it; to
// say "nothing was sent" where that is not certain; and to log a target or a body.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/random.hpp"
#include "http/client/answer_reader.hpp"
#include "http/client/client.hpp"
#include "http/client/pool.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>

namespace gateway::http {

struct HttpsClientOptions : PoolOptions {
    std::string name = "provider";  // for the log: "provider", "token_service"
    // It is shorter than the time for which servers commonly keep idle connections (60 s and more). A server that keeps
    // them shorter says so.
    Duration idle_max{15'000};
    AnswerLimits limits;
};

class HttpsClient final : public Client {
  public:
    // Every reference must outlive the client. The client must be destroyed before its io_context, with which the
    // exchanges end that are still under way.
    HttpsClient(boost::asio::any_io_executor executor, HttpsClientOptions options, Clock& clock, Random& random,
                Log& log);
    ~HttpsClient() override;
    HttpsClient(const HttpsClient&) = delete;
    HttpsClient& operator=(const HttpsClient&) = delete;

    // Fails with errc::unreachable if there is no address, no connection or no handshake in time, or if the circuit is
    // open. A request that cannot be written down is not sent (errc::malformed). A request is lost with
    // errc::timed_out, connection_lost, malformed or answer_too_large.
    boost::asio::awaitable<Result<std::unique_ptr<Reservation>>> reserve(Instant deadline) override;

    void close_idle();
    // Uses another certificate of ours, or other authorities, for every connection that is made from now on. It has no
    // effect if the origin is not https. It must not be null.
    void use(std::shared_ptr<const TlsClient> tls);
    // Shows this to the proxy as Proxy-Authorization from the next connection on. It has no effect if there is no
    // proxy.
    void use_at_proxy(Secret authorization);
    PoolStats stats() const;
    std::string trouble() const override;

  private:
    struct Core;
    class Held;
    std::shared_ptr<Core> core_;
};

}  // namespace gateway::http
