// What happens to a running gateway from outside: SIGHUP reads the configuration file again; SIGTERM and SIGINT stop it
// in order; a second one of these ends it at once, because the journal knows what is left.
#pragma once

#include "api/exposition.hpp"
#include "api/options.hpp"
#include "api/proxy.hpp"
#include "api/terminals.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/run_moment.hpp"
#include "base/systemd.hpp"
#include "config/config.hpp"
#include "console/sign_in.hpp"
#include "flow/machine_check.hpp"
#include "flow/options_cache.hpp"
#include "flow/seller.hpp"
#include "flow/token_store.hpp"
#include "http/client/https_client.hpp"
#include "listeners.hpp"
#include "provider/token_keeper.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

class Lifecycle {
  public:
    // The parts that a reload or a stop has something to say to.
    struct Parts {
        Systemd& systemd;
        Seller& seller;
        OptionsCache& options_cache;
        OptionsApi& options_api;
        ProxyApi& proxy_api;
        Terminals& terminals;
        SignIn& sign_in;
        http::HttpsClient& sales_client;
        http::HttpsClient& token_client;
        TokenStore& token_store;
        TokenKeeper& token_keeper;
        Listeners& listeners;
    };

    // `running` is the configuration that the process was started with, `path` its file. Every reference must outlive
    // the coroutines.
    Lifecycle(boost::asio::io_context& context, const Config& running, std::string path, Parts parts, Clock& clock,
              Log& log)
        : context_(context),
          running_(running),
          path_(std::move(path)),
          parts_(parts),
          clock_(clock),
          log_(log),
          reloaded_at_(clock),
          warnings_(running.warnings) {}

    // Handles signals until the context is stopped.
    boost::asio::awaitable<void> watch_signals();

    // Of the configuration that is in force: when it was read, and what is odd about it.
    WallTime reloaded_at() const { return reloaded_at_.wall(); }
    const std::vector<ConfigProblem>& warnings() const noexcept { return warnings_; }

    // What of the file is not in force, as the last reload found it: another reload or a restart ends it.
    std::vector<MachineCheck::Concern> concerns() const;

    // What became of reading the configuration, the last time.
    void expose(Exposition& out) const;

  private:
    boost::asio::awaitable<void> stop();
    // Returns what it could not do, in words that follow on the reload; empty: what it takes over is in force now.
    std::string reload();

    boost::asio::io_context& context_;
    const Config& running_;
    const std::string path_;
    const Parts parts_;
    Clock& clock_;
    Log& log_;
    struct Failure {
        RunMoment at;
        std::string what;
    };
    std::optional<Failure> failure_;  // of the last reload; the start counts as a good one
    RunMoment reloaded_at_;           // the last time that it was successful
    struct Waiting {
        RunMoment read_at;
        std::vector<std::string_view> keys;
    };
    std::optional<Waiting> waiting_;  // what a restart would take from the file
    std::vector<ConfigProblem> warnings_;
};

}  // namespace gateway
