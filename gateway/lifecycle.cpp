#include "lifecycle.hpp"

#include "base/process.hpp"
#include "base/wall_time.hpp"
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
            auto failed = reload();
            const RunMoment now(clock_);
            if (failed.empty()) reloaded_at_ = now;
            failure_ = failed.empty() ? std::nullopt : std::optional(Failure{now, std::move(failed)});
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
    out.sample(failure_ ? 0 : 1);
    out.metric("gateway_config_reload_timestamp_seconds", "gauge",
               "When a configuration was read last that could be used, in seconds since 1970.");
    out.sample(reloaded_at());
}

std::vector<MachineCheck::Concern> Lifecycle::concerns() const {
    std::vector<MachineCheck::Concern> found;
    if (failure_)
        found.push_back({.what = "reload",
                         .kind = "failed",
                         .since = failure_->at,
                         .sentence = fmt::format("the last reload, at {}, {}", to_local_text(failure_->at.wall()),
                                                 failure_->what)});
    if (waiting_)
        found.push_back(
            {.what = "restart",
             .kind = "awaited",
             .since = waiting_->read_at,
             .sentence = fmt::format("these settings were changed in the file, which was read at {}, and "
                                     "wait for a restart: {}",
                                     to_local_text(waiting_->read_at.wall()), fmt::join(waiting_->keys, ", "))});
    return found;
}

std::string Lifecycle::reload() {
    auto reading = load_config(path_);
    for (const auto& problem : reading.errors)
        log_.error("reload.error", "the configuration cannot be used: {detail}",
                   {{"detail", to_string(problem, path_)}});
    for (const auto& problem : reading.warnings)
        log_.warn("reload.warning", "the configuration: {detail}", {{"detail", to_string(problem, path_)}});
    const auto refuse = [&](std::string_view why, std::size_t further = 0) {
        log_.error("reload.refused", "the new configuration is not taken: {detail}",
                   {{"detail", "the configuration that was read before stays in force"}});
        return fmt::format("was refused, and the gateway runs with the settings of before: {}{}", why,
                           further > 0 ? fmt::format(" (sales-gateway check-config names {} more)", further) : "");
    };
    if (!reading.config) return refuse(to_string(reading.errors.front(), path_), reading.errors.size() - 1);
    const auto taken = take_over(running_, *reading.config);
    if (taken.has_error()) {
        log_.error("reload.error", "the configuration cannot be used: {detail}",
                   {{"detail", to_string(taken.error(), path_)}});
        return refuse(to_string(taken.error(), path_));
    }
    const auto tls = tls_client(taken->provider);
    if (tls.has_error()) {
        log_.error("reload.error", "the configuration cannot be used: {detail}", {{"detail", tls.error()}});
        return refuse(tls.error());
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
    auto waiting = waiting_keys(*taken, *reading.config);
    if (!waiting.empty())
        log_.warn("reload.needs_restart", "{detail}: {keys}",
                  {{"keys", fmt::format("{}", fmt::join(waiting, ", "))},
                   {"detail", "the file has other values for these keys; they are used after a restart"}});
    waiting_ = waiting.empty() ? std::nullopt : std::optional(Waiting{RunMoment(clock_), std::move(waiting)});
    log_.info("reload.done", "the configuration was read again: {terminals} terminals, {products} products",
              {{"terminals", taken->terminals.size()}, {"products", taken->products.size()}});
    return certificates ? std::string()
                        : "could not take a certificate, and the one before is still shown: the log says why";
}

}  // namespace gateway
