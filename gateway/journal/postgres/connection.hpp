// One connection to the database, for use by one coroutine: it runs pipelines of prepared statements, each with a
// deadline. A connection that is over is never opened again.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/postgres/client.hpp"
#include "journal/postgres/connection_options.hpp"
#include "journal/postgres/statement.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::postgres {

// The coroutine of a session waits with this: for a socket of libpq's, for a time, and to be woken.
class SocketWait {
  public:
    enum class For { reading, writing, both };

    SocketWait(const boost::asio::any_io_executor& executor, Clock& clock);
    SocketWait(const SocketWait&) = delete;
    SocketWait& operator=(const SocketWait&) = delete;
    ~SocketWait() = default;

    // From now on the waits are for this socket. They use a descriptor of their own, because libpq closes its own
    // whenever it likes. Returns false where no descriptor can be had.
    bool watch(int socket);
    void let_go();

    // Ends when the socket is ready, when it is woken, or when the time has come; at times it ends without a reason.
    boost::asio::awaitable<void> ready(For what, Instant until);
    // Waits in the same way, but not for the socket.
    boost::asio::awaitable<void> until(Instant when);
    void wake() { timer_->notify(); }
    // Returns an object that can wake it at any time, even when this object is gone.
    std::shared_ptr<Timer> waker() const { return timer_; }
    // Ends all waiting: from now on nothing is waited for, every time counts as come, and the clock is not used.
    void stop();
    bool has_stopped() const noexcept { return stopped_; }

    boost::asio::any_io_executor executor() { return descriptor_.get_executor(); }
    // Returns the moment that is `length` from now.
    Instant in(Duration length) const { return stopped_ ? Instant::min() : clock_.now() + length; }
    bool has_come(Instant when) const { return stopped_ || clock_.now() >= when; }

  private:
    // Says of one descriptor what it is being waited for.
    struct Watched {
        bool for_reading = false;
        bool for_writing = false;
    };
    void ask(boost::asio::posix::stream_descriptor::wait_type what, bool Watched::*asked);

    Clock& clock_;
    bool stopped_ = false;
    const std::shared_ptr<Timer> timer_;
    boost::asio::posix::stream_descriptor descriptor_;
    std::shared_ptr<Watched> watched_ = std::make_shared<Watched>();
};

// This is one statement to be sent. Its parameters must live until it is answered; nullptr: it has none.
struct Command {
    Statement statement;
    const Parameters* parameters = nullptr;
};

// Tells what became of a pipeline.
struct Exchanged {
    std::vector<Rows> rows{};  // of the commands that are done: all of them, or those before the one that failed
    std::string last{};        // the server's tag of the last of these: "COMMIT", "INSERT 0 1", …
    boost::system::error_code refused{};  // the server's error for the next command, which has not happened
    bool lost = false;                    // the connection is over
    bool begun = true;                    // false: the connection was over, and nothing was sent
    bool warned = false;                  // see Link::take_warning()
};

class Connection {
  public:
    using Heard = std::function<void(std::string_view channel, std::string_view payload)>;
    using Opened = boost::system::result<std::unique_ptr<Connection>, std::string>;

    // Opens a connection to the first server that can be used; names are looked up where needed. The error says in
    // words why none can be used. `wait` must outlive the connection, which watches its socket with it.
    static boost::asio::awaitable<Opened> open(SocketWait& wait, const Client& client, const ConnectionOptions& options,
                                               Heard heard);
    ~Connection() { wait_.let_go(); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Sends all commands at once. A connection that has not answered within `patience` is over.
    boost::asio::awaitable<Exchanged> exchange(std::span<const Command> commands, Duration patience);
    // Waits until something arrives or the wait is woken.
    boost::asio::awaitable<void> idle();
    // Reads what has arrived without having been asked for.
    void look();
    // Closes the connection; last_words() returns `words` afterwards.
    void close(std::string words);
    bool is_over() const noexcept { return over_; }
    // Says why it is over.
    const std::string& last_words() const noexcept { return last_words_; }
    // Tells whether it is over because the server did not answer in time.
    bool is_late() const noexcept { return is_late_; }
    // Returns HOST:PORT as the URL names it.
    const std::string& server() const noexcept { return server_; }
    // Returns the server's message about what it refused last since the last call; empty where it may not be quoted.
    std::string take_refusal() { return std::exchange(refusal_, {}); }

  private:
    // It has an entry for each reply that is awaited: the statement that it prepares, or nullptr if a statement runs.
    using Plan = std::deque<const Statement*>;

    Connection(SocketWait& wait, std::unique_ptr<Link> link, Heard heard)
        : wait_(wait), link_(std::move(link)), heard_(std::move(heard)) {}

    static boost::asio::awaitable<Opened> open_one(SocketWait& wait, const Client& client,
                                                   std::vector<Setting> settings, Duration patience, std::string server,
                                                   Heard heard);
    bool queue(std::span<const Command> commands, Plan& plan);
    bool take_replies(Plan& plan, Exchanged& result);
    void hear();

    SocketWait& wait_;
    const std::unique_ptr<Link> link_;
    std::string server_;
    const Heard heard_;
    std::map<std::string_view, std::string_view> prepared_;  // names of statements, and their SQL
    bool over_ = false;
    bool is_late_ = false;
    std::string last_words_;
    std::string refusal_;
};

}  // namespace gateway::postgres
