// The way to the provider over the network: HTTP/1.1, with TLS where the address says so, to one origin, through a
// proxy where there is one. Connections are kept open and used again; a request goes out on one that is known to be
// alive, in one write, once.
//
// What it refuses to do: follow a redirect; send anything a second time once the operating system has taken a byte of
// it; say "nothing was sent" where that is not certain; log a target or a body.
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
    // Shorter than servers commonly keep idle connections (60 s and more; the ones that keep them shorter say so).
    Duration idle_max{15'000};
    AnswerLimits limits;
};

class HttpsClient final : public Client {
  public:
    // Every reference must outlive the client; the client must be destroyed before its io_context, with which the
    // exchanges that are still under way end.
    HttpsClient(boost::asio::any_io_executor executor, HttpsClientOptions options, Clock& clock, Random& random,
                Log& log);
    ~HttpsClient() override;
    HttpsClient(const HttpsClient&) = delete;
    HttpsClient& operator=(const HttpsClient&) = delete;

    // errc::unreachable: no address, connection or handshake in time, or the circuit is open. A request that cannot be
    // written down is not sent (errc::malformed). What is lost is so with errc::timed_out, connection_lost, malformed
    // or answer_too_large.
    boost::asio::awaitable<Result<std::unique_ptr<Reservation>>> reserve(Instant deadline) override;

    void close_idle();
    // Another certificate of ours, or others to believe, for every connection that is made from now on; means nothing
    // where the origin is not https. Never none.
    void use(std::shared_ptr<const TlsClient> tls);
    // What the proxy is shown from the next connection on, as a Proxy-Authorization; means nothing where there is none.
    void use_at_proxy(Secret authorization);
    PoolStats stats() const;
    std::string trouble() const override;

  private:
    struct Core;
    class Held;
    std::shared_ptr<Core> core_;
};

}  // namespace gateway::http
