// The gateway's own parts, wired as app.cpp wires them, on one io_context with a clock, a network, a disk and chance of
// the simulation's. One object is one run of the process; destroying it at any moment is a crash.
#pragma once

#include "api/callbacks.hpp"
#include "api/sales.hpp"
#include "api/sell.hpp"
#include "api/terminals.hpp"
#include "books/day_books.hpp"
#include "books/reconciler.hpp"
#include "flow/driver.hpp"
#include "flow/options_cache.hpp"
#include "flow/seller.hpp"
#include "flow/token_store.hpp"
#include "http/client/client.hpp"
#include "http/server/router.hpp"
#include "journal/sqlite/open_sqlite_journal.hpp"
#include "provider/provider.hpp"
#include "provider/token_keeper.hpp"
#include "simulation/disk.hpp"
#include "simulation/plan.hpp"
#include "simulation/process_clock.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>

namespace gateway::simulation {

class SharingJournal;
class World;

// What waits in the gateway for an answer from outside. Gone with the process.
struct Exchange {
    explicit Exchange(std::unique_ptr<Timer> a) : timer(std::move(a)) {}
    std::unique_ptr<Timer> timer;
    std::optional<Reply> reply;

    void answer(Reply r) {
        if (reply) return;
        reply = std::move(r);
        timer->notify();
    }
};

// Where deliberate faults get in (mutants/): all empty, unless the simulation is to show that it finds them.
struct Hooks {
    // The journal that a process is given in the place of its own, which outlives it.
    std::function<std::unique_ptr<Journal>(Journal& own)> journal;
    // Whether a request goes out once more after this reply, word for word.
    std::function<bool(const http::ClientRequest& request, const Reply& reply)> sends_again;
    // The text that a database that several gateways share runs in the place of the statement of this name; and once it
    // is open, of "opening".
    std::function<std::string(std::string_view name, std::string text)> statement;
    // What the commit of a job is taken for that ended so; and whether it waits until the standby has it, where this
    // was the job's first statement.
    std::function<boost::system::error_code(boost::system::error_code ended)> commit;
    std::function<bool(Engine::Access access, std::string_view statement)> waits;
    Instant now{};  // of the process that runs, for them to know
    // May change an answer before its terminal gets it.
    std::function<void(http::Response& response)> answers;
};
Hooks& hooks();

class SimulatedClient final : public http::Client {
  public:
    SimulatedClient(World& world, Clock& clock) : world_(world), clock_(clock) {}
    boost::asio::awaitable<Result<std::unique_ptr<http::Reservation>>> reserve(Instant deadline) override;

  private:
    struct Held;
    boost::asio::awaitable<Reply> exchange(http::ClientRequest request, Instant deadline);
    boost::asio::awaitable<Reply> exchange_once(const http::ClientRequest& request, Instant deadline);

    World& world_;
    Clock& clock_;
};

class Process {
  public:
    // Nothing where it could not start: the journal cannot be opened or read now, or the power failed meanwhile.
    static std::unique_ptr<Process> start(World& world);
    // One of several gateways that share a journal; it serves once it has got its lease.
    static std::unique_ptr<Process> start_sharing(World& world, std::size_t number);
    bool serves() const { return parts_ != nullptr; }
    const std::string& run() const;  // of one that shares a journal
    // Takes no new sale from now on, gives back what it owns, and says when that is done.
    void give_back(std::function<void()> done);
    ~Process();
    // A disk with a journal that has never seen a sale: made once, for all that do not want to see it being made.
    static const Disk& new_journal();

    // Runs one handler that is ready; false where none is.
    bool run_one();
    std::optional<Time> next() const { return clock_.next(); }
    std::size_t open_sales() const;  // that it works on, or keeps an eye on
    void move_to(Time time) { clock_.move_to(time); }

    using Answered = std::function<void(const http::Response&)>;
    void call_terminals(http::Request request, Answered answered);
    void call_callbacks(http::Request request, Answered answered);
    // A statement says of one attempt how it stands at the provider.
    void state(SaleId sale, IdExterno attempt, Status status);
    // What only an operator asks for. The answer is not heard where the power fails first.
    using Closed = std::function<void(const Result<DayBooks::Closing>&)>;
    void close_day(CloseKey key, Closed closed);
    using Read = std::function<void(const Reconciler::Told&)>;
    void read_statement(StatementText text, Read read);
    // Writes something harmless, whatever comes of it.
    void probe_journal(std::function<void()> done);

  private:
    struct Parts;
    explicit Process(World& world);
    template <class T>
    std::optional<T> finish(boost::asio::awaitable<T> work);
    boost::asio::awaitable<void> serve(const http::Router& router, std::shared_ptr<http::Request> request,
                                       Answered answered);
    boost::asio::awaitable<void> answer_close(CloseKey key, Closed closed);
    boost::asio::awaitable<void> answer_probe(std::function<void()> done);
    boost::asio::awaitable<void> answer_statement(StatementText text, Read read);
    void use_tokens();
    boost::asio::awaitable<void> begin_to_share();
    boost::asio::awaitable<void> stop_sharing(std::function<void()> done);
    boost::asio::awaitable<void> hear(SaleId sale, IdExterno attempt, Stated stated);

    World& world_;
    // The context outlives all that runs on it, as in production.
    boost::asio::io_context io_{1};
    ProcessClock clock_;
    std::unique_ptr<Journal> own_journal_;
    std::unique_ptr<SharingJournal> sharing_journal_;
    std::unique_ptr<Journal> mutant_journal_;
    std::unique_ptr<Journal> watched_journal_;
    Journal* journal_ = nullptr;  // the one that the parts see
    std::unique_ptr<TokenStore> token_store_;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gateway::simulation
