#include "http/server/certificate_watch.hpp"

#include "base/wall_time.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>

namespace gateway::http {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using TroubleKind = CertificateTrouble::Kind;

class CertificateWatchTest : public testing::Test {
  protected:
    ShownCertificate lasting(Duration length) const {
        return {.file = "/etc/cert.pem",
                .validity = {clock->wall() - 24h, clock->wall() + length},
                .shown_since = RunMoment(*clock)};
    }
    void look_for(Duration length) {
        boost::asio::co_spawn(io, watch.keep_looking(), boost::asio::detached);
        clock->advance(length);
    }

    boost::asio::io_context io;
    const std::unique_ptr<test::VirtualClock> clock = std::make_unique<test::VirtualClock>(io);
    test::MemoryLog log;
    ShownCertificates shown;
    CertificateWatch watch{[this] { return shown; }, *clock, log};
};

TEST_F(CertificateWatchTest, ACertificateThatIsGoodForLongIsNoTrouble) {
    shown = {{"terminals", lasting(15 * 24h)}};
    watch.look();
    EXPECT_TRUE(watch.troubles().empty());
    EXPECT_TRUE(log.lines.empty());
}

TEST_F(CertificateWatchTest, WhatSeveralListenersShowIsOneTroubleThatNamesFileAndEnd) {
    const auto ending = lasting(3 * 24h);
    shown = {{"terminals", ending}, {"callbacks", ending}, {"console", ending}};
    const auto troubles = watch.troubles();
    ASSERT_EQ(troubles.size(), 1U);
    EXPECT_EQ(troubles[0].kind, TroubleKind::ends);
    EXPECT_EQ(troubles[0].validity.ends_at, ending.validity.ends_at);
    EXPECT_EQ(troubles[0].listeners, (std::vector<std::string>{"terminals", "callbacks", "console"}));
    EXPECT_THAT(troubles[0].sentence, HasSubstr("/etc/cert.pem (listeners: terminals, callbacks, console) expires in"));
    EXPECT_THAT(troubles[0].sentence, HasSubstr("it ends on " + to_local_text(ending.validity.ends_at)));
}

TEST_F(CertificateWatchTest, AsTimeGoesByTheLogSaysThatOneEndsAndThenThatItHasEnded) {
    shown = {{"terminals", lasting(15 * 24h)}};
    look_for(23h);
    EXPECT_TRUE(log.lines.empty());
    clock->advance(2h);
    EXPECT_EQ(log.count("warn certificate.ends"), 1U);
    clock->advance(22h);
    EXPECT_EQ(log.count("warn certificate.ends"), 1U) << "once a day";
    clock->advance(2h);
    EXPECT_EQ(log.count("warn certificate.ends"), 2U);
    clock->advance(13 * 24h);
    EXPECT_EQ(watch.troubles().at(0).kind, TroubleKind::not_accepted);
    const auto told = log.count("error certificate.not_accepted");
    EXPECT_GE(told, 1U);
    clock->advance(3h);
    EXPECT_EQ(log.count("error certificate.not_accepted"), told + 3) << "once an hour";
    shown = {{"terminals", lasting(90 * 24h)}};
    clock->advance(1min);
    EXPECT_EQ(log.count("warn certificate.renewed file=/etc/cert.pem"), 1U);
    EXPECT_THAT(log.sentences.back(),
                HasSubstr("the certificate /etc/cert.pem was replaced: callers are shown one that is valid until "));
    EXPECT_TRUE(watch.troubles().empty());
}

TEST_F(CertificateWatchTest, OneThatTakesThePlaceOfAnotherOneIsSaidToBeGoodAsLongAsItIs) {
    auto to_come = lasting(90 * 24h);
    to_come.validity.begins_at = clock->wall() + 24h;
    shown = {{"terminals", to_come}};
    watch.look();
    shown = {{"terminals", lasting(30 * 24h)}};
    watch.look();
    EXPECT_EQ(log.count("warn certificate.renewed file=/etc/cert.pem"), 1U);
    EXPECT_EQ(log.sentences.back(),
              "the certificate /etc/cert.pem was replaced: callers are shown one that is valid "
              "until " +
                  to_local_text(shown[0].second.validity.ends_at));
}

TEST_F(CertificateWatchTest, AnotherOneWithAnotherFaultIsSaidAtOnce) {
    shown = {{"terminals", lasting(-24h)}};
    watch.look();
    EXPECT_EQ(log.count("error certificate.not_accepted"), 1U);
    auto to_come = lasting(90 * 24h);
    to_come.validity.begins_at = clock->wall() + 24h;
    shown = {{"terminals", to_come}};
    watch.look();
    EXPECT_EQ(log.count("error certificate.not_accepted"), 2U);
    EXPECT_THAT(log.sentences.back(), HasSubstr("/etc/cert.pem is not valid yet"));
    watch.look();
    shown = {{"terminals", lasting(-48h)}, {"console", to_come}};
    watch.look();
    watch.look();
    EXPECT_EQ(log.count("error certificate.not_accepted"), 3U) << "each is said once, where both are shown";
    EXPECT_EQ(log.count("warn certificate.renewed"), 0U) << "callers refuse what they are shown";
}

TEST_F(CertificateWatchTest, OneThatIsNotValidYetIsTroubleSinceItIsShown) {
    auto to_come = lasting(90 * 24h);
    to_come.validity.begins_at = clock->wall() + 24h;
    shown = {{"terminals", to_come}};
    const auto since = clock->wall();
    clock->advance(1h);
    EXPECT_EQ(watch.troubles().at(0).since, since);
    EXPECT_THAT(watch.troubles().at(0).sentence,
                HasSubstr("unless the clock of this machine is wrong; else put one that is valid now there and run"));
    shown[0].second.refused_at = RunMoment(*clock);
    EXPECT_EQ(watch.troubles().size(), 1U) << "why callers refuse it is said";
    clock->advance(23h);
    shown[0].second.refused_at = RunMoment(*clock);
    EXPECT_EQ(watch.troubles().at(0).kind, TroubleKind::refused) << "it is valid, and there is another reason";
}

TEST_F(CertificateWatchTest, OneThatBecomesValidWasNotReplaced) {
    auto to_come = lasting(90 * 24h);
    to_come.validity.begins_at = clock->wall() + 30min;
    shown = {{"terminals", to_come}};
    look_for(31min);
    EXPECT_EQ(log.count("warn certificate.renewed"), 0U);
    EXPECT_EQ(log.count("warn certificate.valid file=/etc/cert.pem"), 1U);
    clock->shift_wall(100 * 24h);
    watch.look();
    clock->shift_wall(-101 * 24h);
    watch.look();
    EXPECT_EQ(log.count("error certificate.not_accepted"), 3U) << "it ended, and is to begin again";
    shown.clear();
    watch.look();
    EXPECT_EQ(log.sentences.back(), "callers are no longer shown the certificate /etc/cert.pem");
}

TEST_F(CertificateWatchTest, CallersThatRefuseItAreATroubleForAnHour) {
    auto refused = lasting(90 * 24h);
    refused.refused = 12;
    refused.refused_since = RunMoment(*clock);
    clock->advance(3h);
    refused.refused_at = RunMoment(*clock);
    refused.refused_by = "192.168.1.7";
    refused.refused_why = "it is for another name";
    shown = {{"terminals", refused}};
    const auto troubles = watch.troubles();
    ASSERT_EQ(troubles.size(), 1U);
    EXPECT_EQ(troubles[0].kind, TroubleKind::refused);
    EXPECT_EQ(troubles[0].since, clock->wall() - 3h);
    EXPECT_THAT(troubles[0].sentence,
                HasSubstr("/etc/cert.pem (listener: terminals) was refused by callers (12 in all), "
                          "lastly by 192.168.1.7 at "));
    watch.look();
    EXPECT_TRUE(log.lines.empty()) << "its listener has logged that";
    clock->advance(1h);
    EXPECT_TRUE(watch.troubles().empty());
}

TEST_F(CertificateWatchTest, WhatToDoDependsOnWhatTheCallerSaid) {
    const auto advice = [&](const char* why) {
        auto refused = lasting(90 * 24h);
        refused.refused = 1;
        refused.refused_at = RunMoment(*clock);
        refused.refused_why = why;
        shown = {{"terminals", refused}};
        return watch.troubles().at(0).sentence;
    };
    constexpr const char* trust = "have that caller trust it, or its authority";
    constexpr const char* renew = "put a new certificate there";
    EXPECT_THAT(advice("it does not trust the authority that signed it (unknown_ca)"), HasSubstr(trust));
    EXPECT_THAT(
        advice("it is not valid at this time (certificate_expired)"),
        AllOf(HasSubstr("put a new certificate there, unless that caller's clock is wrong"), Not(HasSubstr(trust))));
    EXPECT_THAT(advice("it is for another name, or broken (bad_certificate)"),
                AllOf(HasSubstr("use a name that the certificate has"), HasSubstr("whether its clock is right"),
                      Not(HasSubstr(trust))));
    EXPECT_THAT(advice("its authority, its name or its time does not suit (certificate_unknown)"),
                AllOf(HasSubstr(trust), HasSubstr("use a name that the certificate has"),
                      HasSubstr("whether its clock is right")));
    for (const auto* why :
         {"it was revoked (certificate_revoked)", "its kind is not supported (unsupported_certificate)"})
        EXPECT_THAT(advice(why), AllOf(HasSubstr(renew), Not(HasSubstr(trust)))) << why;
}

}  // namespace
}  // namespace gateway::http
