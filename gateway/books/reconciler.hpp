// Reads what the provider says of a day, matches it with our books, keeps what does not agree as findings, and does
// what these ask for: the law is told of an open sale that the statement decides, of a last word that the provider
// never heard, and of a contradiction. Statements are read one after the other, in parts, while sales go on.
//
// A statement is kept with all its findings in one commit, or nothing of it is. What it asks for is done after that, as
// often as it takes: what was not done when the program ended is done at the next start.
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

// A longer statement is none of a day of any network that is known.
constexpr std::size_t max_statement_bytes = std::size_t{128} << 20U;

// A statement as it came.
struct StatementText {
    std::string bytes;
    std::string source;                       // as KeptStatement has it
    std::optional<Day> day;                   // that it is said to be of; nothing: whatever its header says
    std::string by;                           // who brought it; may be empty
    std::string file{};                       // its name, where it has one
    bool again = false;                       // read it although it is known: it counts for its day from now on
    std::optional<StatementFormat> format{};  // nothing: as the configuration says
};

// Where an answer to a single question comes from, as KeptStatement has it.
inline constexpr std::string_view status_source = "status";

// A statement that was read.
struct StatementReport {
    KeptStatement statement;        // its id is 0 where there was nothing to keep
    bool already_imported = false;  // before: nothing was changed
    std::vector<Finding> findings;  // those that it says, newest first; only the first of them where there are many
};

// The code of a refusal where the provider gave no list.
inline constexpr std::string_view provider_unreachable = "provider_unreachable";

// Why a statement was not kept, and nothing of it.
struct StatementRefusal {
    boost::system::error_code failure{};  // the journal's; then the rest is empty
    // A finding's kind that is about a file, too_many_findings, nothing_matches or provider_unreachable.
    std::string code;
    std::string detail;      // for those who brought it; may quote what stands in a field
    std::size_t line = 0;    // of the file; 0: none
    std::string unquoted{};  // for the log: the same without that; empty: the detail quotes nothing
};

struct ReconcilerOptions {
    StatementFormat format;
    std::string zone{};    // of times in it that say no offset, as the tz database names it; empty: the store's
    TimeZone times{};      // the same, looked up
    bool settle = false;   // whether a statement may decide an open sale by itself
    std::string folder{};  // that is watched for statements; empty: none
};

class Reconciler {
  public:
    using Told = boost::system::result<StatementReport, StatementRefusal>;

    // How many findings a report has.
    static constexpr std::size_t findings_told = 100;
    // How long what a statement says of a sale may wait to be decided: it is tried again.
    static constexpr Duration patience{30'000};

    // Every reference must outlive it and its coroutines. `seller` tells the law what a statement says of an attempt;
    // `books` says whose sales and days these are.
    Reconciler(ReconcilerOptions options, Seller& seller, const DayBooks& books, Journal& journal, Clock& clock,
               Log& log);

    // Once: does what findings ask for, from here on.
    void start(const boost::asio::any_io_executor& executor);

    boost::asio::awaitable<Told> read(StatementText text);
    // Reads what the provider answered of single attempts, as a statement of this day that is about them and nothing
    // else: each is compared and followed as a row of that day's statement is. An answer names no day, so that none is
    // of another one. What must not be asked for any more when the answer is read is left out.
    boost::asio::awaitable<Told> take_answers(Day day, std::vector<StatusAnswer> answers, std::string by);
    // Says in the log why a statement is not taken, counts it where the fault is its own, and gives the refusal back.
    Told refuse(const StatementText& text, StatementRefusal refusal);
    // A person's word on a finding: as Journal::close_finding().
    boost::asio::awaitable<Result<Finding>> resolve(std::int64_t number, std::string note, std::string by);

    // How many are open, as it is known since the last change.
    const std::map<FindingKind, std::int64_t>& open_findings() const noexcept { return open_; }
    // When the newest statement was read; nothing where none was, or where that is not known yet.
    const std::optional<WallTime>& last_read() const noexcept { return last_read_; }
    // How many were not taken since the start, for a fault of their own.
    std::uint64_t refused() const noexcept { return refused_; }
    const StatementFormat& format() const noexcept { return options_.format; }
    const TimeZone& zone() const noexcept { return books_.zone(); }

    // Does what findings ask for; whether something is left to do.
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
    // Whether it is noted; what is not is to be done again.
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
    Semaphore turn_;  // of one statement at a time
    std::unique_ptr<Timer> something_to_do_;
    std::map<FindingKind, std::int64_t> open_;
    std::optional<WallTime> last_read_;
    std::uint64_t refused_ = 0;
};

}  // namespace gateway
