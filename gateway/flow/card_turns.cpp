#include "flow/card_turns.hpp"

namespace gateway {
namespace {

// No store has more tills than this that sell with one card.
constexpr std::size_t longest_line = 64;

}  // namespace

// Gives the turn to the next in the line at once, before that one runs, so that nobody who comes meanwhile can be
// first.
void CardTurns::State::hand_on(Lines::iterator card) {
    auto& line = card->second;
    if (line.empty()) {
        lines.erase(card);
        return;
    }
    auto& next = line.front();
    line.pop_front();
    next.has_turn = true;
    next.timer.notify();
}

std::optional<CardTurns::Turn> CardTurns::take(const std::shared_ptr<State>& state, const Secret& card) {
    const auto [place, free] = state->lines.try_emplace(card.reveal());
    if (!free) return std::nullopt;
    return std::optional<Turn>(std::in_place, state, place);
}

boost::asio::awaitable<std::optional<CardTurns::Turn>> CardTurns::wait_for(std::shared_ptr<State> state, Secret card,
                                                                           Instant deadline) {
    if (auto turn = take(state, card)) co_return turn;
    const auto place = state->lines.find(card.reveal());
    card = {};  // the line has it now
    auto& line = place->second;
    if (line.size() >= longest_line) co_return std::nullopt;
    const auto timer = state->clock.make_timer();
    Waiter waiter(*timer);
    line.push_back(waiter);
    while (!waiter.has_turn && !state->ended && state->clock.now() < deadline)
        co_await timer->wait_until(deadline);
    if (!waiter.has_turn) co_return std::nullopt;
    co_return std::optional<Turn>(std::in_place, state, place);
}

void CardTurns::end_waits() {
    state_->ended = true;
    for (auto& [card, line] : state_->lines)
        for (auto& waiter : line)
            waiter.timer.notify();
}

}  // namespace gateway
