#include "unit/http/server/rig.hpp"

namespace gateway::http {
namespace {

// This is the stream of the rig's handler: pieces that the test gives, and a check of the caller each second.
struct Pieces {
    std::vector<std::string> ready;
    bool over = false;
    std::size_t open = 0;
};

class PiecesSource final : public BodySource {
  public:
    PiecesSource(Clock& clock, Pieces& pieces) : clock_(clock), pieces_(pieces) { ++pieces_.open; }
    PiecesSource(const PiecesSource&) = delete;
    PiecesSource& operator=(const PiecesSource&) = delete;
    ~PiecesSource() override { --pieces_.open; }

    asio::awaitable<std::optional<std::string>> next() override {
        if (pieces_.ready.empty() && !pieces_.over) co_await clock_.sleep_for(Duration(1'000));
        if (pieces_.ready.empty() && pieces_.over) co_return std::nullopt;
        if (pieces_.ready.empty()) co_return std::string();
        auto piece = std::move(pieces_.ready.front());
        pieces_.ready.erase(pieces_.ready.begin());
        co_return piece;
    }

  private:
    Clock& clock_;
    Pieces& pieces_;
};

class StreamTest : public testing::Test, public Rig {
  protected:
    StreamTest() {
        router.add(verb::get, "/events", [this](Request&) -> asio::awaitable<Response> {
            Response response{.content_type = "text/event-stream"};
            response.source = std::make_shared<PiecesSource>(clock, pieces);
            co_return response;
        });
    }
    void say(std::string piece) {
        pieces.ready.push_back(std::move(piece));
        clock.advance(Duration(1'000));
    }
    Pieces pieces;
};

const std::string events = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";

TEST_F(StreamTest, PiecesComeInChunksAsTheyAreSaid) {
    start();
    RawClient client(*this);
    client.send(events);
    EXPECT_NE(client.received().find("Transfer-Encoding: chunked\r\n"), std::string::npos);
    EXPECT_EQ(client.received().find("Content-Length"), std::string::npos);
    const auto head = client.received().size();
    say("one");
    EXPECT_EQ(client.received().substr(head), "3\r\none\r\n");
    clock.advance(Duration(5'000));
    EXPECT_EQ(client.received().substr(head), "3\r\none\r\n");  // nothing was said, so nothing was sent
    say(std::string(16, 'x'));
    EXPECT_EQ(client.received().substr(head), "3\r\none\r\n10\r\nxxxxxxxxxxxxxxxx\r\n");
}

TEST_F(StreamTest, AfterTheEndTheConnectionTakesTheNextRequest) {
    start();
    pieces.ready = {"all of it"};
    pieces.over = true;
    RawClient client(*this);
    EXPECT_EQ(client.ask(events).body, "all of it");
    EXPECT_EQ(client.ask(hello).body, R"("hello")");
}

TEST_F(StreamTest, ACallerOfAnOlderProtocolReadsToTheEndOfTheConnection) {
    start();
    pieces.ready = {"one", "two"};
    pieces.over = true;
    RawClient client(*this);
    client.send("GET /events HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n");
    const auto all = client.rest();
    EXPECT_EQ(all.find("chunked"), std::string::npos);
    EXPECT_TRUE(all.ends_with("\r\n\r\nonetwo")) << all;
}

TEST_F(StreamTest, ACallerThatHangsUpIsNoticed) {
    start();
    RawClient client(*this);
    client.send(events);
    EXPECT_EQ(pieces.open, 1U);
    client.close();
    clock.advance(Duration(1'000));
    until([this] { return server->connections() == 0; });
    EXPECT_EQ(pieces.open, 0U);
}

TEST_F(StreamTest, ADrainEndsItProperly) {
    start();
    RawClient client(*this);
    client.send(events);
    EXPECT_EQ(server->busy(), 1U);
    server->drain();
    clock.advance(Duration(1'000));
    EXPECT_TRUE(client.rest().ends_with("0\r\n\r\n"));
    EXPECT_EQ(server->busy(), 0U);
}

TEST_F(StreamTest, ACallerThatTakesNothingLosesItsConnection) {
    start();
    RawClient client(*this);
    client.send(events);
    const auto much = std::string(16U << 20U, 'x');
    pieces.ready = {much, much};
    clock.advance(Duration(1'000));
    let_expire(options.write_time);
    until([this] { return server->connections() == 0; });
    EXPECT_EQ(pieces.open, 0U);
}

TEST_F(StreamTest, ACallerThatSendsWithoutEndLosesItsConnection) {
    start();
    RawClient client(*this);
    client.send(events);
    client.send(std::string(options.header_limit + 1, 'x'));
    clock.advance(Duration(1'000));
    until([this] { return server->connections() == 0; });
    EXPECT_EQ(pieces.open, 0U);
}

TEST_F(StreamTest, HeadIsAnsweredWithoutABody) {
    start();
    RawClient client(*this);
    client.send("HEAD /events HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.answer(true).status, 200U);
    EXPECT_EQ(pieces.open, 0U);
}

}  // namespace
}  // namespace gateway::http
