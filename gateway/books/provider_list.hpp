// Fetches the provider's own list of a day, where the provider has one, turns it into a statement, and has it read like
// any other. The list is requested once, some time after the day is over, and whenever an operator wants it. Days that
// were missed because of an outage are made up for.
#pragma once

#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "books/reconciler.hpp"
#include "journal/journal.hpp"
#include "provider/provider.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/system/result.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Makes a statement of the list, a JSON array of objects whose values are read as `configured` says. The error says in
// words what is wrong with the list as a whole; an error in one of its rows shows when the statement is read.
boost::system::result<StatementText, std::string> statement_of_list(std::string_view list, Day day,
                                                                    const StatementFormat& configured);

class ProviderList {
  public:
    // These are the time between the end of a day and the request for its list, and the time until the next try where
    // there was none.
    static constexpr Duration after_the_day{3 * 3'600'000};
    static constexpr Duration try_again{3'600'000};
    // This is the largest list: the rows of some two hundred thousand sales.
    static constexpr std::size_t most_bytes = std::size_t{32} << 20U;
    // Days are made up for this far back. An operator who misses an older one has asked for it by now.
    static constexpr std::chrono::days most_days_back{31};

    // Every reference must outlive this object and its coroutines.
    ProviderList(Provider& provider, Reconciler& reconciler, Journal& journal, Clock& clock)
        : provider_(provider), reconciler_(reconciler), journal_(journal), clock_(clock) {}

    // Tells whether the provider has lists at all.
    bool can_list() const noexcept { return provider_.can_list(); }
    // Requests the list of every day after the last one that was read, the oldest first; where none was read, from
    // yesterday on. A day whose list is refused for an error of its own is not requested again. It is called once, and
    // does nothing if the provider has no lists.
    void start(const boost::asio::any_io_executor& executor);
    // Requests the list of one day. The code of the refusal is provider_unreachable where there was no list.
    boost::asio::awaitable<Reconciler::Told> read(Day day, std::string by);

  private:
    boost::asio::awaitable<Reply> ask(Day day);
    boost::asio::awaitable<void> keep_asking();
    boost::asio::awaitable<std::optional<Day>> last_read(Day over);
    boost::asio::awaitable<Day> ask_after(Day done, Day over);
    boost::asio::awaitable<Reconciler::Told> take(Reply reply, Day day, std::string by);
    Day last_over(WallTime at) const;

    Provider& provider_;
    Reconciler& reconciler_;
    Journal& journal_;
    Clock& clock_;
};

}  // namespace gateway
