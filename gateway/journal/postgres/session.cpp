#include "journal/postgres/session.hpp"

#include "base/check.hpp"
#include "journal/postgres/session_core.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace gateway::postgres {

Session::Session(boost::asio::any_io_executor executor, Clock& clock, const Client& client, SessionOptions options)
    : core_(std::make_shared<SessionCore>(executor, clock, client, std::move(options))) {
    boost::asio::co_spawn(executor, SessionCore::run(SessionCore::Carrier(core_)), rethrow);
}

Session::~Session() {
    core_->stop();
}

Session::Awaited<Rows> Session::write(Statement statement, Parameters parameters, std::string order) {
    SessionJob job{SessionJob::Kind::write, statement, std::move(parameters), std::move(order)};
    return core_->submit(std::move(job));
}

Session::Awaited<Rows> Session::read(Statement statement, Parameters parameters, Told told) {
    const auto kind = told == Told::yes ? SessionJob::Kind::told_read : SessionJob::Kind::untold_read;
    SessionJob job{kind, statement, std::move(parameters)};
    return core_->submit(std::move(job));
}

Session::Awaited<void> Session::alone(const Work& work, Told told) {
    SessionJob job{SessionJob::Kind::transaction};
    job.work = &work;
    job.proof = told == Told::yes ? Proof::given : Proof::not_needed;
    const auto done = co_await core_->submit(std::move(job));
    if (done.has_error()) co_return done.error();
    co_return Result<void>();
}

Session::Awaited<void> Session::commit(Engine::Access access, const Engine::Work& work, std::string order) {
    SessionJob job{SessionJob::Kind::job};
    job.job = &work;
    job.access = access;
    job.order = std::move(order);
    job.proof = access == Engine::Access::glance ? Proof::not_needed : Proof::given;
    const auto done = co_await core_->submit(std::move(job));
    if (done.has_error()) co_return done.error();
    co_return Result<void>();
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
