// The journal keeps this of the provider's word on a day: each statement that was read, and every finding of it with
// what became of that. It is a part of the journal's interface, journal.hpp.
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

// Holds what the provider said of a day, once it was read.
struct KeptStatement {
    std::int64_t id = 0;  // from 1; the journal gives it
    Day day;
    std::string source;   // "file", "folder", "list", or "status": what single sales were asked for
    std::string network;  // as its header has it; may be empty
    std::string digest;   // SHA-256 of its bytes, 64 hex digits
    std::string reading;  // SHA-256 of how they were read, likewise
    WallTime read_at{};
    std::string by;            // who brought it; empty: nobody
    std::string header_money;  // the unit of its header's total; empty: not known
    std::int64_t rows = 0;
    std::int64_t matched = 0;  // of these: both sides say the same
    std::int64_t others = 0;   // of these: not this gateway's, or not sold
    std::int64_t findings = 0;
    // Where single sales were asked for, these are the idExternos of the attempts that it is about: of all else of its
    // day it says what the statement said that counted until then. Empty: it is about the whole day. This is not kept.
    std::vector<std::string> about{};
    std::optional<std::int64_t> replaced{};    // the statement of the day that counted until then; the journal knows it
    std::optional<std::int64_t> superseded{};  // the one that counts now, where that is another; the journal knows it
};

// This is what one side says of an attempt.
struct Saying {
    Cents valor;
    Status status = Status::PENDENTE;
    friend bool operator==(const Saying&, const Saying&) = default;
};

// Says how a finding ended.
enum class FindingEnd {
    resolved,   // a person looked into it
    corrected,  // a later statement of the day does not say it any more
    settled,    // the statement's word decided the sale
    other_day,  // what was missing stands in another day's statement
};
std::string_view to_string(FindingEnd end) noexcept;

// Says what does not agree, and what became of it. The same disagreement of a day keeps its number.
struct Finding {
    std::int64_t number = 0;     // from 1; the journal gives it
    std::int64_t statement = 0;  // the last one that says it; the journal gives it
    Day day;                     // the statement's
    FindingKind kind = FindingKind::unknown_here;
    std::optional<SaleId> sale;
    std::string id_externo;  // an id that is not known is empty
    std::string id_transacao;
    std::string nsu;
    std::string estabelecimento;
    std::optional<Saying> ours;
    std::optional<Saying> theirs;
    std::size_t line = 0;  // of the statement; 0: none
    std::string detail;    // about the day as a whole: what stands there and what should; about a row: what it may be
    FindingAsks asks = FindingAsks::person;
    bool pending = false;  // the gateway does by itself what is asked for, and has not yet
    std::string effect;    // what came of that: a word; empty: nothing was done
    WallTime opened_at{};
    struct Closed {
        WallTime at{};
        FindingEnd as = FindingEnd::resolved;
        std::string by;    // empty: nobody, or not told
        std::string note;  // empty: none, or erased
    };
    std::optional<Closed> closed;
    std::string note;  // of an open one: what a person said of it before it opened once more
};

// Tells what keeping a statement made of the findings.
struct FindingChanges {
    KeptStatement statement;      // with its id
    std::vector<Finding> opened;  // new, or open once more
    std::vector<Finding> closed;
};

// Says which statements a list shows: all that is set must hold.
struct StatementFilter {
    std::optional<std::string> source{};   // empty: any that is about whole days
    std::optional<std::int64_t> before{};  // the last id of the page before
    std::size_t limit = 1;
};

// One statement has at most so many. More are no findings, but another file or a wrong configuration.
constexpr std::size_t max_findings = 10'000;

// Says which findings a list shows: all that is set must hold. The newest comes first.
struct FindingFilter {
    std::optional<bool> open;
    std::optional<FindingKind> kind;
    std::optional<Day> day;
    std::optional<std::int64_t> number;
    std::optional<std::int64_t> statement;
    bool pending = false;                // only pending ones
    bool said = false;                   // only those that the last statement of their day says
    std::optional<std::int64_t> before;  // the last number of the page before
    std::size_t limit = 100;             // 500 at most
};

}  // namespace gateway
