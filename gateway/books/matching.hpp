// Matches the rows of a statement with our attempts, page by page while sales go on: first the final sales of the days
// around it, then the open ones, then the sales that the remaining rows name. compare() compares what the two sides
// say, and a disagreement is a finding.
#pragma once

#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "books/judge.hpp"
#include "books/statement_rows.hpp"
#include "journal/journal.hpp"
#include "reconcile/comparison.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gateway {

// These are the settings that matching needs besides the statement.
struct MatchingOptions {
    TimeZone zone{};                                    // the zone that the days are in
    StatementCovers covers = StatementCovers::network;  // whose sales the statement has
    bool lists_sold_only = false;                       // the statement does not list what is not sold
    bool settle = false;                                // whether the gateway lets a row decide an open sale
    std::vector<std::string> estabelecimentos{};        // those that this gateway sells for
    std::function<bool(Family)> can_cancel = [](Family) { return true; };
};

class Matching {
  public:
    // Up to this many sales that are missing there, and rows that are unknown here, a person is told which of them may
    // belong together.
    static constexpr std::size_t max_compared = 100;
    // This many rows and sales that have nothing to do with each other are not there by chance.
    static constexpr std::size_t few = 3;

    // Every reference must outlive this object. The rows have been read and sorted.
    Matching(MatchingOptions options, Day day, StatementRows& rows, Journal& journal, Clock& clock);

    // Does the matching; it is called once. An error is the journal's; the results are then of no use.
    boost::asio::awaitable<Result<void>> run();

    std::vector<Finding>& findings() noexcept { return findings_; }
    bool found_too_much() const noexcept { return findings_.size() > max_findings; }
    // Tells whether no row names an attempt of ours although there are some on both sides: then the ids are in another
    // column than the configuration says.
    bool named_none() const noexcept {
        return options_.covers == StatementCovers::this_gateway && named_ == 0 && unknown_.size() >= few &&
               missing_.size() >= few;
    }
    std::int64_t matched() const noexcept { return matched_; }
    std::int64_t others() const noexcept { return others_; }

  private:
    template <class T>
    using Awaited = boost::asio::awaitable<Result<T>>;

    // This is a sale that cannot be judged from its own row in the journal alone.
    struct Doubt {
        SaleId sale;
        std::optional<StatementRow> row;  // nothing: no row was found for it yet
    };

    // This is a finding that may be the other side of another one.
    struct MissingThere {
        std::string id_externo;
        MatchCandidate candidate;
    };
    struct UnknownHere {
        std::size_t finding;
        StatementRow row;
    };

    Awaited<void> learn();
    Awaited<void> match_days();
    Awaited<void> match_open();
    Awaited<void> match_rest();
    Awaited<void> judge(const Doubt& doubt);
    void judge_open(const Sale& sale);
    void judge(const Sale& sale, std::size_t attempt, const StatementRow* row);
    void judge_unknown(const StatementRow& row);
    void suggest();
    std::optional<StatementRow> row_of(std::string_view id_externo, std::string_view id_transacao);
    std::optional<StatementRow> row_of(const Sale& sale, std::size_t attempt);
    bool agree(const DaySale& sale, const std::optional<StatementRow>& row) const;

    const MatchingOptions options_;
    const Day day_;
    StatementRows& rows_;
    Journal& journal_;
    Clock& clock_;
    Judge judge_;
    std::vector<std::string> prefixes_;
    std::set<std::string> on_other_days_;  // idExternos that a neighbouring day's statement has
    std::vector<Finding> findings_;
    std::vector<MissingThere> missing_;
    std::vector<UnknownHere> unknown_;
    std::int64_t matched_ = 0;
    std::int64_t others_ = 0;
    std::int64_t named_ = 0;  // rows that are about an attempt of ours
};

}  // namespace gateway
