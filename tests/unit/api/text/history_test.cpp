#include "api/text/history.hpp"

#include "unit/api/text/rig.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway::test {
namespace {

using boost::json::array;
using boost::json::object;

struct FoldedHistory : ::testing::Test {
    const Zone zone{"<-03>3"};
};

object event(unsigned second, std::string_view what, object more = {}) {
    object entry{{"at", fmt::format("2026-11-22T20:05:{:02}.020Z", second)}, {"idExterno", "A"}, {"event", what}};
    for (const auto& member : more)
        entry[member.key()] = member.value();
    return entry;
}

std::string told(const array& events, std::int64_t left_out = 0, Language language = Language::english) {
    std::string lines;
    for (const auto& line : text::history_lines(page_of(10'000, false, language), events, left_out))
        lines += line.when + "  " + line.what + '\n';
    return lines;
}

TEST_F(FoldedHistory, ASaleIsToldStepByStep) {
    EXPECT_EQ(told({event(1, "begun", {{"state", "requesting"}}),
                    event(1, "solicitar",
                          {{"known", "authorised"}, {"httpStatus", 200}, {"durationMs", 41}, {"state", "confirming"}}),
                    event(2, "confirmar", {{"known", "sold"}, {"httpStatus", 200}, {"state", "sold"}}),
                    event(9, "receipt", {{"state", "sold"}})}),
              "2026-11-22 17:05:01  begun → requesting\n"
              "2026-11-22 17:05:01  solicitar: authorised, 41 ms → confirming\n"
              "2026-11-22 17:05:02  confirmar: sold → sold\n"
              "2026-11-22 17:05:09  the receipt was fetched\n");
}

TEST_F(FoldedHistory, RunsOfEqualEventsAreFolded) {
    array events{event(0, "solicitar", {{"known", "unknown"}, {"state", "cancelling"}})};
    for (unsigned i = 1; i <= 23; ++i)
        events.push_back(event(i, "cancelar",
                               {{"known", "unknown"},
                                {"durationMs", 10 * i},
                                {"state", "cancelling"},
                                {"detail", "the answer was lost: no complete answer before the deadline"}}));
    events.push_back(event(30, "cancelar", {{"known", "cancelled"}, {"httpStatus", 200}, {"state", "cancelled"}}));
    EXPECT_EQ(told(events),
              "2026-11-22 17:05:00  solicitar: no answer → cancelling\n"
              "2026-11-22 17:05:01–17:05:23  cancelar: no answer: no complete answer before the deadline, 23 times\n"
              "2026-11-22 17:05:30  cancelar: cancelled → cancelled\n");
}

TEST_F(FoldedHistory, WhatALongHistoryLeavesOutIsNotTakenForWhatStandsBesideIt) {
    array events;
    unsigned at = 0;
    for (const int tries : {1, 2, 3, 16, 32})
        events.push_back(event(at++, "confirmar", {{"known", "unknown"}, {"state", "disputing"}, {"tries", tries}}));
    const std::string left_out = ", left out of the history because it has grown long; the log has them\n";
    const auto first =
        "2026-11-22 17:05:00–17:05:02  confirmar: no answer, 3 times → disputing\n"
        "2026-11-22 17:05:02–17:05:03  12 more tries" +
        left_out + "2026-11-22 17:05:03  confirmar: no answer\n2026-11-22 17:05:03–17:05:04  15 more tries" + left_out +
        "2026-11-22 17:05:04  confirmar: no answer\n";
    EXPECT_EQ(told(events), first);
    EXPECT_EQ(told(events, 20), first + "2026-11-22 17:05:04–now  20 more tries" + left_out);
}

TEST_F(FoldedHistory, ARestartCountsTriesAnew) {
    array events;
    unsigned at = 0;
    for (const int tries : {1, 2, 1, 2})
        events.push_back(event(at++, "cancelar", {{"known", "unknown"}, {"state", "cancelling"}, {"tries", tries}}));
    EXPECT_EQ(told(events), "2026-11-22 17:05:00–17:05:03  cancelar: no answer, 4 times → cancelling\n");
}

TEST_F(FoldedHistory, EventsThatTakeTurnsAreARunToo) {
    array events;
    for (unsigned i = 0; i < 12; ++i)
        events.push_back(
            event(i, i % 2 == 0 ? "confirmar" : "cancelar", {{"known", "unknown"}, {"state", "disputing"}}));
    EXPECT_EQ(told(events),
              "2026-11-22 17:05:00–17:05:11  confirmar: no answer, then cancelar: no answer, 6 times each → "
              "disputing\n");
}

TEST_F(FoldedHistory, WhatDiffersInAnythingButTimeIsNotFolded) {
    const object more{{"known", "unknown"}, {"httpStatus", 500}};
    EXPECT_EQ(told({event(1, "cancelar", {{"known", "unknown"}}), event(2, "cancelar", more)}),
              "2026-11-22 17:05:01  cancelar: no answer\n"
              "2026-11-22 17:05:02  cancelar: no usable answer, HTTP 500\n");
}

TEST_F(FoldedHistory, SeveralAttemptsAreNumbered) {
    EXPECT_EQ(told({event(1, "begun", {{"state", "requesting"}}),
                    event(2, "begun", {{"idExterno", "B"}, {"state", "requesting"}}),
                    event(3, "cancelar", {{"known", "cancelled"}, {"state", "cancelled"}})}),
              "2026-11-22 17:05:01  begun → requesting [attempt 1]\n"
              "2026-11-22 17:05:02  begun → requesting [attempt 2]\n"
              "2026-11-22 17:05:03  cancelar: cancelled → cancelled [attempt 1]\n");
}

TEST_F(FoldedHistory, APersonsWordIsToldWithWhoSaidItAndWhatBecameOfTheMark) {
    EXPECT_EQ(told({event(1, "elapsed", {{"mark", "no_callback"}}),
                    event(2, "resolved",
                          {{"known", "EFETIVADA"}, {"by", "maria"}, {"detail", "visto\x1b[2J"}, {"mark", "none"}}),
                    event(3, "resolved", {{"detail", "impresso"}})}),
              "2026-11-22 17:05:01  a time limit was reached; needs a person: no_callback\n"
              "2026-11-22 17:05:02  maria decided EFETIVADA: \"visto?[2J\"; no longer marked\n"
              "2026-11-22 17:05:03  an operator noted: \"impresso\"\n");
}

TEST_F(FoldedHistory, WordsThatAreNotKnownAreSaidAsTheyCame) {
    EXPECT_EQ(
        told({event(1, "probed", {{"known", "green"}, {"detail", "x\ny"}}), event(2, "cancelar", {{"known", "blue"}})}),
        "2026-11-22 17:05:01  probed: green: x?y\n"
        "2026-11-22 17:05:02  cancelar: blue\n");
    EXPECT_EQ(told({object{}}), "-  \n");
}

TEST_F(FoldedHistory, IsPortugueseForPeopleWhoReadThat) {
    array events{event(0, "solicitar", {{"known", "unknown"}, {"state", "cancelling"}})};
    for (unsigned i = 1; i <= 23; ++i)
        events.push_back(event(
            i, "cancelar",
            {{"known", "unknown"}, {"state", "cancelling"}, {"detail", "the answer was lost: no answer in time"}}));
    events.push_back(event(30, "resolved", {{"known", "CANCELADA"}, {"by", "maria"}, {"mark", "none"}}));
    EXPECT_EQ(told(events, 1, Language::portuguese),
              "22/11/2026 17:05:00  solicitar: sem resposta → sendo cancelada\n"
              "22/11/2026 17:05:01–17:05:23  cancelar: sem resposta: Nenhuma resposta a tempo, 23 vezes\n"
              "22/11/2026 17:05:30  maria decidiu CANCELADA; não precisa mais de ninguém\n"
              "22/11/2026 17:05:30–agora  mais 1 tentativa, fora do histórico porque ele ficou longo; "
              "ela está no log\n");
}

TEST_F(FoldedHistory, TheConsoleIsGivenThePassages) {
    array events;
    for (unsigned i = 0; i < 4; ++i)
        events.push_back(
            event(i, i % 2 == 0 ? "confirmar" : "cancelar", {{"known", "unknown"}, {"state", "disputing"}}));
    events.push_back(event(9, "confirmar", {{"known", "unknown"}, {"state", "disputing"}, {"tries", 16}}));
    EXPECT_EQ(boost::json::serialize(text::passages_of({{"events", events}, {"leftOutAtEnd", 3}})),
              R"([{"first":0,"length":2,"times":2,"until":"2026-11-22T20:05:03.020Z"},)"
              R"({"first":3,"length":0,"leftOut":15,"until":"2026-11-22T20:05:09.020Z"},)"
              R"({"first":4,"length":1,"times":1,"until":"2026-11-22T20:05:09.020Z"},)"
              R"({"first":4,"length":0,"leftOut":3}])");
}

TEST_F(FoldedHistory, NothingIsNoHistory) {
    EXPECT_EQ(told({}), "");
}

}  // namespace
}  // namespace gateway::test
