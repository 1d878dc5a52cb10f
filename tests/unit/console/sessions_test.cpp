#include "console/sessions.hpp"

#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

// Makes the hash of an operator's configuration. No password is checked here.
PasswordHash hash_of(char salt) {
    return *PasswordHash::parse("$scrypt$ln=15,r=8,p=1$" + std::string(21, salt) + "A$" + std::string(42, salt) + "A");
}

class SessionsTest : public testing::Test {
  protected:
    std::string shown(const Operator& who) { return std::string(sessions.begin(who).reveal()); }
    std::string link() { return std::string(sessions.make_link("console").reveal()); }
    bool lasts(const std::string& text) { return sessions.find(text, false) != nullptr; }

    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    Sessions sessions{clock, random};
    const Operator ana{.name = "Ana", .password = hash_of('a'), .role = Role::settle};
    const Operator bia{.name = "Bia", .password = hash_of('b'), .role = Role::look};
};

TEST(Role, HasAWordThatIsReadBack) {
    for (const auto role : {Role::look, Role::settle})
        EXPECT_EQ(parse_role(to_string(role)), role);
    for (const auto* text : {"", "Look", "settle ", "admin"})
        EXPECT_FALSE(parse_role(text)) << text;
}

TEST_F(SessionsTest, ASessionIsItsOperatorsAndSaysWhenItEnds) {
    const auto begun = clock.wall();
    const auto* session = sessions.find(shown(ana), false);
    ASSERT_NE(session, nullptr);
    EXPECT_EQ(session->name, "Ana");
    EXPECT_EQ(session->role, Role::settle);
    EXPECT_EQ(session->ends_at, begun + Sessions::longest);
    EXPECT_EQ(sessions.find("something else", false), nullptr);
    EXPECT_EQ(sessions.find("", false), nullptr);
}

TEST_F(SessionsTest, EverySignInIsShownByATextOfItsOwn) {
    std::set<std::string> texts;
    for (int i = 0; i < 10; ++i)
        texts.insert(shown(ana));
    texts.insert(link());
    EXPECT_EQ(texts.size(), 11U);
    for (const auto& text : texts)
        EXPECT_EQ(text.size(), 64U) << "256 bits in hex";
}

TEST_F(SessionsTest, EndsWhereNobodyUsesIt) {
    const auto text = shown(ana);
    clock.advance(Sessions::idle - 1ms);
    EXPECT_TRUE(lasts(text));
    clock.advance(1ms);
    EXPECT_FALSE(lasts(text));
    EXPECT_EQ(sessions.size(), 0U);
}

TEST_F(SessionsTest, AUsePutsOffTheIdleEndAndALookDoesNot) {
    const auto used = shown(ana);
    const auto seen = shown(bia);
    clock.advance(Sessions::idle - 1ms);
    EXPECT_NE(sessions.find(used, true), nullptr);
    EXPECT_NE(sessions.find(seen, false), nullptr);
    clock.advance(1ms);
    EXPECT_TRUE(lasts(used));
    EXPECT_FALSE(lasts(seen));
}

TEST_F(SessionsTest, NoUsePutsOffTheAbsoluteEnd) {
    const auto text = shown(ana);
    const auto end = clock.now() + Sessions::longest;
    while (clock.now() + Sessions::idle / 2 < end) {
        clock.advance(Sessions::idle / 2);
        ASSERT_NE(sessions.find(text, true), nullptr);
    }
    clock.advance(std::chrono::duration_cast<Duration>(end - clock.now()) - 1ms);
    EXPECT_NE(sessions.find(text, true), nullptr);
    clock.advance(1ms);
    EXPECT_EQ(sessions.find(text, true), nullptr);
}

TEST_F(SessionsTest, AClockThatIsSetEndsNoSessionAndProlongsNone) {
    const auto text = shown(ana);
    clock.shift_wall(24h);
    EXPECT_TRUE(lasts(text));
    clock.shift_wall(-72h);
    clock.advance(Sessions::idle);
    EXPECT_FALSE(lasts(text));
}

TEST_F(SessionsTest, ASignOutEndsOneSessionOnly) {
    const auto one = shown(ana);
    const auto other = shown(ana);
    sessions.end(one);
    sessions.end("something else");
    EXPECT_FALSE(lasts(one));
    EXPECT_TRUE(lasts(other));
}

TEST_F(SessionsTest, AfterASignOutNobodyFindsTheSessionAndTheJournalIsToldUntilItHasIt) {
    const auto text = shown(ana);
    const auto digest = sessions.changes().begun.at(0).digest;
    EXPECT_TRUE(sessions.end(text));
    EXPECT_FALSE(lasts(text));
    EXPECT_EQ(sessions.changes().ended, std::vector{digest});
    clock.advance(Sessions::longest);
    shown(bia);
    const auto again = sessions.changes();
    EXPECT_EQ(again.ended, std::vector{digest}) << "nobody has said that it is kept";
    EXPECT_TRUE(sessions.end(text));
    sessions.kept(again);
    EXPECT_FALSE(sessions.end(text));
    EXPECT_TRUE(sessions.changes().empty());
}

TEST_F(SessionsTest, ALinkWorksOnceForTheRoleSettle) {
    const auto text = link();
    const auto begun = sessions.begin_by_link(text);
    ASSERT_TRUE(begun);
    EXPECT_NE(begun->reveal(), text);
    const auto* session = sessions.find(begun->reveal(), false);
    ASSERT_NE(session, nullptr);
    EXPECT_EQ(session->name, "console");
    EXPECT_EQ(session->role, Role::settle);
    EXPECT_FALSE(sessions.begin_by_link(text));
    EXPECT_FALSE(sessions.begin_by_link(""));
    EXPECT_FALSE(sessions.begin_by_link(begun->reveal()));
    EXPECT_EQ(sessions.find(text, false), nullptr) << "a link is no session";
}

TEST_F(SessionsTest, ALinkIsGoodForFiveMinutes) {
    const auto in_time = link();
    const auto late = link();
    clock.advance(5min - 1ms);
    EXPECT_TRUE(sessions.begin_by_link(in_time));
    clock.advance(1ms);
    EXPECT_FALSE(sessions.begin_by_link(late));
}

TEST_F(SessionsTest, OneLinkMoreThanThereMayBeEndsTheOldest) {
    std::vector<std::string> links;
    for (std::size_t i = 0; i <= Sessions::most_links; ++i) {
        links.push_back(link());
        clock.advance(1ms);
    }
    EXPECT_FALSE(sessions.begin_by_link(links.front()));
    for (std::size_t i = 1; i < links.size(); ++i)
        EXPECT_TRUE(sessions.begin_by_link(links[i])) << i;
}

TEST_F(SessionsTest, OneSessionMoreThanThereMayBeEndsTheOneThatWasIdleLongest) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < Sessions::most; ++i) {
        texts.push_back(shown(ana));
        clock.advance(1ms);
    }
    EXPECT_NE(sessions.find(texts.front(), true), nullptr);
    texts.push_back(shown(bia));
    EXPECT_EQ(sessions.size(), Sessions::most);
    EXPECT_TRUE(lasts(texts.front())) << "it was used since";
    EXPECT_FALSE(lasts(texts[1]));
    EXPECT_TRUE(lasts(texts[2]));
    EXPECT_TRUE(lasts(texts.back()));
}

TEST_F(SessionsTest, WhatHasEndedMakesRoomBeforeAnythingThatLasts) {
    const auto kept = shown(ana);
    for (std::size_t i = 1; i < Sessions::most; ++i)
        shown(bia);
    clock.advance(Sessions::idle / 2);
    EXPECT_NE(sessions.find(kept, true), nullptr);
    clock.advance(Sessions::idle / 2);
    shown(bia);
    EXPECT_EQ(sessions.size(), 2U);
    EXPECT_TRUE(lasts(kept));
}

TEST_F(SessionsTest, WhoIsNotAmongTheOperatorsAnyMoreOrIsAnotherNowIsSignedOut) {
    const auto of_ana = shown(ana);
    const auto of_bia = shown(bia);
    const auto of_the_box = std::string(sessions.begin_by_link(link())->reveal());
    sessions.keep_only({bia, ana});
    EXPECT_EQ(sessions.size(), 3U);
    auto promoted = bia;
    promoted.role = Role::settle;
    sessions.keep_only({promoted, ana});
    EXPECT_FALSE(lasts(of_bia));
    auto renewed = ana;
    renewed.password = hash_of('c');
    sessions.keep_only({renewed});
    EXPECT_FALSE(lasts(of_ana));
    sessions.keep_only({});
    EXPECT_TRUE(lasts(of_the_box)) << "the box is no operator";
}

// Has what the journal would have, and goes on with it in another run.
class RestartTest : public SessionsTest {
  protected:
    // Writes into the journal what has changed.
    void keep() {
        const auto changes = sessions.changes();
        for (const auto& one : changes.begun)
            kept.push_back(one);
        for (const auto& one : changes.used)
            for (auto& known : kept)
                if (known.digest == one.digest) known = one;
        for (const auto& digest : changes.ended)
            std::erase_if(kept, [&](const auto& one) { return one.digest == digest; });
    }
    void restart(const std::vector<Operator>& operators) {
        keep();
        later = std::make_unique<Sessions>(clock, random);
        later->take(kept, operators);
    }
    void restart() { restart({ana, bia}); }
    const Session* found(const std::string& text) { return later->find(text, false); }

    std::vector<KeptSession> kept;
    std::unique_ptr<Sessions> later;
};

TEST_F(RestartTest, SignsNobodyOut) {
    const auto of_ana = shown(ana);
    const auto of_the_box = std::string(sessions.begin_by_link(link())->reveal());
    const auto end = sessions.find(of_ana, false)->ends_at;
    clock.advance(1min);
    restart();
    ASSERT_NE(found(of_ana), nullptr);
    EXPECT_EQ(found(of_ana)->name, "Ana");
    EXPECT_EQ(found(of_ana)->role, Role::settle);
    EXPECT_EQ(found(of_ana)->ends_at, end);
    EXPECT_EQ(found(of_ana)->by_password, ana);
    ASSERT_NE(found(of_the_box), nullptr);
    EXPECT_EQ(found(of_the_box)->name, "console");
    EXPECT_FALSE(found(of_the_box)->by_password);
    EXPECT_TRUE(later->changes().empty());
}

TEST_F(RestartTest, TheJournalHasNeitherTheSecretNorThePasswordsHash) {
    const auto text = shown(ana);
    const auto changes = sessions.changes();
    const auto& one = changes.begun.at(0);
    for (const auto* told : {&one.digest, &one.password}) {
        EXPECT_EQ(told->size(), 64U);
        EXPECT_EQ(told->find_first_not_of("0123456789abcdef"), std::string::npos);
        EXPECT_NE(*told, text);
    }
}

TEST_F(RestartTest, WhoHasSignedOutIsOut) {
    const auto text = shown(ana);
    keep();
    sessions.end(text);
    restart();
    EXPECT_EQ(found(text), nullptr);
    EXPECT_EQ(kept.size(), 0U);
}

TEST_F(RestartTest, AnotherPasswordOrRoleOrNoPlaceAmongTheOperatorsSignsOut) {
    const auto text = shown(ana);
    auto renewed = ana, lesser = ana, other = ana;
    renewed.password = hash_of('c');
    lesser.role = Role::look;
    other.name = "Eva";
    for (const auto& now : {renewed, lesser, other}) {
        restart({bia, now});
        EXPECT_EQ(found(text), nullptr) << now.name;
        EXPECT_EQ(later->changes().ended, std::vector{kept.at(0).digest}) << "its row goes";
    }
    restart();
    EXPECT_NE(found(text), nullptr);
}

TEST_F(RestartTest, TheTwoEndsAreThoseOfTheRunBefore) {
    const auto text = shown(ana);
    const auto end = clock.now() + Sessions::longest;
    clock.advance(Sessions::idle - 1ms);
    restart();
    EXPECT_NE(found(text), nullptr);
    clock.advance(1ms);
    EXPECT_EQ(found(text), nullptr) << "it was idle";
    restart();
    EXPECT_EQ(found(text), nullptr);

    const auto used = shown(ana);
    while (clock.now() + 10min < end + Sessions::idle) {
        clock.advance(10min);
        ASSERT_NE(sessions.find(used, true), nullptr);
    }
    restart();
    EXPECT_NE(later->find(used, true), nullptr);
    clock.advance(10min - 1ms);
    EXPECT_NE(later->find(used, true), nullptr);
    clock.advance(1ms);
    EXPECT_EQ(later->find(used, true), nullptr);
}

TEST_F(RestartTest, AUseIsNotedEveryFiveMinutesAtMost) {
    const auto text = shown(ana);
    keep();
    clock.advance(Sessions::keep_every - 1ms);
    sessions.find(text, true);
    EXPECT_FALSE(sessions.have_changed());
    clock.advance(1ms);
    sessions.find(text, false);
    EXPECT_FALSE(sessions.have_changed()) << "a look is no use";
    sessions.find(text, true);
    EXPECT_TRUE(sessions.have_changed());
    keep();
    sessions.find(text, true);
    EXPECT_FALSE(sessions.have_changed());
    clock.advance(Sessions::idle - 1ms);
    restart();
    EXPECT_NE(found(text), nullptr);
}

TEST_F(RestartTest, AClockThatWasSetBackProlongsNoSession) {
    const auto text = shown(ana);
    clock.advance(20min);
    sessions.find(text, true);
    const auto left = clock.now() + Sessions::longest - 20min;
    keep();
    clock.shift_wall(-1ms);
    restart();
    EXPECT_EQ(found(text), nullptr) << "its last use lies in the future";
    clock.shift_wall(1ms);
    restart();
    while (clock.now() + 25min < left) {
        clock.advance(25min);
        ASSERT_NE(later->find(text, true), nullptr);
        clock.shift_wall(-25min);
    }
    clock.advance(std::chrono::duration_cast<Duration>(left - clock.now()));
    EXPECT_EQ(found(text), nullptr);
}

TEST_F(RestartTest, AClockThatIsSetBackWhileTheGatewayRunsProlongsNoSessionOfTheNextRun) {
    const auto text = shown(ana);
    clock.advance(25min);
    clock.shift_wall(-20min);
    sessions.find(text, true);
    const auto left = Sessions::longest - 25min;
    restart();
    ASSERT_NE(found(text), nullptr);
    EXPECT_EQ(found(text)->ends_at, clock.wall() + left);
}

TEST_F(RestartTest, AClockThatIsPutRightAfterTheStartEndsWhatIsTooOld) {
    const auto text = shown(ana);
    restart();
    clock.shift_wall(Sessions::longest - 1ms);
    EXPECT_NE(found(text), nullptr);
    clock.shift_wall(1ms);
    EXPECT_EQ(found(text), nullptr);
}

TEST_F(RestartTest, WhatMakesNoSenseIsNotTakenAndGoes) {
    const auto text = shown(ana);
    keep();
    const auto good = kept.at(0);
    const KeptSession unreadable{.digest = good.digest};
    auto endless = good, nobody = good;
    endless.ends_at = good.used_at + Sessions::longest + 1ms;
    nobody.role = "admin";
    for (const auto& one : {unreadable, endless, nobody}) {
        kept = {one};
        restart();
        EXPECT_EQ(found(text), nullptr);
        EXPECT_EQ(later->changes().ended, std::vector{good.digest});
    }
}

TEST_F(RestartTest, NoMoreAreTakenThanThereMayBeAndThoseAreTheOnesThatWereUsedLast) {
    const auto first = shown(ana);
    keep();
    auto oldest = kept.at(0);
    clock.advance(1ms);
    for (std::size_t i = 0; i < Sessions::most; ++i)
        shown(bia);
    keep();
    EXPECT_EQ(kept.size(), Sessions::most) << "the one that made room went";
    kept.push_back(oldest);
    restart();
    EXPECT_EQ(later->size(), Sessions::most);
    EXPECT_EQ(found(first), nullptr);
}

}  // namespace
}  // namespace gateway::test
