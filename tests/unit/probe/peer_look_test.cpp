#include "probe/peer_look.hpp"

#include "unit/probe/rig.hpp"
#include "unit/support/certificates.hpp"
#include "unit/support/scripted_server.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

TEST(PeerLook, FindsAFieldInAnyLetterCase) {
    for (const auto* name : {"Date", "date", "DATE"})
        EXPECT_EQ(probe::field_in_head("HTTP/1.1 200 OK\r\nUpdate: no\r\n" + std::string(name) +
                                           ":  Sun, 06 Nov 1994 08:49:37 GMT \r\nx: y\r\n\r\n",
                                       "Date"),
                  "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(probe::field_in_head("HTTP/1.1 200 OK\r\nUpdate: no\r\n\r\n", "Date"), "");
}

boost::asio::awaitable<probe::Found> found_by(const probe::Trial& trial, probe::Setting& setting) {
    probe::Found found(std::nullopt);
    auto running = trial.run(setting, found);
    co_await std::move(running);
    co_return found;
}

// What is seen of a server whose TLS has these options.
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
    server.sessions.emplace_back([](Peer& peer) -> boost::asio::awaitable<void> {
        co_await peer.request();
        co_await peer.answer("{}", "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
        co_await peer.closed();
    });
    const probe::Peer peer{.name = "vendas",
                           .origin = {true, "127.0.0.1", server.endpoint().port()},
                           .tls = *http::TlsClient::make({.ca_file = temporary_file(authority.pem())})};
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
    EXPECT_TRUE(both.clock_ahead);
    const auto old = look_at(Context::no_tlsv1_3);
    EXPECT_THAT(old.tls, StartsWith("TLSv1.2, "));
    EXPECT_THAT(old.tls_taken, ElementsAre("TLSv1.2"));
    EXPECT_THAT(old.tls_refused, ElementsAre("TLSv1.3"));
    EXPECT_THAT(look_at(Context::no_tlsv1_2).tls_refused, ElementsAre("TLSv1.2"));
}

TEST(PeerLook, TellsTheEndOfAnIdleConnectionFromThatOfItsRequests) {
    struct Case {
        std::uint64_t requests;  // that a connection carries
        Duration idle;           // after which it is closed
        std::string_view answer;
    };
    constexpr std::uint64_t any = 1'000'000;
    for (const auto& [requests, idle, answer] :
         {Case{any, 1h, "over-20s"}, Case{any, 1s, "under-2s"}, Case{any, 5s, "2s-6s"}, Case{any, 10s, "6s-20s"},
          Case{1, 1h, "?"}, Case{2, 1h, "over-20s"}, Case{3, 1h, "over-20s"}, Case{2, 5s, "2s-6s"},
          Case{10, 1h, "over-20s"}, Case{10, 1s, "under-2s"}, Case{2, 1s, "under-2s"}}) {
        SCOPED_TRACE(fmt::format("{} requests, idle for {} ms", requests, idle.count()));
        ProbeRig rig;
        auto& run = rig.runs.emplace_back(rig);
        run.setting.questions.emplace(Family::tv, OptionsQuestion{.family = Family::tv});
        std::uint64_t opened = 0;
        std::uint64_t carried = 0;
        Instant last{};
        rig.provider->before = [&, requests = requests, idle = idle](const http::ClientRequest&) {
            if (opened == 0 || carried == requests || rig.clock.now() - last > idle) {
                ++opened;
                carried = 0;
            }
            ++carried;
            last = rig.clock.now();
            return std::nullopt;
        };
        const auto trial = probe::keep_alive_trial([&] { return opened; });
        const auto found = rig.clock.run(found_by(trial, run.setting));
        const auto said = std::ranges::find(found.readings(), "keep-alive-idle", &probe::Reading::point);
        ASSERT_NE(said, found.readings().end());
        EXPECT_EQ(said->answered ? said->value : "?", answer);
    }
}

TEST(PeerLook, SaysThatAProxyStoodBetween) {
    ProbeRig rig;
    auto& run = rig.runs.emplace_back(rig);
    const auto trial = probe::no_peer_trial();
    const auto found = rig.clock.run(found_by(trial, run.setting));
    ASSERT_EQ(found.facts().size(), 1U);
    EXPECT_THAT(found.facts()[0].text, HasSubstr("proxy"));
}

}  // namespace
}  // namespace gateway::test
