// Knows at every moment which sales need a person: for the metrics, for the service manager's status, and for the log,
// which reports each of them loudly once, and again from time to time. A sale that is settled leaves memory, but stays
// on this list until a person has dealt with it.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "flow/metrics.hpp"
#include "journal/journal.hpp"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace gateway {

class AttentionList {
  public:
    // Every reference must outlive the list and its coroutines.
    AttentionList(Journal& journal, Clock& clock, Log& log, Metrics& metrics)
        : journal_(journal), clock_(clock), log_(log), metrics_(metrics) {}

    // From now on, `tell` is told first of every sale that the journal itself has marked, because the sale in memory
    // has to know which mark is in its row.
    void when_unreadable(std::function<void(SaleId)> tell) { tell_ = std::move(tell); }
    // Follows a change of the sale: puts a sale with a new mark on the list and reports it loudly, and removes one
    // without a mark.
    void follow(const Sale& sale);
    // Adds the sales that the journal has marked and this list does not have. On a shared journal it also takes over
    // what another gateway has changed about a mark. A sale that follow() was called for meanwhile is newer than what
    // the journal said.
    boost::asio::awaitable<Result<void>> look();
    // Adds the sales that the journal itself has marked since the last look, because it could not read a part of them.
    // A journal of one gateway is not asked where it has marked none; a shared one is looked at every few seconds,
    // because other gateways mark sales and deal with them.
    boost::asio::awaitable<Result<void>> keep_up();
    // Reports all of them in the log again.
    void remind() const;

    std::size_t size() const { return sales_.size(); }
    // Counts the sales of each mark; the index is the mark's number.
    std::array<std::size_t, all_attentions.size()> by_mark() const;

  private:
    enum class Counted { no, yes };  // whether a sale counts as one that came to need a person while this program runs

    boost::asio::awaitable<Result<void>> look(Counted counted);
    // Returns whether the sale was not on the list, or had another mark.
    bool add(MarkedSale&& sale, std::string name);
    void say(LogLevel level, const MarkedSale& sale) const;
    void say_how_many_more(LogLevel level, std::size_t more) const;

    Journal& journal_;
    Clock& clock_;
    Log& log_;
    Metrics& metrics_;
    std::function<void(SaleId)> tell_ = [](SaleId) {};
    std::map<std::string, MarkedSale> sales_;  // by id; ids of damaged rows that look alike are made longer
    std::uint64_t met_ = 0;                    // JournalStats::unreadable at the last look of keep_up()
    std::size_t looks_ = 0;                    // looks that are waiting for the journal
    Instant next_look_ = Instant::min();       // when to look next at what other gateways have done
    // Has the sales that were followed since the first of these looks began, and whether the journal's own mark was
    // removed.
    std::map<std::string, bool> followed_;
};

}  // namespace gateway
