#include "probe/peer_look.hpp"

#include "unit/support/certificates.hpp"
#include "unit/support/scripted_client.hpp"
#include "unit/support/scripted_server.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;

// Returns what is seen of a server whose TLS has these options.
probe::PeerFacts look_at(boost::asio::ssl::context::options not_taken) {
    boost::asio::io_context io;
    VirtualClock clock(io);
    const Authority authority;
    const auto certificate = authority.issue("IP:127.0.0.1");
    boost::asio::ssl::context tls(boost::asio::ssl::context::tls_server);
    tls.set_options(not_taken);
    tls.use_certificate_chain(boost::asio::buffer(certificate.cert));
    tls.use_private_key(boost::asio::buffer(certificate.key), boost::asio::ssl::context::pem);
    ScriptedServer server(io, &tls);
    server.sessions.emplace_back([](Peer& peer) -> boost::asio::awaitable<void> { co_await peer.closed(); });
    ScriptedClient unused(clock);
    const probe::Peer peer{.name = "vendas",
                           .origin = {true, "127.0.0.1", server.endpoint().port()},
                           .tls = *http::TlsClient::make({.ca_file = temporary_file(authority.pem())}),
                           .client = &unused};
    std::optional<probe::PeerFacts> facts;
    boost::asio::co_spawn(io, probe::look_at_peer(io.get_executor(), peer, clock),
                          [&](const std::exception_ptr&, probe::PeerFacts got) { facts = std::move(got); });
    while (!facts || server.finished < server.accepted)
        // The ten seconds are for a test that would otherwise hang.
        if (io.run_one_for(std::chrono::seconds(10)) == 0) {
            ADD_FAILURE() << "nothing happens any more";
            break;
        }
    return facts.value_or(probe::PeerFacts{});
}

TEST(PeerLook, TellsWhichVersionsAreTakenAndWhichAreRefused) {
    using Context = boost::asio::ssl::context;
    const auto both = look_at(0);
    EXPECT_EQ(both.trouble, "");
    EXPECT_THAT(both.tls, StartsWith("TLSv1.3, "));
    EXPECT_THAT(both.tls_taken, ElementsAre("TLSv1.2", "TLSv1.3"));
    EXPECT_THAT(both.tls_refused, IsEmpty());
    EXPECT_EQ(both.chain.size(), 2U);
    const auto old = look_at(Context::no_tlsv1_3);
    EXPECT_THAT(old.tls, StartsWith("TLSv1.2, "));
    EXPECT_THAT(old.tls_taken, ElementsAre("TLSv1.2"));
    EXPECT_THAT(old.tls_refused, ElementsAre("TLSv1.3"));
    EXPECT_THAT(look_at(Context::no_tlsv1_2).tls_refused, ElementsAre("TLSv1.2"));
}

}  // namespace
}  // namespace gateway::test
