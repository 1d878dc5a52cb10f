#include "books/provider_list.hpp"

#include "unit/books/statement_rig.hpp"

#include <map>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class ProviderListTest : public StatementRig {
  protected:
    static Reply with(std::string body, unsigned status = 200) { return answered(status, std::move(body)); }
    static std::string row(std::string_view id, std::string_view valor = "2500") {
        return fmt::format(R"({{"idExterno":"{}","idTransacao":"T","nsu":"9","estabelecimento":"12345678","valor":{},)"
                           R"("status":"EFETIVADA","dataHora":"2024-05-02T10:11:12.020-03:00"}})",
                           id, valor);
    }
    std::string taken(const std::string& body) {
        reply = with(body);
        const auto told_report = clock->run(list().read(day(), "maria"));
        if (told_report.has_error()) return told_report.error().code + ": " + told_report.error().detail;
        const auto& statement = told_report->statement;
        return fmt::format("{} rows, {} agree, {} findings, {}", statement.rows, statement.matched, statement.findings,
                           statement.source);
    }
    ProviderList& list() {
        if (!made) made.emplace(*provider, *reconciler, *journal, *clock);
        return *made;
    }
    Reply answer(const http::ClientRequest& request) override {
        asked.push_back(request.target.substr(std::string_view("/list/").size()));
        const auto special = of_day.find(asked.back());
        return special == of_day.end() ? reply : special->second;
    }

    // The list of this day was the last one that was read when the gateway went down; now it starts again.
    void read_and_start_again(std::string_view last) {
        reply = with("[]");
        EXPECT_TRUE(clock->run(list().read(day(last), "")).has_value());
        open();
        made.reset();
        asked.clear();
        list().start(io->get_executor());
        clock->settle();
    }

    Reply reply;
    std::map<std::string, Reply> of_day;  // replaces the usual reply
    std::vector<std::string> asked;
    std::optional<ProviderList> made;
};

TEST_F(ProviderListTest, AListIsReadLikeAFile) {
    const auto sold = sale(AttemptState::sold);
    EXPECT_EQ(taken("[" + row(id(sold)) + "]"), "1 rows, 1 agree, 0 findings, list");
    EXPECT_EQ(taken("[" + row(id(sold), "2501") + "]"), "1 rows, 0 agree, 1 findings, list");
    EXPECT_EQ(taken("[]"), "0 rows, 0 agree, 1 findings, list");
    EXPECT_EQ(findings({.kind = FindingKind::amount_differs}).at(0).closed->as, FindingEnd::corrected);
    EXPECT_EQ(asked, (std::vector<std::string>{"2024-05-02", "2024-05-02", "2024-05-02"}));
}

TEST_F(ProviderListTest, AmountsThatAreTextsAreReadAsConfigured) {
    const auto sold = sale(AttemptState::sold);
    const auto text = "[" + row(id(sold), R"("25,00")") + "]";
    EXPECT_THAT(taken(text), StartsWith("unreadable_line: line 2, field 6 (valor)"));
    format.money = AmountUnit::comma;
    build();
    made.reset();
    EXPECT_EQ(taken(text), "1 rows, 1 agree, 0 findings, list");
}

TEST_F(ProviderListTest, AStatusInAnyRowIsNeededInEach) {
    const auto sold = sale(AttemptState::sold);
    const auto other = sale(AttemptState::sold);
    const auto bare = [&](const Sale& made) { return fmt::format(R"({{"idExterno":"{}","valor":2500)", id(made)); };
    EXPECT_EQ(taken("[" + bare(sold) + "}," + bare(other) + "}]"), "2 rows, 2 agree, 0 findings, list");
    EXPECT_THAT(taken("[" + bare(sold) + "}," + bare(other) + R"(,"status":"CANCELADA"}])"),
                StartsWith("unreadable_line: line 2, field 7 (status)"));
    EXPECT_THAT(taken("[" + bare(sold) + R"(,"status":"CANCELADA"},)" + bare(other) + "}]"),
                StartsWith("unreadable_line: line 3, field 7 (status)"));
}

TEST_F(ProviderListTest, AmountsOfTwoKindsAreRefused) {
    format.money = AmountUnit::comma;
    build();
    const auto sold = sale(AttemptState::sold);
    const auto other = sale(AttemptState::sold);
    for (const auto& list : {row(id(sold), "2500") + "," + row(id(other), R"("2500")"),
                             row(id(sold), R"("25,00")") + "," + row(id(other), "2500")})
        EXPECT_EQ(taken("[" + list + "]"),
                  "unreadable_line: valor is a number in some elements of the list and a text in others");
}

TEST_F(ProviderListTest, WhatIsNoListIsRefusedAndNothingOfItKept) {
    EXPECT_THAT(taken("<html>"), StartsWith("unreadable_line: it is no JSON"));
    EXPECT_EQ(taken("{}"), "unreadable_line: it is no JSON array");
    EXPECT_EQ(taken("[5]"), "unreadable_line: element 1 of the list is no object");
    EXPECT_EQ(taken(R"([{"idExterno":"a;b"}])"),
              "unreadable_line: idExterno of element 1 of the list is no plain text");
    EXPECT_EQ(taken(R"([{"nsu":"a\nb"}])"), "unreadable_line: nsu of element 1 of the list is no plain text");
    EXPECT_EQ(taken(R"([{"valor":{}}])"), "unreadable_line: valor of element 1 of the list is no plain text");
    EXPECT_THAT(taken(R"([{"valor":1}])"), StartsWith("unreadable_line: line 2 names no attempt"));
    EXPECT_THAT(taken("[" + row("2500") + "]"), StartsWith("unreadable_line: line 2, field 2 (idExterno)"));
    EXPECT_EQ(reconciler->refused(), 8u);
    reply = Reply::lost(errc::answer_too_large);
    EXPECT_THAT(clock->run(list().read(day(), "")).error().detail, StartsWith("it is longer than 32 MiB"));
    EXPECT_EQ(reconciler->refused(), 9u);
    reply = with("", 404);
    const auto nowhere = clock->run(list().read(day(), "")).error();
    EXPECT_EQ(nowhere.code, "provider_unreachable");
    EXPECT_EQ(nowhere.detail,
              "the provider answered with HTTP status 404: is the path in provider.base_url or "
              "provider.list_path right?");
    reply = with("", 503);
    EXPECT_EQ(clock->run(list().read(day(), "")).error().detail, "the provider answered with HTTP status 503");
    reply = Reply::lost(errc::timed_out);
    EXPECT_EQ(clock->run(list().read(day(), "")).error().code, "provider_unreachable");
    EXPECT_EQ(reconciler->refused(), 9u) << "no list is no fault of a list";
    EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(ProviderListTest, TheListOfADayIsAskedForOnceItIsOverAndUntilItCame) {
    reply = Reply::lost(errc::timed_out);
    list().start(io->get_executor());
    clock->settle();
    EXPECT_EQ(asked, std::vector<std::string>{"2024-05-02"});
    reply = with("[]");
    clock->advance(1h);
    EXPECT_EQ(asked.size(), 2u) << "once more";
    clock->advance(12h);
    EXPECT_EQ(asked.size(), 2u) << "the next day is not over, or not for long";
    clock->advance(3h);
    EXPECT_EQ(asked, (std::vector<std::string>{"2024-05-02", "2024-05-02", "2024-05-03"}));
}

TEST_F(ProviderListTest, DaysThatAStopOrAnOutageLeftOutAreMadeUpForInTheirOrder) {
    of_day["2024-04-30"] = Reply::lost(errc::timed_out);
    read_and_start_again("2024-04-28");
    EXPECT_THAT(asked, ElementsAre("2024-04-29", "2024-04-30")) << "what cannot be reached is not asked on";
    of_day.clear();
    clock->advance(1h);
    EXPECT_THAT(asked, ElementsAre("2024-04-29", "2024-04-30", "2024-04-30", "2024-05-01", "2024-05-02"));
}

TEST_F(ProviderListTest, WhatTheJournalHasIsNotAskedForAgain) {
    read_and_start_again("2024-05-02");
    EXPECT_THAT(asked, IsEmpty());
    clock->advance(24h);
    EXPECT_THAT(asked, ElementsAre("2024-05-03"));
}

TEST_F(ProviderListTest, ADayWithAFaultOfItsOwnHoldsUpNoLaterOne) {
    of_day["2024-04-30"] = with("<html>");
    of_day["2024-05-01"] = with("", 404);
    of_day["2024-05-02"] = with("", 404);
    read_and_start_again("2024-04-29");
    EXPECT_THAT(asked, ElementsAre("2024-04-30", "2024-05-01", "2024-05-02"));
    of_day.clear();
    clock->advance(1h);
    EXPECT_EQ(asked.size(), 4u);
    EXPECT_EQ(asked.back(), "2024-05-02") << "yesterday's may only be late";
    clock->advance(1h);
    EXPECT_EQ(asked.size(), 4u);
}

TEST_F(ProviderListTest, AMonthIsMadeUpForAndNoMore) {
    read_and_start_again("2023-12-31");
    EXPECT_EQ(asked.size(), 31u);
    EXPECT_EQ(asked.front(), "2024-04-02");
    EXPECT_EQ(asked.back(), "2024-05-02");
}

TEST_F(ProviderListTest, AListThatWasWantedBeforeItsDayWasOverIsAskedForAgain) {
    read_and_start_again("2024-05-03");
    EXPECT_THAT(asked, IsEmpty());
    clock->advance(24h);
    EXPECT_THAT(asked, ElementsAre("2024-05-03"));
}

TEST_F(ProviderListTest, AJournalThatCannotSayWhereToGoOnIsAskedAgain) {
    class Failing final : public ForwardingJournal {
      public:
        using ForwardingJournal::ForwardingJournal;
        bool fails = true;
        Awaited<std::vector<KeptStatement>> statements(const StatementFilter& filter) override {
            if (fails) co_return errc::journal_unavailable;
            co_return co_await real_->statements(filter);
        }
    } failing(*journal);
    reply = with("[]");
    ProviderList asking(*provider, *reconciler, failing, *clock);
    asking.start(io->get_executor());
    clock->settle();
    EXPECT_THAT(asked, IsEmpty());
    failing.fails = false;
    clock->advance(1h);
    EXPECT_THAT(asked, ElementsAre("2024-05-02"));
}

}  // namespace
}  // namespace gateway::test
