// This is a sale in memory. It has three sides:
// - the driver takes the messages that have come, one after the other, has the law decide each, and changes the sale
//   once the journal has the change. Nothing else changes the sale, except for a mark that the journal itself has set
//   in its row;
// - callers submit commands (confirm, cancel, a callback, an operator's decision, what a statement says) as messages,
//   and learn from a completion what became of each;
// - callers watch the sale until they have seen what they wait for. A watcher that goes away changes nothing.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/history.hpp"
#include "sale/machine.hpp"
#include "sale/sale.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gateway {

// Tells what became of a message. `result` is nothing until the message is decided; then it is no error, where its
// change is durable, or the reason why it is not.
struct Completion {
    std::optional<boost::system::error_code> result;
    StatedEffect stated = StatedEffect::nothing;  // what a Stated message changed, where there is no error
};

// This is an event on its way to the law, with what the journal keeps about it.
struct Message {
    std::size_t attempt = 0;  // the event is about this attempt, unless it is about the sale
    Event event;
    std::optional<unsigned> http_status;
    std::optional<Duration> duration;
    std::string detail;
    std::string provider_said;  // the provider's words, for the log: without personal data; may be empty
    std::string request_id;     // of the call that the event came with; empty: it came with none
    std::optional<std::int64_t> forwarded_command{};  // its number, where it waited in the journal
    // Is set where a caller waits for the outcome: then the caller is told of a journal that fails, and the event is
    // forgotten. Without it, the event has happened whether it can be written or not, and is tried until it can be.
    std::shared_ptr<Completion> completion;
};

class LiveSale {
  public:
    enum class Stage {
        beginning,   // the journal has been asked to begin it, and has not answered
        withdrawn,   // it could not begin: nothing of it ever happened
        in_doubt,    // it is not known whether the journal has its latest step: nothing is done, and nothing is told
        unattended,  // driven, and no command has come: found in the journal at start, or named by a statement
        attended,    // running, with priority over those that are unattended
        resting,     // there is nothing to do for it
        elsewhere,   // another gateway owns it: it is only watched here, as the journal shows it from time to time
    };

    // `stage` is beginning for a new sale, unattended for one that a start has found in the journal, and resting for
    // one that was looked up. `clock` must outlive this object.
    LiveSale(Sale&& sale, std::string request_id, Stage stage, Clock& clock);

    Stage stage() const { return stage_; }

    const Sale& sale() const { return sale_; }
    // Returns the request id of the latest call that changed the sale, which the log names from then on. It is empty
    // for a sale found in the journal, until a call comes for it.
    const std::string& request_id() const { return request_id_; }

    // Returns the exchange of sale().attempts[attempt] that has begun and has no answer yet.
    std::optional<Step> under_way(std::size_t attempt) const { return in_flight_.at(attempt); }
    // Returns the last exchange without a usable answer since this program has had the sale. (A history that has grown
    // long leaves repetitions out.)
    const std::optional<LastError>& last_error() const { return last_error_; }

    // Tells whether another gateway has taken it over, and the journal has not been asked since then how it stands.
    bool outdated() const { return outdated_; }
    // Tells whether a message is being decided: its consequence may be durable already, and others may know it.
    bool deciding() const { return deciding_ != nullptr; }

    // Takes over the sale's state from the journal. What the terminal asked for never changes, and others hold views of
    // it.
    void stands(Sale&& sale);

    // Notes that the journal itself has marked the sale's row. A change that is being decided leaves that mark there.
    void found_unreadable();

    // Waits until `enough` returns true or the time comes. It is called whenever something has changed.
    boost::asio::awaitable<void> watch_until(Instant deadline, std::function<bool()> enough);
    // Wakes the watchers, who look whether they have seen enough.
    void changed();

  private:
    friend class Driver;
    friend class Seller;

    // This is a caller that watches. It lives in that caller's coroutine frame, and leaves the list when the frame is
    // destroyed.
    struct Watcher : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
        explicit Watcher(Timer& t) : timer(t) {}
        Timer& timer;
    };

    // While an object of this class lives, the message that was taken off the queue is being decided.
    class Deciding {
      public:
        Deciding(LiveSale& live, const Message& message) : live_(live) { live_.deciding_ = &message; }
        Deciding(const Deciding&) = delete;
        Deciding& operator=(const Deciding&) = delete;
        ~Deciding() {
            live_.deciding_ = nullptr;
            live_.take_mark();  // where the decision came to nothing
        }

      private:
        LiveSale& live_;
    };
    // Tells whether a cancel or an operator's decision waits or is being decided. No exchange is begun meanwhile,
    // because the decision would make it pointless.
    bool ending_is_asked_for() const;

    // Tells whether this forwarded command waits to be decided, or is being decided.
    bool has_forwarded_command(std::int64_t number) const;
    // Puts a caller's event about the sale at the end of the queue.
    std::shared_ptr<Completion> submit(Event event, std::string request_id);
    void enqueue(Message&& message);
    // Sets the mark that was waiting for the end of a decision. A mark that only a person takes away stays, as in the
    // row.
    void take_mark();
    // Changes the stage, and tells the watchers.
    void set_stage(Stage stage);

    Sale sale_;
    std::string request_id_;
    Clock& clock_;
    const Instant begun_at_;  // by the steady clock; may lie before this process started
    Stage stage_;
    // Says that the sale does not count for SellerOptions::in_flight, because nobody had asked for it since this
    // program runs when it was taken into memory.
    bool takes_no_place_;
    std::list<Message> queue_;                    // messages that are not decided yet, the oldest first
    const Message* deciding_ = nullptr;           // the message that was taken off the queue and is being decided
    std::vector<std::optional<Step>> in_flight_;  // the exchange that is under way for each attempt
    bool outdated_ = false;
    bool mark_waits_ = false;
    std::optional<LastError> last_error_;
    bool lacked_token_ = false;    // the last step could not be sent, because there was no token
    std::unique_ptr<Timer> wake_;  // wakes the driver's loop; notified of every message
    boost::intrusive::list<Watcher, boost::intrusive::constant_time_size<false>> watchers_;
};

}  // namespace gateway
