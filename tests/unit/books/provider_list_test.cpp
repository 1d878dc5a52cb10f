#include "books/provider_list.hpp"

#include "unit/books/statement_rig.hpp"

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class ProviderListTest : public StatementRig {
  protected:
    static Reply with(std::string body, unsigned status = 200) {
        Reply reply;
        reply.kind = Reply::Kind::answered;
        reply.status = status;
        reply.body = std::move(body);
        return reply;
    }
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
        if (!made)
            made.emplace(
                [this](Day of) -> boost::asio::awaitable<Reply> {
                    asked.push_back(to_text(of));
                    co_return reply;
                },
                *reconciler, *clock);
        return *made;
    }

    Reply reply;
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
    reply = with("", 404);
    EXPECT_EQ(clock->run(list().read(day(), "")).error().code, "provider_unreachable");
    reply = Reply::lost(errc::timed_out);
    EXPECT_EQ(clock->run(list().read(day(), "")).error().code, "provider_unreachable");
    EXPECT_EQ(reconciler->refused(), 8u) << "no list is no fault of a list";
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

}  // namespace
}  // namespace gateway::test
