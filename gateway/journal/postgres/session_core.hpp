// What a session is made of: the queue of what waits, and the coroutine that owns the connection and works the queue
// off. It outlives its session until that coroutine has ended.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/postgres/connection.hpp"
#include "journal/postgres/running_job.hpp"
#include "journal/postgres/session.hpp"
#include "journal/postgres/transaction.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gateway::postgres {

// A job that waits for its commit. It owns the coroutine that waits for it, by its handler, and so what its work refers
// to.
struct SessionJob {
    Engine::Access access = Engine::Access::write;
    const Engine::Work* work = nullptr;
    std::string order{};

    // Behind a pointer, as Asio's of Boost 1.81 never comes back from being assigned.
    using Done = boost::asio::any_completion_handler<void(Result<void>)>;
    std::unique_ptr<Done> done{};
    Result<void> result{};

    bool writes() const noexcept { return Engine::writes(access); }
};

class SessionCore : public std::enable_shared_from_this<SessionCore> {
  public:
    using Jobs = std::vector<SessionJob>;

    SessionCore(boost::asio::any_io_executor executor, Clock& clock, const Client& client, SessionOptions options);

    // Stands in the frame of run(), also where that is never begun. What waits goes with it: the handlers belong to the
    // event loop, and the session may outlive that.
    class Carrier {
      public:
        explicit Carrier(std::shared_ptr<SessionCore> core) : core_(std::move(core)) {}
        Carrier(const Carrier&) = delete;
        Carrier& operator=(const Carrier&) = delete;
        Carrier(Carrier&&) noexcept = default;
        Carrier& operator=(Carrier&&) = delete;
        ~Carrier() {
            if (core_) core_->let_all_go();
        }
        SessionCore* operator->() const noexcept { return core_.get(); }
        SessionCore& operator*() const noexcept { return *core_; }

      private:
        std::shared_ptr<SessionCore> core_;
    };

    // Carries the session until it stops.
    static boost::asio::awaitable<void> run(Carrier self);
    void stop();
    boost::asio::awaitable<Result<void>> submit(SessionJob job);

    const std::optional<std::string>& hindrance() const noexcept { return hindrance_; }
    const std::string& server() const noexcept { return server_; }
    void leave(std::string words);
    void in_trouble();
    const JournalStats& stats() const noexcept { return stats_; }
    bool healthy() const noexcept { return connected_ && !stats_.failure; }

  private:
    class Lent;

    boost::asio::awaitable<Connection::Opened> open(SocketWait& wait);
    boost::asio::awaitable<std::string> live(SocketWait& wait);
    boost::asio::awaitable<std::string> why_late(SocketWait& wait);
    boost::asio::awaitable<void> serve(Connection& connection);
    boost::asio::awaitable<void> perform(Connection& connection, Jobs jobs);
    boost::asio::awaitable<void> perform_each(Connection& connection, Jobs jobs);
    // Nothing: the connection was over before anything was sent.
    using Tried = std::optional<boost::system::error_code>;
    boost::asio::awaitable<Tried> try_often(Connection& connection, Jobs& jobs);
    boost::asio::awaitable<Tried> try_together(Connection& connection, Jobs& jobs);
    Jobs take_jobs();
    void begin_together(Jobs& jobs, std::deque<RunningJob>& running);
    void let_all_go();
    void finish(Jobs jobs, const boost::system::error_code& error);
    void count(const Jobs& jobs, const boost::system::error_code& error);
    void put_back(Jobs jobs);
    void fail_all();
    void say_away(const std::string& words);
    void say_back();
    void say_refusal(std::string words);
    void say_refused_value(const ServerTransaction::Refused& refused, const boost::system::error_code& error);

    const boost::asio::any_io_executor executor_;
    Clock& clock_;
    const Client& client_;
    const SessionOptions options_;
    std::deque<SessionJob> queue_;
    SocketWait* wait_ = nullptr;  // in the frame of run()
    bool idle_ = false;
    bool stopped_ = false;
    bool connected_ = false;
    std::string server_;   // while it is connected
    std::string parting_;  // the words to leave the server with; empty: it stays
    bool useful_ = false;  // something was done on the connection
    bool late_ = false;    // the last connection is over because the server gave no answer in time
    bool away_said_ = false;
    std::string refusal_said_;
    std::optional<std::string> hindrance_;
    JournalStats stats_;
};

}  // namespace gateway::postgres
