// The journal holds, durably, what the gateway knows before it acts: every sale as it stands, every attempt, the
// history of each sale, callbacks, cancelled keys and the token; and besides who is signed in at the console. It
// decides nothing: the law decides what becomes of a sale.
//
// This is the interface, in the sale's terms. SqliteJournal implements it on one file. Nothing here or above knows
// which implementation it uses.
//
// Every awaited operation has one of three results:
// - done: a value. What was written is durable, whatever happens next.
// - not done: an error. Nothing of the operation has happened, and nothing of it ever will.
// - unknown: errc::commit_unknown. The operation may have happened, or may still happen. Only a later write that is
//   done resolves this: repeat begin(), cancel_key() or an operation on closes with the same arguments, or call
//   reread() after any other operation on a sale. Until then nothing is done for that sale, and nobody is told anything
//   about it.
// SqliteJournal never returns unknown: after every commit it knows whether the commit happened (write_ahead_log.hpp
// says how, even where an fsync fails). An implementation on another machine may return it, and one of the tests' does.
//
// Several gateways may share a journal. Then each sale is owned by one of them or by nobody. The gateway that begins
// a sale owns it until the sale is settled, until that gateway gives it back, or until another one takes it over
// because that gateway is dead. Only the gateway that owns a sale records what becomes of it; every other gateway
// gets errc::not_owned from record() and reread(), and nothing has happened. SqliteJournal belongs to one gateway,
// which owns every sale.
#pragma once

#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/secret.hpp"
#include "journal/disk_room.hpp"
#include "journal/history.hpp"
#include "journal/journal_stats.hpp"
#include "journal/kept_sessions.hpp"
#include "journal/kept_statements.hpp"
#include "reconcile/finding.hpp"
#include "sale/machine.hpp"
#include "sale/sale.hpp"

#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// This is one entry of a sale's history. It holds views, so it is made for the call that records it.
struct HistoryEntry {
    std::string_view event;  // "solicitar", "elapsed", "callback", …; it and `verdict` are written by this program only
    std::string_view verdict{};  // how the answer was understood
    unsigned http_status = 0;    // of the provider's answer; 0: there was none
    std::optional<Duration> duration{};
    std::string_view detail{};
    std::string_view by{};  // who decided by hand; empty: nobody, or a person without a name
    // The journal takes these from the change that it records with the entry.
    WallTime at{};
    std::size_t attempt = 0;   // which attempt, counted from 0
    std::string_view state{};  // the attempt's state after the event; empty: it cannot be read
    std::string_view mark{};   // the mark that the event set, "none" where it took a mark away; empty: neither
    int tries = 0;             // Attempt::tries, where the event raised it
    // The forwarded command with this number led to the event, and waits no more once the entry is recorded.
    std::optional<std::int64_t> forwarded_command{};
};

struct KeptToken {
    Secret access;
    Secret refresh;
    WallTime obtained_at{};
    WallTime expires_at{};
    std::string owner;  // for whom it was given, as the application says it; empty: an earlier version kept none
};

// Tells what became of an idempotency key.
struct KeyState {
    std::optional<SaleId> sale;  // the sale that has the key
    bool cancelled = false;      // the key was cancelled before any sell used it
    // Only begin() sets this: the key is free, and the new sale may be a duplicate of this one.
    std::optional<SaleId> duplicate_of{};
};

// Says which sales a list shows: those that satisfy every member that is set. The newest comes first.
struct SaleFilter {
    std::optional<std::string> estabelecimento;
    std::optional<std::string> terminal;
    // Selects the sales of these families, and those of this terminal whatever their family.
    struct Among {
        std::vector<Family> families;
        std::string or_terminal;

        // `sale` is a Sale or a DaySale.
        bool has(const auto& sale) const {
            return sale.terminal == or_terminal || std::ranges::find(families, sale.family) != families.end();
        }
    };
    std::optional<Among> among;
    std::optional<std::string> key;
    std::optional<std::string> id_externo;    // of any attempt
    std::optional<std::string> id_transacao;  // likewise
    std::optional<Family> family;
    std::optional<std::string> cashier;
    std::optional<Cents> valor;
    std::optional<Status> status;
    std::optional<bool> attention;  // whether a person has to look at the sale
    std::optional<WallTime> from;   // created at or after
    std::optional<WallTime> to;     // created before
    std::optional<SaleId> after;    // the last sale of the page before
    std::size_t limit = 50;
};

// Holds one page of the sales that a filter selects.
struct SalePage {
    std::vector<Sale> sales;              // at most the filter's limit; may be fewer, or none, even where `next` is set
    std::optional<SaleId> next;           // `after` of the next page, if there may be one
    std::vector<std::string> unreadable;  // ids of sales that belong on this page and whose rows cannot be read
};

// This is one sale as totals and closes count it.
struct DaySale {
    SaleId id;
    std::string terminal;
    std::string cashier;  // empty: nobody named the cashier, or the name was erased
    std::string estabelecimento;
    std::string produto;
    Family family = Family::tv;
    Cents valor;
    Status status = Status::EFETIVADA;  // a final one
    Day day;                            // the movement day
    bool late = false;                  // it is in the close of a later day
    std::string id_externo;             // the latest attempt's
    std::string id_transacao;           // the same; may be empty
    bool retried = false;               // it has earlier attempts
};

// Says which final sales are counted: those that satisfy every member that is set.
struct DayFilter {
    Day from;
    Day to;  // the last day
    std::optional<std::string> estabelecimento;
    std::optional<SaleFilter::Among> among;
};

// Holds one page of the sales of days, or of a close.
struct DayPage {
    std::vector<DaySale> sales;  // some hundred at most; may be none, even where `next` is set
    std::string next;            // `after` of the next page; opaque, and empty on the last page
    std::size_t unreadable = 0;  // how many rows belong on this page and cannot be read; each is marked for a person
};

// Holds one page of the sales that are not final.
struct OpenPage {
    std::vector<Sale> sales;     // oldest first, some hundred at most
    std::string next;            // as in DayPage
    std::size_t unreadable = 0;  // the same
};

struct CloseKey {
    std::string estabelecimento;
    Day day;
};

// This is the close of a day of an establishment, with what the day's sales came to.
struct Close {
    std::string estabelecimento;
    int series = 0;  // 1, and one more for every copy of the journal that was restored
    int number = 0;  // counts from 1 without a gap, whatever the series
    Day day;
    WallTime made_at{};
    static constexpr std::string_view unnamed = "?";  // stands for a person who gave no name
    std::string made_by;  // an operator's name, or `unnamed`; empty: the gateway closed the day by itself
    std::string open;     // JSON: [{id, idExterno, family, valor, status}], the sales that were not final then
    std::optional<std::string> totals;  // JSON: the day's totals; nothing until finish_close()
    std::optional<std::string> digest;  // of the close's content, 64 hex digits; nothing until finish_close()
};

// Says which closes a list shows: those that satisfy every member that is set.
struct CloseFilter {
    std::optional<std::string> estabelecimento;
    std::optional<int> number;
    std::optional<int> series;
    std::optional<Day> from;
    std::optional<Day> to;    // the last day
    bool unfinished = false;  // only those without totals
    bool names = false;       // open, totals and digest are left out
    std::size_t limit = 50;   // 500 at most
};

// Holds sales that this gateway goes on with.
struct AdoptedSales {
    std::vector<Sale> sales;     // not settled, the oldest first
    std::size_t unreadable = 0;  // how many are not settled and cannot be read; each is marked for a person
};

// This is a callback as it came. It has no body where the body is encrypted, was erased or cannot be read.
struct KeptCallback {
    std::optional<WallTime> at;
    std::string kind;  // "sale" or "recharge", after the address at which it came
    bool valid = false;
    std::optional<Secret> body;
    std::optional<Status> said;  // its situacaoTransacao, where the history has it
};

// Holds the fields that are stored unencrypted of a sale that needs a person, so that an operator without the
// encryption key can list them. Where the row is damaged, what cannot be read is absent or an empty text.
struct MarkedSale {
    std::string id;  // as it stands in the row
    std::optional<WallTime> created_at;
    std::string terminal;
    std::string estabelecimento;
    std::optional<Family> family;
    std::string produto;
    std::optional<Cents> valor;
    std::optional<Status> status;
    Attention attention = Attention::none;
    std::string id_externo;    // the latest attempt's
    std::string id_transacao;  // the same; may be empty
    HistoryFacts history{};
    std::vector<KeptCallback> callbacks{};  // oldest first; filled by read_marked_sales() only
};
// Makes a MarkedSale of a sale that is in memory.
MarkedSale marked_sale(const Sale& sale);

// Says how many sales a call erased, or gave their movement days.
struct Erased {
    std::size_t sales = 0;
    bool more = false;  // more sales are waiting to be looked at
};
using Dated = Erased;

// Says how far the journal has come in encrypting every value with the current key.
enum class KeyRotationState { nothing_to_do, in_progress, finished };

class Chain;

class Journal {
  public:
    template <class T>
    using Awaited = boost::asio::awaitable<Result<T>>;

    Journal() = default;
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;
    virtual ~Journal() = default;

    // Sales.

    // Records a new sale and its first attempt, unless its key is taken: then nothing is recorded, and the result is
    // the key's state. KeyState{} means that the sale is recorded, by this call or by an earlier one that ended
    // unknown. Nothing is recorded either where the sale's duplicate_check finds that it may be an unwanted duplicate.
    virtual Awaited<KeyState> begin(const Sale& sale) = 0;
    // Records a change of the sale, together with a new attempt where the change makes one (`fresh`, else null).
    virtual Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh,
                                 const HistoryEntry& entry) = 0;
    // Returns the sale as it durably stands. Once done, this resolves every earlier operation on the sale that ended
    // unknown; an implementation whose operations can end unknown has to write to the row for that. Fails with
    // errc::not_found where there is no such sale.
    virtual Awaited<Sale> reread(SaleId id) = 0;
    // Returns nothing where there is no such sale. Fails with errc::sale_unreadable where the row holds what this
    // program cannot have written: the sale is then marked for a person, and every other sale goes on.
    virtual Awaited<std::optional<Sale>> find(SaleId id) = 0;
    virtual Awaited<SalePage> list(const SaleFilter& filter) = 0;
    // Returns all sales that need a person, the oldest first.
    virtual Awaited<std::vector<MarkedSale>> marked() = 0;
    virtual Awaited<History> history(SaleId id) = 0;
    // Writes into the sale's history that its receipt was printed. Returns how many prints there were before.
    virtual Awaited<std::int64_t> count_receipt(const Sale& sale) = 0;
    // Writes into the sale's history that a person was shown its receipt, which does not count as a print. Fails with
    // errc::not_found where there is no such sale, or where its history has no room left.
    virtual Awaited<void> note_receipt(const Sale& sale, const std::string& by) = 0;

    // Days and closes. A sale gets its movement day when it is recorded as final, or by date_old_sales(). Where its
    // establishment already has a close of that day, the sale is late: it goes into the close of the first later day
    // that has none.

    // Returns the final sales of these days, page by page. Fails with errc::malformed where `after` does not come from
    // a page.
    virtual Awaited<DayPage> sales_of_days(const DayFilter& filter, const std::string& after) = 0;
    // Returns the sales that are in the close of a day, in the order of their ids: those of the day that are not late,
    // and the late ones that belong to its close. Once begin_close() is done, no further sale joins them.
    virtual Awaited<DayPage> sales_of_close(const CloseKey& key, const std::string& after) = 0;
    // Returns the sales that are not final. A sale whose status was altered counts as unreadable here, unless it has a
    // movement day.
    virtual Awaited<OpenPage> open_sales(const std::optional<std::string>& estabelecimento,
                                         const std::string& after) = 0;
    // Closes the day: the close gets its number and the list of the sales that are open. A day that is closed already
    // keeps its close, whether that is finished or not. Fails with errc::close_unreadable where that close cannot be
    // read.
    virtual Awaited<Close> begin_close(const CloseKey& key, WallTime at, const std::string& by) = 0;
    // Records the totals and the digest of a close that has none; one that has them stays as it is. Fails with
    // errc::not_found where there is no such close.
    virtual Awaited<void> finish_close(const Close& close) = 0;
    // Lists the closes, the newest day first. A close that cannot be read is left out.
    virtual Awaited<std::vector<Close>> closes(const CloseFilter& filter) = 0;
    // Returns the forgotten days from `from` up to but without `to`, the oldest first. A day is forgotten where nobody
    // closed it, a day before it is closed, and its close would contain final sales of the establishment: its own, or
    // late ones of earlier days.
    virtual Awaited<std::vector<Day>> forgotten_days(const std::string& estabelecimento, Day from, Day to) = 0;
    // Gives their movement days to some of the sales that became final under an earlier version, the newest first.
    virtual Awaited<Dated> date_old_sales(const Rules& rules) = 0;

    // What the provider says.

    // Finds the statement that has these bytes and was read in this way; returns nothing where there was none.
    virtual Awaited<std::optional<KeptStatement>> known_statement(const std::string& digest,
                                                                  const std::string& reading) = 0;
    // Lists the statements, the last one first. A statement that cannot be read is left out.
    virtual Awaited<std::vector<KeptStatement>> statements(const StatementFilter& filter) = 0;
    // Keeps a statement with its findings, at most max_findings of them. Two kinds of older findings are closed: those
    // of this day that the statement no longer shows, and those about a sale that was missing on another day and stands
    // in this statement. A sale of another day that the last statement of this day had, and this one no longer has, is
    // missing on its own day again. KeptStatement::about says what differs where only some sales were asked for.
    virtual Awaited<FindingChanges> keep_statement(const KeptStatement& statement,
                                                   const std::vector<Finding>& findings) = 0;
    // Lists the findings. A finding that cannot be read is left out.
    virtual Awaited<std::vector<Finding>> findings(const FindingFilter& filter) = 0;
    // Closes a finding with a person's note, and returns it as it stands afterwards; one that is closed already stays
    // as it is. Fails with errc::not_found where there is no such finding.
    virtual Awaited<Finding> close_finding(std::int64_t number, const std::string& note, const std::string& by,
                                           WallTime at) = 0;
    // Notes what came of the action that a pending finding asks for; `settled` closes the finding. Fails as
    // close_finding() does.
    virtual Awaited<Finding> finding_done(std::int64_t number, const std::string& effect, bool settled,
                                          WallTime at) = 0;
    // Counts the open findings of each kind that occurs.
    virtual Awaited<std::map<FindingKind, std::int64_t>> open_findings() = 0;
    // Returns, for each of these idExternos, the sale that it belongs to; nothing for one that no sale has. A caller
    // asks for some hundred at most at once.
    virtual Awaited<std::vector<std::optional<SaleId>>> owners(const std::vector<std::string>& id_externos) = 0;
    // Returns every prefix that an idExterno of this journal may have. "" is among them where some may have no prefix.
    virtual Awaited<std::vector<std::string>> id_prefixes() = 0;

    // Ownership. What is written here is for a journal that is one gateway's own: that gateway owns everything.
    // Gives what gateways that share the journal need of it besides; null where it is one gateway's own.
    virtual Chain* chain() noexcept { return nullptr; }
    // Tells whether this gateway surely still owns what it owns. It is asked right before the first byte of every
    // exchange with the provider, which else is not begun, and before anything is told that is not final.
    virtual bool may_act() const noexcept { return true; }
    // Tells whether it owns the sale, as far as it knows: not after another gateway took all of them over.
    virtual bool owns(SaleId) const { return true; }
    // Takes over unsettled sales that no living gateway owns, and also those that this gateway owns without
    // knowing it. The exchanges that were under way for them are lost, as after a crash. On a shared journal one call
    // takes some of them; the next call takes others.
    virtual Awaited<AdoptedSales> adopt() = 0;
    // Takes over this one sale likewise, settled or not, and gives it as it stands. Fails with errc::not_owned where
    // another living gateway owns it, errc::not_found where there is none, errc::sale_unreadable as find() does.
    virtual Awaited<Sale> claim(SaleId id) { return reread(id); }
    // Tells whether this gateway is on duty, which means that it does what one of those that share the journal does for
    // all of them: closes at an hour, lists that are fetched from the provider, reminders. One at a time is on duty,
    // for as long as it lives.
    virtual bool is_on_duty() const noexcept { return true; }

    // Keys.

    // Remembers that a sell with this key must not sell anything, unless a sale has the key already. Returns the key's
    // state.
    virtual Awaited<KeyState> cancel_key(const std::string& terminal, const std::string& key) = 0;
    virtual Awaited<KeyState> find_key(const std::string& terminal, const std::string& key) = 0;

    // Callbacks.

    virtual Awaited<std::optional<SaleId>> find_callback(const std::string& secret) = 0;
    virtual Awaited<void> keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body) = 0;
    // Returns the callbacks of a sale as they came, the oldest first, with those that could not be used. They hold
    // customers' data.
    virtual Awaited<std::vector<KeptCallback>> callbacks(SaleId id) = 0;

    // The token.

    virtual Awaited<std::optional<KeptToken>> load_token() = 0;
    // Changes nothing where another gateway has kept a token that this one has not seen.
    virtual Awaited<void> save_token(const std::optional<KeptToken>& token) = 0;

    // The console's sessions.

    // Returns those of this gateway, ended ones too. Of one that cannot be read it knows the digest only.
    virtual Awaited<std::vector<KeptSession>> load_sessions() = 0;
    virtual Awaited<void> change_sessions(const SessionChanges& changes) = 0;

    // Housekeeping.

    // Erases the personal fields of some settled sales that were created before `cutoff`. Personal fields that were
    // written after the erasure had passed their sale are erased too, where an earlier call met the sale before
    // `cutoff`.
    virtual Awaited<Erased> erase_personal(WallTime cutoff) = 0;
    // Encrypts with the current key some of the values that have an older key, or none.
    virtual Awaited<KeyRotationState> rotate_keys() = 0;
    // Removes old values that are kept outside the tables (in the log and in free pages) since before the last
    // rotation. Fails where that cannot be done now; the caller tries again later.
    virtual Awaited<void> forget_old_pages() = 0;
    // Writes something harmless to find out whether the journal can be written now.
    virtual Awaited<void> probe() = 0;
    // Checks, without writing, whether the journal's files are still in their places: see JournalStats::moved_file.
    virtual Awaited<void> check_files() = 0;

    // Returns how much room is left now on the disk of this machine that holds the journal's file; nothing where no
    // disk of this machine does.
    virtual std::optional<DiskRoom> disk() const { return std::nullopt; }
    virtual Awaited<void> learn_pace() { co_return Result<void>(); }  // learns how much room an hour of sales takes
    virtual JournalStats stats() const = 0;
    // Tells whether the last attempt to write the journal succeeded.
    virtual bool healthy() const noexcept = 0;
};

}  // namespace gateway
