// A sale in memory. It has three sides:
// - the driver carries it: it takes the messages that have come, one after the other, has the law decide each, and
//   changes the sale once the journal has the change; nothing else ever changes it, but a mark that the journal itself
//   has put into the sale's row;
// - callers submit commands (confirm, cancel, a callback, an operator's decision, a statement's word) as messages, and
//   learn from a completion what became of each;
// - callers watch it until they have seen what they wait for. A watcher that goes away changes nothing.
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

// What became of a message: nothing yet; then that its change is durable (no error), or why it is not.
struct Completion {
    std::optional<boost::system::error_code> result;
    StatedEffect stated = StatedEffect::nothing;  // of Stated, where there is no error
};

// An event on its way to the law, with what the journal keeps of it.
struct Message {
    std::size_t attempt;
    Event event;
    std::optional<unsigned> http_status;
    std::optional<Duration> duration;
    std::string detail;
    std::string provider_said;  // in words beside its answer, for the log: without what is personal; may be empty
    std::string request_id;     // of the call that it came with; empty where it came with none
    std::optional<std::int64_t> forwarded_command{};  // its number, where it waited in the journal
    // Set where a caller waits for the outcome: then a journal that fails is told to the caller, and the event is
    // forgotten. Without one the event happened whether it can be written or not, and is tried until it can.
    std::shared_ptr<Completion> completion;
};

class LiveSale {
  public:
    enum class Stage {
        beginning,   // handed to the journal, which has not answered
        withdrawn,   // it could not begin: nothing of it ever happened
        in_doubt,    // whether the journal has its latest step is not known: nothing is done, nothing is told of it
        unattended,  // driven, and no command has come: found in the journal at start, or named by a statement
        attended,    // driven, ahead of those that are unattended
        resting,     // nothing is to be done for it
        elsewhere,   // another gateway owns it: it is only watched here, as the journal has it now and then
    };

    // `stage` is beginning for a new sale, unattended for one found in the journal at start, and resting for one that
    // was looked up. `clock` must outlive it.
    LiveSale(Sale&& sale, std::string request_id, Stage stage, Clock& clock);

    Stage stage() const { return stage_; }

    const Sale& sale() const { return sale_; }
    // Of the latest call that moved it, which the log names in all that follows; empty for a sale found in the journal,
    // until a call comes for it.
    const std::string& request_id() const { return request_id_; }

    // The exchange of sale().attempts[attempt] that has begun and has no answer yet.
    std::optional<Step> under_way(std::size_t attempt) const { return in_flight_.at(attempt); }
    // The last try of an exchange that had no usable answer, since this program carries the sale: a history that has
    // grown long leaves repeats out.
    const std::optional<LastError>& last_error() const { return last_error_; }

    // Whether another gateway has taken it over, and the journal was not asked yet how it stands since.
    bool outdated() const { return outdated_; }
    // Whether a message is being decided: what follows from it may be durable already, and others may know it.
    bool deciding() const { return deciding_ != nullptr; }

    // Takes over how the sale stands, from the journal. What was asked for never changes, and others hold views of it.
    void stands(Sale&& sale);

    // The journal itself has marked the sale's row, and whatever is being decided leaves the mark there.
    void found_unreadable();

    // Waits until `enough` holds or the time comes; asks it whenever something has changed.
    boost::asio::awaitable<void> watch_until(Instant deadline, std::function<bool()> enough);
    // Wakes the watchers that have seen enough.
    void changed();

  private:
    friend class Driver;
    friend class Seller;

    // Lives in the coroutine frame of the caller that watches, and leaves the list when that frame is destroyed.
    struct Watcher : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
        Watcher(const std::function<bool()>& e, Timer& t) : enough(e), timer(t) {}
        const std::function<bool()>& enough;
        Timer& timer;
    };

    // While one of these lives, the message that was taken off the queue is being decided.
    class Deciding {
      public:
        Deciding(LiveSale& live, const Message& message) : live_(live) { live_.deciding_ = &message; }
        Deciding(const Deciding&) = delete;
        Deciding& operator=(const Deciding&) = delete;
        ~Deciding() {
            live_.deciding_ = nullptr;
            live_.take_mark();  // where what was decided came to nothing
        }

      private:
        LiveSale& live_;
    };
    // Whether a cancel or an operator's decision waits or is being decided: no exchange is begun meanwhile, because the
    // decision would make it pointless.
    bool ending_is_asked_for() const;

    // Tells whether this forwarded command waits to be decided, or is being decided.
    bool has_forwarded_command(std::int64_t number) const;
    // Puts an event of a caller's at the end of the queue, for the current attempt.
    std::shared_ptr<Completion> submit(Event event, std::string request_id);
    void enqueue(Message&& message);
    // Where a mark waits for what is being decided. One that only a person takes away stays, as in the row.
    void take_mark();
    // Tells the watchers.
    void set_stage(Stage stage);

    Sale sale_;
    std::string request_id_;
    Clock& clock_;
    const Instant begun_at_;  // the sale was created, by the steady clock; may lie before this process started
    Stage stage_;
    // Of SellerOptions::in_flight: nobody has asked for it since this program runs, when it was taken into memory.
    bool takes_no_place_;
    std::list<Message> queue_;                    // messages that are not decided, oldest first
    const Message* deciding_ = nullptr;           // the one that was taken off the queue and is being decided
    std::vector<std::optional<Step>> in_flight_;  // by attempt: the exchange that is under way
    bool outdated_ = false;
    bool mark_waits_ = false;
    std::optional<LastError> last_error_;
    bool lacked_token_ = false;    // the last step could not be sent for want of one
    std::unique_ptr<Timer> wake_;  // of the driver's loop: notified of every message
    boost::intrusive::list<Watcher, boost::intrusive::constant_time_size<false>> watchers_;
};

}  // namespace gateway
