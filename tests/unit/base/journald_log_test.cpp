#include "base/journald_log.hpp"

#include "base/system.hpp"

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <vector>

namespace gateway::test {
namespace {

using namespace testing;

constexpr WallTime entry_time{std::chrono::milliseconds(1'714'655'471'480)};

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

std::vector<std::string> entry(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
    std::string text;
    append_journal_entry(text, entry_time, {level, event, "{step}[ in {durationMs}]", {fields.begin(), fields.size()}});
    return lines_of(text);
}

TEST(JournalEntry, HasTheSentenceAsItsMessageAndEveryFieldAsAField) {
    EXPECT_THAT(entry(LogLevel::warn, "sale.step",
                      {{"sale", "01J"},
                       {"idExterno", "01K"},
                       {"step", "confirmar"},
                       {"durationMs", Duration(41)},
                       {"nextAt", entry_time},
                       {"final", true},
                       {"reason", ""}}),
                ElementsAre("MESSAGE=confirmar in 41 ms  sale=01J idExterno=01K", "PRIORITY=4",
                            "SYSLOG_IDENTIFIER=sales-gateway", "EVENT=sale.step", "SALE=01J", "ID_EXTERNO=01K",
                            "STEP=confirmar", "DURATION_MS=41", "NEXT_AT=2024-05-02T13:11:11.480Z", "FINAL=true"))
        << "neither the time nor the level, which the journal has itself";
}

TEST(JournalEntry, HasThePriorityOfItsLevel) {
    EXPECT_EQ(entry(LogLevel::debug, "e", {}).at(1), "PRIORITY=7");
    EXPECT_EQ(entry(LogLevel::info, "e", {}).at(1), "PRIORITY=6");
    EXPECT_EQ(entry(LogLevel::error, "e", {}).at(1), "PRIORITY=3");
}

TEST(JournalEntry, CanBeForgedByNoValue) {
    const auto lines = entry(LogLevel::info, "e", {{"step", std::string("a\nPRIORITY=0\n\0b=\x1b", 17)}});
    EXPECT_THAT(lines, SizeIs(5));
    EXPECT_EQ(lines.front(), "MESSAGE=a PRIORITY=0 b=");
    EXPECT_EQ(lines.back(), "STEP=a PRIORITY=0  b= ");
}

TEST(JournalEntry, HoldsNoSecret) {
    EXPECT_EQ(entry(LogLevel::info, "e", {{"token", Secret("s3cret")}}).back(), "TOKEN=***");
}

// Plays the journal's side with a socket.
class JournalLogTest : public Test {
  protected:
    JournalLogTest() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends_.data()), 0); }
    ~JournalLogTest() override { close_journal(); }

    std::unique_ptr<Log> make() { return make_journald_log(clock_, LogLevel::info, ends_[0]); }
    // Waits for the next entry and returns it; with MSG_DONTWAIT, returns what has come before, if anything.
    std::string received(int flags = 0) const {
        std::string text(100'000, 0);
        const auto length = ::recv(ends_[1], text.data(), text.size(), flags);
        text.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
        return text;
    }
    void close_journal() {
        if (ends_[1] >= 0) ::close(ends_[1]);
        ends_[1] = -1;
    }

    std::array<int, 2> ends_{-1, -1};  // the log's end and the journal's end

  private:
    boost::asio::io_context io_;
    SystemClock clock_{io_.get_executor()};
};

TEST_F(JournalLogTest, SendsEachEntryByItselfAndInOrder) {
    constexpr int many = 1'000;  // more than the journal's queue takes at once, and more than one call sends
    const auto log = make();
    for (int i = 0; i < many; ++i)
        log->info("e", "it is so", {{"number", i}});
    for (int i = 0; i < many; ++i) {
        const auto lines = lines_of(received());
        ASSERT_THAT(lines, SizeIs(5));
        EXPECT_EQ(lines.back(), "NUMBER=" + std::to_string(i));
    }
}

TEST_F(JournalLogTest, SendsWhatWasLoggedBeforeItEnds) {
    make()->warn("last", "the last one");
    EXPECT_THAT(received(MSG_DONTWAIT), HasSubstr("EVENT=last\n"));
    EXPECT_EQ(received(MSG_DONTWAIT), "");
    EXPECT_EQ(::send(ends_[1], "", 0, MSG_NOSIGNAL), -1) << "it closes its socket";
}

TEST_F(JournalLogTest, FollowsItsLevel) {
    make()->debug("quiet", "not said");
    EXPECT_EQ(received(MSG_DONTWAIT), "");
}

TEST_F(JournalLogTest, WhatTheJournalDoesNotTakeIsPrintedWithItsPriority) {
    testing::internal::CaptureStdout();
    {
        const auto log = make();
        log->error("large", "large: {detail}", {{"detail", std::string(1'000'000, 'x')}});
        log->info("small", "small");
    }
    EXPECT_THAT(received(MSG_DONTWAIT), HasSubstr("EVENT=small\n"));
    EXPECT_THAT(testing::internal::GetCapturedStdout(),
                AllOf(StartsWith("<3>large: x"), EndsWith("xxx\n"), Not(HasSubstr("small"))));
}

TEST_F(JournalLogTest, AJournalThatIsGoneLosesNothing) {
    close_journal();
    testing::internal::CaptureStdout();
    {
        const auto log = make();
        log->info("one", "one is said");
        log->warn("two", "two is said", {{"sale", "01J"}});
    }
    const auto lines = lines_of(testing::internal::GetCapturedStdout());
    ASSERT_THAT(lines, SizeIs(2));
    EXPECT_EQ(lines.at(0), "<6>one is said");
    EXPECT_EQ(lines.at(1), "<4>two is said  sale=01J");
}

}  // namespace
}  // namespace gateway::test
