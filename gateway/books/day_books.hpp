// Keeps the books of the store's days: totals of any days at any time, and closes.
//
// A close is made in two steps. The first fixes which sales are in it and gives it its number, in one commit. The
// second sums these sales up, page by page while sales go on, and keeps totals and digest. If the program ends between
// the two, the next start continues with the second step, and so does a caller who asks for the close before that: the
// same sales give the same totals. Closes of all establishments are made one after the other.
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
    TimeZone zone{};                           // the zone that the days are in
    std::optional<std::chrono::minutes> at{};  // close.at, from midnight; nothing: days are not closed by themselves
};

// This is what some days have come to so far.
struct DayTotals {
    GroupedTotals totals;
    std::vector<Sale> open{};     // not final, the oldest first, at most most_open_named; the totals have all of them
    std::size_t left_out = 0;     // how many open sales are not in `open`
    CountAndTotal late{};         // sold on one of these days after its close: they are in the close of a later day
    std::size_t unreadable = 0;   // sales that belong here, cannot be read and are not counted
    std::vector<Close> closes{};  // the closes of these days, the newest first, at most 500

    static constexpr std::size_t most_open_named = 1'000;
};

class DayBooks {
  public:
    template <class T>
    using Awaited = boost::asio::awaitable<Result<T>>;
    // Returns the establishments of the configuration that is in force.
    using Establishments = std::function<std::vector<std::string>()>;

    // Every reference must outlive this object and its coroutines.
    DayBooks(DayBooksOptions options, Establishments establishments, Journal& journal, Clock& clock, Log& log);

    // Finishes what is unfinished, and closes days by itself where that is configured. It is called once.
    void start(const boost::asio::any_io_executor& executor);

    const TimeZone& zone() const noexcept { return options_.zone; }
    Day today() const { return options_.zone.day_of(clock_.wall()); }
    std::vector<std::string> establishments() const { return establishments_(); }
    // Tells whether the establishment is in the configuration, or the journal has a sale or a close of it.
    Awaited<bool> knows(const std::string& estabelecimento);

    // Returns the first day on which the establishment has a sale; nothing where it has none.
    Awaited<std::optional<Day>> first_day(const std::string& estabelecimento);
    Awaited<bool> is_closed(const CloseKey& key);

    // Only sales count that were begun before that time, so that an earlier day can stand beside a day up to now;
    // nothing: all of them.
    using BegunBefore = std::optional<WallTime>;
    // Open sales are counted where the days include today, or the day on which the sale was begun.
    Awaited<DayTotals> totals(const DayFilter& filter, std::vector<TotalsBy> by, BegunBefore end = std::nullopt);

    struct Closing {
        Close close;        // finished
        bool made = false;  // whether this call made it; false: the day was closed already
    };
    // Closes the day. Fails with errc::close_unreadable where it is closed and that close cannot be read, and with
    // errc::commit_unknown where the journal does not say whether the day is closed: a further call tells.
    Awaited<Closing> close(const CloseKey& key, const std::string& by);
    // Does what Journal::closes() does, after finishing all of them.
    Awaited<std::vector<Close>> closes(const CloseFilter& filter);
    // Returns the forgotten days of a month before `day`, the oldest first. A day is forgotten where nobody closed it
    // although its close would have sales (its own, or late ones of earlier days), and where it lies after the
    // establishment's first close.
    Awaited<std::vector<CloseKey>> forgotten(const std::vector<std::string>& establishments, Day day);
    struct Unclosed {
        std::string estabelecimento;
        Day day;
        CountAndTotal sold{};
        std::optional<WallTime> closes_at{};  // when this gateway closes it after its start; nothing: a person can
    };
    // Returns yesterday for each configured establishment that has sales to close there, including late sales of
    // earlier days, as soon as nobody has to wait for close.at.
    Awaited<std::vector<Unclosed>> unclosed_yesterday();
    // Returns the first day that need not be closed by now: today or, with close.at, an earlier day that is not long
    // overdue.
    Day first_open_day() const;

    struct Due {
        Day day;
        WallTime at;
    };
    // Returns which day of some of these establishments is the next to be closed by itself, and when; no day up to an
    // establishment's last close is. Returns nothing without close.at, and while the clock is not believed.
    Awaited<std::optional<Due>> next_due(const std::vector<std::string>& establishments);

    // Returns by how much the clock was set since some minutes after the start, where that is so much that the clock is
    // not believed and no day is closed by itself. Returns nothing without close.at.
    std::optional<Duration> clock_set_by() const {
        if (!options_.at || !stood_at_) return std::nullopt;
        const Duration set_by = stands_at() - *stood_at_;
        return std::chrono::abs(set_by) < unbelievable_difference ? std::nullopt : std::optional(set_by);
    }

    // Returns when the close of the newest day of each establishment was made; those without a close are left out.
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
    // Returns the days that the next look closes by itself, the oldest first.
    Awaited<std::vector<Day>> days_due(const std::string& estabelecimento);
    // Returns when days that were missed are closed after this start; nothing where they are not closed, or are
    // already.
    std::optional<WallTime> makes_up_at() const;
    // Returns how far the wall clock is ahead of the steady clock.
    Duration stands_at() const {
        return clock_.wall().time_since_epoch() - std::chrono::floor<Duration>(clock_.now().time_since_epoch());
    }
    Awaited<std::optional<Day>> latest_known();
    Awaited<std::optional<Day>> last_closed(const std::string& estabelecimento, Day due);
    Awaited<void> look_up_newest(const std::string& estabelecimento);
    Awaited<void> count_open(DayTotals& totals, const DayFilter& filter, BegunBefore end);
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
    Semaphore turn_;  // lets one close be made at a time
    std::optional<Instant> started_;
    std::optional<Duration> stood_at_;  // what stands_at() was some minutes after the start
    // Has the newest close of each establishment that was looked up; nothing: it has none. Of a shared journal it is
    // looked up again and again.
    std::map<std::string, std::optional<Newest>> newest_;
};

// Returns for example "325" and, for a later series, "326/2" for people or "326-2" where a slash has a meaning.
std::string name_of(const Close& close, char separator = '/');

}  // namespace gateway
