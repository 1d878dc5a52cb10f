// One attempt of ours, or none, beside one row of the provider's, or none: what that makes, and what it asks for. Pure;
// the whole table is in compare().
//
// A row is about the attempt that its idExterno names; where it has none, its idTransacao; where it has neither, its
// NSU. Never by amount and time: those make a suggestion for a person and nothing else.
#pragma once

#include "base/clock.hpp"
#include "reconcile/finding.hpp"
#include "reconcile/local_time_text.hpp"
#include "reconcile/statement_format.hpp"
#include "reconcile/statement_reader.hpp"
#include "sale/sale.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Whether both sides know the id, or the establishment, and not the same one.
bool contradict(std::string_view one, std::string_view other) noexcept;

// The id that a row is matched by.
struct RowId {
    enum class Kind { id_externo, id_transacao, nsu };
    Kind kind;
    std::string_view text;
};
// Nothing where the row has none.
std::optional<RowId> id_of(const StatementRow& row);

// An attempt, with what the comparison needs to know of its sale.
struct OurAttempt {
    std::string id_externo;
    std::string id_transacao;
    std::string nsu;  // empty where it is not known
    AttemptState state = AttemptState::requesting;
    Family family = Family::tv;
    Cents valor;
    std::string estabelecimento;
    std::optional<Day> day;    // the sale's movement day; nothing while it is open
    bool confirmed = false;    // it has a confirm that can be repeated
    bool cancellable = false;  // its family has a cancel
    bool latest = true;        // of its sale
    // Another attempt of the same sale is sold: where this one is sold here too, one before it.
    bool sold_otherwise = false;
};
// What the sale itself has of it. The day, the NSU, whether it can be cancelled and whether something is under way are
// the caller's to fill in.
OurAttempt attempt_of(const Sale& sale, std::size_t index);

// Whether the row is about the attempt.
bool is_about(const StatementRow& row, const OurAttempt& ours);

// Whether a row that no attempt here answers to can be ours.
enum class RowOrigin {
    ours,     // its idExterno has a prefix of ours
    perhaps,  // its establishment is ours
    others,   // its idExterno has another prefix, or its establishment is none of ours
    unclear,  // it says neither
};
// `prefixes` are all that this gateway ever used, "" among them where it once had none; `estabelecimentos` all that it
// sells for.
RowOrigin origin_of(const StatementRow& row, std::span<const std::string> prefixes,
                    std::span<const std::string> estabelecimentos);

// What the comparison needs to know of the statement.
struct ComparisonContext {
    Day day;                       // its movement day
    bool lists_sold_only = false;  // what is not sold does not stand in it
    StatementCovers covers = StatementCovers::network;
    bool on_another_day = false;  // the statement of a neighbouring day has the attempt
    RowOrigin origin = RowOrigin::unclear;
};

// What is found, or nothing where there is nothing to say. Of `ours` and `row` one is there at least, and where both
// are, the row is about the attempt.
std::optional<FindingKind> compare(const OurAttempt* ours, const StatementRow* row, const ComparisonContext& context);

// Whether a statement may decide our attempt by this row: the latest attempt only, which waits for the provider's word,
// by a row that names it by an id that is nobody else's, that contradicts none of its other ids, and whose amount and
// establishment are ours. NEGADA decides an eSIM only. The law waits until nothing is under way for the attempt.
bool may_settle(const OurAttempt& ours, const StatementRow& row);

// `ours` and `row` as they were compared.
FindingAsks asked_for(FindingKind kind, const OurAttempt* ours, const StatementRow* row);

// An attempt of ours that a row might be about, although no id says so.
struct MatchCandidate {
    Cents valor;
    std::string estabelecimento;
    WallTime at{};
};
// How many of them a person is shown, and how far apart in time they may be.
constexpr std::size_t max_suggestions = 3;
constexpr Duration suggestion_window = std::chrono::hours(24);
// The places of those that may be it, the likeliest first: equal in amount, of the same establishment where the row has
// one, and the nearer in time the better.
std::vector<std::size_t> suggestions(const StatementRow& row, std::span<const MatchCandidate> candidates);

}  // namespace gateway
