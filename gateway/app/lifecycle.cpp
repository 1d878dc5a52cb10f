#include "app/lifecycle.hpp"

#include "base/process.hpp"
#include "config/reload.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <csignal>

namespace gateway {
namespace {

namespace asio = boost::asio;

// A stop looks so often whether the sales have reached a safe point.
constexpr Duration drain_poll{20};
// Answers may be taken for so long once the sales have let go.
constexpr Duration drain_answers{2'000};

}  // namespace

asio::awaitable<void> Lifecycle::watch_signals() {
    asio::signal_set signals(context_, SIGTERM, SIGINT, SIGHUP);
    let_in(SIGHUP);  // the signal was held back since the configuration was read
    bool stopping = false;
    while (true) {
        const int signal = co_await signals.async_wait(asio::use_awaitable);
        if (signal == SIGHUP) {
            parts_.systemd.reloading(clock_.now());
            in_force_.end_reload(reload());
            parts_.systemd.ready();
        } else if (!std::exchange(stopping, true)) {
            asio::co_spawn(context_, stop(), asio::detached);
        } else {
            context_.stop();
        }
    }
}

// Takes no more sales, lets running ones reach their outcome, answers every caller, and gives back what it owns. What
// is not settled by then is taken up again at the next start, or at once by another gateway that shares the journal.
asio::awaitable<void> Lifecycle::stop() {
    const auto until = clock_.now() + running_.drain;
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
    const auto tls = Connections::read_tls(taken->provider);
    if (tls.has_error()) {
        log_.error("reload.error", "the configuration cannot be used: {detail}", {{"detail", tls.error()}});
        return refuse(tls.error());
    }
    parts_.connections.reload(taken->provider, *tls);
    for (const auto& tell : reloads_)
        tell(*taken);
    const bool certificates = parts_.listeners.reload(taken->listen);
    auto waiting = waiting_keys(*taken, *reading.config);
    if (!waiting.empty())
        log_.warn("reload.needs_restart", "{detail}: {keys}",
                  {{"keys", fmt::format("{}", fmt::join(waiting, ", "))},
                   {"detail", "the file has other values for these keys; they are used after a restart"}});
    in_force_.take(reading.warnings, std::move(waiting));
    log_.info("reload.done", "the configuration was read again: {terminals} terminals, {products} products",
              {{"terminals", taken->terminals.size()}, {"products", taken->products.size()}});
    return certificates ? std::string()
                        : "could not take a certificate, and the one before is still shown: the log says why";
}

}  // namespace gateway
