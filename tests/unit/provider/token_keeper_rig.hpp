// This is a token keeper whose token service is scripted, and the answers of that service.
#pragma once

#include "provider/token_keeper.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/scripted_client.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gateway::test {

constexpr Duration patience{15'000};

inline std::string token_body(std::string_view access, std::string_view refresh, std::string_view expires_in) {
    std::string body = R"({"token_type":"Bearer","access_token":")" + std::string(access) + R"(")";
    if (!refresh.empty()) body += R"(,"refresh_token":")" + std::string(refresh) + R"(")";
    if (!expires_in.empty()) body += R"(,"expires_in":)" + std::string(expires_in);
    return body + "}";
}

inline Reply grant(std::string_view access, std::string_view refresh = "", std::string_view expires_in = "300") {
    return answered(200, token_body(access, refresh, expires_in));
}

inline Reply refusal(std::string_view error, std::string_view description, unsigned status = 400) {
    return answered(status, R"({"error":")" + std::string(error) + R"(","error_description":")" +
                                std::string(description) + R"("})");
}

class TokenKeeperTest : public testing::Test {
  protected:
    TokenKeeperTest() {
        options.app_key = "key";
        options.app_secret = Secret("s3cret");
        options.scopes = {"Venda_TvPrePaga", "Venda_Egift"};
    }

    void make(std::optional<Token> kept = std::nullopt) {
        keeper =
            std::make_unique<TokenKeeper>(io.get_executor(), options, transport, clock, random, log, std::move(kept),
                                          [this](const std::optional<Token>& token) -> boost::asio::awaitable<void> {
                                              saved.push_back(token);
                                              co_return;
                                          });
        keeper->start();
    }

    // Returns the token that get() gives; "" where it gives none.
    std::string get(Duration wait = patience) {
        auto result = clock.run(keeper->get(clock.now() + wait));
        EXPECT_TRUE(result || result.error() == errc::no_token);
        return result ? result->reveal() : "";
    }

    std::string body(std::size_t i) const { return transport.seen.at(i).request.body.reveal(); }
    bool by_refresh(std::size_t i) const { return body(i).starts_with("grant_type=refresh_token"); }
    Duration since_start() const { return std::chrono::duration_cast<Duration>(clock.now() - started); }

    Token kept_token(Duration left, Duration life = Duration(300'000)) const {
        return {Secret("kept"), Secret("kept-refresh"), clock.wall() + left - life, clock.wall() + left};
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    const Instant started = clock.now();
    SeededRandom random;
    MemoryLog log;
    ScriptedClient transport{clock};
    std::vector<std::optional<Token>> saved;
    ProviderOptions options;
    std::unique_ptr<TokenKeeper> keeper;
};

}  // namespace gateway::test
