#include "base/system.hpp"

#include "base/check.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <openssl/rand.h>

namespace gateway {
namespace {

class TimerAlarm final : public Alarm {
  public:
    explicit TimerAlarm(const boost::asio::any_io_executor& executor) : timer_(executor) {}

    boost::asio::awaitable<Wake> wait_until(Instant when) override {
        CHECK(!waiting_);
        if (rung_) {
            rung_ = false;
            co_return Wake::ring;
        }
        waiting_ = true;
        timer_.expires_at(when);
        boost::system::error_code cancelled;
        co_await timer_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
        waiting_ = false;
        // A ring may come between the expiry and this line; it must not be lost, and it is the better reason.
        const bool rung = std::exchange(rung_, false);
        co_return rung ? Wake::ring : Wake::time;
    }

    void ring() override {
        rung_ = true;
        if (waiting_) timer_.cancel();
    }

  private:
    boost::asio::steady_timer timer_;
    bool waiting_ = false;
    bool rung_ = false;
};

}  // namespace

Instant SystemClock::now() const {
    return std::chrono::steady_clock::now();
}

WallTime SystemClock::wall() const {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::unique_ptr<Alarm> SystemClock::make_alarm() {
    return std::make_unique<TimerAlarm>(executor_);
}

void SystemRandom::fill(std::span<std::byte> bytes) {
    CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) == 1);
}

}  // namespace gateway
