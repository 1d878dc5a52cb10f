// Virtual time for tests: it stands still until the test moves it, and waiting takes no real time. Each io_context has
// one virtual time. Timers that are waited for when the io_context is destroyed are destroyed with it, as real timers
// are.
#pragma once

#include "base/check.hpp"
#include "base/clock.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace gateway::test {

// These are the timers of an io_context that are waited for, in the order in which they are due. Of several that are
// due at the same moment, the one that was set first comes first.
class VirtualTime final : public boost::asio::execution_context::service {
  public:
    using key_type = VirtualTime;
    using Handler = boost::asio::any_completion_handler<void(Timer::Wake)>;
    using Place = std::pair<Instant, std::uint64_t>;
    static inline boost::asio::execution_context::id id;

    explicit VirtualTime(boost::asio::execution_context& io)
        : service(io), executor_(static_cast<boost::asio::io_context&>(io).get_executor()) {}

    Place add(Instant when, Handler handler) {
        const Place place{when, ++count_};
        waiting_.emplace(place, std::move(handler));
        return place;
    }

    // Lets the waiter continue in the next turn of the io_context. Does nothing where nobody waits there any more.
    void wake(Place place, Timer::Wake why) {
        auto node = waiting_.extract(place);
        if (node.empty()) return;
        boost::asio::post(executor_, [handler = std::move(node.mapped()), why]() mutable { std::move(handler)(why); });
    }

    void move_to(Instant when) {
        now = std::max(now, when);
        while (next() <= now && !waiting_.empty())
            wake(waiting_.begin()->first, Timer::Wake::timeout);
    }

    // Returns when the next timer is due; `never` where there is none.
    Instant next() const { return waiting_.empty() ? never : waiting_.begin()->first.first; }

    Instant now{std::chrono::hours(1)};

  private:
    void shutdown() override { const auto gone = std::move(waiting_); }

    boost::asio::io_context::executor_type executor_;
    std::map<Place, Handler> waiting_;
    std::uint64_t count_ = 0;
};

class VirtualTimer final : public Timer {
  public:
    explicit VirtualTimer(VirtualTime& time) : time_(time) {}

    boost::asio::awaitable<Wake> wait_until(Instant when) override {
        CHECK(!*place_);
        if (std::exchange(notified_, false)) co_return Wake::notified;
        const auto begin = [this, when](auto handler) {
            *place_ = time_.add(std::max(when, time_.now), std::move(handler));
            if (when <= time_.now) time_.wake(**place_, Wake::timeout);
        };
        // A frame that is destroyed with its io_context removes its timer. Either the frame or the timer may go first.
        const Leave leave{place_};
        const auto why = co_await boost::asio::async_initiate<decltype(boost::asio::use_awaitable), void(Wake)>(
            begin, boost::asio::use_awaitable);
        co_return std::exchange(notified_, false) ? Wake::notified : why;
    }

    void notify() override {
        notified_ = true;
        if (*place_) time_.wake(**place_, Wake::notified);
    }

  private:
    using Place = std::shared_ptr<std::optional<VirtualTime::Place>>;
    struct Leave {
        explicit Leave(Place p) : place(std::move(p)) {}
        Leave(const Leave&) = delete;
        Leave& operator=(const Leave&) = delete;
        ~Leave() { place->reset(); }
        const Place place;
    };

    VirtualTime& time_;
    const Place place_ = std::make_shared<std::optional<VirtualTime::Place>>();
    bool notified_ = false;
};

class VirtualClock final : public Clock {
  public:
    explicit VirtualClock(boost::asio::io_context& io)
        : io_(io), time_(boost::asio::use_service<VirtualTime>(io)), started_(time_.now) {}

    Instant now() const override { return time_.now; }
    Duration slept() const override { return slept_; }
    WallTime wall() const override { return wall_ + std::chrono::duration_cast<Duration>(time_.now - started_); }
    std::unique_ptr<Timer> make_timer() override { return std::make_unique<VirtualTimer>(time_); }

    // Sets the wall clock, which the steady clock does not notice.
    void shift_wall(Duration by) { wall_ += by; }

    // Lets the machine sleep: its timers and the steady clock stand still meanwhile.
    void pass_asleep(Duration length) {
        slept_ += length;
        wall_ += length;
    }

    // Runs what is ready, while time stands still.
    void settle() {
        io_.restart();
        io_.poll();
    }
    // Moves time without running anything, so it may be called from a handler.
    void jump(Duration by) { time_.move_to(time_.now + by); }
    // Lets time pass. Every timer on the way sees exactly the time that it was set to.
    void advance(Duration by) {
        const Instant end = time_.now + by;
        for (settle(); time_.next() <= end; settle())
            time_.move_to(time_.next());
        time_.move_to(end);
        settle();
    }
    // Runs what is ready, then moves time to the next timer. Returns false where there is no timer that time alone
    // would reach.
    bool step() {
        settle();
        const Instant next = time_.next();
        if (next == never) return false;
        time_.move_to(next);
        settle();
        return true;
    }

    // From now on run() waits for sockets, as long as that takes. Virtual time stands still meanwhile.
    void wait_for_sockets() { waits_for_sockets_ = true; }

    // Returns what the coroutine returns, letting time pass while it waits. A coroutine that waits for anything but a
    // timer fails a check, unless wait_for_sockets() was called.
    template <class T>
    T run(boost::asio::awaitable<T> coroutine) {
        std::optional<T> result;
        boost::asio::co_spawn(io_, keep(std::move(coroutine), result), [](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure);
        });
        settle();
        while (!result) {
            if (!waits_for_sockets_) {
                CHECK(step());
                continue;
            }
            io_.restart();
            CHECK(io_.run_one() > 0);
        }
        return std::move(*result);
    }

  private:
    // co_spawn() itself can only return types with a default constructor.
    template <class T>
    static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> coroutine, std::optional<T>& result) {
        result.emplace(co_await std::move(coroutine));
    }

    boost::asio::io_context& io_;
    VirtualTime& time_;
    bool waits_for_sockets_ = false;
    Duration slept_{0};
    const Instant started_;
    WallTime wall_{std::chrono::sys_days(std::chrono::year(2024) / 5 / 2) + std::chrono::hours(13)};
};

}  // namespace gateway::test
