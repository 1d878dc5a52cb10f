// Decides what is found of one attempt beside one row of the provider's statement, or beside none, and which of the
// findings the gateway deals with by itself.
#pragma once

#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/journal.hpp"
#include "reconcile/comparison.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace gateway {

// Makes a finding of this kind from the row. It asks nobody for anything yet.
Finding new_finding(FindingKind kind, const StatementRow* row, Day day, WallTime at);

// Judges the attempts of one statement.
class Judge {
  public:
    // At most this many contradictions of one statement put marks on their sales. More of them come from a wrong
    // mapping, which the findings alone show; a person has to remove every mark by hand.
    static constexpr std::int64_t max_marked = 100;

    struct Options {
        bool settle = false;  // whether the gateway lets a row decide an open sale
        std::function<bool(Family)> can_cancel = [](Family) { return true; };
    };

    // The clock must outlive this object.
    Judge(Options options, Clock& clock) : options_(std::move(options)), clock_(clock) {}

    // Returns nothing where there is nothing to find. `row` is about the attempt, or null.
    std::optional<Finding> judge(const Sale& sale, std::size_t attempt, const StatementRow* row,
                                 const ComparisonContext& context);

  private:
    bool is_to_be_told(FindingKind kind, const OurAttempt& ours, const StatementRow* row, FindingAsks asks);

    const Options options_;
    Clock& clock_;
    std::int64_t marked_ = 0;
};

// This is the provider's answer about one attempt.
struct StatusAnswer {
    SaleId sale;
    IdExterno attempt;
    StatementRow row;  // about that attempt
};

// Tells whether the provider may be asked for the sale in addition to the requests of its law. It may be where nothing
// is left to do for the sale, or where the sale waits for the provider's answer and a person was told that it makes no
// progress. Where a gateway owns the sale, it must be this one.
bool may_be_asked_for(const Sale& sale, const Journal& journal);

// Returns the findings of these answers, each compared with its sale as it is now: while others were asked for, a
// person or the law may have ended it, and what may no longer be asked for is left out. Sets in the statement the
// attempts that it is about, its digest, and the number of rows that agree. An error is the journal's.
boost::asio::awaitable<Result<std::vector<Finding>>> judge_answers(const std::vector<StatusAnswer>& answers,
                                                                   Judge& judge, Journal& journal,
                                                                   KeptStatement& statement);

}  // namespace gateway
