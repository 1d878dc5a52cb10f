// Declares what the journal keeps of the provider's statements: each statement that was read, and every finding with
// what became of it. This is a part of the journal's interface, journal.hpp.
#pragma once

#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "reconcile/finding.hpp"
#include "sale/sale.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Describes a statement of the provider about one day, after it was read.
struct KeptStatement {
    std::int64_t id = 0;  // from 1; the journal gives it
    Day day;
    std::string source;   // "file", "folder", "list", or "status" where single sales were asked for
    std::string network;  // the network that its header names; may be empty
    std::string digest;   // SHA-256 of its bytes, 64 hex digits
    std::string reading;  // SHA-256 of the settings that it was read with, 64 hex digits
    WallTime read_at{};
    std::string by;            // the person who brought it; empty: no person did
    std::string header_money;  // the unit of its header's total; empty: not known
    std::int64_t rows = 0;
    std::int64_t matched = 0;  // rows on which both sides agree
    std::int64_t others = 0;   // rows of other gateways, or of what was not sold
    std::int64_t findings = 0;
    // Is set where single sales were asked for: the idExternos of the attempts that the statement is about. For
    // everything else of its day, what the previous statement of the day said stays. Empty: the statement is about the
    // whole day. The journal does not keep this member.
    std::vector<std::string> about{};
    std::optional<std::int64_t> replaced{};    // the statement that counted for the day until then; set by the journal
    std::optional<std::int64_t> superseded{};  // the one that counts now, where that is another; set by the journal
};

// This is what one side, we or the provider, says of an attempt.
struct Saying {
    Cents valor;
    Status status = Status::PENDENTE;
    friend bool operator==(const Saying&, const Saying&) = default;
};

// Says how a finding ended.
enum class FindingEnd {
    resolved,   // a person looked into it
    corrected,  // a later statement of the day does not show it any more
    settled,    // the provider's statement decided the sale
    other_day,  // the attempt that was missing stands in another day's statement
};
std::string_view to_string(FindingEnd end) noexcept;

// Says what does not agree, and what became of it. The same disagreement of a day always has the same number.
struct Finding {
    std::int64_t number = 0;     // from 1; set by the journal
    std::int64_t statement = 0;  // the last statement that shows it; set by the journal
    Day day;                     // the statement's
    FindingKind kind = FindingKind::unknown_here;
    std::optional<SaleId> sale;
    std::string id_externo;  // each of these ids is empty where it is not known
    std::string id_transacao;
    std::string nsu;
    std::string estabelecimento;
    std::optional<Saying> ours;
    std::optional<Saying> theirs;
    std::size_t line = 0;  // the line of the statement; 0: none
    std::string detail;    // of the whole day: what stands there and what should; of a row: what it may be
    FindingAsks asks = FindingAsks::person;
    bool pending = false;  // the gateway has yet to do by itself what is asked for
    std::string effect;    // a word for what came of that; empty: nothing was done
    WallTime opened_at{};
    struct Closed {
        WallTime at{};
        FindingEnd as = FindingEnd::resolved;
        std::string by;    // the person who closed it; empty: nobody, or a person without a name
        std::string note;  // the person's note; empty: there is none, or it was erased
    };
    std::optional<Closed> closed;
    std::string note;  // the note with which a person had closed it before it opened again
};

// Says which findings changed when a statement was kept.
struct FindingChanges {
    KeptStatement statement;      // with the ids that the journal set
    std::vector<Finding> opened;  // the new ones, and those that opened again
    std::vector<Finding> closed;
};

// Says which statements a list shows: those that satisfy every member that is set.
struct StatementFilter {
    std::optional<std::string> source{};   // empty: any statement about whole days
    std::optional<std::int64_t> before{};  // the last id of the page before
    std::size_t limit = 1;
};

// One statement has at most this many findings. More of them mean that it is the wrong file, or that the configuration
// is wrong.
constexpr std::size_t max_findings = 10'000;

// Says which findings a list shows: those that satisfy every member that is set. The newest comes first.
struct FindingFilter {
    std::optional<bool> open;
    std::optional<FindingKind> kind;
    std::optional<Day> day;
    std::optional<std::int64_t> number;
    std::optional<std::int64_t> statement;
    bool pending = false;                // only pending ones
    bool said = false;                   // only those that the last statement of their day shows
    std::optional<std::int64_t> before;  // the last number of the page before
    std::size_t limit = 100;             // 500 at most
};

}  // namespace gateway
