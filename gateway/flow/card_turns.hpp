// Makes sells of one card wait for each other, in the order in which they came, so that the provider is never asked for
// a second one while it may still be working on the first. A card is known here as long as a sell has its turn.
#pragma once

#include "base/clock.hpp"
#include "base/secret.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace gateway {

class CardTurns {
    // This is a sell that waits. It lives in the coroutine frame of that sell, and leaves the line when the frame is
    // destroyed.
    struct Waiter : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
        explicit Waiter(Timer& t) : timer(t) {}
        Timer& timer;
        bool has_turn = false;
    };
    using Line = boost::intrusive::list<Waiter, boost::intrusive::constant_time_size<false>>;
    using Lines = std::map<std::string, Line>;  // by card; the sell that has the turn is not in the line
    struct State {
        explicit State(Clock& c) : clock(c) {}
        void hand_on(Lines::iterator card);

        Clock& clock;
        Lines lines;
        bool ended = false;
    };

  public:
    explicit CardTurns(Clock& clock) : state_(std::make_shared<State>(clock)) {}

    // This is the right of one sell to use the card. When it is destroyed, even after the CardTurns object, the next in
    // the line gets the turn.
    class Turn {
      public:
        Turn(std::shared_ptr<State> state, Lines::iterator card) : state_(std::move(state)), card_(card) {}
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        Turn(Turn&&) noexcept = default;
        Turn& operator=(Turn&&) = delete;
        ~Turn() {
            if (state_) state_->hand_on(card_);
        }

      private:
        std::shared_ptr<State> state_;
        Lines::iterator card_;
    };

    bool is_taken(const Secret& card) const { return state_->lines.contains(card.reveal()); }
    // Returns nothing where another sell has the turn.
    std::optional<Turn> take(const Secret& card) { return take(state_, card); }
    // Returns nothing where the turn does not come by the deadline, where too many are waiting, and after end_waits().
    boost::asio::awaitable<std::optional<Turn>> wait_for(Secret card, Instant deadline) {
        return wait_for(state_, std::move(card), deadline);
    }
    // Ends every wait now, and every later one at once.
    void end_waits();

  private:
    static std::optional<Turn> take(const std::shared_ptr<State>& state, const Secret& card);
    static boost::asio::awaitable<std::optional<Turn>> wait_for(std::shared_ptr<State> state, Secret card,
                                                                Instant deadline);

    std::shared_ptr<State> state_;
};

}  // namespace gateway
