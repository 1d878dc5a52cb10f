#include "console/event_stream.hpp"

#include "unit/console/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using http::verb;
using testing::HasSubstr;

class EventStreamTest : public testing::Test, public ConsoleRig {
  protected:
    EventStreamTest() { add_calls(router, console_calls(), on_console, Parts(streams)); }

    Shown open(std::string_view last_event = {}) {
        auto asked = request(verb::get, "/console/events", {}, cookie);
        if (!last_event.empty()) asked.headers.insert("Last-Event-ID", last_event);
        return ask(std::move(asked));
    }
    // Returns the next piece, letting the time pass that it takes; "the end" where there is none.
    std::string next(const Shown& told) { return clock.run(told.response.source->next()).value_or("the end"); }
    // Returns what comes as soon as something does.
    std::string news(const Shown& told) {
        std::string piece;
        while (piece.empty())
            piece = next(told);
        return piece;
    }
    void change(Topic topic) { ++versions.at(static_cast<std::size_t>(topic)); }

    Versions versions{};
    Changes changes{"RUN1", [this] { return versions; }, clock};
    EventStreams streams{changes, *sign_in, clock};
    std::string cookie = of_ana();
};

TEST_F(EventStreamTest, BeginsWithItsPlaceAndNothingNew) {
    const auto told = open();
    EXPECT_EQ(told.status(), 200U);
    EXPECT_EQ(told.response.content_type, "text/event-stream");
    EXPECT_EQ(told.header("X-Accel-Buffering"), "no") << "else a proxy in front keeps it";
    EXPECT_EQ(next(told), "retry: 2000\nid: RUN1-0\nevent: changed\ndata: {\"topics\":[]}\n\n");
}

TEST_F(EventStreamTest, ThePieceThatIsFirstIsThereAtOnce) {
    const auto told = open();
    const auto before = clock.now();
    next(told);
    EXPECT_EQ(clock.now(), before);
}

TEST_F(EventStreamTest, TellsWhatHasChanged) {
    const auto told = open();
    next(told);
    EXPECT_EQ(next(told), "") << "nothing has";
    change(Topic::sales);
    change(Topic::attention);
    EXPECT_EQ(next(told), "id: RUN1-1\nevent: changed\ndata: {\"topics\":[\"sales\",\"attention\"]}\n\n");
    EXPECT_EQ(next(told), "");
    change(Topic::health);
    EXPECT_EQ(next(told), "id: RUN1-2\nevent: changed\ndata: {\"topics\":[\"health\"]}\n\n");
}

TEST_F(EventStreamTest, NoMoreThanTwoEventsComeInASecond) {
    const auto told = open();
    next(told);
    const auto before = clock.now();
    for (int i = 0; i < 10; ++i) {
        change(Topic::sales);
        EXPECT_THAT(next(told), HasSubstr("sales"));
    }
    EXPECT_EQ(clock.now() - before, 5s);
}

TEST_F(EventStreamTest, EveryStreamIsToldOfEveryChange) {
    const auto one = open();
    const auto other = open();
    next(one);
    next(other);
    change(Topic::closes);
    EXPECT_THAT(news(one), HasSubstr("closes"));
    EXPECT_THAT(news(other), HasSubstr("closes"));
}

TEST_F(EventStreamTest, SaysNowAndThenThatItIsStillThere) {
    const auto told = open();
    const auto begun = clock.now();
    next(told);
    EXPECT_EQ(news(told), ": heartbeat\n\n");
    EXPECT_EQ(clock.now() - begun, EventStreams::heartbeat);
    change(Topic::sales);
    EXPECT_THAT(next(told), HasSubstr("sales"));
    const auto spoke = clock.now();
    EXPECT_EQ(news(told), ": heartbeat\n\n");
    EXPECT_EQ(clock.now() - spoke, EventStreams::heartbeat) << "after an event, too";
}

TEST_F(EventStreamTest, WhoWasAwayIsToldWhatHasChangedMeanwhile) {
    {
        const auto told = open();
        next(told);
        change(Topic::sales);
        EXPECT_THAT(news(told), HasSubstr("id: RUN1-1\n"));
    }
    clock.advance(1min);
    change(Topic::findings);
    EXPECT_THAT(next(open("RUN1-1")), HasSubstr("id: RUN1-2\nevent: changed\ndata: {\"topics\":[\"findings\"]}"));
    EXPECT_THAT(next(open("RUN1-2")), HasSubstr("{\"topics\":[]}"));
}

TEST_F(EventStreamTest, WhoseLastEventIsOfAnotherRunIsToldOfEverything) {
    for (const auto* id : {"RUN0-1", "RUN1-7", "nonsense"})
        EXPECT_THAT(next(open(id)),
                    HasSubstr("{\"topics\":[\"sales\",\"attention\",\"closes\",\"findings\",\"health\"]}"))
            << id;
}

TEST_F(EventStreamTest, TheNinthStreamIsTurnedAwayUntilOneHasEnded) {
    std::vector<Shown> open_ones;
    for (std::size_t i = 0; i < EventStreams::most; ++i)
        open_ones.push_back(open());
    EXPECT_EQ(streams.open(), EventStreams::most);
    const auto ninth = open();
    EXPECT_EQ(ninth.status(), 503U);
    EXPECT_EQ(ninth.text("code"), "overloaded");
    EXPECT_FALSE(ninth.response.source);
    open_ones.pop_back();
    EXPECT_EQ(open().status(), 200U);
    EXPECT_EQ(streams.open(), EventStreams::most - 1);
}

TEST_F(EventStreamTest, EndsWithTheSession) {
    const auto told = open();
    next(told);
    EXPECT_EQ(next(told), "");
    ask(verb::delete_, "/console/session", cookie);
    EXPECT_EQ(next(told), "the end");
}

TEST_F(EventStreamTest, KeepsNobodySignedIn) {
    const auto told = open();
    const auto begun = clock.now();
    while (next(told) != "the end")
        ASSERT_LE(clock.now() - begun, Sessions::idle);
    EXPECT_EQ(clock.now() - begun, Sessions::idle);
}

TEST_F(EventStreamTest, IsForThoseWhoHaveSignedIn) {
    cookie.clear();
    EXPECT_EQ(open().status(), 401U);
    EXPECT_EQ(streams.open(), 0U);
}

TEST_F(EventStreamTest, HeadIsToldWhatGetWouldBeAndKeepsNoPlace) {
    {
        const auto told = ask(verb::head, "/console/events", cookie);
        EXPECT_EQ(told.status(), 200U);
        EXPECT_EQ(told.response.content_type, "text/event-stream");
        EXPECT_TRUE(told.response.source) << "its body has no length";
    }
    EXPECT_EQ(streams.open(), 0U);
}

TEST_F(EventStreamTest, MayBeDestroyedAfterAllElse) {
    auto changing = std::make_unique<Changes>(
        "RUN1", [] { return Versions{}; }, clock);
    auto others = std::make_unique<EventStreams>(*changing, *sign_in, clock);
    http::Router routes;
    add_calls(routes, console_calls(), on_console, Parts(*others));
    auto asked = request(verb::get, "/console/events", {}, cookie);
    const Shown told{clock.run(routes.dispatch(asked))};
    ASSERT_TRUE(told.response.source);
    routes = {};
    others.reset();
    changing.reset();
}

}  // namespace
}  // namespace gateway::test
