// A lane that a bounded number may be in at once; the others wait in the order in which they came.
#pragma once

#include "base/clock.hpp"

#include <boost/asio/awaitable.hpp>

#include <deque>
#include <memory>

namespace gateway {

class Lane {
  public:
    Lane(std::size_t width, Clock& clock) : free_(width), clock_(clock) {}

    // A place in the lane, given up when destroyed.
    class Place {
      public:
        explicit Place(Lane& lane) : lane_(&lane) {}
        Place(Place&& other) noexcept : lane_(std::exchange(other.lane_, nullptr)) {}
        Place& operator=(Place&&) = delete;
        ~Place() {
            if (lane_ != nullptr) lane_->leave();
        }

      private:
        Lane* lane_;
    };

    boost::asio::awaitable<Place> enter() {
        if (free_ > 0) {
            --free_;
            co_return Place(*this);
        }
        const std::shared_ptr<Alarm> turn = clock_.make_alarm();
        waiting_.push_back(turn);
        co_await turn->wait_until(never);
        co_return Place(*this);  // leave() passed its place on
    }

  private:
    void leave() {
        if (waiting_.empty()) {
            ++free_;
            return;
        }
        const auto next = std::move(waiting_.front());
        waiting_.pop_front();
        next->ring();
    }

    std::size_t free_;
    Clock& clock_;
    std::deque<std::shared_ptr<Alarm>> waiting_;
};

}  // namespace gateway
