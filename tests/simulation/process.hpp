// These are the gateway's own parts, wired as app.cpp wires them, on one io_context with a clock, a network, a disk and
// chance of the simulation. An object is one run of the process, and destroying it at any moment is a crash.
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
struct Recount;
class World;

// Waits in the gateway for an answer from outside, and is gone with the process.
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

// These are the places where deliberate faults get in (mutants/). All are empty, unless the simulation has to show that
// it finds them.
struct Hooks {
    // Makes the journal that a process gets in the place of its own, which outlives it.
    std::function<std::unique_ptr<Journal>(Journal& own)> journal;
    // Tells whether a request is sent once more, unchanged, after this reply.
    std::function<bool(const http::ClientRequest& request, const Reply& reply)> sends_again;
    // Returns the text that a shared database runs in the place of the statement with this name. The name "opening" is
    // used once the database is open.
    std::function<std::string(std::string_view name, std::string text)> statement;
    // `commit` returns how the end of a job's commit is understood. `waits` tells whether the commit waits for the
    // standby, where this was the job's first statement.
    std::function<boost::system::error_code(boost::system::error_code ended)> commit;
    std::function<bool(Engine::Access access, std::string_view statement)> waits;
    Omissions omissions{};
    bool copies_file_alone = false;           // a copy lacks what stands in the log
    bool second_takes_no_lock = false;        // a second gateway does not look whether one runs
    bool notes_no_sale = false;               // no sale was noted as recorded last, when a copy is put back
    const Recount* broken_recount = nullptr;  // the recount that a journal at rest is made to disagree with
    Instant now{};                            // the time of the process that runs, for the mutants
    // Changes an answer before its terminal gets it.
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
    // Starts a process. Returns nothing where it could not start: the journal cannot be opened or read now, or the
    // power failed meanwhile.
    static std::unique_ptr<Process> start(World& world);
    // Starts one of several gateways that share a journal. It serves once it has got its lease.
    static std::unique_ptr<Process> start_sharing(World& world, std::size_t number);
    bool serves() const { return parts_ != nullptr; }
    const std::string& run() const;  // of one that shares a journal
    // Takes no new sale from now on, gives back what it owns, and says when that is done.
    void give_back(std::function<void()> done);
    ~Process();
    // Returns a disk with a journal that has never seen a sale. It is made once, for all runs that need not see it
    // being made.
    static const Disk& new_journal();

    // Runs one handler that is ready; returns false where there is none.
    bool run_one();
    std::optional<Time> next() const { return clock_.next(); }
    std::size_t open_sales() const;  // counts the sales that it works on or watches
    void move_to(Time time) { clock_.move_to(time); }

    using Answered = std::function<void(const http::Response&)>;
    void call_terminals(http::Request request, Answered answered);
    void call_callbacks(http::Request request, Answered answered);
    // Tells the gateway what a statement says about the status of an attempt.
    void state(SaleId sale, IdExterno attempt, Status status);
    // These do what only an operator asks for. The answer is not heard where the power fails first.
    using Closed = std::function<void(const Result<DayBooks::Closing>&)>;
    void close_day(CloseKey key, Closed closed);
    using Read = std::function<void(const Reconciler::Told&)>;
    void read_statement(StatementText text, Read read);
    // Writes something harmless; the result does not matter.
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
    // The context outlives everything that runs on it, as in production.
    boost::asio::io_context io_{1};
    ProcessClock clock_;
    std::unique_ptr<Journal> own_journal_;
    std::unique_ptr<SharingJournal> sharing_journal_;
    std::unique_ptr<Journal> mutant_journal_;
    std::unique_ptr<Journal> watched_journal_;
    Journal* journal_ = nullptr;  // the journal that the parts use
    std::unique_ptr<TokenStore> token_store_;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gateway::simulation
