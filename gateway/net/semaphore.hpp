// Lets a limited number of coroutines go on at once. The others wait, in the order in which they came.
#pragma once

#include "net/wait_queue.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <utility>

namespace gateway {

class Semaphore {
    struct State;

  public:
    Semaphore(std::size_t permits, Clock& clock) : state_(std::make_shared<State>(permits, clock)) {}

    // Allows its owner to go on. It is given back when it is destroyed, even if the semaphore is gone by then.
    class Permit {
      public:
        explicit Permit(std::shared_ptr<State> state) : state_(std::move(state)) {}
        Permit(const Permit&) = delete;
        Permit& operator=(const Permit&) = delete;
        Permit(Permit&&) noexcept = default;
        Permit& operator=(Permit&&) = delete;
        ~Permit() {
            if (state_) state_->release();
        }

      private:
        std::shared_ptr<State> state_;
    };

    boost::asio::awaitable<Permit> acquire() { return acquire(state_); }

  private:
    struct State {
        State(std::size_t permits, Clock& clock) : free(permits), waiting(clock) {}

        void release() {
            if (waiting.empty()) {
                ++free;
            } else {
                waiting.notify_one();  // the coroutine that is woken has the permit
            }
        }

        std::size_t free;
        WaitQueue waiting;
    };

    static boost::asio::awaitable<Permit> acquire(std::shared_ptr<State> state) {
        if (state->free > 0) {
            --state->free;
        } else {
            co_await state->waiting.wait(never);
        }
        co_return Permit(state);
    }

    std::shared_ptr<State> state_;
};

}  // namespace gateway
