// Says what the comparison of our books with the provider's can find: the kinds of findings, their words on disk, and
// how serious each is. What a person is told about each stands in the word files, as finding_means.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace gateway {

// Each kind is a word on disk: an old one never gets a new meaning. "There" is the provider's side, "here" is ours.
enum class FindingKind {
    // These are about one attempt.
    matched,            // both sides say the same; this is no finding
    amount_differs,     // it is sold on both sides, for different amounts
    store_differs,      // it is sold on both sides, there by another establishment
    sold_twice,         // it is sold there, and so is another attempt of the same sale
    reversed_there,     // it is sold here, and the provider took it back: the goods are out
    unconfirmed_there,  // it is sold here, and only authorised there
    other_day,          // it is sold on both sides, there on another movement day
    missing_there,      // it is sold here, and the statement does not have it
    sold_there,         // it is not sold here, and sold there: promise 2 is broken
    open_there,         // it is not sold here, and still authorised there
    settles_sold,       // it is open here, and sold there
    settles_not_sold,   // it is open here, and not sold there
    still_open,         // it is open here, and there it is open or missing
    unknown_here,       // it is sold or authorised there, and nobody here knows it
    counted_only,       // it is another gateway's, or it is not sold and unknown here; this is no finding
    // These are about a file as a whole.
    wrong_day,         // the file is of another movement day than was asked for, or than it can be of
    wrong_network,     // the file is of another network
    already_imported,  // the same file came once more
    count_differs,     // the header's count is not that of its rows, or of our sales
    total_differs,     // the header's total is not that of its rows, or of our sales
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

// Tells whether the kind is about a file and not about one attempt.
bool is_of_a_file(FindingKind kind) noexcept;

enum class FindingSeverity {
    none,     // all is well, or it is not ours: no finding is opened
    note,     // a person may want to know it; nothing follows
    warning,  // a person has to look
    alarm,    // the provider charged for what is not sold here
};
FindingSeverity severity_of(FindingKind kind) noexcept;

// Tells whether only the provider can put it right, because it charges for what it must not, or does not count what was
// sold.
bool is_to_be_claimed(FindingKind kind) noexcept;

// Says what is to be done about a finding.
enum class FindingAsks {
    nothing,
    repeat_confirm,
    repeat_cancel,
    settle,  // the row may settle the attempt: by itself with statement.settle, else by the operator's command
    person,
};

std::string_view to_string(FindingKind kind) noexcept;
std::string_view to_string(FindingSeverity severity) noexcept;
std::string_view to_string(FindingAsks asks) noexcept;
std::optional<FindingKind> parse_finding_kind(std::string_view text) noexcept;
std::optional<FindingAsks> parse_finding_asks(std::string_view text) noexcept;

}  // namespace gateway
