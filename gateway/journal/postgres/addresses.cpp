#include "journal/postgres/addresses.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace gateway::postgres {
namespace {

using boost::asio::ip::tcp;

// A name with more addresses than this is no server.
constexpr std::size_t most_addresses = 4;

// What a look-up has found; it may end after its coroutine has.
struct LookUp {
    std::optional<boost::system::error_code> ended;
    std::vector<std::string> found;
};

}  // namespace

boost::asio::awaitable<boost::system::result<std::vector<std::string>, std::string>> addresses_of(
    boost::asio::any_io_executor executor, SocketWait& wait, const Server& server, Duration patience) {
    if (!server.address.empty()) co_return std::vector<std::string>{server.address};
    if (server.is_socket()) co_return std::vector<std::string>(1);
    const Instant deadline = wait.in(patience);
    const auto look_up = std::make_shared<LookUp>();
    tcp::resolver resolver(executor);
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

}  // namespace gateway::postgres
