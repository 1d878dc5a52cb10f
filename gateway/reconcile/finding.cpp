#include "reconcile/finding.hpp"

#include <algorithm>

namespace gateway {

bool is_of_a_file(FindingKind kind) noexcept {
    return kind >= FindingKind::wrong_day;
}

FindingSeverity severity_of(FindingKind kind) noexcept {
    switch (kind) {
        case FindingKind::matched:
        case FindingKind::counted_only: return FindingSeverity::none;
        case FindingKind::other_day:
        case FindingKind::still_open:
        case FindingKind::already_imported: return FindingSeverity::note;
        case FindingKind::sold_there: return FindingSeverity::alarm;
        case FindingKind::amount_differs:
        case FindingKind::store_differs:
        case FindingKind::sold_twice:
        case FindingKind::reversed_there:
        case FindingKind::unconfirmed_there:
        case FindingKind::missing_there:
        case FindingKind::open_there:
        case FindingKind::settles_sold:
        case FindingKind::settles_not_sold:
        case FindingKind::unknown_here:
        case FindingKind::wrong_day:
        case FindingKind::wrong_network:
        case FindingKind::count_differs:
        case FindingKind::total_differs:
        case FindingKind::unreadable_line: break;
    }
    return FindingSeverity::warning;
}

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

std::string_view to_string(FindingKind kind) noexcept {
    switch (kind) {
        case FindingKind::matched: return "matched";
        case FindingKind::amount_differs: return "amount_differs";
        case FindingKind::store_differs: return "store_differs";
        case FindingKind::sold_twice: return "sold_twice";
        case FindingKind::reversed_there: return "reversed_there";
        case FindingKind::unconfirmed_there: return "unconfirmed_there";
        case FindingKind::other_day: return "other_day";
        case FindingKind::missing_there: return "missing_there";
        case FindingKind::sold_there: return "sold_there";
        case FindingKind::open_there: return "open_there";
        case FindingKind::settles_sold: return "settles_sold";
        case FindingKind::settles_not_sold: return "settles_not_sold";
        case FindingKind::still_open: return "still_open";
        case FindingKind::unknown_here: return "unknown_here";
        case FindingKind::counted_only: return "counted_only";
        case FindingKind::wrong_day: return "wrong_day";
        case FindingKind::wrong_network: return "wrong_network";
        case FindingKind::already_imported: return "already_imported";
        case FindingKind::count_differs: return "count_differs";
        case FindingKind::total_differs: return "total_differs";
        case FindingKind::unreadable_line: return "unreadable_line";
    }
    return "";
}

std::string_view to_string(FindingSeverity severity) noexcept {
    switch (severity) {
        case FindingSeverity::none: return "none";
        case FindingSeverity::note: return "note";
        case FindingSeverity::warning: return "warning";
        case FindingSeverity::alarm: return "alarm";
    }
    return "";
}

std::string_view to_string(FindingAsks asks) noexcept {
    switch (asks) {
        case FindingAsks::nothing: return "nothing";
        case FindingAsks::repeat_confirm: return "repeat_confirm";
        case FindingAsks::repeat_cancel: return "repeat_cancel";
        case FindingAsks::settle: return "settle";
        case FindingAsks::person: return "person";
    }
    return "";
}

std::optional<FindingAsks> parse_finding_asks(std::string_view text) noexcept {
    for (const auto asks : {FindingAsks::nothing, FindingAsks::repeat_confirm, FindingAsks::repeat_cancel,
                            FindingAsks::settle, FindingAsks::person})
        if (to_string(asks) == text) return asks;
    return std::nullopt;
}

std::optional<FindingKind> parse_finding_kind(std::string_view text) noexcept {
    const auto* const found =
        std::ranges::find_if(all_finding_kinds, [&](FindingKind kind) { return to_string(kind) == text; });
    return found == all_finding_kinds.end() ? std::nullopt : std::optional(*found);
}

}  // namespace gateway
