// Asks the provider how single sales of a day stand, where it has an address for that: those that do not agree with the
// day's statement, and those that are open and come no further. Each answer counts as a row of the day's statement
// does; where it says nothing of the sale, all stays as it is.
//
// One is asked for after the other, and not all at once: a provider that is asked in the evening still sells.
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

// What came of an inquiry.
struct InquiryReport {
    std::size_t asked = 0;
    std::size_t answered = 0;  // of these: the provider said how they stand
    std::size_t left = 0;  // not asked for: there are more than one inquiry asks for, or the provider did not answer
    std::string ended;     // why it ended before its time; empty: it did not
    StatementReport statement;  // what the answers made; without an id where there were none
};

class SaleInquiry {
  public:
    using Told = boost::system::result<InquiryReport, StatementRefusal>;

    // How many sales one inquiry asks for. More that do not agree are no matter of single sales: the file is another
    // one, or [statement] reads it wrongly.
    static constexpr std::size_t most_asked = 200;
    // Between two of them: at most five in a second.
    static constexpr Duration pause{200};
    // So many in a row without an answer are no matter of single sales either: the provider is away. Where nothing can
    // be sent at all, or it wants to be left alone (429), one is enough.
    static constexpr std::size_t most_unanswered = 3;
    // How long one inquiry may take: others wait for their turn.
    static constexpr Duration most_time{10 * 60'000};
    // After how many of them the log says how far it is.
    static constexpr std::size_t progress_every = 50;
    // How often it is looked whether a statement was read that leaves something to ask for.
    static constexpr Duration look_every{10 * 60'000};
    // For the first time after a start: not at once, where a gateway is started again and again.
    static constexpr Duration look_first{5'000};
    // A day for which the provider answered nothing is asked for again then, and ever more seldom, at most so seldom.
    static constexpr Duration ask_again_most{6 * 60 * 60'000};
    // So many statements are looked at, the last ones; and none of a day that is longer ago: the operator who reads one
    // of an older day is there to ask.
    static constexpr std::size_t statements_looked_at = 100;
    static constexpr std::chrono::days most_days_back{31};

    // Every reference must outlive it and its coroutines.
    SaleInquiry(Provider& provider, const Rules& rules, Reconciler& reconciler, Journal& journal, Clock& clock,
                Log& log);

    // Whether the provider can be asked at all.
    bool can_ask() const noexcept { return provider_.can_ask(); }
    // Once: asks by itself after each statement that leaves findings, of several gateways that share a journal in one.
    // Does nothing where the provider cannot be asked.
    void start(const boost::asio::any_io_executor& executor);
    // Asks for what there is to ask for of this day. The code of a refusal is provider_unreachable where nothing was
    // answered and the provider is why.
    boost::asio::awaitable<Told> ask(Day day, std::string by);

  private:
    struct Wish {
        SaleId sale;
        IdExterno attempt;
    };
    struct Round;
    // What was asked for by itself of a day, since the start.
    struct Asked {
        std::int64_t after = 0;  // the statement; 0: none
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
    Semaphore turn_;  // of one inquiry at a time
    std::map<Day, Asked> asked_;
};

}  // namespace gateway
