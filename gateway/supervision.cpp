#include "supervision.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>

namespace gateway {
namespace {

// Of its period: one meal may come late, and the dog still lives.
constexpr int meals_in_a_period = 3;
// Watchdog periods for which a journal may answer with errors.
constexpr int periods_without_commit = 10;
// How often the sentence is looked at; nobody reads it more often.
constexpr Duration look_every{5'000};

}  // namespace

void Supervision::start(const boost::asio::any_io_executor& executor) {
    boost::asio::co_spawn(executor, feed_watchdog(), boost::asio::detached);
    boost::asio::co_spawn(executor, tell_status(), boost::asio::detached);
}

boost::asio::awaitable<void> Supervision::feed_watchdog() {
    const auto period = systemd_.watchdog();
    if (!period) co_return;
    auto commits = journal_.stats().commits;
    auto last_commit = clock_.now();
    while (true) {
        if (journal_.stats().commits == commits) (void)co_await journal_.probe();  // stays here if the journal does
        const auto now = clock_.now();
        const auto stats = journal_.stats();
        if (stats.commits != commits || stats.locked) {
            commits = stats.commits;
            last_commit = now;
        }
        if (now - last_commit < *period * periods_without_commit) systemd_.alive();
        co_await clock_.sleep_until(next_beat(clock_.now(), std::max(*period / meals_in_a_period, Duration(1))));
    }
}

boost::asio::awaitable<void> Supervision::tell_status() {
    std::string told;
    while (true) {
        if (auto sentence = in_words(health_, attention_); sentence != told) {
            systemd_.status(sentence);
            told = std::move(sentence);
        }
        co_await clock_.sleep_until(next_beat(clock_.now(), look_every));
    }
}

}  // namespace gateway
