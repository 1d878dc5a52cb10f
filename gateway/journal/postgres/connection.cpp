#include "journal/postgres/connection.hpp"

#include "base/check.hpp"
#include "journal/postgres/error.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace gateway::postgres {
namespace {

// Makes settings for libpq, which are views of the arguments. Where the address is empty, libpq finds the server by
// name.
std::vector<Setting> settings_for(const ConnectionOptions& options, const Server& server, const std::string& address) {
    std::vector<Setting> settings;
    for (const auto& [name, value] : options.settings)
        settings.push_back({name.c_str(), value.c_str()});
    if (!server.host.empty()) settings.push_back({"host", server.host.c_str()});
    if (!address.empty()) settings.push_back({"hostaddr", address.c_str()});
    settings.push_back({"port", server.port.c_str()});
    if (!options.password.empty()) settings.push_back({"password", options.password.reveal().c_str()});
    return settings;
}

std::string name_of(const Server& server, const std::string& address) {
    const auto& host = server.host.empty() ? address : server.host;
    const bool is_ipv6 = !server.is_socket() && host.find(':') != std::string::npos;
    return is_ipv6 ? fmt::format("[{}]:{}", host, server.port) : fmt::format("{}:{}", host, server.port);
}

// Adds to libpq's message about a server that it passes over because sales cannot be written there, which is too short.
std::string with_advice(std::string words) {
    if (words.ends_with("session is read-only"))
        words += " (that server is a standby: start the primary, or promote it)";
    return words;
}

SocketWait::For what_for(Link::Opening opening) {
    return opening == Link::Opening::wants_to_read ? SocketWait::For::reading : SocketWait::For::writing;
}

using boost::asio::ip::tcp;

// No server has more addresses than this.
constexpr std::size_t most_addresses = 4;

// Holds the result of a look-up, which may end after its coroutine has ended.
struct LookUp {
    std::optional<boost::system::error_code> ended;
    std::vector<std::string> found;
};

// Returns the addresses of a server; one empty address where it is reached by a socket of this machine. The error says
// in words why the name cannot be looked up. If libpq looked the name up itself, the whole gateway would stop while a
// name server does not answer, and a single silent address could take the time of all of them.
boost::asio::awaitable<boost::system::result<std::vector<std::string>, std::string>> addresses_of(SocketWait& wait,
                                                                                                  const Server& server,
                                                                                                  Duration patience) {
    if (!server.address.empty()) co_return std::vector<std::string>{server.address};
    if (server.is_socket()) co_return std::vector<std::string>(1);
    const Instant deadline = wait.in(patience);
    const auto look_up = std::make_shared<LookUp>();
    tcp::resolver resolver(wait.executor());
    resolver.async_resolve(server.host, server.port, tcp::resolver::numeric_service,
                           [look_up, waker = wait.waker()](const boost::system::error_code& failed,
                                                           const tcp::resolver::results_type& all) {
                               look_up->ended = failed;
                               for (const auto& one : all)
                                   if (look_up->found.size() < most_addresses)
                                       look_up->found.push_back(one.endpoint().address().to_string());
                               waker->notify();
                           });
    while (!look_up->ended && !wait.has_come(deadline))
        co_await wait.until(deadline);
    if (!look_up->ended) co_return fmt::format("{}: its name was not looked up in time", server.host);
    if (*look_up->ended) co_return fmt::format("{}: {}", server.host, look_up->ended->message());
    co_return std::move(look_up->found);
}

using Descriptor = boost::asio::posix::stream_descriptor;

}  // namespace

SocketWait::SocketWait(const boost::asio::any_io_executor& executor, Clock& clock)
    : clock_(clock), timer_(clock.make_timer()), descriptor_(executor) {}

bool SocketWait::watch(int socket) {
    let_go();
    const int own = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return false;
    boost::system::error_code failed;
    descriptor_.assign(own, failed);
    return !failed;
}

void SocketWait::let_go() {
    boost::system::error_code ignored;
    descriptor_.close(ignored);
    watched_ = std::make_shared<Watched>();
}

boost::asio::awaitable<void> SocketWait::ready(For what, Instant until) {
    if (stopped_) co_return;
    if (what != For::writing) ask(Descriptor::wait_read, &Watched::for_reading);
    if (what != For::reading) ask(Descriptor::wait_write, &Watched::for_writing);
    co_await timer_->wait_until(until);
}

boost::asio::awaitable<void> SocketWait::until(Instant when) {
    if (!stopped_) co_await timer_->wait_until(when);
}

void SocketWait::stop() {
    stopped_ = true;
    wake();
}

// The descriptor is waited for until it is ready, however often ready() has ended in the meantime.
void SocketWait::ask(Descriptor::wait_type what, bool Watched::*asked) {
    if (std::exchange(*watched_.*asked, true)) return;
    descriptor_.async_wait(what, [watched = watched_, asked, timer = timer_](const boost::system::error_code&) {
        *watched.*asked = false;
        timer->notify();
    });
}

boost::asio::awaitable<Connection::Opened> Connection::open(SocketWait& wait, const Client& client,
                                                            const ConnectionOptions& options, Heard heard) {
    std::string words;
    for (const auto& server : options.servers) {
        const auto found = co_await addresses_of(wait, server, options.connect_timeout);
        if (found.has_error()) words += fmt::format("{}{}", words.empty() ? "" : "; ", found.error());
        if (found.has_error()) continue;
        for (const auto& address : *found) {
            auto settings = settings_for(options, server, address);
            auto name = server.host.empty() ? address : server.host;
            auto opened =
                co_await open_one(wait, client, std::move(settings), options.connect_timeout, std::move(name), heard);
            if (opened.has_value()) (*opened)->server_ = name_of(server, address);
            if (opened.has_value()) co_return opened;
            words += fmt::format("{}{}", words.empty() ? "" : "; ", opened.error());
        }
    }
    co_return words;
}

boost::asio::awaitable<Connection::Opened> Connection::open_one(SocketWait& wait, const Client& client,
                                                                std::vector<Setting> settings, Duration patience,
                                                                std::string server, Heard heard) {
    const Instant deadline = wait.in(patience);
    std::unique_ptr<Link> link(client.open(settings.data(), static_cast<int>(settings.size())));
    CHECK(link != nullptr);
    auto opening = link->socket() < 0 ? Link::Opening::failed : Link::Opening::wants_to_write;
    while (opening == Link::Opening::wants_to_read || opening == Link::Opening::wants_to_write) {
        if (!wait.watch(link->socket())) co_return fmt::format("{}: no descriptor is left", server);
        co_await wait.ready(what_for(opening), deadline);
        if (wait.has_come(deadline)) co_return fmt::format("{}: no answer in time", server);
        opening = link->open_further();
    }
    if (opening == Link::Opening::failed) co_return with_advice(std::string(link->message()));
    if (!wait.watch(link->socket())) co_return fmt::format("{}: no descriptor is left", server);
    co_return std::unique_ptr<Connection>(new Connection(wait, std::move(link), std::move(heard)));
}

boost::asio::awaitable<Exchanged> Connection::exchange(std::span<const Command> commands, Duration patience) {
    Exchanged result;
    look();
    if (over_) {
        result.lost = true;
        result.begun = false;
        co_return result;
    }
    const Instant deadline = wait_.in(patience);
    (void)link_->take_warning();
    Plan plan;
    if (!queue(commands, plan)) close(std::string(link_->message()));
    for (bool arrived = true; !over_ && !take_replies(plan, result);) {
        if (!arrived) close(std::string(link_->message()));
        is_late_ = !over_ && wait_.has_come(deadline);
        if (is_late_) close("the database gave no answer in time");
        if (over_) break;
        const auto sending = link_->send();
        const auto what = sending == Link::Sending::goes_on ? SocketWait::For::both : SocketWait::For::reading;
        if (sending != Link::Sending::failed) co_await wait_.ready(what, deadline);
        // The callers are gone by then, and must not be told.
        if (wait_.has_stopped()) close("the session has ended");
        if (over_) break;
        // What the server said before it closed the connection is read all the same.
        arrived = link_->receive() && sending != Link::Sending::failed;
    }
    result.lost = over_;
    result.warned = link_->take_warning();
    hear();
    co_return result;
}

bool Connection::queue(std::span<const Command> commands, Plan& plan) {
    std::map<std::string_view, std::string_view> preparing;
    std::string_view unnamed;  // the text that was prepared last without a name; it is not prepared twice in a row
    for (const auto& [statement, parameters] : commands) {
        const auto known = prepared_.find(statement.name);
        CHECK(known == prepared_.end() || known->second == statement.sql);
        const bool is_kept = *statement.name != '\0';
        const bool is_new = is_kept
                                ? known == prepared_.end() && preparing.emplace(statement.name, statement.sql).second
                                : unnamed != statement.sql;
        if (!is_kept) unnamed = statement.sql;
        if (is_new) {
            if (!link_->prepare(statement.name, statement.sql)) return false;
            plan.push_back(&statement);
        }
        std::vector<Parameter> values;
        for (std::size_t i = 0; parameters != nullptr && i < parameters->size(); ++i)
            values.push_back(parameters->at(i));
        if (!link_->execute(statement.name, values.data(), static_cast<int>(values.size()))) return false;
        plan.push_back(nullptr);
    }
    return link_->sync();
}

// Returns true when all replies have come, or the connection is over.
bool Connection::take_replies(Plan& plan, Exchanged& result) {
    while (std::unique_ptr<const Reply> reply{link_->next()}) {
        const auto kind = reply->kind();
        if (kind == Reply::Kind::synced) return true;
        if (kind == Reply::Kind::lost) {
            close(std::string(reply->message().empty() ? link_->message() : reply->message()));
            return true;
        }
        CHECK(!plan.empty());
        const auto* prepared = plan.front();
        plan.pop_front();
        if (kind == Reply::Kind::error) {
            result.refused = sql_error(reply->state());
            if (may_be_quoted(result.refused)) refusal_ = reply->message();
        }
        if (kind != Reply::Kind::done) continue;
        if (prepared != nullptr) {
            if (*prepared->name != '\0') prepared_.emplace(prepared->name, prepared->sql);
        } else {
            result.rows.push_back(rows_of(*reply));
            result.last = reply->command();
        }
    }
    return false;
}

boost::asio::awaitable<void> Connection::idle() {
    co_await wait_.ready(SocketWait::For::reading, never);
}

void Connection::look() {
    if (over_) return;
    if (!link_->receive()) return close(std::string(link_->message()));
    hear();
}

void Connection::hear() {
    Notification notification{};
    while (link_->take_notification(notification))
        if (heard_) heard_(notification.channel, notification.payload);
}

void Connection::close(std::string words) {
    over_ = true;
    last_words_ = words.empty() ? "neither the server nor the network said why" : std::move(words);
    wait_.let_go();
}

}  // namespace gateway::postgres
