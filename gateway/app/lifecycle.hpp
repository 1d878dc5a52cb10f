// Handles what happens to a running gateway from outside. SIGHUP reads the configuration file again. SIGTERM and SIGINT
// stop the gateway in order; a second one of these ends it at once, because the journal knows what is left.
#pragma once

#include "api/config_in_force.hpp"
#include "api/proxy.hpp"
#include "app/listeners.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/systemd.hpp"
#include "config/config.hpp"
#include "flow/options_cache.hpp"
#include "flow/seller.hpp"
#include "provider/connections.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <functional>
#include <string>
#include <vector>

namespace gateway {

class Lifecycle {
  public:
    // These are the parts to which a stop has something to say, and those whose reload may fail.
    struct Parts {
        Systemd& systemd;
        Seller& seller;
        OptionsCache& options_cache;
        ProxyApi& proxy_api;
        Connections& connections;
        Listeners& listeners;
    };

    // `running` is the configuration that the process was started with, and `path` is its file. Every reference must
    // outlive the coroutines.
    Lifecycle(boost::asio::io_context& context, const Config& running, std::string path, Parts parts,
              ConfigInForce& in_force, Clock& clock, Log& log)
        : context_(context),
          running_(running),
          path_(std::move(path)),
          parts_(parts),
          in_force_(in_force),
          clock_(clock),
          log_(log) {}

    // Every reload tells the part what `section`, a member of Config, is in the configuration that is in force from
    // then on. Parts are told in the order in which they were added.
    template <class Part, class Section>
    void reloads(Part& part, Section section) {
        reloads_.push_back([&part, section](const Config& config) { part.reload(std::invoke(section, config)); });
    }

    // Handles signals until the context is stopped.
    boost::asio::awaitable<void> watch_signals();

  private:
    boost::asio::awaitable<void> stop();
    // Returns what it could not do, in words that follow on the reload; empty: what it takes over is in force now.
    std::string reload();

    boost::asio::io_context& context_;
    const Config& running_;
    const std::string path_;
    const Parts parts_;
    std::vector<std::function<void(const Config&)>> reloads_;
    ConfigInForce& in_force_;
    Clock& clock_;
    Log& log_;
};

}  // namespace gateway
