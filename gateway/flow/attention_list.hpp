// Which sales need a person, known at every moment: for the metrics, for the service manager's status, and for the log,
// which says so loudly once and again now and then. A sale that is settled leaves memory and stays on this list until a
// person has dealt with it.
#pragma once

#include "base/error.hpp"
#include "base/log.hpp"
#include "flow/metrics.hpp"
#include "journal/journal.hpp"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <map>
#include <set>
#include <string>

namespace gateway {

class AttentionList {
  public:
    // Every reference must outlive the list and its coroutines.
    AttentionList(Journal& journal, Log& log, Metrics& metrics) : journal_(journal), log_(log), metrics_(metrics) {}

    // What has become of the sale: one that has a new mark is put on the list, loudly; one that has none leaves it.
    void follow(const Sale& sale);
    // Adds those that the journal has and this list has not: at start, and whenever the journal itself marked a sale,
    // because a value of it does not open. What is followed meanwhile is newer than what the journal said.
    boost::asio::awaitable<Result<void>> look();
    // Says all of it in the log again.
    void remind() const;

    std::size_t size() const { return sales_.size(); }
    // By the number of the mark.
    std::array<std::size_t, all_attentions.size()> by_mark() const;

  private:
    void say(LogLevel level, const MarkedSale& sale) const;
    void say_how_many_more(LogLevel level, std::size_t more) const;

    Journal& journal_;
    Log& log_;
    Metrics& metrics_;
    std::map<std::string, MarkedSale> sales_;  // by id, which is longer where damaged ones are shown alike
    std::size_t looks_ = 0;                    // that wait for the journal
    std::set<std::string> followed_;           // since the first of them began
};

}  // namespace gateway
