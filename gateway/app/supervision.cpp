#include "app/supervision.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>

namespace gateway {
namespace {

// The dog is fed so often in its period: one meal may come late, and it still lives.
constexpr int meals_in_a_period = 3;
// This is the period without a watchdog: a probe shows that the journal cannot be written before a customer comes.
constexpr Duration usual_period{30'000};
// A journal may answer with errors for so many periods of the watchdog.
constexpr int periods_without_commit = 10;
// The sentence may be out of date for so long.
constexpr Duration look_every{1'000};

}  // namespace

void Supervision::start(const boost::asio::any_io_executor& executor) {
    boost::asio::co_spawn(executor, keep_proving_journal(), boost::asio::detached);
    boost::asio::co_spawn(executor, keep_telling_status(), boost::asio::detached);
}

boost::asio::awaitable<void> Supervision::keep_proving_journal() {
    const auto dog = systemd_.watchdog();
    const auto period = dog.value_or(usual_period);
    auto commits = journal_.stats().commits;
    auto last_commit = clock_.now();
    while (true) {
        if (journal_.stats().commits == commits) (void)co_await journal_.probe();  // waits until the journal answers
        const auto now = clock_.now();
        const auto stats = journal_.stats();
        if (stats.commits != commits || stats.locked) {
            commits = stats.commits;
            last_commit = now;
        }
        if (dog && now - last_commit < period * periods_without_commit) systemd_.alive();
        co_await clock_.sleep_until(next_beat(clock_.now(), std::max(period / meals_in_a_period, Duration(1))));
    }
}

void Supervision::ready() {
    tell_status();
    systemd_.ready();
}

boost::asio::awaitable<void> Supervision::keep_telling_status() {
    while (true) {
        tell_status();                        // comes first, because a journal on another machine may not answer now
        (void)co_await attention_.keep_up();  // where the journal fails, it is looked at another time
        tell_status();
        const auto next = next_beat(clock_.now(), look_every);
        if (co_await health_.first_token(next)) continue;
        co_await clock_.sleep_until(next);
    }
}

void Supervision::tell_status() {
    auto sentence = in_words(health_, attention_);
    if (sentence == told_) return;
    systemd_.status(sentence);
    told_ = std::move(sentence);
}

}  // namespace gateway
