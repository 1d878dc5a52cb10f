// One connection to the database, as one coroutine uses it: pipelines of prepared statements, each with a deadline.
// Whatever happens to it, it is not opened again.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/postgres/client.hpp"
#include "journal/postgres/connection_options.hpp"
#include "journal/postgres/socket_wait.hpp"
#include "journal/postgres/statement.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::postgres {

// One statement on its way. The parameters must live until it is answered; nullptr: there are none.
struct Command {
    Statement statement;
    const Parameters* parameters = nullptr;
};

// What became of a pipeline.
struct Exchanged {
    std::vector<Rows> rows{};  // of the commands that are done: all of them, or those before the one that failed
    std::string last{};        // what the server calls the last of these: "COMMIT", "INSERT 0 1", …
    boost::system::error_code refused{};  // the server's error on the next one, which has not happened
    bool lost = false;                    // the connection is over
    bool begun = true;                    // false: it is over, and nothing was sent
    bool warned = false;                  // see Link::take_warning()
};

class Connection {
  public:
    using Heard = std::function<void(std::string_view channel, std::string_view payload)>;
    using Opened = boost::system::result<std::unique_ptr<Connection>, std::string>;

    // Opens one to the first server that can be used, by name look-up where it takes one; or says in words why none
    // can. `wait` must outlive the connection, which watches its socket with it.
    static boost::asio::awaitable<Opened> open(boost::asio::any_io_executor executor, SocketWait& wait,
                                               const Client& client, const ConnectionOptions& options, Heard heard);
    ~Connection() { wait_.let_go(); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Sends all of it in one go. After the deadline the connection is over.
    boost::asio::awaitable<Exchanged> exchange(std::span<const Command> commands, Duration patience);
    // Waits until something arrives or the wait is woken.
    boost::asio::awaitable<void> idle();
    // Takes in what has arrived unasked.
    void look();
    // It is over, and these are its last words.
    void close(std::string words);
    bool is_over() const noexcept { return over_; }
    // Why.
    const std::string& last_words() const noexcept { return last_words_; }
    // Whether it is over because the server gave no answer in time.
    bool is_late() const noexcept { return is_late_; }
    // HOST:PORT, as the URL names it.
    const std::string& server() const noexcept { return server_; }
    // The server's words for what it refused last since this was asked, where they may be quoted; else empty.
    std::string take_refusal() { return std::exchange(refusal_, {}); }

  private:
    // What the next replies are about.
    struct Plan;

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
