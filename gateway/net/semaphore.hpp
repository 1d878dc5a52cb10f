// A lane that a bounded number may be in at once; the others wait in the order in which they came.
#pragma once

#include "net/wait_queue.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <utility>

namespace gateway {

class Lane {
    struct State;

  public:
    Lane(std::size_t width, Clock& clock) : state_(std::make_shared<State>(width, clock)) {}

    // A place in the lane, given up when destroyed, even after the lane.
    class Place {
      public:
        explicit Place(std::shared_ptr<State> state) : state_(std::move(state)) {}
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        Place(Place&&) noexcept = default;
        Place& operator=(Place&&) = delete;
        ~Place() {
            if (state_) state_->leave();
        }

      private:
        std::shared_ptr<State> state_;
    };

    boost::asio::awaitable<Place> enter() { return enter(state_); }

  private:
    struct State {
        State(std::size_t width, Clock& clock) : free(width), waiting(clock) {}

        void leave() {
            if (waiting.empty()) {
                ++free;
            } else {
                waiting.wake_one();  // who is woken has the place
            }
        }

        std::size_t free;
        Waiters waiting;
    };

    static boost::asio::awaitable<Place> enter(std::shared_ptr<State> state) {
        if (state->free > 0) {
            --state->free;
        } else {
            co_await state->waiting.wait(never);
        }
        co_return Place(state);
    }

    std::shared_ptr<State> state_;
};

}  // namespace gateway
