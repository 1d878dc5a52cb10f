// The books of the store's days: totals of any days at any time, and closes.
//
// A close is made in two steps. The first fixes which sales are in it and gives it its number, in one commit; the
// second sums these sales up, page by page while sales go on, and keeps totals and digest. Whatever ends between the
// two, the next start goes on with the second, and so does a caller who asks for the close before that: the same sales
// give the same totals. Closes of all establishments are made one after the other.
#pragma once

#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "books/close_schedule.hpp"
#include "books/close_sum.hpp"
#include "journal/journal.hpp"
#include "net/semaphore.hpp"
#include "reconcile/totals.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gateway {

struct DayBooksOptions {
    TimeZone zone{};                           // what days are of
    std::optional<std::chrono::minutes> at{};  // close.at, from midnight; nothing: days are not closed by themselves
};

// What some days came to, as far as they went.
struct DayTotals {
    GroupedTotals totals;
    std::vector<Sale> open{};     // not final, oldest first, most_open_named at most: the totals have all
    std::size_t left_out = 0;     // of those
    CountAndTotal late{};         // sold on one of these days after its close: they are in that of a later day
    std::size_t unreadable = 0;   // sales that belong here, cannot be read and are not counted
    std::vector<Close> closes{};  // of these days, the newest first, 500 at most

    static constexpr std::size_t most_open_named = 1'000;
};

class DayBooks {
  public:
    template <class T>
    using Awaited = boost::asio::awaitable<Result<T>>;
    // The establishments of the configuration that is in force.
    using Establishments = std::function<std::vector<std::string>()>;

    // Every reference must outlive it and its coroutines.
    DayBooks(DayBooksOptions options, Establishments establishments, Journal& journal, Clock& clock, Log& log);

    // Once. Finishes what is unfinished, and closes days by themselves where that is wanted.
    void start(const boost::asio::any_io_executor& executor);

    const TimeZone& zone() const noexcept { return options_.zone; }
    Day today() const { return options_.zone.day_of(clock_.wall()); }
    std::vector<std::string> establishments() const { return establishments_(); }
    // Whether it is in the configuration, or the journal has a sale or a close of it.
    Awaited<bool> knows(const std::string& estabelecimento);

    // The first day of which it has a sale; nothing where it never sold.
    Awaited<std::optional<Day>> first_day(const std::string& estabelecimento);
    Awaited<bool> is_closed(const CloseKey& key);

    // Open sales count where the days have today, or the one on which they were begun.
    Awaited<DayTotals> totals(const DayFilter& filter, std::vector<TotalsBy> by);

    struct Closing {
        Close close;        // finished
        bool made = false;  // by this call; false: the day was closed already
    };
    // Closes the day. errc::close_unreadable where it is closed, and that close cannot be read; errc::commit_unknown
    // where the journal does not say whether it is: asking again tells.
    Awaited<Closing> close(const CloseKey& key, const std::string& by);
    // As Journal::closes(), all of them finished.
    Awaited<std::vector<Close>> closes(const CloseFilter& filter);
    // The days of a month before `day` that nobody closed although a close of them would have sales, of their own or
    // late ones of days before, since the first close of each of these; oldest first.
    Awaited<std::vector<CloseKey>> forgotten(const std::vector<std::string>& establishments, Day day);
    struct Unclosed {
        std::string estabelecimento;
        Day day;
        CountAndTotal sold{};
        std::optional<WallTime> closes_at{};  // when this gateway closes it after its start; nothing: a person can
    };
    // Yesterday, of each configured establishment that has something to close of it, late sales of days before among
    // it, once nobody need wait for close.at.
    Awaited<std::vector<Unclosed>> unclosed_yesterday();
    // The first day of which nobody need have made a close by now: today, or with close.at one that is not long due.
    Day first_open_day() const;

    struct Due {
        Day day;
        WallTime at;
    };
    // Tells which day of some of these establishments is closed by itself next, and when: none up to their last close
    // is. There is none without close.at, and while the clock is not believed.
    Awaited<std::optional<Due>> next_due(const std::vector<std::string>& establishments);

    // By how much the clock was set since some minutes after the start, where that is so much that it is not believed
    // and no day is closed by itself. Nothing without close.at.
    std::optional<Duration> clock_set_by() const {
        if (!options_.at || !stood_at_) return std::nullopt;
        const Duration set_by = stands_at() - *stood_at_;
        return std::chrono::abs(set_by) < unbelievable_difference ? std::nullopt : std::optional(set_by);
    }

    // When the close of the newest day of each establishment was made, as far as there is one.
    std::map<std::string, WallTime> last_made() const;

  private:
    struct Newest {
        Day day;
        WallTime made_at;
    };

    boost::asio::awaitable<void> keep();
    boost::asio::awaitable<bool> finish_what_was_begun();
    boost::asio::awaitable<void> close_due(const std::string& estabelecimento);
    boost::asio::awaitable<void> say_what_waits(const std::string& estabelecimento);
    // The days that are closed by themselves with the next look, the oldest first.
    Awaited<std::vector<Day>> days_due(const std::string& estabelecimento);
    // When days that were missed are closed after this start; nothing where they are not, or were by then.
    std::optional<WallTime> makes_up_at() const;
    // How far the clock on the wall is ahead of the one that nobody sets.
    Duration stands_at() const {
        return clock_.wall().time_since_epoch() - std::chrono::floor<Duration>(clock_.now().time_since_epoch());
    }
    Awaited<std::optional<Day>> latest_known();
    Awaited<std::optional<Day>> last_closed(const std::string& estabelecimento, Day due);
    Awaited<void> look_up_newest(const std::string& estabelecimento);
    Awaited<void> count_open(DayTotals& totals, const DayFilter& filter);
    bool counts_in(const DayFilter& filter, const Sale& sale) const;
    Awaited<void> finish_unfinished(std::optional<std::string> estabelecimento);
    Awaited<Close> begin(const CloseKey& key, WallTime at, const std::string& by);
    Awaited<Close> finish(Close close);
    Awaited<void> write(const Close& close);
    Awaited<std::string> digest_before(const Close& close);
    Awaited<std::optional<WallTime>> begun_at(const std::optional<SaleId>& id);
    void note(const Close& close);

    const DayBooksOptions options_;
    const Establishments establishments_;
    Journal& journal_;
    Clock& clock_;
    Log& log_;
    Semaphore turn_;  // of one close at a time
    std::optional<Instant> started_;
    std::optional<Duration> stood_at_;  // what stands_at() was once the start was some minutes ago
    // By establishment, once it was looked for, and of a shared journal again and again; nothing: there is none.
    std::map<std::string, std::optional<Newest>> newest_;
};

// "325", and of a later series "326/2" for people or "326-2" where a slash has a meaning.
std::string name_of(const Close& close, char separator = '/');

}  // namespace gateway
