// Which sales need a person, known at every moment: for the metrics, for the service manager's status, and for the log,
// which says so loudly once and again now and then. A sale that is settled leaves memory and stays on this list until a
// person has dealt with it.
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

    // From here on `tell` learns first of every sale that the journal itself has marked, because memory has to know
    // what a step of the sale leaves in its row.
    void when_unreadable(std::function<void(SaleId)> tell) { tell_ = std::move(tell); }
    // What has become of the sale: one that has a new mark is put on the list, loudly; one that has none leaves it.
    void follow(const Sale& sale);
    // Adds those that the journal has and this list has not. On a chain it also takes over what another gateway has
    // made of a mark. A sale that is followed meanwhile is newer than what the journal said.
    boost::asio::awaitable<Result<void>> look();
    // Adds those that the journal itself has marked since it was looked at last, because it met something of them that
    // cannot be read. Nothing is asked of a gateway's own journal where there is none; that of a chain is looked at
    // every few seconds, as other gateways mark sales and deal with them.
    boost::asio::awaitable<Result<void>> keep_up();
    // Says all of it in the log again.
    void remind() const;

    std::size_t size() const { return sales_.size(); }
    // By the number of the mark.
    std::array<std::size_t, all_attentions.size()> by_mark() const;

  private:
    enum class Counted { no, yes };  // as one that came to need a person while this program runs

    boost::asio::awaitable<Result<void>> look(Counted counted);
    // Returns whether it is one more, or has another mark than it had.
    bool add(MarkedSale&& sale, std::string name);
    void say(LogLevel level, const MarkedSale& sale) const;
    void say_how_many_more(LogLevel level, std::size_t more) const;

    Journal& journal_;
    Clock& clock_;
    Log& log_;
    Metrics& metrics_;
    std::function<void(SaleId)> tell_ = [](SaleId) {};
    std::map<std::string, MarkedSale> sales_;  // by id, which is longer where damaged ones are shown alike
    std::uint64_t met_ = 0;                    // what the journal had met when keep_up() looked last
    std::size_t looks_ = 0;                    // that wait for the journal
    Instant next_look_ = Instant::min();       // at what the other gateways of a chain have done
    // Since the first of them began: whether the journal's own mark was taken away.
    std::map<std::string, bool> followed_;
};

}  // namespace gateway
