// All sales in memory, one per key: begins new ones, joins repeats to what is running, finds finished ones in the
// journal, and takes up again what a stop left unfinished. A sale lives on its own: the caller that asked for it only
// watches. Of a shared journal it also takes over what a gateway that died left, and follows, for callers that watch,
// what another gateway owns.
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
    // The most sales that may be under way at once; a new one beyond that is refused. Sales found at start and sales at
    // rest do not count.
    std::size_t in_flight = 10'000;
    // Within which a like sale makes a new one a possible duplicate; 0: none is looked for.
    Duration duplicate_window{0};
};

// Why a sell did not lead to a sale of its own.
enum class SellRefusal {
    none,
    key_reused,          // the key belongs to a sale of another order
    key_cancelled,       // the key was cancelled before
    sale_unreadable,     // the key belongs to a sale whose row cannot be read
    possible_duplicate,  // the same was sold, or is being sold: see DuplicateCheck
    overloaded,          // too many sales under way
    card_busy,           // the sales of this card that came before did not end in time
    shutting_down,
    journal_unavailable,  // this call began nothing; the key may have led to a sale before
    in_doubt,             // whether the sale was begun is not known yet: the caller asks again, with the same key
};

// What came of a sell.
struct SellResult {
    std::shared_ptr<LiveSale> sale;  // unless refused; of key_reused the sale that has the key
    // and of possible_duplicate the other sale: null where that cannot be read
    SellRefusal refusal = SellRefusal::none;
    bool replayed = false;                    // the key had led to this sale before, or to one that is in doubt
    std::vector<std::string> differing = {};  // of key_reused: see differing_fields()

    // Whether the key had been used or cancelled before.
    bool key_was_known() const {
        return replayed || refusal == SellRefusal::key_reused || refusal == SellRefusal::key_cancelled ||
               refusal == SellRefusal::sale_unreadable;
    }
};

class Seller {
  public:
    // Every reference must outlive the seller and the coroutines it spawns on `executor`.
    Seller(boost::asio::any_io_executor executor, SellerOptions options, Driver& driver, Journal& journal, Clock& clock,
           Random& random, Log& log, Metrics& metrics);

    // Begins the sale, durably, and lets it run; or finds the one that the key led to. A new sale waits until no other
    // of its card is pending, at most half of the time that its terminal waits. The order, which it uses up, must
    // outlive the call.
    boost::asio::awaitable<SellResult> sell(SellOrder&& order);
    // What a known key led to, without beginning anything. Nothing where the key is new.
    boost::asio::awaitable<Result<std::optional<SellResult>>> find_sold(const SellOrder& order);

    // A sale by its id: the one in memory, or a copy read from the journal, for which no driver's loop is started. A
    // copy of a sale that another gateway owns goes on as the journal has it, for as long as the caller keeps it.
    // errc::not_found where there is none, errc::commit_unknown while it is in doubt,
    // errc::sale_unreadable where its row cannot be read.
    boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> find(SaleId id);

    // The journal itself has marked the sale's row: the sale knows of it, where it is in memory.
    void found_unreadable(SaleId id) const;

    // Whether what memory has of the sale may be told: what is not final may be another gateway's meanwhile, unless it
    // is certain that this one owns it.
    bool may_tell(const LiveSale& live) const;

    // Whether a step of the sale is not recorded because the journal cannot be written. Nothing new is asked of the
    // provider for it until then.
    bool waits_for_journal(const LiveSale& live) const { return live.deciding() && !journal_.healthy(); }

    // Submits the event to the sale and waits until what follows from it is durable, or until the time is over
    // (errc::timed_out: it may be decided all the same). An event that the law has no use for changes nothing. Gives
    // the sale.
    boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> tell(SaleId id, Event event, std::string request_id,
                                                                   Instant deadline);

    // Tells the sale what a statement says of one of its attempts, and waits as tell() does. Gives what became of it;
    // errc::not_found where the sale is not there, or has no such attempt. What follows runs behind all else: it takes
    // no place of SellerOptions::in_flight.
    boost::asio::awaitable<Result<StatedEffect>> state(SaleId id, IdExterno attempt, Stated stated, Instant deadline);

    // Cancels a key that has no sale. Where a sale has it, gives that sale as it is: the caller tells it CancelAsked.
    // Where none has it, records the key as cancelled, so that a later sell
    // with it is refused, and gives null. errc::commit_unknown where that is not known by the deadline.
    boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> cancel_key(std::string terminal, std::string key,
                                                                         Instant deadline);

    // Takes up again what is not settled, and what another gateway left; returns once every such sale is in memory,
    // before any of them is settled. Of a shared journal some of them: see keep_adopting().
    struct Adopted {
        std::size_t sales = 0;
        std::size_t unreadable = 0;  // not settled, and left where they are: nothing is done for them
    };
    boost::asio::awaitable<Result<Adopted>> adopt_unfinished();
    // For ever, of a shared journal: takes over what a gateway that died left, and decides the commands that were
    // forwarded to this one. Of any other journal it returns at once.
    boost::asio::awaitable<void> keep_adopting();

    // Another gateway may have forwarded a command: keep_adopting() looks at once.
    void look_for_commands() { adopt_wake_->notify(); }

    // No new sales from now on.
    void stop_taking();
    bool taking() const { return taking_; }
    // Every caller that watches a sale for its outcome is answered now with what is known.
    void hurry();
    bool hurried() const { return hurried_; }
    // Gives back all that this gateway owns, for others that share the journal; nothing more is taken over. The last
    // call: nothing is done for any sale afterwards.
    boost::asio::awaitable<void> let_go();
    // Sales whose terminals would not get a last word now.
    std::size_t undecided() const;

    // All sales in memory, those at rest and those found at start too.
    std::size_t under_way() const { return live_.size(); }
    const std::unordered_map<SaleId, std::shared_ptr<LiveSale>>& live() const { return live_; }
    const Rules& rules() const { return driver_.rules(); }

  private:
    // A terminal and its key. In by_key_ they are views of the sale's own, which never change.
    using Key = std::pair<std::string_view, std::string_view>;
    struct KeyHash {
        std::size_t operator()(const Key& key) const noexcept {
            return std::hash<std::string_view>{}(key.second);  // which terminals hardly ever share
        }
    };
    static Key key_of(const LiveSale& live) { return {live.sale().terminal, live.sale().key}; }

    using Stage = LiveSale::Stage;

    boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> running(const std::string& terminal,
                                                                      const std::string& key, Instant deadline);
    boost::asio::awaitable<SellResult> begin(SellOrder& order, std::optional<CardTurns::Turn> turn);
    // Leaves in `said` what the journal says in the end.
    boost::asio::awaitable<void> resolve_begin(std::shared_ptr<LiveSale> live, std::shared_ptr<KeyState> said);
    // What the journal said of begin(): the sale runs, or is withdrawn.
    void note_duplicate(const LiveSale& live, const KeyState& state, bool hammers);
    void begun(const std::shared_ptr<LiveSale>& live, const Result<KeyState>& state);
    Sale new_sale(SellOrder& asked);
    static void give_back(SellOrder& asked, const Sale& sale);
    SellResult replay(std::shared_ptr<LiveSale> live, const SellOrder& order);
    boost::asio::awaitable<SellResult> result_of(const KeyState& state, const SellOrder& order);

    // Keeps the turn of the sale's card until the sale is no longer pending, or could not begin.
    boost::asio::awaitable<void> keep_turn(std::shared_ptr<LiveSale> live, CardTurns::Turn turn);

    // The sale in memory, so that messages come to it: it was there, or this gateway has taken it over. The caller has
    // a loop carry it, whatever else it does: the journal gives it to nobody else. errc::not_owned where another
    // gateway owns it; otherwise as find().
    boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> owned(SaleId id);
    std::shared_ptr<LiveSale> in_memory(SaleId id) const;
    // Forwards a command to the gateway that owns the sale, and waits until that one has decided it, or until the time
    // is over (errc::timed_out: it may be decided all the same).
    boost::asio::awaitable<Result<void>> forward(const ForwardedCommand& command, Instant deadline);
    // Drops what another gateway has taken over.
    void drop_lost();
    // Has the commands decided that others have forwarded to this gateway.
    boost::asio::awaitable<void> hear_commands(Chain& chain);
    // Keeps a copy as the journal has it while a caller holds it, until it is settled.
    boost::asio::awaitable<void> follow(std::weak_ptr<LiveSale> copy);
    // Has a sale in memory that the journal has given to this gateway, in the place of what it knew of it. Null where
    // something of it is in doubt: it waits until that is resolved.
    std::shared_ptr<LiveSale> take_up(Sale&& sale);
    // Does the same, and has a driver's loop carry the sale.
    void take_over(Sale&& sale);
    // A doubt has ended, and the sale went on without the one that doubted. Carries the sale on where this gateway was
    // given it meanwhile.
    void take_over_what_waited(SaleId id);
    // Waits until the message is decided, or until the time is over. An error is why it is not decided.
    boost::asio::awaitable<Result<void>> decided(std::shared_ptr<LiveSale> live, std::shared_ptr<Completion> completion,
                                                 Instant deadline);
    std::shared_ptr<LiveSale> take_in(Sale&& sale, std::string request_id, Stage stage);
    void forget(const LiveSale& live);
    // Has a driver's loop carry the sale, unless one does.
    void carry(const std::shared_ptr<LiveSale>& live, Stage stage);
    boost::asio::awaitable<void> run(std::shared_ptr<LiveSale> live);
    void set_stage(LiveSale& live, Stage stage);
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
    std::size_t places_taken_ = 0;  // of SellerOptions::in_flight
    std::unordered_map<Key, std::shared_ptr<LiveSale>, KeyHash> by_key_;
    std::unordered_map<SaleId, Sale> waiting_;  // to be taken over, when what is in doubt of them is resolved
    CardTurns turns_;
    const std::unique_ptr<Timer> adopt_wake_;  // of keep_adopting()
    bool taking_ = true;
    bool hurried_ = false;
    bool has_let_go_ = false;
};

}  // namespace gateway
