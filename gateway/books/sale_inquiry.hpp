// Asks the provider about single sales of a day, where it has an address for that: about those that do not agree with
// the day's statement, and about open ones that make no progress. Each answer counts like a row of the day's statement.
// Where it says nothing about the sale, everything stays as it is.
//
// The questions are asked one after the other, because a provider that is asked in the evening still sells.
#pragma once

#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "books/reconciler.hpp"
#include "journal/journal.hpp"
#include "net/semaphore.hpp"
#include "provider/provider.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/system/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gateway {

// This is what came of an inquiry.
struct InquiryReport {
    std::size_t asked = 0;
    std::size_t answered = 0;   // how many of these the provider answered
    std::size_t left = 0;       // not asked about, because there are too many or the provider did not answer
    std::string ended;          // why it ended early; empty: it did not
    StatementReport statement;  // what the answers made; without an id where there were none
};

class SaleInquiry {
  public:
    using Told = boost::system::result<InquiryReport, StatementRefusal>;

    // One inquiry asks about at most this many sales. More disagreements do not come from single sales: the file is the
    // wrong one, or [statement] reads it wrongly.
    static constexpr std::size_t most_asked = 200;
    // This is the pause between two questions; at most five are asked in a second.
    static constexpr Duration pause{200};
    // After this many questions in a row without an answer, the provider is away. Where nothing can be sent at all, or
    // the provider refuses for a time (429), one is enough.
    static constexpr std::size_t most_unanswered = 3;
    // One inquiry may take this long, because others wait for their turn.
    static constexpr Duration most_time{10 * 60'000};
    // After each group of this many questions, the log says how far the inquiry has come.
    static constexpr std::size_t progress_every = 50;
    // This is the time between two checks whether a statement was read that leaves something to ask about.
    static constexpr Duration look_every{10 * 60'000};
    // This is the time until the first check after a start. It is not zero, because a gateway may be restarted again
    // and again.
    static constexpr Duration look_first{5'000};
    // A day for which the provider answered nothing is tried again with growing pauses, of which this is the longest.
    static constexpr Duration ask_again_most{6 * 60 * 60'000};
    // This many statements are looked at, the last ones, and none of a day further back than this. An operator who
    // reads a statement of an older day is there to ask.
    static constexpr std::size_t statements_looked_at = 100;
    static constexpr std::chrono::days most_days_back{31};

    // Every reference must outlive this object and its coroutines.
    SaleInquiry(Provider& provider, const Rules& rules, Reconciler& reconciler, Journal& journal, Clock& clock,
                Log& log);

    // Tells whether the provider can be asked at all.
    bool can_ask() const noexcept { return provider_.can_ask(); }
    // Starts asking by itself after each statement that leaves findings. Of several gateways on a journal, one does it.
    // It is called once, and does nothing if the provider cannot be asked.
    void start(const boost::asio::any_io_executor& executor);
    // Asks about the sales of this day. The code of the refusal is provider_unreachable where nothing was answered, and
    // the provider is the reason.
    boost::asio::awaitable<Told> ask(Day day, std::string by);

  private:
    struct Wish {
        SaleId sale;
        IdExterno attempt;
    };
    struct Round;
    // This is what was asked by itself about a day since the start.
    struct Asked {
        std::int64_t after = 0;  // the id of the statement; 0: none
        int failures = 0;        // in a row
        Instant not_before = Instant::min();
    };

    boost::asio::awaitable<void> keep_asking();
    boost::asio::awaitable<void> ask_after_statements();
    boost::asio::awaitable<Result<std::vector<Wish>>> wishes_of(Day day);
    boost::asio::awaitable<Result<void>> wish_for_open(Day day, std::vector<Wish>& wishes);
    boost::asio::awaitable<Result<void>> wish_for_findings(Day day, std::vector<Wish>& wishes);
    boost::asio::awaitable<Result<void>> ask_for(const std::vector<Wish>& wishes, Round& round);
    boost::asio::awaitable<Result<void>> ask_for_one(const Wish& wish, Round& round);
    void say(Day day, const InquiryReport& report, const std::string& by) const;

    Provider& provider_;
    const Rules& rules_;
    Reconciler& reconciler_;
    Journal& journal_;
    Clock& clock_;
    Log& log_;
    Semaphore turn_;  // lets one inquiry run at a time
    std::map<Day, Asked> asked_;
};

}  // namespace gateway
