// A sale in memory: what the journal says of it, the messages that have come for it and are not decided yet, and who
// watches. Only the driver changes the sale, and only after the journal has it; everybody else posts messages.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
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

// What became of a message: nothing yet; then that its change is durable, or why it is not.
struct Completion {
    std::optional<boost::system::error_code> result;
};

// An event on its way to the law, with what the journal keeps of it.
struct Message {
    std::size_t attempt;
    Event event;
    std::optional<unsigned> http_status;
    std::optional<Duration> duration;
    std::string detail;
    std::string request_id;  // of the call that it came with; empty where it came with none
    // Set where somebody waits for the outcome: then a journal that fails is told to them, and the event is forgotten.
    // Otherwise it happened whether it can be written or not, and is tried until it can.
    std::shared_ptr<Completion> completion;
};

class LiveSale {
  public:
    LiveSale(Sale&& sale, std::string request_id, Clock& clock);

    // Whether the journal has it yet. A sale that could not begin is withdrawn: nothing of it ever happened.
    enum class Phase { beginning, begun, withdrawn };
    Phase phase() const { return phase_; }
    void set_phase(Phase phase) {
        phase_ = phase;
        changed();
    }

    const Sale& sale() const { return sale_; }
    // Of the latest call that moved it, which the log names in all that follows; empty for a sale found in the journal,
    // until a call comes for it.
    const std::string& request_id() const { return request_id_; }

    // Waits until `enough` holds or the time comes; asks it whenever something has changed.
    boost::asio::awaitable<void> watch_until(Instant deadline, std::function<bool()> enough);
    // Wakes those who watch and have seen enough.
    void changed();

  private:
    friend class Driver;
    friend class Seller;

    // Leaves the list by itself, also where the frame that it stands in is destroyed.
    struct Watcher : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
        Watcher(const std::function<bool()>& e, Timer& a) : enough(e), timer(a) {}
        const std::function<bool()>& enough;
        Timer& timer;
    };

    // While it lives, the message that was taken off the list is being decided.
    class Deciding {
      public:
        Deciding(LiveSale& live, const Message& message) : live_(live) { live_.deciding_ = &message; }
        Deciding(const Deciding&) = delete;
        Deciding& operator=(const Deciding&) = delete;
        ~Deciding() { live_.deciding_ = nullptr; }

      private:
        LiveSale& live_;
    };
    // Whether somebody's word that makes an end of what the sale is at has come and is not decided yet.
    bool is_to_end() const;

    // An event for the current attempt, from outside. The completion tells what became of it.
    std::shared_ptr<Completion> submit(Event event, std::string request_id);
    void enqueue(Message&& message);

    Sale sale_;
    std::string request_id_;
    Clock& clock_;
    const Instant came_;  // into being, also where that was before this process was
    Phase phase_ = Phase::beginning;
    std::list<Message> queue_;           // that are not decided, in the order of their coming
    const Message* deciding_ = nullptr;  // the one that was taken off the list for it
    std::vector<bool> in_flight_;        // by attempt: whether an exchange is under way
    std::unique_ptr<Timer> timer_;       // the driver's: notified by every message
    boost::intrusive::list<Watcher, boost::intrusive::constant_time_size<false>> watchers_;
    bool carried_ = false;      // a driver's loop is on it
    bool resting_ = false;      // it was, and had nothing to do; not of one found in the journal at start
    bool from_before_ = false;  // found in the journal at start
    bool adopted_ = false;      // the same, and nobody waits for it
};

}  // namespace gateway
