#include "http/server/body.hpp"

#include <gtest/gtest.h>

namespace gateway::http {
namespace {

Head chunked() {
    Head head;
    head.framing = Framing::chunked;
    return head;
}

Head of_length(std::uint64_t length) {
    Head head;
    head.framing = Framing::length;
    head.content_length = length;
    return head;
}

struct Read {
    std::string body;
    std::string left;  // the bytes behind the body
    bool complete = false;
    unsigned refused = 0;
};

// Reads as a session does: bytes come in `pieces`, and what is not taken is put before the next piece.
Read read(const Head& head, const std::vector<std::string>& pieces, std::size_t limit = 1000) {
    BodyReader reader(head, limit);
    Read result;
    for (const auto& piece : pieces) {
        result.left += piece;
        result.left.erase(0, reader.read(result.left, result.body));
    }
    result.complete = reader.complete() && !reader.refusal();
    if (reader.refusal()) result.refused = static_cast<unsigned>(reader.refusal()->status);
    return result;
}

unsigned refusal_of(const std::string& bytes, std::size_t limit = 1000) {
    return read(chunked(), {bytes}, limit).refused;
}

const std::string wiki = "4\r\nWiki\r\n6;a=b;c=\"d\"\r\npedia \r\nB\r\nin \r\nchunks\r\n0\r\nTrailer: x\r\n\r\n";

TEST(Body, WithoutFramingIsCompleteAtOnce) {
    const auto got = read(Head(), {"GET /next"});
    EXPECT_TRUE(got.complete);
    EXPECT_EQ(got.left, "GET /next");
}

TEST(Body, OfKnownLengthTakesExactlyThat) {
    const auto got = read(of_length(5), {"he", "llo!!"});
    EXPECT_TRUE(got.complete);
    EXPECT_EQ(got.body, "hello");
    EXPECT_EQ(got.left, "!!");
    EXPECT_TRUE(read(of_length(0), {""}).complete);
    EXPECT_FALSE(read(of_length(5), {"hell"}).complete);
}

TEST(Body, ThatIsKnownToBeTooLargeIsRefusedBeforeItComes) {
    EXPECT_EQ(read(of_length(1001), {}).refused, 413U);
    EXPECT_EQ(read(of_length(1000), {}).refused, 0U);
    EXPECT_EQ(read(of_length(UINT64_MAX), {}).refused, 413U);
}

TEST(Body, ChunksAreJoined) {
    const auto got = read(chunked(), {wiki + "GET"});
    EXPECT_TRUE(got.complete);
    EXPECT_EQ(got.body, "Wikipedia in \r\nchunks");
    EXPECT_EQ(got.left, "GET");
}

TEST(Body, ChunksAreJoinedWhereverTheyAreCut) {
    for (std::size_t cut = 0; cut <= wiki.size(); ++cut) {
        const auto got = read(chunked(), {wiki.substr(0, cut), wiki.substr(cut)});
        EXPECT_TRUE(got.complete) << cut;
        EXPECT_EQ(got.body, "Wikipedia in \r\nchunks") << cut;
        EXPECT_EQ(got.left, "") << cut;
    }
}

TEST(Body, ChunksAreJoinedByteByByte) {
    std::vector<std::string> pieces;
    for (const char c : wiki)
        pieces.emplace_back(1, c);
    EXPECT_TRUE(read(chunked(), pieces).complete);
    EXPECT_EQ(read(chunked(), pieces).body, "Wikipedia in \r\nchunks");
}

TEST(Body, ExtensionsOfAChunkAreReadAsTheGrammarHasThemAndForgotten) {
    for (const auto* extensions :
         {";a", ";a=b", " ;a", "\t; a", " ; a = b", ";a;b=c ;d", ";a=\"b ; \\\" c\"", ";a=\"\""}) {
        const auto got = read(chunked(), {"4" + std::string(extensions) + "\r\nWiki\r\n0\r\n\r\n"});
        EXPECT_TRUE(got.complete) << extensions;
        EXPECT_EQ(got.body, "Wiki") << extensions;
    }
}

TEST(Body, ChunkThatIsNotAfterTheGrammarIsRefused) {
    for (const auto* bytes : {"x\r\n",
                              "\r\n",
                              ";a\r\n",
                              " 4\r\n",
                              "4 \r\n",
                              "4 \t\r\n",
                              "4;\r\n",
                              "4;;a\r\n",
                              "4;a=\r\n",
                              "4;a=b c\r\n",
                              "4;a=\"b\r\n",
                              "4;a=\"b\\\"\r\n",
                              "4;a=b;\r\n",
                              "4;a \r\n",
                              "4 a\r\n",
                              "+4\r\n",
                              "-4\r\n",
                              "0x4\r\n",
                              "4\n",
                              "4\rWiki",
                              "4\r\rWiki\r\n",
                              "4\r\nWikix\r\n",
                              "4\r\nWiki\n",
                              "4\r\nWiki\rx",
                              "4\r\nWikiX",
                              "4\r\nWiki\r\n4 4\r\n",
                              "4;a\x01\r\n",
                              "4;a\rb\r\n",
                              "0\r\nno colon\r\n",
                              "0\r\n folded: x\r\n",
                              "0\r\nA : b\r\n",
                              "0\r\nA: \x01\r\n",
                              "0\r\n\n",
                              "0\r\nA: b\n"})
        EXPECT_EQ(refusal_of(bytes), 400U) << bytes;
}

TEST(Body, ChunkSizeThatWouldOverflowIsRefused) {
    EXPECT_EQ(refusal_of("10000000000000004\r\n"), 400U);
    EXPECT_EQ(refusal_of("000000004\r\n"), 400U);
    EXPECT_EQ(refusal_of("ffffffff\r\n"), 413U);
}

TEST(Body, ChunksBeyondTheLimitAreRefusedAtTheSizeThatSaysSo) {
    EXPECT_EQ(refusal_of("5\r\nhello\r\n6\r\n", 10), 413U);
    EXPECT_EQ(refusal_of("5\r\nhello\r\n5\r\n", 10), 0U);
    EXPECT_EQ(refusal_of("b\r\n", 10), 413U);
}

TEST(Body, EndlessLinesAndTrailersAreRefused) {
    EXPECT_EQ(refusal_of("4;" + std::string(300, 'a')), 400U);
    EXPECT_EQ(refusal_of("0\r\nA: " + std::string(300, 'a')), 400U);
    std::string trailer = "0\r\n";
    for (int i = 0; i < 40; ++i)
        trailer += "A: " + std::string(120, 'a') + "\r\n";
    EXPECT_EQ(refusal_of(trailer), 400U);
}

}  // namespace
}  // namespace gateway::http
