// What is found of one attempt beside one row of the provider's, or beside none, and what of it the gateway does by
// itself.
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

// A finding of this kind, with what the row says; nobody is asked for anything yet.
Finding new_finding(FindingKind kind, const StatementRow* row, Day day, WallTime at);

// Of one statement.
class Judge {
  public:
    // How many contradictions of one statement put marks on their sales. So many more are a wrong mapping, which shows
    // in the findings alone: a mark is taken away by a person, one by one.
    static constexpr std::int64_t max_marked = 100;

    struct Options {
        bool settle = false;  // whether the gateway lets a row decide an open sale
        std::function<bool(Family)> can_cancel = [](Family) { return true; };
    };

    // The clock must outlive it.
    Judge(Options options, Clock& clock) : options_(std::move(options)), clock_(clock) {}

    // Nothing where there is nothing to find. `row` is about the attempt, or null.
    std::optional<Finding> judge(const Sale& sale, std::size_t attempt, const StatementRow* row,
                                 const ComparisonContext& context);

  private:
    bool is_to_be_told(FindingKind kind, const OurAttempt& ours, const StatementRow* row, FindingAsks asks);

    const Options options_;
    Clock& clock_;
    std::int64_t marked_ = 0;
};

// What the provider answered when it was asked for one attempt.
struct StatusAnswer {
    SaleId sale;
    IdExterno attempt;
    StatementRow row;  // about that attempt
};

// Whether the provider may be asked for the sale beside what its law asks: nothing is left to do for it, or it waits
// for the provider's word and a person was told that it comes no further; and this gateway is the one that owns it,
// where one does.
bool may_be_asked_for(const Sale& sale, const Journal& journal);

// What is found of the attempts by these answers, each beside its sale as it is now: while others were asked for, a
// person or the law may have ended it, and what may not be asked for any more is left out. Adds to the statement which
// attempts it is about, its digest, and how many agree. An error is the journal's.
boost::asio::awaitable<Result<std::vector<Finding>>> judge_answers(const std::vector<StatusAnswer>& answers,
                                                                   Judge& judge, Journal& journal,
                                                                   KeptStatement& statement);

}  // namespace gateway
