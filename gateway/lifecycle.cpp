#include "lifecycle.hpp"

#include "base/process.hpp"
#include "config/reload.hpp"
#include "part_options.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <csignal>

namespace gateway {
namespace {

namespace asio = boost::asio;

// How often a stop looks whether the sales have reached a safe point.
constexpr Duration drain_poll{20};
// For answers to be taken, once the sales have let go.
constexpr Duration drain_answers{2'000};

}  // namespace

asio::awaitable<void> Lifecycle::watch_signals() {
    asio::signal_set signals(context_, SIGTERM, SIGINT, SIGHUP);
    let_in(SIGHUP);  // held back since the configuration was read
    bool stopping = false;
    while (true) {
        const int signal = co_await signals.async_wait(asio::use_awaitable);
        if (signal == SIGHUP) {
            parts_.systemd.reloading(clock_.now());
            reload_successful_ = reload();
            if (reload_successful_) reloaded_at_ = RunMoment(clock_);
            parts_.systemd.ready();
        } else if (!std::exchange(stopping, true)) {
            asio::co_spawn(context_, stop(), asio::detached);
        } else {
            context_.stop();
        }
    }
}

// Takes no more sales, lets running ones reach a last word, answers every caller, and lets go. What is not settled then
// is taken up again at the next start, or at once by another gateway that shares the journal.
asio::awaitable<void> Lifecycle::stop() {
    const auto until = clock_.now() + running_.limits.drain;
    auto& seller = parts_.seller;
    seller.stop_taking();
    parts_.systemd.stopping();
    log_.info(
        "stopping",
        "sales-gateway is stopping and takes no more sales; open ones: {openSales}, of which undecided: {undecided}",
        {{"openSales", seller.under_way()}, {"undecided", seller.undecided()}});
    while (seller.undecided() > 0 && clock_.now() < until)
        co_await clock_.sleep_for(drain_poll);
    seller.hurry();
    parts_.options_cache.hurry();
    parts_.proxy_api.hurry();
    co_await parts_.listeners.drain(clock_.now() + drain_answers);
    co_await seller.let_go();
    context_.stop();
}

void Lifecycle::expose(Exposition& out) const {
    out.metric("gateway_config_reload_successful", "gauge",
               "Whether the configuration could be used when it was read last.");
    out.sample(reload_successful_ ? 1 : 0);
    out.metric("gateway_config_reload_timestamp_seconds", "gauge",
               "When a configuration was read last that could be used, in seconds since 1970.");
    out.sample(reloaded_at());
}

bool Lifecycle::reload() {
    auto reading = load_config(path_);
    for (const auto& problem : reading.errors)
        log_.error("reload.error", "the configuration cannot be used: {detail}",
                   {{"detail", to_string(problem, path_)}});
    for (const auto& problem : reading.warnings)
        log_.warn("reload.warning", "the configuration: {detail}", {{"detail", to_string(problem, path_)}});
    const auto refuse = [&] {
        log_.error("reload.refused", "the new configuration is not taken: {detail}",
                   {{"detail", "the configuration that was read before stays in force"}});
        return false;
    };
    if (!reading.config) return refuse();
    const auto taken = take_over(running_, *reading.config);
    if (taken.has_error()) {
        log_.error("reload.error", "the configuration cannot be used: {detail}",
                   {{"detail", to_string(taken.error(), path_)}});
        return refuse();
    }
    const auto tls = tls_client(taken->provider);
    if (tls.has_error()) {
        log_.error("reload.error", "the configuration cannot be used: {detail}", {{"detail", tls.error()}});
        return refuse();
    }
    if (*tls) {
        parts_.sales_client.use(*tls);
        parts_.token_client.use(*tls);
    }
    const auto authorization = proxy_authorization(taken->provider);
    parts_.sales_client.use_at_proxy(authorization);
    parts_.token_client.use_at_proxy(authorization);
    parts_.token_store.use(token_owner(taken->provider));
    parts_.token_keeper.use(taken->provider.app_secret);
    parts_.terminals.replace(terminals_of(*taken));
    parts_.sign_in.replace(operators_of(*taken));
    warnings_ = reading.warnings;
    parts_.options_api.list(taken->products);
    log_.set_level(taken->log.level);
    const bool certificates = parts_.listeners.reload_tls(taken->listen);
    if (const auto waiting = waiting_keys(*taken, *reading.config); !waiting.empty())
        log_.warn("reload.needs_restart", "{detail}: {keys}",
                  {{"keys", fmt::format("{}", fmt::join(waiting, ", "))},
                   {"detail", "the file has other values for these keys; they are used after a restart"}});
    log_.info("reload.done", "the configuration was read again: {terminals} terminals, {products} products",
              {{"terminals", taken->terminals.size()}, {"products", taken->products.size()}});
    return certificates;
}

}  // namespace gateway
