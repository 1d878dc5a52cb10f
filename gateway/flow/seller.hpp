// All sales in memory, one per key: begins new ones, joins repeats to what is running, finds finished ones in the
// journal, and takes up again what a stop left unfinished. A sale lives on its own: the caller that asked for it only
// watches.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "families/family.hpp"
#include "flow/driver.hpp"
#include "flow/live_sale.hpp"
#include "journal/journal.hpp"

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
    // Sales under way at once; more are refused. One found at start takes no place of a new one, nor does one that
    // rests until a person has looked.
    std::size_t in_flight = 10'000;
};

// What a terminal asks to be sold.
struct SellOrder {
    Order order;             // estabelecimento filled in
    std::string redemption;  // what the offer says about using what is bought; may be empty
    std::string terminal;
    std::string key;
    std::string digest;  // SHA-256 of the canonical body
    std::string request_id;
    Instant patience;  // until when the terminal waits
};

// Why a sell did not lead to a sale of its own.
enum class SellRefusal {
    none,
    key_reused,       // the key belongs to a sale with another body
    key_cancelled,    // the key was cancelled before
    sale_unreadable,  // the key belongs to a sale whose row cannot be read
    overloaded,       // too many sales under way
    shutting_down,
    journal_unavailable,  // nothing was begun
    in_doubt,             // whether the sale was begun is not known yet: the caller asks again, with the same key
};

// What came of a sell.
struct SellResult {
    std::shared_ptr<LiveSale> sale;  // unless refused
    SellRefusal refusal = SellRefusal::none;
    bool replayed = false;  // the key had led to this sale before

    // Whether the sell was none of a new sale.
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

    // Begins the sale, durably, and lets it run; or finds the one that the key led to. The order, which it uses up,
    // must outlive the call.
    boost::asio::awaitable<SellResult> sell(SellOrder&& order);
    // What a known key led to, without beginning anything. Nothing where the key is new.
    boost::asio::awaitable<Result<std::optional<SellResult>>> find_sold(const SellOrder& order);

    // A sale by its id: the one in memory, or the journal's, which is not carried on by being looked at.
    // errc::not_found where there is none, errc::commit_unknown where nothing may be told of it at present,
    // errc::sale_unreadable where its row cannot be read.
    boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> find(SaleId id);

    // Submits the event to the sale and waits until what follows from it is durable, or until the time is over
    // (errc::timed_out: it is decided all the same). An event that the law has no use for changes nothing. Gives the
    // sale.
    boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> tell(SaleId id, Event event, std::string request_id,
                                                                   Instant deadline);

    // Cancels a key: gives the sale that has it or, where none has it, null, and remembers that every sell that may
    // still come with it sells nothing. errc::commit_unknown where that is not known by the deadline.
    boost::asio::awaitable<Result<std::shared_ptr<LiveSale>>> cancel_key(std::string terminal, std::string key,
                                                                         Instant deadline);

    // Takes up again what is not settled; returns when all of it is known, not when it is resolved.
    struct Adopted {
        std::size_t sales = 0;
        std::size_t unreadable = 0;  // not settled, and left where they are: nothing is done for them
    };
    boost::asio::awaitable<Result<Adopted>> adopt_unfinished();

    // No new sales from now on.
    void stop_taking() { taking_ = false; }
    bool taking() const { return taking_; }
    // Every caller that waits for a sale is to be answered with what is known.
    void hurry();
    bool hurried() const { return hurried_; }
    // Sales whose terminals would not get a last word now.
    std::size_t undecided() const;

    std::size_t under_way() const { return live_.size(); }
    const std::unordered_map<SaleId, std::shared_ptr<LiveSale>>& live() const { return live_; }

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
    boost::asio::awaitable<SellResult> begin(SellOrder& order);
    boost::asio::awaitable<void> resolve_begin(std::shared_ptr<LiveSale> live);
    // What the journal said of begin(): the sale runs, or is withdrawn.
    void begun(const std::shared_ptr<LiveSale>& live, const Result<KeyState>& state);
    Sale new_sale(SellOrder& order);
    SellResult replay(std::shared_ptr<LiveSale> live, const std::string& digest);
    boost::asio::awaitable<SellResult> result_of(const KeyState& state, const std::string& digest);

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
    bool taking_ = true;
    bool hurried_ = false;
};

}  // namespace gateway
