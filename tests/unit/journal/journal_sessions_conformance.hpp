// Tests what every journal promises of the console's sessions: a part of journal_conformance.hpp.
#pragma once

#include "unit/journal/journal_conformance.hpp"

namespace gateway::test {

inline KeptSession session_of(const Clock& clock, char digit, std::string name) {
    return {.digest = std::string(64, digit),
            .name = std::move(name),
            .role = "settle",
            .password = std::string(64, 'f'),
            .used_at = clock.wall(),
            .ends_at = clock.wall() + std::chrono::hours(12)};
}

TEST_P(JournalConformance, ASessionIsKeptUntilItEnds) {
    EXPECT_THAT(ask(journal->load_sessions()), IsEmpty());
    auto ana = session_of(clock, 'a', "Ana \"Lima\" é");
    auto by_link = session_of(clock, 'b', "console");
    by_link.password.clear();
    ask(journal->change_sessions({.begun = {ana}}));
    ask(journal->change_sessions({.begun = {by_link}}));
    open();
    EXPECT_THAT(ask(journal->load_sessions()), UnorderedElementsAre(ana, by_link));
    clock.jump(5min);
    ana.used_at = clock.wall();
    ana.ends_at += 1ms;
    ask(journal->change_sessions({.used = {ana}, .ended = {by_link.digest}}));
    open();
    EXPECT_THAT(ask(journal->load_sessions()), ElementsAre(ana));
    ask(journal->change_sessions({.used = {by_link}, .ended = {by_link.digest, std::string(64, '0')}}));
    EXPECT_THAT(ask(journal->load_sessions()), ElementsAre(ana)) << "a use brings back no session that has ended";
}

TEST_P(JournalConformance, ASessionIsReadWithTheKeyThatItWasKeptWith) {
    open({first_key});
    const auto ana = session_of(clock, 'a', "Ana");
    ask(journal->change_sessions({.begun = {ana}}));
    open({second_key, first_key});
    EXPECT_THAT(ask(journal->load_sessions()), ElementsAre(ana));
    rotate();
    open({second_key});
    EXPECT_THAT(ask(journal->load_sessions()), ElementsAre(KeptSession{.digest = ana.digest}));
    EXPECT_EQ(journal->stats().unreadable, 0u);
}

}  // namespace gateway::test
