// Holds all sales in memory, one per key. It begins new ones, joins repeats to those that are running, finds finished
// ones in the journal, and continues what a stop left unfinished. A sale goes on by itself; the caller that asked for
// it only watches. On a shared journal it also takes over the sales of gateways that died, and follows, for callers
// that watch, sales that another gateway owns.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "flow/card_turns.hpp"
#include "flow/driver.hpp"
#include "flow/live_sale.hpp"
#include "flow/sell_order.hpp"
#include "journal/chain.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gateway {

struct SellerOptions {
    // So many sales may be under way at once; a new one beyond that is refused. Sales that a start has found, and
    // resting sales, do not count.
    std::size_t in_flight = 10'000;
    // A similar sale within this time makes a new one a possible duplicate; 0: duplicates are not looked for.
    Duration duplicate_window{0};
};

// Says why a sell did not lead to a sale of its own.
enum class SellRefusal {
    none,
    key_reused,          // the key belongs to a sale of another order
    key_cancelled,       // the key was cancelled before
    sale_unreadable,     // the key belongs to a sale whose row cannot be read
    possible_duplicate,  // the same was sold, or is being sold: see DuplicateCheck
    overloaded,          // too many sales are under way
    card_busy,           // earlier sales of this card did not end in time
    shutting_down,
    journal_unavailable,  // this call began nothing; the key may have led to a sale earlier
    in_doubt,             // it is not known yet whether the sale was begun: the caller asks again with the same key
};

// Says what came of a sell.
struct SellResult {
    // This is the sale that was made. For key_reused it is the sale that has the key, for possible_duplicate the other
    // sale, or null where that cannot be read. It is null after every other refusal.
    std::shared_ptr<LiveSale> sale;
    SellRefusal refusal = SellRefusal::none;
    bool replayed = false;                    // the key had led to this sale before, or to one that is in doubt
    std::vector<std::string> differing = {};  // for key_reused: see differing_fields()

    // Tells whether the key had been used or cancelled before.
    bool key_was_known() const {
        return replayed || refusal == SellRefusal::key_reused || refusal == SellRefusal::key_cancelled ||
               refusal == SellRefusal::sale_unreadable;
    }
};

class Seller {
  public:
    // Every reference must outlive the seller and the coroutines that it spawns on `executor`.
    Seller(boost::asio::any_io_executor executor, SellerOptions options, Driver& driver, Journal& journal, Clock& clock,
           Random& random, Log& log, Metrics& metrics);

    // Begins the sale durably and lets it run, or finds the sale that the key led to before. A new sale waits until no
    // other sale of its card is pending, but at most half of the time that its terminal waits. The order is used up; it
    // must outlive the call.
    boost::asio::awaitable<SellResult> sell(SellOrder&& order);
    // Returns what a known key led to, and begins nothing. Returns nothing where the key is new.
    boost::asio::awaitable<Result<std::optional<SellResult>>> find_sold(const SellOrder& order);

    // Returns a sale by its id: the one in memory, or a copy from the journal, for which no loop runs. A copy of a sale
    // that another gateway owns is kept up to date from the journal for as long as the caller holds it. Fails with
    // errc::not_found where there is no such sale, errc::commit_unknown while it is in doubt, and errc::sale_unreadable
    // where its row cannot be read.
    boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> find(SaleId id);

    // Tells the sale, where it is in memory, that the journal itself has marked its row.
    void found_unreadable(SaleId id) const;

    // Tells whether what memory has of the sale may be told to others. A state that is not final may belong to another
    // gateway meanwhile, unless it is certain that this one owns the sale.
    bool may_tell(const LiveSale& live) const;

    // Tells whether a step of the sale is not recorded because the journal cannot be written. Until it can be, nothing
    // new is asked of the provider for this sale.
    bool waits_for_journal(const LiveSale& live) const { return live.deciding() && !journal_.healthy(); }

    // Submits the event to the sale, and waits until what follows from it is durable. Fails with errc::timed_out at the
    // deadline; the event may be decided all the same. An event that the law has no use for changes nothing. Returns
    // the sale.
    boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> tell(SaleId id, Event event, std::string request_id,
                                                                   Instant deadline);

    // Tells the sale what a statement says about one of its attempts, and waits as tell() does. Returns what became of
    // it. Fails with errc::not_found where there is no such sale, or it has no such attempt. What follows runs with low
    // priority, and does not count for SellerOptions::in_flight.
    boost::asio::awaitable<Result<StatedEffect>> state(SaleId id, IdExterno attempt, Stated stated, Instant deadline);

    // Cancels a key that has no sale. Where a sale has the key, returns that sale unchanged; the caller then tells it
    // CancelAsked. Where none has it, records the key as cancelled, so that a later sell with it is refused, and
    // returns null. Fails with errc::commit_unknown where the outcome is not known by the deadline.
    boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> cancel_key(std::string terminal, std::string key,
                                                                         Instant deadline);

    // Continues what is not settled, and what another gateway left. Returns when every such sale is in memory, and
    // before any of them is settled. On a shared journal it takes only some of them: see keep_adopting().
    struct Adopted {
        std::size_t sales = 0;
        std::size_t unreadable = 0;  // are not settled and cannot be read: nothing is done for them
    };
    boost::asio::awaitable<Result<Adopted>> adopt_unfinished();
    // Takes over, for ever, what a gateway that died has left on a shared journal, and decides the commands that were
    // forwarded to this gateway. Returns at once where the journal is not shared.
    boost::asio::awaitable<void> keep_adopting();

    // Is called when another gateway may have forwarded a command, so that keep_adopting() looks at once.
    void look_for_commands() { adopt_wake_->notify(); }

    // Takes no new sales from now on.
    void stop_taking();
    bool taking() const { return taking_; }
    // Answers every caller that watches a sale for its outcome now, with what is known.
    void hurry();
    bool hurried() const { return hurried_; }
    // Gives back all that this gateway owns, for others that share the journal; nothing more is taken over. This is the
    // last call: nothing is done for any sale afterwards.
    boost::asio::awaitable<void> let_go();
    // Counts the sales whose terminals would not get a final answer now.
    std::size_t undecided() const;

    // Counts all sales in memory, including those that are resting and those found at a start.
    std::size_t under_way() const { return live_.size(); }
    const std::unordered_map<SaleId, std::shared_ptr<LiveSale>>& live() const { return live_; }
    const Rules& rules() const { return driver_.rules(); }

  private:
    // Has a terminal and its key. Those in by_key_ are views of the sale's own, which never change.
    using Key = std::pair<std::string_view, std::string_view>;
    struct KeyHash {
        std::size_t operator()(const Key& key) const noexcept {
            return std::hash<std::string_view>{}(key.second);  // two terminals hardly ever have the same key
        }
    };
    static Key key_of(const LiveSale& live) { return {live.sale().terminal, live.sale().key}; }

    using Stage = LiveSale::Stage;

    boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> running(const std::string& terminal,
                                                                      const std::string& key, Instant deadline);
    boost::asio::awaitable<SellResult> begin(SellOrder& order, std::optional<CardTurns::Turn> turn);
    // Repeats the begin until it is no longer in doubt, and leaves the journal's answer in `said`.
    boost::asio::awaitable<void> resolve_begin(std::shared_ptr<LiveSale> live, std::shared_ptr<KeyState> said);
    // These follow the journal's answer to begin(): the sale runs, or is withdrawn.
    void note_duplicate(const LiveSale& live, const KeyState& state, bool hammers);
    void begun(const std::shared_ptr<LiveSale>& live, const Result<KeyState>& state);
    Sale new_sale(SellOrder& asked);
    static void give_back(SellOrder& asked, const Sale& sale);
    SellResult replay(std::shared_ptr<LiveSale> live, const SellOrder& order);
    boost::asio::awaitable<SellResult> result_of(const KeyState& state, const SellOrder& order);

    // Keeps the turn of the sale's card until the sale is no longer pending, or could not begin.
    boost::asio::awaitable<void> keep_turn(std::shared_ptr<LiveSale> live, CardTurns::Turn turn);

    // Returns the sale in memory, where messages reach it: it was there, or this gateway has now taken it over. The
    // caller must then have a loop work on it, because the journal gives it to nobody else. Fails with errc::not_owned
    // where another gateway owns it, and otherwise as find() does.
    boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> owned(SaleId id);
    std::shared_ptr<LiveSale> in_memory(SaleId id) const;
    // Forwards a command to the gateway that owns the sale, and waits until that one has decided it. Fails with
    // errc::timed_out at the deadline; the command may be decided all the same.
    boost::asio::awaitable<Result<void>> forward(const ForwardedCommand& command, Instant deadline);
    // Drops the sales that another gateway has taken over.
    void drop_lost();
    // Decides the commands that others have forwarded to this gateway.
    boost::asio::awaitable<void> hear_commands(Chain& chain);
    // Keeps the copy as the journal has it, for as long as a caller holds it, until the sale is settled.
    boost::asio::awaitable<void> follow(std::weak_ptr<LiveSale> copy);
    // Puts a sale into memory that the journal has given to this gateway, in place of what it knew of the sale. Returns
    // null where something about the sale is in doubt; the sale waits until that is resolved.
    std::shared_ptr<LiveSale> take_up(Sale&& sale);
    // Does the same, and starts a driver's loop for the sale.
    void take_over(Sale&& sale);
    // Is called when a doubt has ended and the sale went on without the loop that doubted. Takes the sale over where
    // this gateway was given it meanwhile.
    void take_over_what_waited(SaleId id);
    // Waits until the message is decided. Fails at the deadline with errc::timed_out, or with errc::commit_unknown
    // where the sale is in doubt then. Another error says why the message is not decided.
    boost::asio::awaitable<Result<void>> decided(std::shared_ptr<LiveSale> live, std::shared_ptr<Completion> completion,
                                                 Instant deadline);
    std::shared_ptr<LiveSale> take_in(Sale&& sale, std::string request_id, Stage stage);
    void forget(const LiveSale& live);
    // Starts a driver's loop for the sale, unless it has one.
    void carry(const std::shared_ptr<LiveSale>& live, Stage stage);
    boost::asio::awaitable<void> run(std::shared_ptr<LiveSale> live);
    void set_stage(LiveSale& live, Stage stage);
    // A sale that another gateway has taken over has its place until its loop ends.
    static bool takes_a_place(const LiveSale& live);

    boost::asio::any_io_executor executor_;
    const SellerOptions options_;
    Driver& driver_;
    Journal& journal_;
    Clock& clock_;
    Random& random_;
    Log& log_;
    Metrics& metrics_;
    std::unordered_map<SaleId, std::shared_ptr<LiveSale>> live_;
    std::size_t places_taken_ = 0;  // how many places are taken, for SellerOptions::in_flight
    std::unordered_map<Key, std::shared_ptr<LiveSale>, KeyHash> by_key_;
    std::unordered_map<SaleId, Sale> waiting_;  // sales to be taken over as soon as the doubt about them is resolved
    CardTurns turns_;
    const std::unique_ptr<Timer> adopt_wake_;  // wakes keep_adopting()
    bool taking_ = true;
    bool hurried_ = false;
    bool has_let_go_ = false;
};

}  // namespace gateway
