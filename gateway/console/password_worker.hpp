// Checks passwords on a thread of its own, which is started with the first one. A check takes a tenth of a second, and
// sales go on meanwhile.
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
    // The clock must outlive the coroutines. The executor's context must be destroyed after this object.
    PasswordWorker(boost::asio::any_io_executor executor, Clock& clock)
        : executor_(std::move(executor)), clock_(clock) {}
    // Waits for the check that is under way.
    ~PasswordWorker();
    PasswordWorker(const PasswordWorker&) = delete;
    PasswordWorker& operator=(const PasswordWorker&) = delete;

    // Returns whether the password belongs to the hash. Checks are made one after the other.
    boost::asio::awaitable<bool> check(PasswordHash hash, Secret password);

  private:
    boost::asio::any_io_executor executor_;
    Clock& clock_;
    std::optional<boost::asio::thread_pool> thread_;
};

}  // namespace gateway
