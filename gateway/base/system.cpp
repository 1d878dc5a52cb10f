#include "base/system.hpp"

#include "base/check.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/steady_timer.hpp>
#include <linux/magic.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <fstream>

namespace gateway {
namespace {

class SystemTimer final : public Timer {
  public:
    explicit SystemTimer(const boost::asio::any_io_executor& executor) : timer_(executor) {}

    boost::asio::awaitable<Wake> wait_until(Instant when) override {
        CHECK(!waiting_);
        if (notified_) {
            notified_ = false;
            co_return Wake::notified;
        }
        waiting_ = true;
        timer_.expires_at(when);
        co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::deferred));
        waiting_ = false;
        // notify() may come between the expiry and this line. It must not be lost, and it is the better reason.
        const bool notified = std::exchange(notified_, false);
        co_return notified ? Wake::notified : Wake::timeout;
    }

    void notify() override {
        notified_ = true;
        if (waiting_) timer_.cancel();
    }

  private:
    boost::asio::steady_timer timer_;
    bool waiting_ = false;
    bool notified_ = false;
};

// Holds random bytes for one thread, which are fetched a page at a time: a sale needs a few of them ten times, and to
// ask OpenSSL costs more than the bytes themselves. Bytes that were handed out are not kept.
class Pool {
  public:
    void take(std::span<std::byte> bytes) {
        if (bytes.size() > bytes_.size()) return fetch(bytes);
        if (bytes.size() > left_) {
            fetch(bytes_);
            left_ = bytes_.size();
        }
        const auto taken = std::span(bytes_).subspan(left_ - bytes.size(), bytes.size());
        std::copy(taken.begin(), taken.end(), bytes.begin());
        OPENSSL_cleanse(taken.data(), taken.size());
        left_ -= bytes.size();
    }

  private:
    static void fetch(std::span<std::byte> bytes) {
        CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) == 1);
    }

    std::array<std::byte, 4096> bytes_{};
    std::size_t left_ = 0;
};

}  // namespace

std::string boot_of_this_machine() {
    constexpr const char* path = "/proc/sys/kernel/random/boot_id";
    struct statfs system {};
    if (::statfs(path, &system) != 0 || system.f_type != PROC_SUPER_MAGIC) return {};
    std::ifstream file(path);
    std::string boot;
    std::getline(file, boot);
    return boot;
}

SystemClock::SystemClock(boost::asio::any_io_executor executor)
    : executor_(std::move(executor)), boot_(boot_of_this_machine()) {}

Instant SystemClock::now() const {
    return std::chrono::steady_clock::now();
}

WallTime SystemClock::wall() const {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

Duration SystemClock::slept() const {
    const auto read = [](clockid_t clock) {
        struct timespec time {};
        CHECK(::clock_gettime(clock, &time) == 0);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    };
    const auto awake = read(CLOCK_MONOTONIC);  // is read first, so that the difference is never negative
    return std::chrono::floor<Duration>(read(CLOCK_BOOTTIME) - awake);
}

std::unique_ptr<Timer> SystemClock::make_timer() {
    return std::make_unique<SystemTimer>(executor_);
}

void SystemRandom::fill(std::span<std::byte> bytes) {
    thread_local Pool pool;
    pool.take(bytes);
}

}  // namespace gateway
