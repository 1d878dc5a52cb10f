#include "journal/postgres/session.hpp"

#include "base/check.hpp"
#include "journal/postgres/session_core.hpp"
#include "journal/tx.hpp"

#include <boost/asio/co_spawn.hpp>

namespace gateway::postgres {

Session::Session(boost::asio::any_io_executor executor, Clock& clock, const Client& client, SessionOptions options)
    : core_(std::make_shared<SessionCore>(executor, clock, client, std::move(options))) {
    boost::asio::co_spawn(executor, SessionCore::run(SessionCore::Carrier(core_)), rethrow);
}

Session::~Session() {
    core_->stop();
}

Session::Awaited<void> Session::commit(Engine::Access access, const Engine::Work& work, std::string order) {
    return core_->submit({.access = access, .work = &work, .order = std::move(order)});
}

// Every commit begins or ends with a write anyway.
Session::Awaited<void> Session::prove(Engine::Access access) {
    const Engine::Work nothing = [](Transaction& tx) -> Job<void> {
        tx.run(sql::nothing);
        co_return;
    };
    co_return co_await commit(access, nothing);
}

std::optional<std::string> Session::hindrance() const {
    return core_->hindrance();
}

const std::string& Session::server() const {
    return core_->server();
}

void Session::leave(std::string words) {
    core_->leave(std::move(words));
}

void Session::in_trouble() {
    core_->in_trouble();
}

JournalStats Session::stats() const {
    return core_->stats();
}

std::uint64_t Session::commits() const noexcept {
    return core_->stats().commits;
}

bool Session::healthy() const noexcept {
    return core_->healthy();
}

}  // namespace gateway::postgres
