// Compares one attempt of ours, or none, with one row of the provider's, or none. It says what kind of finding that
// makes, and what the finding asks for. It is pure; compare() has the whole table.
//
// A row is about the attempt that its idExterno names. If it has no idExterno, its idTransacao counts, and if it has
// neither, its NSU. Amount and time never match a row; they only make a suggestion for a person.
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

// Tells whether both sides know the id, or the establishment, and name different ones.
bool contradict(std::string_view one, std::string_view other) noexcept;

// A row is matched by this id.
struct RowId {
    enum class Kind { id_externo, id_transacao, nsu };
    Kind kind;
    std::string_view text;
};
// Returns nothing if the row has none of the three.
std::optional<RowId> id_of(const StatementRow& row);

// This is an attempt, with what the comparison needs to know about its sale.
struct OurAttempt {
    std::string id_externo;
    std::string id_transacao;
    std::string nsu;  // empty where it is not known
    AttemptState state = AttemptState::requesting;
    Family family = Family::tv;
    Cents valor;
    std::string estabelecimento;
    std::optional<Day> day;    // the sale's movement day; nothing while the sale is open
    bool confirmed = false;    // a confirm was sent, which can be repeated
    bool cancellable = false;  // its family has a cancel
    bool latest = true;        // it is the latest attempt of its sale
    // True if another attempt of the same sale is sold here: if this one is sold here too, an earlier one.
    bool sold_otherwise = false;
};
// Fills in what the sale itself says about the attempt. The caller fills in the day, the NSU if the sale does not have
// it, and whether the attempt can be cancelled.
OurAttempt attempt_of(const Sale& sale, std::size_t index);

bool is_about(const StatementRow& row, const OurAttempt& ours);

// Says whether a row that belongs to no attempt here can be ours.
enum class RowOrigin {
    ours,     // its idExterno has a prefix of ours
    perhaps,  // its establishment is ours
    others,   // its idExterno has another prefix, or its establishment is none of ours
    unclear,  // it says neither
};
// `prefixes` are all prefixes that this gateway ever used; they contain "" if it once had none. `estabelecimentos` are
// all establishments that it sells for.
RowOrigin origin_of(const StatementRow& row, std::span<const std::string> prefixes,
                    std::span<const std::string> estabelecimentos);

// Holds what the comparison needs to know about the statement.
struct ComparisonContext {
    Day day;                       // its movement day
    bool lists_sold_only = false;  // it does not list what is not sold
    StatementCovers covers = StatementCovers::network;
    bool on_another_day = false;  // the statement of a day before or after has the attempt
    RowOrigin origin = RowOrigin::unclear;
};

// Returns the kind of finding, or nothing if there is nothing to say. At least one of `ours` and `row` is there. If
// both are, the row is about the attempt.
std::optional<FindingKind> compare(const OurAttempt* ours, const StatementRow* row, const ComparisonContext& context);

// Tells whether a statement may decide our attempt by this row. It may only decide the latest attempt, while it waits
// for the provider's word. The row must name it by an id that no other attempt can have, must contradict none of its
// other ids, and must have our amount and establishment. NEGADA decides only an eSIM. The law waits until nothing is
// under way for the attempt.
bool may_settle(const OurAttempt& ours, const StatementRow& row);

// Says what a finding asks for. `ours` and `row` are what was compared.
FindingAsks asked_for(FindingKind kind, const OurAttempt* ours, const StatementRow* row);

// A row might be about this attempt of ours, although no id says so.
struct MatchCandidate {
    Cents valor;
    std::string estabelecimento;
    WallTime at{};
};
// A person is shown at most so many of them, which are at most so far apart in time from the row.
constexpr std::size_t max_suggestions = 3;
constexpr Duration suggestion_window = std::chrono::hours(24);
// Returns the indexes of those that may be it, the likeliest first. They have the same amount, and the same
// establishment if the row has one. The nearer in time comes first.
std::vector<std::size_t> suggestions(const StatementRow& row, std::span<const MatchCandidate> candidates);

}  // namespace gateway
