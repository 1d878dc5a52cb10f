// These are the clocks of a machine in the world.
#pragma once

#include "simulation/plan.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <optional>
#include <string_view>

namespace gateway::simulation {

class World;

// The steady clock begins anew with every start of the machine. The wall clock goes on, and may have been set.
class ProcessClock final : public Clock {
  public:
    ProcessClock(boost::asio::io_context& io, const World& world);

    Instant now() const override { return time_.now; }
    WallTime wall() const override;
    std::string_view boot() const override;
    std::unique_ptr<Timer> make_timer() override { return std::make_unique<test::VirtualTimer>(time_); }

    // Returns when the next timer is due, in the world's time.
    std::optional<Time> next() const;
    void move_to(Time time) { time_.move_to(began_ + (time - started_)); }

  private:
    const World& world_;
    test::VirtualTime& time_;
    const Instant began_;
    const Time started_;
};

}  // namespace gateway::simulation
