#include "sale/movement_day.hpp"

#include "base/check.hpp"
#include "base/wall_time.hpp"

namespace gateway {

namespace {

using namespace std::chrono_literals;

// The provider's time of a request may be at most so far ahead of the moment when the sale became final, or behind it.
// A time beyond that comes from a wrong clock: it would put the sale into a day that is far ahead, or one that was
// closed long ago.
constexpr Duration ahead = 24h;
constexpr Duration behind = 31 * 24h;

}  // namespace

Day movement_day(const Rules& rules, const TransactionDetails& details, WallTime final_at) {
    const auto requested_at = rules.day == DayClock::request ? from_rfc3339(details.data_hora) : std::nullopt;
    const auto told = requested_at.value_or(final_at);
    const bool makes_sense = told <= final_at + ahead && told >= final_at - behind;
    return rules.zone.day_of(makes_sense ? told : final_at);
}

bool is_final_in(AttemptState state) noexcept {
    switch (state) {
        case AttemptState::requesting:
        case AttemptState::held:
        case AttemptState::confirming:
        case AttemptState::collecting:
        case AttemptState::disputing:
        case AttemptState::retracting:
        case AttemptState::awaiting: return false;
        case AttemptState::cancelling:
        case AttemptState::lingering:
        case AttemptState::sold:
        case AttemptState::cancelled:
        case AttemptState::refused:
        case AttemptState::unsent:
        case AttemptState::unauthorised:
        case AttemptState::throttled: return true;
    }
    CHECK(false);
}

}  // namespace gateway
