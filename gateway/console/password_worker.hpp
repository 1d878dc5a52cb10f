// Looks at passwords on a thread of its own, which begins with the first one: a tenth of a second each, and sales go on
// meanwhile.
#pragma once

#include "base/clock.hpp"
#include "base/password.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

#include <optional>

namespace gateway {

class PasswordWorker {
  public:
    // The clock must outlive its coroutines, and the executor's context must be destroyed after it.
    PasswordWorker(boost::asio::any_io_executor executor, Clock& clock)
        : executor_(std::move(executor)), clock_(clock) {}
    // Waits for the one that it is looking at.
    ~PasswordWorker();
    PasswordWorker(const PasswordWorker&) = delete;
    PasswordWorker& operator=(const PasswordWorker&) = delete;

    // Whether the password is the hash's; one after the other.
    boost::asio::awaitable<bool> check(PasswordHash hash, Secret password);

  private:
    boost::asio::any_io_executor executor_;
    Clock& clock_;
    std::optional<boost::asio::thread_pool> thread_;
};

}  // namespace gateway
