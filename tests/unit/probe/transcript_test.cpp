#include "probe/transcript.hpp"

#include "unit/probe/full_disk.hpp"
#include "unit/support/scripted_client.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace gateway::test {
namespace {

using namespace testing;
using probe::Transcript;

class TranscriptTest : public Test {
  protected:
    std::vector<std::string> lines() const {
        std::ifstream file(path);
        std::vector<std::string> all;
        for (std::string line; std::getline(file, line);)
            all.push_back(line);
        return all;
    }
    void write(const std::vector<std::string>& all) const {
        std::ofstream file(path, std::ios::trunc);
        for (const auto& line : all)
            file << line << '\n';
    }
    static boost::asio::awaitable<Reply> post(http::Client& client, Instant deadline) {
        http::ClientRequest request;
        request.post = true;
        request.target = "/venda/tv/solicitar";
        request.label = "tv solicitar";
        request.content_type = "application/json";
        request.authorization = Secret("Bearer chave-muito-secreta");
        request.body = Secret(R"({"cpf":"529.982.247-25","valor":"1000"})");
        auto sending = http::exchange(client, std::move(request), deadline);
        co_return co_await std::move(sending);
    }
    Reply exchange(Transcript& transcript) {
        probe::TranscriptClient client(network, transcript, "provider");
        return clock.run(post(client, clock.now() + std::chrono::seconds(15)));
    }
    void run() {
        Transcript transcript(path, clock, mask);
        exchange(transcript);
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    ScriptedClient network{clock};
    TemporaryFolder folder;
    const std::string path = folder.path("transcript.jsonl");
    probe::Mask mask;
};

TEST_F(TranscriptTest, HasTheRequestAndItsAnswerWithoutSecrets) {
    network.otherwise = [](const http::ClientRequest&) { return answered(200, R"({"access_token":"dado-a-outro"})"); };
    Transcript transcript(path, clock, mask);
    EXPECT_EQ(exchange(transcript).body, R"({"access_token":"dado-a-outro"})") << "the caller gets it whole";
    ASSERT_EQ(lines().size(), 2U);
    EXPECT_THAT(lines()[0], AllOf(HasSubstr("tv solicitar"), HasSubstr("Bearer ***"), HasSubstr("1000")));
    EXPECT_THAT(lines()[1], AllOf(HasSubstr(R"("request":1)"), HasSubstr(R"("status":200)")));
    for (const auto& line : lines())
        for (const auto* secret : {"chave-muito-secreta", "529.982.247-25", "dado-a-outro"})
            EXPECT_THAT(line, Not(HasSubstr(secret)));
}

TEST_F(TranscriptTest, EveryLineHasTheDigestOfTheOneBeforeAcrossRuns) {
    network.otherwise = [](const http::ClientRequest&) { return answered(200, "{}"); };
    for (int i = 0; i < 2; ++i)
        run();
    ASSERT_EQ(lines().size(), 4U);
    EXPECT_EQ(probe::broken_chain(lines()), std::nullopt);
}

TEST_F(TranscriptTest, AnAlteredMissingOrAddedLineIsNoticed) {
    network.otherwise = [](const http::ClientRequest&) { return answered(200, "{}"); };
    {
        Transcript transcript(path, clock, mask);
        exchange(transcript);
        exchange(transcript);
    }
    const auto whole = lines();
    auto altered = whole;
    altered[1].replace(altered[1].find("200"), 3, "500");
    EXPECT_NE(probe::broken_chain(altered), std::nullopt);
    auto missing = whole;
    missing.erase(missing.begin() + 1);
    EXPECT_NE(probe::broken_chain(missing), std::nullopt);
    auto added = whole;
    added.insert(added.begin() + 1, whole[0]);
    EXPECT_NE(probe::broken_chain(added), std::nullopt);
    write(altered);
    EXPECT_THROW(Transcript(path, clock, mask), probe::Failed) << "such a file is not gone on with";
}

TEST_F(TranscriptTest, GoesOnBehindALineThatWasCutShort) {
    network.otherwise = [](const http::ClientRequest&) { return answered(200, "{}"); };
    run();
    std::ofstream(path, std::ios::app) << R"({"n":3,"at":)";
    run();
    EXPECT_EQ(lines().size(), 5U);
    EXPECT_EQ(probe::broken_chain(lines()), std::nullopt);
}

TEST_F(TranscriptTest, HangsTogetherBehindADiskThatWasFullForAMoment) {
    network.otherwise = [](const http::ClientRequest&) { return answered(200, "{}"); };
    Transcript transcript(path, clock, mask);
    exchange(transcript);
    {
        const FullDisk full(std::filesystem::file_size(path) + 10);
        EXPECT_EQ(exchange(transcript).kind, Reply::Kind::nothing_sent);
    }
    exchange(transcript);
    EXPECT_EQ(lines().size(), 4U);
    EXPECT_EQ(probe::broken_chain(lines()), std::nullopt);
}

TEST_F(TranscriptTest, ALargeBodyIsWrittenOnce) {
    const auto catalogue = R"({"produto":")" + std::string(5000, 'x') + R"("})";
    network.otherwise = [&](const http::ClientRequest&) { return answered(200, catalogue); };
    Transcript transcript(path, clock, mask);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(exchange(transcript).body, catalogue) << "the caller gets it whole";
    ASSERT_EQ(lines().size(), 6U);
    EXPECT_THAT(lines()[1], HasSubstr(std::string(5000, 'x')));
    for (const auto at : {3, 5})
        EXPECT_THAT(lines()[at], AllOf(HasSubstr(R"("bodyAsInLine":2)"), Not(HasSubstr("xxx")), HasSubstr("200")));
    EXPECT_EQ(probe::broken_chain(lines()), std::nullopt);
}

}  // namespace
}  // namespace gateway::test
