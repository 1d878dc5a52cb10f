// The driver advances a sale by one loop: it takes the next message (an answer, a command, a time that has come, "an
// answer will not come"), asks the law what follows, has the journal record it, and only then acts. If the record
// fails, nothing is done.
//
// A new sale, one that goes on, and one found in the journal after a crash run in the same loop. A new one starts with
// an empty queue, one found at a start with Lost. Where the journal does not know whether a record is durable, the loop
// waits until it does: then a command is decided again, and an answer is given up as Lost, as after a crash. Where
// another gateway owns the sale, the loop ends: what this gateway holds of the sale is dropped, and no exchange of it
// begins.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/random.hpp"
#include "flow/attention_list.hpp"
#include "flow/live_sale.hpp"
#include "flow/metrics.hpp"
#include "journal/chain.hpp"
#include "net/semaphore.hpp"
#include "provider/provider.hpp"
#include "sale/machine.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>

namespace gateway {

class Driver {
  public:
    // Every reference must outlive the driver and the coroutines that it spawns on `executor`. Every idExterno begins
    // with `id_prefix`, which is a prefix of a Ulid; empty: they have none.
    Driver(boost::asio::any_io_executor executor, Rules rules, Journal& journal, Provider& provider, Clock& clock,
           Random& random, Log& log, Metrics& metrics, AttentionList& attention, std::string id_prefix = {});

    // Runs the loop of the sale until nothing is left to do for it: until it is settled, until only a message of a
    // caller can continue it, or until another gateway owns it (LiveSale::Stage::elsewhere).
    boost::asio::awaitable<void> run(std::shared_ptr<LiveSale> live);
    // Tells a sale that came from the journal, before run(), that no answer will come for whatever was under way. `why`
    // says the reason for people; it is empty for a sale that a start has found.
    static void expect_no_answers(LiveSale& live, std::string_view why = {});
    // Ends what this gateway holds of a sale that another gateway owns, and tells the commands that wait so.
    static void drop(LiveSale& live);

    const Rules& rules() const { return rules_; }
    // Makes an attempt: the first of a sale, or a further one, which is requested after `pause`.
    Attempt new_attempt(Duration pause = Duration(0));

  private:
    struct Plan {
        bool rest = true;      // nothing becomes due by itself; only a message continues the sale
        Instant wake = never;  // when to look again
    };

    boost::asio::awaitable<void> run_until_rest(const std::shared_ptr<LiveSale>& live);
    static std::list<Message> next_message(LiveSale& live);
    Plan start_what_is_due(const std::shared_ptr<LiveSale>& live);
    boost::asio::awaitable<void> decide_and_record(LiveSale& live, const Message& message);
    // Decides and records a message once. An error is the journal's.
    boost::asio::awaitable<Result<void>> try_to_decide(LiveSale& live, const Message& message);
    static void remember_error(LiveSale& live, const Message& message, const Change& change);
    boost::asio::awaitable<bool> let_go(LiveSale& live);
    // Waits until the journal says how the sale stands, or that another gateway owns it.
    boost::asio::awaitable<void> resolve_doubt(LiveSale& live);
    void log_failure(const LiveSale& live, const Message& message, const boost::system::error_code& why, bool again);
    void apply(LiveSale& live, Change&& change, std::optional<Attempt>&& fresh);
    // Makes one exchange with the provider, or none where it is not wanted any more: see still_wanted(). Then an answer
    // is in the queue, the provider's or, where it was not wanted after reserve(), one that says that nothing was sent.
    // Where it was not wanted when its turn in the background came, nothing is queued, and the loop looks again.
    boost::asio::awaitable<void> exchange(std::shared_ptr<LiveSale> live, std::size_t index, Step step);
    bool is_certain(const LiveSale& live) const;
    bool still_wanted(const LiveSale& live, std::size_t index, Step step);
    void on_reply(LiveSale& live, std::size_t index, const Attempt& attempt, Step step, const Reply& reply,
                  Duration took);
    void on_answer(LiveSale& live, std::size_t index, Step step, Answer&& answer, Duration took,
                   std::optional<unsigned> http_status = std::nullopt, std::string provider_said = {});
    static void on_fault(LiveSale& live, std::size_t attempt, Step step);
    Duration since(Instant started) const;
    Context context();

    static bool failed_for_the_provider(const Sale& sale);
    void log_change(const LiveSale& live, Status status_before, bool settled_before);

    boost::asio::any_io_executor executor_;
    const Rules rules_;
    Journal& journal_;
    Provider& provider_;
    Clock& clock_;
    Random& random_;
    Log& log_;
    Metrics& metrics_;
    AttentionList& attention_;
    const std::string id_prefix_;
    Semaphore background_;  // limits the exchanges of low priority: see background_width
    Semaphore adopting_;    // limits the sales found at a start whose first decision is being made
};

}  // namespace gateway
