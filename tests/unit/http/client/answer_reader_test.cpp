#include "http/client/answer_reader.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace http;
using State = AnswerReader::State;

constexpr AnswerLimits limits{1024, 4096};

struct Read {
    State state = State::more;
    boost::system::error_code failure;
    Reply reply;
    bool keeps_alive = false;
    std::optional<std::chrono::seconds> idle_time;
};

Read finish(AnswerReader& reader, State state) {
    Read read;
    read.state = state;
    if (state == State::failed) read.failure = reader.failure();
    if (state == State::complete) {
        read.keeps_alive = reader.keeps_alive();
        read.idle_time = reader.idle_time();
        read.reply = reader.take(WallTime());
    }
    return read;
}

// Reads the text in pieces of `size` bytes. With `ends`, the peer then closes, unless that was the whole answer.
Read read_in_pieces(std::string_view text, std::size_t size, bool ends = false) {
    AnswerReader reader(limits);
    auto state = State::more;
    while (!text.empty() && state == State::more) {
        state = reader.feed(text.substr(0, size));
        text.remove_prefix(std::min(size, text.size()));
    }
    if (state == State::more && ends) state = reader.end();
    return finish(reader, state);
}

Read read(std::string_view text, bool ends = false) {
    return read_in_pieces(text, text.size(), ends);
}

TEST(AnswerReader, ReadsAnAnswerWithALength) {
    const auto got = read("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
    ASSERT_EQ(got.state, State::complete);
    EXPECT_EQ(got.reply.kind, Reply::Kind::answered);
    EXPECT_EQ(got.reply.status, 201u);
    EXPECT_EQ(got.reply.content_type, "application/json");
    EXPECT_EQ(got.reply.body, "{}");
    EXPECT_TRUE(got.keeps_alive);
}

TEST(AnswerReader, ReadsWhenTheServerSaysItAnsweredUnlessACacheDid) {
    const auto date = [](std::string_view fields) {
        const auto got = read("HTTP/1.1 200 OK\r\n" + std::string(fields) + "Content-Length: 2\r\n\r\n{}").reply.dated;
        return got ? std::optional(got->date) : std::nullopt;
    };
    using namespace std::chrono;
    EXPECT_EQ(date("Date: Thu, 02 May 2024 13:11:12 GMT\r\n"),
              sys_days(year(2024) / 5 / 2) + hours(13) + minutes(11) + seconds(12));
    EXPECT_EQ(date(""), std::nullopt);
    EXPECT_EQ(date("Date: yesterday\r\n"), std::nullopt);
    EXPECT_EQ(date("Date: Thu, 02 May 2024 13:11:12 GMT\r\nAge: 0\r\n"), std::nullopt);
}

TEST(AnswerReader, ReadsAStatusLineWithoutItsLastSpace) {
    for (const std::string_view text : {"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}",
                                        "HTTP/1.1 100\r\n\r\nHTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}"}) {
        for (std::size_t size = 1; size <= text.size(); ++size) {
            const auto got = read_in_pieces(text, size);
            ASSERT_EQ(got.state, State::complete) << size;
            EXPECT_EQ(got.reply.status, 200u);
            EXPECT_EQ(got.reply.body, "{}");
            EXPECT_TRUE(got.keeps_alive);
        }
    }
    for (const std::string_view text : {"HTTP/1.1 20\r\n\r\n", "HTTP/1.1 2000\r\n\r\n", "HTTP/1.1200\r\n\r\n",
                                        "HTTP/1.1 20x\r\n\r\n", "HTTP/1.1\r\n\r\n"})
        EXPECT_EQ(read(text).state, State::failed) << text;
}

TEST(AnswerReader, ReadsTheSameWhateverThePieces) {
    for (const std::string_view text :
         {"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=\"y\"\r\nhello\r\n6\r\n world\r\n0\r\nA: b\r\n\r\n",
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
          "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world",
          "HTTP/1.0 200 OK\r\n\r\nhello world"}) {
        for (std::size_t size = 1; size <= text.size(); ++size) {
            const auto got = read_in_pieces(text, size, true);
            ASSERT_EQ(got.state, State::complete) << text << " in pieces of " << size;
            EXPECT_EQ(got.reply.status, 200u);
            EXPECT_EQ(got.reply.body, "hello world");
        }
    }
}

TEST(AnswerReader, ReadsABodyOfNoChunksWhateverThePieces) {
    for (const std::string_view text : {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n",
                                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n000;x\r\n\r\n"}) {
        for (std::size_t size = 1; size <= text.size(); ++size) {
            const auto got = read_in_pieces(text, size);
            ASSERT_EQ(got.state, State::complete) << text << " in pieces of " << size;
            EXPECT_EQ(got.reply.body, "");
            EXPECT_TRUE(got.keeps_alive);
        }
        for (std::size_t cut = text.find("\r\n\r\n"); cut < text.size(); ++cut)
            EXPECT_EQ(read_in_pieces(text.substr(0, cut), 1, true).failure, errc::connection_lost) << cut;
    }
}

TEST(AnswerReader, ChunksOfZerosAreNoLastChunk) {
    const std::string_view text =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n01\r\n0\r\n2\r\n00\r\n0\r\n\r\n";
    for (std::size_t size = 1; size <= text.size(); ++size)
        EXPECT_EQ(read_in_pieces(text, size).reply.body, "000") << size;
}

TEST(AnswerReader, AnAnswerThatIsCutAnywhereIsNoAnswer) {
    for (const std::string_view text :
         {"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"}) {
        for (std::size_t size = 0; size < text.size(); ++size) {
            const auto got = read(text.substr(0, size), true);
            EXPECT_EQ(got.state, State::failed) << text.substr(0, size);
            EXPECT_EQ(got.failure, errc::connection_lost);
        }
    }
}

TEST(AnswerReader, AnAnswerWithoutALengthEndsWithTheConnection) {
    const std::string_view text = "HTTP/1.1 200 OK\r\n\r\nhello";
    EXPECT_EQ(read(text).state, State::more);
    const auto got = read(text, true);
    ASSERT_EQ(got.state, State::complete);
    EXPECT_EQ(got.reply.body, "hello");
    EXPECT_FALSE(got.keeps_alive);
}

TEST(AnswerReader, SomeStatusesHaveNoBody) {
    for (const char* status : {"204 No Content", "304 Not Modified"}) {
        const auto got = read("HTTP/1.1 " + std::string(status) + "\r\nContent-Length: 5\r\n\r\n");
        ASSERT_EQ(got.state, State::complete) << status;
        EXPECT_EQ(got.reply.body, "");
    }
}

TEST(AnswerReader, RedirectsComeBackAsTheyAre) {
    EXPECT_EQ(read("HTTP/1.1 307 x\r\nLocation: https://elsewhere/\r\nContent-Length: 0\r\n\r\n").reply.status, 307u);
}

TEST(AnswerReader, WhatIsNotHttpIsMalformed) {
    for (const char* text :
         {"rubbish\r\n\r\n", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20x OK\r\n\r\n", "SSH-2.0-OpenSSH\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
          "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"}) {
        const auto got = read(text);
        EXPECT_EQ(got.state, State::failed) << text;
        EXPECT_EQ(got.failure, errc::malformed) << text;
    }
}

TEST(AnswerReader, ACodingThatNobodyAskedForIsMalformed) {
    const auto got = read("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nxxx", true);
    EXPECT_EQ(got.failure, errc::malformed);
}

TEST(AnswerReader, EndlessInterimAnswersAreRefused) {
    std::string text;
    for (int i = 0; i < 100; ++i)
        text += "HTTP/1.1 102 Processing\r\n\r\n";
    EXPECT_EQ(read(text).failure, errc::malformed);
}

TEST(AnswerReader, EveryPartHasALimit) {
    const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const std::vector<std::string> texts{
        "HTTP/1.1 200 OK\r\nX: " + std::string(2000, 'x') + "\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: " + std::string(2000, 'x'),
        "HTTP/1.1 200 " + std::string(2000, 'x'),
        "HTTP/1.1 200 OK\r\nContent-Length: 4097\r\n\r\n",
        chunked + "fffffff\r\n",
        chunked + "1001\r\n" + std::string(4097, 'x'),
        chunked + "1;" + std::string(2000, 'x'),
        "HTTP/1.1 200 OK\r\n\r\n" + std::string(4097, 'x'),
    };
    for (const auto& text : texts) {
        for (const auto size : {std::size_t(100), text.size()}) {
            const auto got = read_in_pieces(text, size);
            EXPECT_EQ(got.state, State::failed) << text.substr(0, 60);
            EXPECT_EQ(got.failure, errc::answer_too_large) << text.substr(0, 60);
        }
    }
    EXPECT_EQ(read("HTTP/1.1 200 OK\r\nContent-Length: 4096\r\n\r\n" + std::string(4096, 'x')).state, State::complete);
}

TEST(AnswerReader, SaysWhetherTheConnectionMayBeUsedAgain) {
    EXPECT_FALSE(read("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").keeps_alive);
    EXPECT_FALSE(read("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n").keeps_alive);
    EXPECT_TRUE(read("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n").keeps_alive);
    EXPECT_FALSE(read("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n").keeps_alive)
        << "somebody answers what nobody asked";
}

TEST(AnswerReader, SaysHowLongThePeerKeepsAnIdleConnection) {
    const auto idle_time = [](std::string_view value) {
        return read("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nKeep-Alive: " + std::string(value) + "\r\n\r\n").idle_time;
    };
    EXPECT_EQ(idle_time("timeout=5, max=100"), std::chrono::seconds(5));
    EXPECT_EQ(idle_time("max=100,Timeout=7"), std::chrono::seconds(7));
    EXPECT_EQ(idle_time("timeout=x"), std::nullopt);
    EXPECT_EQ(idle_time("timeout"), std::nullopt);
    EXPECT_EQ(read("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").idle_time, std::nullopt);
}

TEST(AnswerReader, ReadsRetryAfter) {
    const auto got = read("HTTP/1.1 429 x\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(got.reply.retry_after, std::chrono::seconds(7));
}

}  // namespace
}  // namespace gateway::test
