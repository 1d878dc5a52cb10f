// GET /v1/health tells a person of the box that the gateway runs on, and of what runs out some day: certificates, the
// token, the disk, the copy of the journal. The monitoring has the metrics.
#pragma once

#include "api/config_in_force.hpp"
#include "base/clock.hpp"
#include "base/run_moment.hpp"
#include "http/server/certificate_watch.hpp"
#include "http/server/message.hpp"
#include "journal/journal.hpp"
#include "provider/token_keeper.hpp"

#include <string>

namespace gateway {

struct HostOptions {
    std::string version;
    std::string journal;  // the journal's file or, on PostgreSQL, its URL
    std::string config;   // the configuration's file
};

class HostApi {
  public:
    // Every reference must outlive the api and its route. The moment when the api is made counts as the start of the
    // program.
    HostApi(HostOptions options, const http::CertificateWatch& certificates, const ConfigInForce& in_force,
            const Journal& journal, const TokenKeeper& tokens, const Clock& clock);

    boost::asio::awaitable<http::Response> health(http::Request& request);

  private:
    const HostOptions options_;
    const http::CertificateWatch& certificates_;
    const ConfigInForce& in_force_;
    const Journal& journal_;
    const TokenKeeper& tokens_;
    const Clock& clock_;
    const RunMoment started_;
};

}  // namespace gateway
