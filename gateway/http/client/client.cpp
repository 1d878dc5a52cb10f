#include "http/client/client.hpp"

namespace gateway::http {

boost::asio::awaitable<Reply> exchange(Client& client, ClientRequest request, Instant deadline) {
    for (;;) {
        auto reservation = co_await client.reserve(deadline);
        if (!reservation) co_return Reply::unsent(reservation.error());
        auto sending = (*reservation)->send(request, deadline);
        auto reply = co_await std::move(sending);
        if (reply.failure != errc::stale_connection) co_return reply;
    }
}

}  // namespace gateway::http
