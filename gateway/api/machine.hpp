// GET /v1/health: the box that the gateway runs on, and what runs out some day: certificates, the token, the disk, the
// copy of the journal. For a person; the monitoring has the metrics.
#pragma once

#include "base/clock.hpp"
#include "base/run_moment.hpp"
#include "http/server/certificate_watch.hpp"
#include "http/server/router.hpp"
#include "journal/journal.hpp"
#include "provider/token_keeper.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gateway {

struct ConfigWarning {
    std::string key;
    unsigned line = 0;  // 0: the key stands nowhere
    std::string message;
};

struct MachineOptions {
    std::string version;
    std::string journal;  // its file
    std::string config;   // its file
};

class MachineApi {
  public:
    // What others know, asked for with each call: which certificates are shown, by which listener, and what is odd
    // about the configuration in force, and since when it is.
    struct Others {
        std::function<http::ShownCertificates()> certificates;
        std::function<std::vector<ConfigWarning>()> warnings;
        std::function<WallTime()> configured_at;
    };

    // Every reference must outlive the api and its route. The program has been started now.
    MachineApi(MachineOptions options, Others others, const Journal& journal, const TokenKeeper& tokens,
               const Clock& clock);

    void add_to(http::Router& router);

  private:
    boost::asio::awaitable<http::Response> health(http::Request& request);

    const MachineOptions options_;
    const Others others_;
    const Journal& journal_;
    const TokenKeeper& tokens_;
    const Clock& clock_;
    const RunMoment started_;
};

}  // namespace gateway
