#include "http/client/addresses.hpp"

#include "base/check.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace gateway::http {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;

// The system tells no time to live. A provider that moves is found again within a minute.
constexpr Duration fresh_for = 60s;
// After a look-up that failed, the next one waits so long: a name server that does not answer is not asked more often.
constexpr Duration pause_after_failure = 5s;
// While an old answer is at hand, a caller waits at most so long for a new one.
constexpr Duration wait_for_better = 1s;

}  // namespace

Addresses::Addresses(boost::asio::any_io_executor executor, const std::string& host, std::uint16_t port, Clock& clock,
                     LookUp look_up)
    : executor_(std::move(executor)), clock_(clock), look_up_(std::move(look_up)), waiting_(clock) {
    boost::system::error_code is_name;
    const auto address = boost::asio::ip::make_address(host, is_name);
    if (is_name) return;
    known_ = {Endpoint(address, port)};
    fresh_until_ = never;
}

boost::asio::awaitable<Result<Addresses::Endpoints>> Addresses::get(Instant deadline) {
    const auto self = shared_from_this();
    const Instant now = clock_.now();
    if (now < fresh_until_ && !known_.empty()) co_return known();
    if (now >= fresh_until_ && !std::exchange(asking_, true)) boost::asio::co_spawn(executor_, refresh(self), rethrow);
    if (asking_) co_await waiting_.wait(known_.empty() ? deadline : std::min(deadline, now + wait_for_better));
    if (stopped_) co_return errc::shutting_down;
    if (!known_.empty()) co_return known();
    if (asking_) co_return errc::timed_out;
    co_return failure_;
}

boost::asio::awaitable<void> Addresses::refresh(std::shared_ptr<Addresses> self) {
    auto found = co_await self->look_up_();
    if (self->stopped_) co_return;
    self->asking_ = false;
    const bool good = found && !found->empty();
    if (good) self->known_ = std::move(*found);
    if (!good) self->failure_ = found ? make_error_code(errc::unreachable) : found.error();
    self->fresh_until_ = self->clock_.now() + (good ? fresh_for : pause_after_failure);
    self->waiting_.notify_all();
}

Addresses::Endpoints Addresses::known() const {
    auto endpoints = known_;
    const auto best = std::find(endpoints.begin(), endpoints.end(), preferred_);
    if (best != endpoints.end()) std::rotate(endpoints.begin(), best, best + 1);
    return endpoints;
}

void Addresses::prefer(const Endpoint& endpoint) {
    preferred_ = endpoint;
}

void Addresses::stop() {
    stopped_ = true;
    waiting_.notify_all();
}

Addresses::LookUp system_look_up(boost::asio::any_io_executor executor, std::string host, std::uint16_t port) {
    return [executor = std::move(executor), host = std::move(host),
            port]() -> boost::asio::awaitable<Result<Addresses::Endpoints>> {
        tcp::resolver resolver(executor);
        auto asked = resolver.async_resolve(host, std::to_string(port), tcp::resolver::numeric_service,
                                            boost::asio::as_tuple(boost::asio::use_awaitable));
        const auto [error, results] = co_await std::move(asked);
        if (error) co_return error;
        Addresses::Endpoints endpoints;
        for (const auto& result : results)
            endpoints.push_back(result.endpoint());
        co_return endpoints;
    };
}

}  // namespace gateway::http
