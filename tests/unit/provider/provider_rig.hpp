// This is a provider over a scripted network, with a token keeper whose token service is scripted, too.
#pragma once

#include "provider/provider.hpp"
#include "unit/families/testing.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/scripted_client.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace gateway::test {

class ProviderTest : public testing::Test {
  protected:
    ProviderTest() {
        token_service.otherwise = [this](const http::ClientRequest&) {
            return answered(200, R"({"access_token":"t)" + std::to_string(++tokens) + R"(","expires_in":300})");
        };
        network.otherwise = [](const http::ClientRequest&) { return answered(200, "{}"); };
    }

    void make() {
        provider = std::make_unique<Provider>(io.get_executor(), options, network, keeper, clock, log,
                                              [this](const Reply& reply) { heard.push_back(reply.body); });
    }
    Reply exchange(Step step, const Sale& sale) {
        if (!provider) make();
        return clock.run(exchange(*provider, step, sale, clock.now() + options.request_timeout));
    }
    static boost::asio::awaitable<Reply> exchange(Provider& through, Step step, const Sale& sale, Instant deadline) {
        auto access = co_await through.reserve(deadline);
        if (!access) co_return Reply::unsent(access.error());
        auto sending = through.send(std::move(*access), step, sale, sale.current(), deadline);
        co_return co_await std::move(sending);
    }
    boost::asio::awaitable<bool> look() {
        co_await provider->look();
        co_return true;
    }
    const http::ClientRequest& sent(std::size_t i = 0) const { return network.seen.at(i).request; }

    Sale sale_in(Family family, std::string segment = "") {
        auto sale = sale_of(read_sell(Family::tv, json::parse(R"({"valor":1099,"cpf":"52998224725"})")).order);
        sale.family = family;
        sale.segment = std::move(segment);
        return sale;
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    MemoryLog log;
    ScriptedClient network{clock};
    ScriptedClient token_service{clock};
    int tokens = 0;
    TokenKeeper keeper{io.get_executor(), ProviderOptions{}, token_service, clock, random, log, std::nullopt, nullptr};
    ProviderOptions options;
    std::unique_ptr<Provider> provider;
    std::vector<std::string> heard;
};

}  // namespace gateway::test
