// Reads what the provider says about a day, matches it with our books, keeps what does not agree as findings, and does
// what these ask for: it tells the law about an open sale that the statement decides, about a last request that the
// provider never received, and about a contradiction. Statements are read one after the other, in parts, while sales go
// on.
//
// A statement is kept with all its findings in one commit, or not at all. What it asks for is done afterwards, and
// tried until it succeeds: what was not done when the program ended is done at the next start.
#pragma once

#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "books/day_books.hpp"
#include "books/matching.hpp"
#include "flow/seller.hpp"
#include "journal/journal.hpp"
#include "net/semaphore.hpp"
#include "reconcile/finding.hpp"
#include "reconcile/statement_format.hpp"
#include "reconcile/statement_reader.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/system/result.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// No known network has a longer statement of one day.
constexpr std::size_t max_statement_bytes = std::size_t{128} << 20U;

// This is a statement as it came.
struct StatementText {
    std::string bytes;
    std::string source;                       // KeptStatement::source
    std::optional<Day> day;                   // the day that it is said to be of; nothing: its header says the day
    std::string by;                           // who brought it; may be empty
    std::string file{};                       // its name, where it has one
    bool again = false;                       // read it although it is known, so that it counts for its day from now on
    std::optional<StatementFormat> format{};  // nothing: the configured format
};

// KeptStatement::source of answers about single attempts.
inline constexpr std::string_view status_source = "status";

// Reports on a statement that was read.
struct StatementReport {
    KeptStatement statement;        // its id is 0 where there was nothing to keep
    bool already_imported = false;  // it was imported before, and nothing was changed
    std::vector<Finding> findings;  // the newest findings that it shows, the newest first; not all where there are many
};

// This is the code of a refusal where the provider gave no list.
inline constexpr std::string_view provider_unreachable = "provider_unreachable";

// Says why a statement was not kept.
struct StatementRefusal {
    boost::system::error_code failure{};  // the journal's error; where it is set, the rest is empty
    // A finding's kind that is about a file, too_many_findings, nothing_matches or provider_unreachable.
    std::string code;
    std::string detail;      // for the person who brought it; may quote the content of a field
    std::size_t line = 0;    // of the file; 0: none
    std::string unquoted{};  // the detail without the quotation, for the log; empty: the detail quotes nothing
};

struct ReconcilerOptions {
    StatementFormat format;
    std::string zone{};    // the zone of times in it without an offset, by its tz name; empty: the store's zone
    TimeZone times{};      // the rule of that zone
    bool settle = false;   // whether a statement alone may decide an open sale
    std::string folder{};  // the folder that is watched for statements; empty: none
};

class Reconciler {
  public:
    using Told = boost::system::result<StatementReport, StatementRefusal>;

    // A report has at most this many findings.
    static constexpr std::size_t findings_told = 100;
    // A decision on what a statement says may take this long; it is then tried again.
    static constexpr Duration patience{30'000};

    // Every reference must outlive it and its coroutines. `seller` tells the law what a statement says of an attempt;
    // `books` says whose sales and days these are.
    Reconciler(ReconcilerOptions options, Seller& seller, const DayBooks& books, Journal& journal, Clock& clock,
               Log& log);

    // Starts doing what findings ask for. It is called once.
    void start(const boost::asio::any_io_executor& executor);

    boost::asio::awaitable<Told> read(StatementText text);
    // Reads the provider's answers about single attempts as a statement of this day that is about them alone: each
    // answer is compared and followed like a row of that day's statement. An answer names no day, so none belongs to
    // another day. A sale that must no longer be asked for when the answer is read is left out.
    boost::asio::awaitable<Told> take_answers(Day day, std::vector<StatusAnswer> answers, std::string by);
    // Reports in the log why a statement is not taken, counts it where the error is its own, and returns the refusal.
    Told refuse(const StatementText& text, StatementRefusal refusal);
    // Closes a finding with a person's note: see Journal::close_finding().
    boost::asio::awaitable<Result<Finding>> resolve(std::int64_t number, std::string note, std::string by);

    // Returns how many findings of each kind are open, as known since the last change.
    const std::map<FindingKind, std::int64_t>& open_findings() const noexcept { return open_; }
    // Returns when the newest statement was read; nothing where none was, or where that is not known yet.
    const std::optional<WallTime>& last_read() const noexcept { return last_read_; }
    // Returns how many statements were refused since the start for errors of their own.
    std::uint64_t refused() const noexcept { return refused_; }
    const StatementFormat& format() const noexcept { return options_.format; }
    const TimeZone& zone() const noexcept { return books_.zone(); }

    // Does what findings ask for. Returns whether something is left to do.
    boost::asio::awaitable<bool> act();

  private:
    boost::asio::awaitable<Told> reconcile_one(StatementText text);
    boost::asio::awaitable<std::string> digest_of(std::string_view bytes);
    boost::asio::awaitable<void> read_lines(StatementRows& rows);
    std::optional<StatementRefusal> refusal_of(StatementRows& rows, const StatementFormat& format,
                                               std::optional<Day> day, std::string& header_money) const;
    boost::asio::awaitable<Result<std::vector<Finding>>> compare_totals(const StatementHeader& header,
                                                                        const StatementFormat& format,
                                                                        std::string& header_money);
    boost::asio::awaitable<Told> report_known(KeptStatement statement);
    boost::asio::awaitable<Told> keep(KeptStatement statement, std::vector<Finding> findings);
    std::function<bool(Family)> can_cancel() const;
    void note_read(const KeptStatement& statement);
    boost::asio::awaitable<void> keep_acting();
    boost::asio::awaitable<bool> act_on(std::int64_t number);
    // Returns whether the note was written. What is not noted has to be done again.
    boost::asio::awaitable<bool> note_done(std::int64_t number, std::string effect, bool settled);
    boost::asio::awaitable<void> close_decided();
    boost::asio::awaitable<bool> is_decided(const Finding& finding);
    boost::asio::awaitable<void> count();
    void say_open() const;
    void say_opened(const Finding& finding) const;
    void say_closed(const Finding& finding) const;

    const ReconcilerOptions options_;
    Seller& seller_;
    const DayBooks& books_;
    Journal& journal_;
    Clock& clock_;
    Log& log_;
    Semaphore turn_;  // lets one statement be read at a time
    std::unique_ptr<Timer> something_to_do_;
    std::map<FindingKind, std::int64_t> open_;
    std::optional<WallTime> last_read_;
    std::uint64_t refused_ = 0;
};

}  // namespace gateway
