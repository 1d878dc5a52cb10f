// The journal holds what the gateway knows, durably, before it acts: every sale as it stands, every attempt, the
// history of each, callbacks, cancelled keys and the token. It decides nothing: what a sale becomes, the law says.
//
// This is the interface in the sale's terms. SqliteJournal is the implementation on one file; nothing here or above
// knows which implementation it speaks to.
//
// Every awaited operation has one of three results:
// - done: a value. What was written is durable, whatever happens next.
// - not done: an error. Nothing of it has happened, and nothing of it ever will.
// - unknown: errc::commit_unknown. It may have happened, or may happen yet. Only a later write that is done resolves
//   it: repeat begin() or cancel_key(), or an operation on closes, with the same arguments, or call reread() for any
//   other operation on a sale. Until then nothing is done for that sale and nobody is told anything of it.
// SqliteJournal never says unknown: it knows after every commit whether that happened (write_ahead_log.hpp, for an
// fsync that fails). An implementation on another machine may, and the tests have one that does.
//
// A journal may be shared by several gateways. Then each sale is owned by one of them or by nobody: by the gateway
// that begins it, until it is settled, that gateway gives it back, or another one takes it over because that gateway
// is dead. Only the gateway that owns a sale records what becomes of it; to every other gateway record() and
// reread() say errc::not_owned, and nothing of it has happened. SqliteJournal is one gateway's own, which owns
// everything.
#pragma once

#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/secret.hpp"
#include "journal/disk_room.hpp"
#include "journal/history.hpp"
#include "journal/journal_stats.hpp"
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

// This is one entry of a sale's history. It holds views: make it for the call that records it.
struct HistoryEntry {
    std::string_view event;      // "solicitar", "elapsed", "callback", …: a word of ours, as `verdict` is
    std::string_view verdict{};  // what an answer was taken to mean
    unsigned http_status = 0;    // the provider's; 0: none
    std::optional<Duration> duration{};
    std::string_view detail{};
    std::string_view by{};  // who decided by hand; empty: not told
    // The journal takes these from the change that it records with the entry.
    WallTime at{};
    std::size_t attempt = 0;   // which one, from 0
    std::string_view state{};  // the attempt's, afterwards; empty: it cannot be read
    std::string_view mark{};   // that the event set, "none" where it took one away; empty: neither
    int tries = 0;             // Attempt::tries, where the event raised it
    // The forwarded command with this number led to the event, and waits no more once the entry is recorded.
    std::optional<std::int64_t> forwarded_command{};
};

struct KeptToken {
    Secret access;
    Secret refresh;
    WallTime obtained_at{};
    WallTime expires_at{};
    std::string owner;  // for whom it was given, as the application says it; empty: an earlier version did not ask
};

// Tells what became of an idempotency key.
struct KeyState {
    std::optional<SaleId> sale;  // that has the key
    bool cancelled = false;      // the key was cancelled before any sell used it
    // Only begin() sets this: the key is free, and the new sale may be a duplicate of this one.
    std::optional<SaleId> duplicate_of{};
};

// Says which sales a list shows: all that is set must hold. The newest comes first.
struct SaleFilter {
    std::optional<std::string> estabelecimento;
    std::optional<std::string> terminal;
    // The sale is of one of these families, or of this terminal whatever its family.
    struct Among {
        std::vector<Family> families;
        std::string or_terminal;

        // Takes a Sale or a DaySale.
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
    std::optional<bool> attention;  // whether a person has to look
    std::optional<WallTime> from;   // created at or after
    std::optional<WallTime> to;     // created before
    std::optional<SaleId> after;    // the last sale of the page before
    std::size_t limit = 50;
};

// Holds some of the sales that a filter selects.
struct SalePage {
    std::vector<Sale> sales;     // at most the filter's limit; may be fewer, or none, and `next` set all the same
    std::optional<SaleId> next;  // `after` of the page that follows, if there may be one
    std::vector<std::string> unreadable;  // ids of sales that belong here and whose rows cannot be read
};

// This is one sale as totals and closes count it.
struct DaySale {
    SaleId id;
    std::string terminal;
    std::string cashier;  // empty: not told, or erased
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

// Says which final sales are counted: all that is set must hold.
struct DayFilter {
    Day from;
    Day to;  // the last day
    std::optional<std::string> estabelecimento;
    std::optional<SaleFilter::Among> among;
};

// Holds some of the sales of days, or of a close.
struct DayPage {
    std::vector<DaySale> sales;  // some hundred at most; may be none, and `next` set all the same
    std::string next;            // `after` of the page that follows; opaque, and empty at the end
    std::size_t unreadable = 0;  // rows that belong here and cannot be read: each is marked for a person
};

// Holds some of the sales that are not final.
struct OpenPage {
    std::vector<Sale> sales;     // oldest first, some hundred at most
    std::string next;            // as in DayPage
    std::size_t unreadable = 0;  // the same
};

struct CloseKey {
    std::string estabelecimento;
    Day day;
};

// Says what a day of an establishment came to.
struct Close {
    std::string estabelecimento;
    int series = 0;  // 1, and one more for every copy of the journal that was restored
    int number = 0;  // from 1 without a gap, whatever the series
    Day day;
    WallTime made_at{};
    static constexpr std::string_view unnamed = "?";  // in the place of the name of a person who gave none
    std::string made_by;                              // an operator's name, or unnamed; empty: made by itself
    std::string open;                   // JSON: [{id, idExterno, family, valor, status}], what was not final then
    std::optional<std::string> totals;  // JSON: what it came to; nothing until finish_close()
    std::optional<std::string> digest;  // 64 hex digits; nothing likewise
};

// Says which closes a list shows: all that is set must hold.
struct CloseFilter {
    std::optional<std::string> estabelecimento;
    std::optional<int> number;
    std::optional<int> series;
    std::optional<Day> from;
    std::optional<Day> to;    // the last day
    bool unfinished = false;  // only those without totals
    bool names = false;       // without what they hold: open, totals and digest are left out
    std::size_t limit = 50;   // 500 at most
};

// Holds sales to go on with.
struct AdoptedSales {
    std::vector<Sale> sales;     // not settled, oldest first
    std::size_t unreadable = 0;  // not settled, and cannot be read: each is marked for a person
};

// This is a callback as it came. It has no body where that is encrypted, was erased or cannot be read.
struct KeptCallback {
    std::optional<WallTime> at;
    std::string kind;  // "sale" or "recharge", by the address it came to
    bool valid = false;
    std::optional<Secret> body;
    std::optional<Status> said;  // situacaoTransacao, where the history has it
};

// Holds the fields of a sale that needs a person which are stored unencrypted, so that an operator without the
// encryption key can list them. Of a damaged row it holds what can be read, and nothing or an empty text for the rest.
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
    std::vector<KeptCallback> callbacks{};  // oldest first; only as read_marked_sales() gives it
};
// Makes the same of a sale in memory.
MarkedSale marked_sale(const Sale& sale);

// Counts sales that were erased, or given their movement days.
struct Erased {
    std::size_t sales = 0;
    bool more = false;  // there are more to look at
};
using Dated = Erased;

// Says how far it has come to bring every value under the current key.
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

    // Records a new sale and its first attempt, unless its key is taken already: then nothing is recorded, and the
    // key's state is returned. KeyState{} means that the sale is recorded, by this call or by one before it that ended
    // unknown. Nothing is recorded either where the sale's duplicate_check finds that it may be an unwanted duplicate.
    virtual Awaited<KeyState> begin(const Sale& sale) = 0;
    // Records what became of a sale, with a new attempt where the change has one.
    virtual Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh,
                                 const HistoryEntry& entry) = 0;
    // Gives the sale as it durably stands. Once done, this resolves every operation on the sale that ended unknown
    // before; an implementation whose operations can end unknown has to write to the row for that. Fails with
    // errc::not_found where there is no such sale.
    virtual Awaited<Sale> reread(SaleId id) = 0;
    // Fails with errc::sale_unreadable where the row holds what this program cannot have written: the sale is then
    // marked for a person, and every other sale goes on.
    virtual Awaited<std::optional<Sale>> find(SaleId id) = 0;
    virtual Awaited<SalePage> list(const SaleFilter& filter) = 0;
    // Gives all that need a person, oldest first.
    virtual Awaited<std::vector<MarkedSale>> marked() = 0;
    virtual Awaited<History> history(SaleId id) = 0;
    // Writes into the sale's history that its receipt was printed. Returns how often it had been before.
    virtual Awaited<std::int64_t> count_receipt(const Sale& sale) = 0;
    // Writes into the sale's history that a person was shown its receipt, which is no print. Fails with errc::not_found
    // where there is no such sale, or no room in its history any more.
    virtual Awaited<void> note_receipt(const Sale& sale, const std::string& by) = 0;

    // Days and closes. A sale that is recorded with its movement day, or dated, is late where that day of its
    // establishment has a close: then it is in the close of the first later day that has none.

    // Gives the final sales of these days. Fails with errc::malformed where no page gave `after`.
    virtual Awaited<DayPage> sales_of_days(const DayFilter& filter, const std::string& after) = 0;
    // Gives the sales that are in the close of a day, in the order of their ids: those of the day that are not late,
    // and those that are late and belong to it. Once begin_close() is done no sale joins them.
    virtual Awaited<DayPage> sales_of_close(const CloseKey& key, const std::string& after) = 0;
    // Gives the sales that are not final. One whose status was altered is unreadable here, unless it is of a day.
    virtual Awaited<OpenPage> open_sales(const std::optional<std::string>& estabelecimento,
                                         const std::string& after) = 0;
    // Closes the day: the close gets its number and the list of what is open. A day that is closed already keeps its
    // close, finished or not. Fails with errc::close_unreadable where that cannot be read.
    virtual Awaited<Close> begin_close(const CloseKey& key, WallTime at, const std::string& by) = 0;
    // Records the totals and the digest of a close that has none; one that has them stays as it is. Fails with
    // errc::not_found where there is no such close.
    virtual Awaited<void> finish_close(const Close& close) = 0;
    // Gives the newest day first. A close that cannot be read is left out.
    virtual Awaited<std::vector<Close>> closes(const CloseFilter& filter) = 0;
    // Gives, oldest first, the days from `from` up to and without `to` that nobody closed, although a day before them
    // is closed and a close of them would have final sales of the establishment: their own, or late ones of days
    // before.
    virtual Awaited<std::vector<Day>> forgotten_days(const std::string& estabelecimento, Day from, Day to) = 0;
    // Gives some of the sales that became final by an earlier version their movement days, the newest first.
    virtual Awaited<Dated> date_old_sales(const Rules& rules) = 0;

    // What the provider says.

    // Finds the statement of these bytes, read in this way; gives nothing where there was none.
    virtual Awaited<std::optional<KeptStatement>> known_statement(const std::string& digest,
                                                                  const std::string& reading) = 0;
    // Gives the last one first. A statement that cannot be read is left out.
    virtual Awaited<std::vector<KeptStatement>> statements(const StatementFilter& filter) = 0;
    // Keeps a statement with what was found, at most max_findings. Findings of the day that it does not say any more
    // are closed, and so is what is missing on another day and found on this one. What this day's statement had of
    // another day's sale, and has no more, is missing on that day. See KeptStatement::about, too.
    virtual Awaited<FindingChanges> keep_statement(const KeptStatement& statement,
                                                   const std::vector<Finding>& findings) = 0;
    // A finding that cannot be read is left out.
    virtual Awaited<std::vector<Finding>> findings(const FindingFilter& filter) = 0;
    // Notes a person's word on a finding, and gives the finding afterwards: one that is closed already stays as it is.
    // Fails with errc::not_found where there is none.
    virtual Awaited<Finding> close_finding(std::int64_t number, const std::string& note, const std::string& by,
                                           WallTime at) = 0;
    // Notes what came of what a pending finding asks for; `settled` closes it. Fails as close_finding() does.
    virtual Awaited<Finding> finding_done(std::int64_t number, const std::string& effect, bool settled,
                                          WallTime at) = 0;
    // Counts the open ones of each kind that there is.
    virtual Awaited<std::map<FindingKind, std::int64_t>> open_findings() = 0;
    // Tells whose each of these idExternos is; nothing for one that no sale has. Ask for some hundred at once, at most.
    virtual Awaited<std::vector<std::optional<SaleId>>> owners(const std::vector<std::string>& id_externos) = 0;
    // Gives every prefix that an idExterno of this journal may have; "" is among them where some may have none.
    virtual Awaited<std::vector<std::string>> id_prefixes() = 0;

    // Ownership. What is written here is for a journal that is one gateway's own: that gateway owns everything.
    // Gives what gateways that share the journal need of it besides; null where it is one gateway's own.
    virtual Chain* chain() noexcept { return nullptr; }
    // Tells whether this gateway surely still owns what it owns. It is asked right before the first byte of every
    // exchange with the provider, which else is not begun, and before anything is told that is not final.
    virtual bool may_act() const noexcept { return true; }
    // Tells whether it owns the sale, as far as it knows: not after another gateway took all of them over.
    virtual bool owns(SaleId) const { return true; }
    // Takes over unsettled sales that no living gateway owns, or this one without knowing it: what was under way for
    // them is lost, as after a crash. Of a shared journal it takes some at once; the next call takes others.
    virtual Awaited<AdoptedSales> adopt() = 0;
    // Takes over this one sale likewise, settled or not, and gives it as it stands. Fails with errc::not_owned where
    // another living gateway owns it, errc::not_found where there is none, errc::sale_unreadable as find() does.
    virtual Awaited<Sale> claim(SaleId id) { return reread(id); }
    // Tells whether this gateway is on duty, which means that it does what one of those that share the journal does for
    // all of them: closes at an hour, lists that are fetched from the provider, reminders. One at a time is on duty,
    // for as long as it lives.
    virtual bool is_on_duty() const noexcept { return true; }

    // Keys.

    // Remembers a key whose sell shall sell nothing, unless a sale has the key.
    virtual Awaited<KeyState> cancel_key(const std::string& terminal, const std::string& key) = 0;
    virtual Awaited<KeyState> find_key(const std::string& terminal, const std::string& key) = 0;

    // Callbacks.

    virtual Awaited<std::optional<SaleId>> find_callback(const std::string& secret) = 0;
    virtual Awaited<void> keep_callback(SaleId sale, std::string_view kind, bool valid, const Secret& body) = 0;
    // Gives the callbacks of a sale as they came, the unusable ones too, oldest first. They hold customers' data.
    virtual Awaited<std::vector<KeptCallback>> callbacks(SaleId id) = 0;

    // The token.

    virtual Awaited<std::optional<KeptToken>> load_token() = 0;
    // Changes nothing where another gateway has kept a token that this one has not seen.
    virtual Awaited<void> save_token(const std::optional<KeptToken>& token) = 0;

    // Housekeeping.

    // Erases the personal fields of some settled sales created before `cutoff`. What was written once the erasure had
    // passed its sale is erased too, when an earlier call met it before `cutoff`.
    virtual Awaited<Erased> erase_personal(WallTime cutoff) = 0;
    // Encrypts some of what has an older key, or none, with the current key.
    virtual Awaited<KeyRotationState> rotate_keys() = 0;
    // Removes what was written before the last rotation and is kept besides the tables. Fails where that cannot be done
    // now: try again.
    virtual Awaited<void> forget_old_pages() = 0;
    // Writes something harmless, to find out whether the journal can be written now.
    virtual Awaited<void> probe() = 0;
    // Looks whether the journal's files are still in their places, and writes nothing: see moved_file().
    virtual Awaited<void> check_files() = 0;

    // Returns the room on the disk of this machine that the journal's file is on, now; nothing where it is on none.
    virtual std::optional<DiskRoom> disk() const { return std::nullopt; }
    virtual Awaited<void> learn_pace() { co_return Result<void>(); }  // learns what room an hour of sales takes
    virtual JournalStats stats() const = 0;
    // Tells whether the journal could be written when that was tried last.
    virtual bool healthy() const noexcept = 0;
};

}  // namespace gateway
