// Tests how those who sign in and out get into the journal, and come from there after a restart.
#include "console/sign_in.hpp"
#include "unit/console/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using http::verb;
using testing::ElementsAre;

class KeptSignInTest : public testing::Test, public ConsoleRig {};

TEST_F(KeptSignInTest, WhoSignsInAndOutIsKeptBeforeThePersonIsTold) {
    const auto cookie = of_ana();
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept.begin()->second.name, "Ana");
    EXPECT_EQ(cookie.find(kept.begin()->first), std::string::npos) << "the journal has the secret's digest";
    EXPECT_EQ(ask(verb::delete_, "/console/session", cookie).status(), 204U);
    EXPECT_TRUE(kept.empty());
    EXPECT_EQ(ask(verb::delete_, "/console/session", cookie).status(), 204U);
    EXPECT_EQ(ask(verb::delete_, "/console/session", "sales-gateway-console-9091=x").status(), 204U);
    EXPECT_EQ(written, 2U) << "nothing is written for a stranger";
}

TEST_F(KeptSignInTest, ThoseWhoWereSignedInGoOnAfterAStart) {
    const auto cookie = of_ana();
    std::vector<KeptSession> of_earlier{kept.begin()->second};
    ConsoleRig later;
    later.sign_in->take(of_earlier);
    EXPECT_EQ(later.get("/v1/thing", cookie).status(), 200U);
    EXPECT_THAT(later.principals, ElementsAre("Ana"));
    ConsoleRig without;
    without.sign_in->take(errc::journal_unavailable);
    EXPECT_EQ(without.get("/v1/thing", cookie).status(), 401U);
    EXPECT_EQ(without.log.count("warn console.sessions_lost"), 1U);
}

TEST_F(KeptSignInTest, WithoutTheJournalASignInLastsUntilTheNextStart) {
    journal_fails = errc::journal_unavailable;
    const auto cookie = of_ana();
    of_bia();
    EXPECT_EQ(get("/v1/thing", cookie).status(), 200U);
    EXPECT_TRUE(kept.empty());
    EXPECT_EQ(log.count("warn console.not_kept"), 1U);
    journal_fails = {};
    of_bia();
    journal_fails = errc::journal_unavailable;
    of_bia();
    EXPECT_EQ(log.count("warn console.not_kept"), 2U) << "it was kept in between";
}

TEST_F(KeptSignInTest, WithoutTheJournalNobodyIsToldToHaveLeft) {
    const auto cookie = of_ana();
    journal_fails = errc::journal_unavailable;
    for (int i = 0; i < 2; ++i) {
        const auto told = ask(verb::delete_, "/console/session", cookie);
        EXPECT_EQ(told.status(), 503U);
        EXPECT_EQ(told.text("code"), "journal_unavailable");
        EXPECT_EQ(told.header("Set-Cookie"), "") << "the page asks once more, and shows it again";
        EXPECT_EQ(get("/v1/thing", cookie).status(), 401U) << "nobody is in by it";
    }
    EXPECT_EQ(kept.size(), 1U);
    EXPECT_FALSE(log.has("console.signed_out"));
    clock.advance(Sessions::longest);
    journal_fails = {};
    EXPECT_EQ(ask(verb::delete_, "/console/session", cookie).status(), 204U);
    EXPECT_TRUE(kept.empty());
    EXPECT_EQ(log.count("console.signed_out"), 1U);
}

TEST_F(KeptSignInTest, AnEndThatIsOwedToTheJournalGoesThereWithTheNextSignIn) {
    const auto cookie = of_ana();
    journal_fails = errc::journal_unavailable;
    EXPECT_EQ(ask(verb::delete_, "/console/session", cookie).status(), 503U);
    journal_fails = {};
    of_bia();
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept.begin()->second.name, "Bia");
}

TEST_F(KeptSignInTest, AClickNeverWaitsForTheJournal) {
    const auto cookie = of_ana();
    const auto used_at = kept.begin()->second.used_at;
    clock.advance(Sessions::keep_every);
    journal_takes = 1h;
    const auto told = begin(request(verb::get, "/v1/thing", {}, cookie));
    ASSERT_TRUE(*told);
    EXPECT_EQ((*told)->status(), 200U);
    EXPECT_EQ(kept.begin()->second.used_at, used_at);
    clock.advance(journal_takes);
    EXPECT_EQ(kept.begin()->second.used_at, used_at + Sessions::keep_every);
}

TEST_F(KeptSignInTest, AReloadEndsTheSessionInTheJournalTooAlsoWhileItBegins) {
    of_ana();
    sign_in->reload({bia});
    clock.settle();
    EXPECT_TRUE(kept.empty());
    journal_takes = 1s;
    const auto begins = begin_sign_in("Bia", "certo também");
    EXPECT_FALSE(*begins);
    sign_in->reload({ana});
    clock.advance(2s);
    ASSERT_TRUE(*begins);
    EXPECT_EQ((*begins)->status(), 401U);
    EXPECT_EQ((*begins)->header("Set-Cookie"), "");
    EXPECT_TRUE(kept.empty());
}

}  // namespace
}  // namespace gateway::test
