#include "simulation/process_clock.hpp"

#include "simulation/world.hpp"

namespace gateway::simulation {

ProcessClock::ProcessClock(boost::asio::io_context& io, const World& world)
    : world_(world),
      time_(boost::asio::use_service<test::VirtualTime>(io)),
      began_(time_.now + (world.now() - world.machine_started())),
      started_(world.now()) {
    time_.move_to(began_);
}

WallTime ProcessClock::wall() const {
    return world_.gateway_wall();
}

std::string_view ProcessClock::boot() const {
    return world_.boot_name();
}

std::optional<Time> ProcessClock::next() const {
    const auto next = time_.next();
    return next == never ? std::nullopt : std::optional(started_ + (next - began_));
}

}  // namespace gateway::simulation
