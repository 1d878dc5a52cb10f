// What comparing our books with the provider's can find: the kinds, their words on disk, how serious each is, and what
// a person is told of it.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace gateway {

// A word on disk: an old one is never given a new meaning. "There" is the provider's side, "here" ours.
enum class FindingKind {
    // About one attempt.
    matched,            // both say the same; no finding
    amount_differs,     // sold on both sides, for another amount
    store_differs,      // sold on both sides, there by another establishment
    sold_twice,         // sold there, and so is another attempt of the same sale
    reversed_there,     // sold here, and the provider took it back: the goods are out
    unconfirmed_there,  // sold here, only authorised there
    other_day,          // sold on both sides, there on another movement day
    missing_there,      // sold here, and the statement does not have it
    sold_there,         // not sold here, sold there: promise 2 is broken
    open_there,         // not sold here, still authorised there
    settles_sold,       // open here, sold there
    settles_not_sold,   // open here, not sold there
    still_open,         // open here, and there too or not there
    unknown_here,       // sold or authorised there, and nobody here knows it
    counted_only,       // another's, or not sold and unknown here; no finding
    // About a file as a whole.
    wrong_day,         // of another movement day than was asked for, or than it can be of
    wrong_network,     // of another network
    already_imported,  // the same file, once more
    count_differs,     // the header's count is not that of its rows, or of our sales
    total_differs,     // likewise its total
    unreadable_line,   // a line is not what it should be
};
inline constexpr std::array all_finding_kinds{
    FindingKind::matched,       FindingKind::amount_differs, FindingKind::store_differs,
    FindingKind::sold_twice,    FindingKind::reversed_there, FindingKind::unconfirmed_there,
    FindingKind::other_day,     FindingKind::missing_there,  FindingKind::sold_there,
    FindingKind::open_there,    FindingKind::settles_sold,   FindingKind::settles_not_sold,
    FindingKind::still_open,    FindingKind::unknown_here,   FindingKind::counted_only,
    FindingKind::wrong_day,     FindingKind::wrong_network,  FindingKind::already_imported,
    FindingKind::count_differs, FindingKind::total_differs,  FindingKind::unreadable_line};

// Whether it is about a file, and not about one attempt.
bool is_of_a_file(FindingKind kind) noexcept;

enum class FindingSeverity {
    none,     // all is well, or none of ours: no finding is opened
    note,     // to know; nothing follows
    warning,  // a person has to look
    alarm,    // money was promised to nobody and taken all the same
};
FindingSeverity severity_of(FindingKind kind) noexcept;

// What a finding asks for.
enum class FindingAsks {
    nothing,
    repeat_confirm,
    repeat_cancel,
    settle,  // may be settled by the row: by itself with statement.settle, else by the operator's command
    person,
};

// One sentence each: what was found and what to do. It names no customer.
struct FindingWords {
    std::string_view english;
    std::string_view portuguese;
};
FindingWords in_words(FindingKind kind) noexcept;

std::string_view to_string(FindingKind kind) noexcept;
std::string_view to_string(FindingSeverity severity) noexcept;
std::string_view to_string(FindingAsks asks) noexcept;
std::optional<FindingKind> parse_finding_kind(std::string_view text) noexcept;
std::optional<FindingAsks> parse_finding_asks(std::string_view text) noexcept;

}  // namespace gateway
