// Gives the operating system's clock and random bytes. Nothing else in the gateway asks the system for them.
#pragma once

#include "base/clock.hpp"
#include "base/random.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <string>

namespace gateway {

// Returns the id that Linux drew when it started. It is empty if Linux does not tell it, or if a container has a file
// of its own in that place: such a file changes with each start of the container, although the machine was not started
// again.
std::string boot_of_this_machine();

class SystemClock final : public Clock {
  public:
    // Coroutines that wait for a timer go on on `executor`, which must run on one thread.
    explicit SystemClock(boost::asio::any_io_executor executor);

    Instant now() const override;
    WallTime wall() const override;
    Duration slept() const override;
    std::string_view boot() const override { return boot_; }
    std::unique_ptr<Timer> make_timer() override;

  private:
    boost::asio::any_io_executor executor_;
    const std::string boot_;
};

// May be used from any thread, and for keys and nonces, too.
class SystemRandom final : public Random {
  public:
    void fill(std::span<std::byte> bytes) override;
};

}  // namespace gateway
