#include "reconcile/claim.hpp"

namespace gateway {

bool is_to_be_claimed(FindingKind kind) noexcept {
    switch (kind) {
        case FindingKind::amount_differs:
        case FindingKind::store_differs:
        case FindingKind::sold_twice:
        case FindingKind::reversed_there:
        case FindingKind::missing_there:
        case FindingKind::sold_there:
        case FindingKind::unknown_here: return true;
        case FindingKind::matched:
        case FindingKind::counted_only:
        case FindingKind::unconfirmed_there:
        case FindingKind::other_day:
        case FindingKind::open_there:
        case FindingKind::settles_sold:
        case FindingKind::settles_not_sold:
        case FindingKind::still_open:
        case FindingKind::wrong_day:
        case FindingKind::wrong_network:
        case FindingKind::already_imported:
        case FindingKind::count_differs:
        case FindingKind::total_differs:
        case FindingKind::unreadable_line: break;
    }
    return false;
}

}  // namespace gateway
