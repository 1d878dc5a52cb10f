#include "books/reconciler.hpp"

#include "base/digest.hpp"
#include "unit/books/statement_rig.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using State = AttemptState;

class ReconcilerTest : public StatementRig {
  protected:
    static constexpr auto nobody = "01J0ABCDEF0123456789ABCDEF";

    void start() {
        reconciler->start(io->get_executor());
        clock->settle();
    }
    void expect_nothing_kept() {
        EXPECT_THAT(findings(), IsEmpty());
        EXPECT_EQ(log.count("statement.read"), 0u);
        EXPECT_EQ(log.count("finding.opened"), 0u);
    }
};

TEST_F(ReconcilerTest, AStatementIsReadAndWhatItFoundIsToldAndLogged) {
    const auto sold = sale(State::sold);
    const auto cancelled = sale(State::cancelled);
    const auto told_report = report({{.id_externo = id(sold)}, {.id_externo = id(cancelled)}});
    EXPECT_FALSE(told_report.already_imported);
    EXPECT_EQ(told_report.statement.id, 1);
    EXPECT_EQ(to_text(told_report.statement.day), "2024-05-02");
    EXPECT_EQ(told_report.statement.network, "4711");
    EXPECT_EQ(told_report.statement.header_money, "cents");
    EXPECT_EQ(told_report.statement.rows, 2);
    EXPECT_EQ(told_report.statement.findings, 1);
    ASSERT_EQ(told_report.findings.size(), 1u);
    const auto& finding = told_report.findings[0];
    EXPECT_EQ(finding.sale, cancelled.id);
    EXPECT_EQ(finding.line, 3u);
    EXPECT_EQ(finding.ours, (Saying{Cents{2500}, Status::CANCELADA}));
    EXPECT_EQ(finding.theirs, (Saying{Cents{2500}, Status::EFETIVADA}));
    EXPECT_TRUE(log.has("info statement.read")) << "how it went";
    EXPECT_TRUE(log.has("error finding.opened")) << "promise 2 is broken";
    EXPECT_EQ(reconciler->open_findings(), (std::map<FindingKind, std::int64_t>{{FindingKind::sold_there, 1}}));
}

TEST_F(ReconcilerTest, WhenAStatementWasReadLastIsKnownAfterAStart) {
    const auto at = clock->wall();
    ASSERT_TRUE(read(statement_of({})));
    clock->jump(std::chrono::hours(30));
    open();
    EXPECT_FALSE(reconciler->last_read());
    start();
    EXPECT_EQ(reconciler->last_read(), at);
}

TEST_F(ReconcilerTest, TheSameFileOnceMoreChangesNothing) {
    const auto text = statement_of({{.id_externo = nobody}});
    ASSERT_EQ(read(text)->statement.findings, 1);
    open();
    const auto again = read(text);
    ASSERT_TRUE(again.has_value());
    EXPECT_TRUE(again->already_imported);
    EXPECT_EQ(again->statement.id, 1);
    EXPECT_EQ(again->findings.size(), 1u);
    EXPECT_EQ(findings().size(), 1u);
    EXPECT_EQ(log.count("statement.read"), 1u);
    EXPECT_EQ(refused(text, day("2024-05-01")), "wrong_day: it is of 2024-05-02");
}

TEST_F(ReconcilerTest, TheDigestIsOfAllBytesWhereTheyAreManyToo) {
    format.detail_column.reset();  // the lines below the header are passed over
    build();
    auto text = statement_of({});
    for (constexpr std::size_t pieces = 2; text.size() < (pieces << 20U);)
        text += "1;another line\n";
    for (const auto size : {text.size(), std::size_t{2} << 20U}) {
        text.resize(size);
        EXPECT_EQ(read(text)->statement.digest, sha256_hex(text));
    }
}

TEST_F(ReconcilerTest, WhatAnotherFileHasReplacedSaysSoAndCountsAgainWhereThatIsWanted) {
    const auto one = sale(State::sold);
    const auto right = statement_of({{.id_externo = id(one)}});
    ASSERT_TRUE(read(right));
    EXPECT_FALSE(read(right)->statement.superseded);
    ASSERT_EQ(report({}).statement.id, 2);
    const auto known = read(right);
    EXPECT_TRUE(known->already_imported);
    EXPECT_EQ(known->statement.superseded, 2);
    EXPECT_EQ(findings({.open = true}).size(), 1u) << "nothing has changed";
    StatementText text{.bytes = right, .source = "file", .again = true};
    const auto again = clock->run(reconciler->read(std::move(text)));
    EXPECT_FALSE(again->already_imported);
    EXPECT_EQ(again->statement.id, 3);
    EXPECT_EQ(again->statement.replaced, 2);
    EXPECT_THAT(findings({.open = true}), IsEmpty());
}

TEST_F(ReconcilerTest, AStartSaysWhatIsOpen) {
    sale(State::sold);
    const auto cancelled = sale(State::cancelled);
    ASSERT_EQ(report({{.id_externo = id(cancelled)}}).statement.findings, 2);
    open();
    start();
    EXPECT_EQ(log.count("warn findings.open"), 1u);
    EXPECT_TRUE(log.has("1 missing_there, 1 sold_there"));
}

TEST_F(ReconcilerTest, WhereNoLineNamesASaleTheFileIsRefused) {
    std::vector<Line> lines;
    for (int i = 0; i < 3; ++i) {
        const auto one = sale(State::sold);
        lines.push_back({.id_externo = fmt::format("01J0ABCDEF0123456789ABCDE{}", i), .id_transacao = id(one)});
    }
    EXPECT_THAT(refused(statement_of(lines)),
                StartsWith("nothing_matches: none of its 3 lines names one of our sales"));
    EXPECT_THAT(findings(), IsEmpty());
    lines.pop_back();
    EXPECT_THAT(found(lines), SizeIs(5)) << "two may be a chance";
}

TEST_F(ReconcilerTest, TheSameFileReadInAnotherWayIsRead) {
    const auto one = sale(State::sold);
    const auto text = statement_of({{.id_externo = id(one), .status = "LIQUIDADA"}});
    format.words.cancelada = {"LIQUIDADA"};
    build();
    EXPECT_THAT(kinds(*read(text)), ElementsAre("reversed_there asks person, pending"));
    format.words.cancelada = {"CANCELADA"};
    format.words.autorizada = {"LIQUIDADA"};
    build();
    const auto again = read(text);
    EXPECT_FALSE(again->already_imported);
    EXPECT_EQ(again->statement.replaced, 1);
    EXPECT_THAT(kinds(*again), ElementsAre("unconfirmed_there asks repeat_confirm, pending"));
}

TEST_F(ReconcilerTest, ACorrectedFileReplacesTheFirst) {
    const auto one = sale(State::sold);
    const auto two = sale(State::sold);
    const auto first = report({});
    EXPECT_EQ(first.findings.size(), 2u);
    const auto second = report({{.id_externo = id(one)}});
    EXPECT_EQ(second.statement.replaced, first.statement.id);
    ASSERT_EQ(second.findings.size(), 1u);
    EXPECT_EQ(second.findings[0].sale, two.id);
    EXPECT_EQ(log.count("finding.opened"), 2u);
    EXPECT_EQ(log.count("finding.closed"), 1u);
    EXPECT_EQ(reconciler->open_findings(), (std::map<FindingKind, std::int64_t>{{FindingKind::missing_there, 1}}));
}

TEST_F(ReconcilerTest, AFileWithAFaultIsNotTakenAndNothingOfItIsKept) {
    sale(State::sold);
    const Line good{.id_externo = nobody};
    const auto text = statement_of({good});
    const auto with = [&](std::string_view from, std::string_view to) {
        auto changed = text;
        changed.replace(changed.find(from), from.size(), to);
        return changed;
    };
    EXPECT_THAT(refused(""), StartsWith("unreadable_line: "));
    EXPECT_THAT(refused("<html></html>"), StartsWith("unreadable_line: line 1"));
    EXPECT_THAT(refused(with("1;01J0", "7;01J0")), StartsWith("unreadable_line: line 2"));
    EXPECT_THAT(refused(with("2500;EF", "2500,5;EF")), StartsWith("unreadable_line: line 2, field 6 (valor)"));
    EXPECT_THAT(refused(with(";EFETIVADA", ";PERDIDA")), StartsWith("unreadable_line: line 2, field 7 (status)"));
    EXPECT_THAT(refused(with(nobody, "2500")), StartsWith("unreadable_line: line 2, field 2 (idExterno)"));
    EXPECT_THAT(refused(text.substr(0, text.size() - 20)), StartsWith("unreadable_line: line 2"));
    EXPECT_THAT(refused(text + good.text()), StartsWith("count_differs: "));
    EXPECT_THAT(refused(with(";1;2500;0", ";2;2500;0")), StartsWith("count_differs: "));
    EXPECT_THAT(refused(with(";1;2500;0", ";1;2501;0")), StartsWith("total_differs: "));
    EXPECT_THAT(refused(statement_of({good, good})), StartsWith("unreadable_line: line 3 is about the same attempt"));
    EXPECT_THAT(refused(text, day("2024-05-01")), StartsWith("wrong_day: "));
    EXPECT_THAT(refused(statement_of({}, "04052024", "05052024")), StartsWith("wrong_day: it is of 2024-05-04"));
    format.network = "1";
    build();
    EXPECT_THAT(refused(text), StartsWith("wrong_network: "));
    expect_nothing_kept();
    EXPECT_EQ(log.count("warn statement.refused"), 14u);
    EXPECT_EQ(reconciler->refused(), 1u) << "since the last change of the format";
    EXPECT_FALSE(clock->run(journal->known_statement("", "")).value());
}

TEST_F(ReconcilerTest, MoreThanTenThousandDisagreementsAreNone) {
    std::vector<Line> lines;
    for (std::size_t i = 0; i < max_findings + 1; ++i)
        lines.push_back({.id_externo = fmt::format("01J0ABCDEF0123456789A{:05}", i)});
    EXPECT_THAT(refused(statement_of(lines)), StartsWith("too_many_findings: "));
    expect_nothing_kept();
    lines.pop_back();
    EXPECT_EQ(report(lines).statement.findings, static_cast<std::int64_t>(max_findings));
    EXPECT_EQ(report(lines).findings.size(), Reconciler::findings_told);
    EXPECT_EQ(log.count("finding.opened"), 100u) << "the log has the first of them";
}

TEST_F(ReconcilerTest, WhereOnlyTheHeaderIsReadCountAndTotalAreCompared) {
    sale(State::sold);
    sale(State::cancelled);
    format.detail_column.reset();
    format.columns = {};
    build();
    const auto header = [](std::string_view end) { return "0;4711;REDE;;03052024;02052024;" + std::string(end); };
    const auto right = read(header("1;25,00;0;0;\n"));
    ASSERT_TRUE(right.has_value());
    EXPECT_THAT(right->findings, IsEmpty());
    EXPECT_EQ(right->statement.header_money, "comma") << "the unit is guessed, and said";
    const auto wrong = read(header("2;30,00;0;0;\n"));
    ASSERT_TRUE(wrong.has_value());
    EXPECT_THAT(kinds(*wrong), UnorderedElementsAre("count_differs asks person", "total_differs asks person"));
    EXPECT_FALSE(wrong->findings[0].detail.empty());
    format.covers = StatementCovers::network;
    build();
    EXPECT_THAT(read(header("2;30,00;0;0;\n"))->findings, IsEmpty());
}

TEST_F(ReconcilerTest, TheLogHasNothingOfWhatStandsInAField) {
    const std::string cpf = "11144477735";
    EXPECT_EQ(refused(statement_of({{.id_externo = nobody, .status = cpf}})),
              "unreadable_line: line 2, field 7 (status): \"" + cpf + "\" is none of statement.words")
        << "who brought it is told";
    EXPECT_THAT(log.lines.back(), HasSubstr("line 2, field 7 (status): its text is none of statement.words"));
    format.network = "1";
    build();
    EXPECT_EQ(refused(fmt::format("0;{};REDE;;03052024;02052024;0;0;0;0;\n", cpf)),
              "wrong_network: it is of \"" + cpf + "\", not \"1\"");
    format.network.clear();
    format.any_id = true;
    build();
    EXPECT_EQ(found({{.id_externo = cpf}, {.id_externo = nobody}}).size(), 2u);
    EXPECT_EQ(log.count("finding.opened"), 2u);
    EXPECT_EQ(log.count(fmt::format("idExterno={}", nobody)), 1u);
    format.columns = {};
    format.detail_column.reset();
    build();
    EXPECT_EQ(read(fmt::format("0;1;REDE;;03052024;01052024;{0};{0};0;0;\n", cpf))->findings.size(), 2u);
    EXPECT_EQ(log.count("finding.opened"), 4u);
    for (const auto& line : log.lines)
        EXPECT_THAT(line, AllOf(Not(HasSubstr(cpf)), Not(HasSubstr("111.444.777")))) << line;
}

TEST_F(ReconcilerTest, WhatAFindingAsksForIsDoneOnceItIsKept) {
    start();
    const auto sold = sale(State::sold);
    const auto cancelled = sale(State::cancelled);
    report({{.id_externo = id(sold), .status = "AUTORIZADA"}, {.id_externo = id(cancelled), .status = "AUTORIZADA"}});
    clock->settle();
    EXPECT_THAT(told(), UnorderedElementsAre(
                            fmt::format("{} {} AUTORIZADA statement of 2024-05-02, line 2", sold.id.text(), id(sold)),
                            fmt::format("{} {} AUTORIZADA statement of 2024-05-02, line 3", cancelled.id.text(),
                                        id(cancelled))));
    for (const auto& finding : findings()) {
        EXPECT_EQ(finding.effect, "repeated");
        EXPECT_FALSE(finding.pending || finding.closed) << "whether it is answered, the next statement says";
    }
}

TEST_F(ReconcilerTest, WhatCouldNotBeDoneIsTriedAgainAndAfterARestart) {
    start();
    const auto sold = sale(State::sold);
    law->fails = true;
    report({{.id_externo = id(sold), .status = "AUTORIZADA"}});
    clock->advance(Reconciler::patience);
    EXPECT_FALSE(told().empty());
    EXPECT_TRUE(findings()[0].pending);
    clock->advance(61s);
    EXPECT_TRUE(findings()[0].pending);
    open();
    start();
    EXPECT_EQ(told().size(), 1u);
    EXPECT_FALSE(findings()[0].pending);
}

TEST_F(ReconcilerTest, WhatAPersonClosesMeanwhileIsNotToldTheLaw) {
    const auto one = sale(State::sold);
    const auto other = sale(State::sold);
    report({{.id_externo = id(one), .status = "AUTORIZADA"}, {.id_externo = id(other), .status = "AUTORIZADA"}});
    law->meanwhile = [this, number = findings().back().number]() -> boost::asio::awaitable<void> {
        EXPECT_TRUE((co_await journal->close_finding(number, "done", "rita", clock->wall())).has_value());
    };
    start();
    ASSERT_EQ(told().size(), 1u) << "the newest comes first";
    EXPECT_EQ(findings().back().closed->by, "rita");
}

TEST_F(ReconcilerTest, WhatWasToSettleIsNotToldOnceThatIsNotWantedAnyMore) {
    settle = true;
    build();
    const auto one = sale(State::disputing);
    EXPECT_THAT(found({{.id_externo = id(one)}}), ElementsAre("settles_sold asks settle, pending"));
    settle = false;
    build();
    start();
    EXPECT_THAT(told(), IsEmpty());
    EXPECT_FALSE(findings()[0].pending || findings()[0].closed);
}

TEST_F(ReconcilerTest, AFindingAboutAnOpenSaleIsClosedOnceThatEndsAsTheStatementSays) {
    start();
    auto waits = sale(State::held);
    auto sold = sale(State::disputing);
    auto not_sold = sale(State::disputing);
    auto otherwise = sale(State::disputing);
    report({{.id_externo = id(waits), .status = "AUTORIZADA"},
            {.id_externo = id(sold)},
            {.id_externo = id(not_sold), .status = "CANCELADA"},
            {.id_externo = id(otherwise), .status = "CANCELADA"}});
    clock->advance(11min);
    EXPECT_EQ(findings({.open = true}).size(), 4u);
    become(waits, State::cancelled);
    become(sold, State::sold);
    become(not_sold, State::cancelled);
    become(otherwise, State::sold);
    clock->advance(11min);
    const auto left = findings({.open = true});
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].sale, otherwise.id);
    EXPECT_EQ(log.count("finding.closed"), 3u);
    EXPECT_EQ(reconciler->open_findings().at(FindingKind::settles_not_sold), 1);
    EXPECT_THAT(told(), IsEmpty());
}

TEST_F(ReconcilerTest, AStatementSettlesOnlyWhereThatIsWanted) {
    start();
    const auto one = sale(State::disputing);
    const auto text = statement_of({{.id_externo = id(one)}});
    EXPECT_THAT(kinds(*read(text)), ElementsAre("settles_sold asks settle"));
    clock->settle();
    EXPECT_THAT(told(), IsEmpty());
    settle = true;
    build();
    start();
    const auto again = read(statement_of({{.id_externo = id(one)}, {.id_externo = nobody, .status = "CANCELADA"}}));
    ASSERT_TRUE(again.has_value());
    clock->settle();
    ASSERT_EQ(told().size(), 1u);
    EXPECT_THAT(told()[0], HasSubstr("EFETIVADA statement of 2024-05-02, line 2"));
    EXPECT_EQ(findings()[0].closed->as, FindingEnd::settled);
    EXPECT_TRUE(log.has("finding.closed"));
    EXPECT_THAT(reconciler->open_findings(), IsEmpty());
}

TEST_F(ReconcilerTest, APersonsWordClosesAFindingOnce) {
    const auto number = report({{.id_externo = nobody}}).findings.at(0).number;
    const auto closed = clock->run(reconciler->resolve(number, "till 9", "rita"));
    EXPECT_EQ(closed->closed->note, "till 9");
    EXPECT_THAT(reconciler->open_findings(), IsEmpty());
    const auto again = clock->run(reconciler->resolve(number, "another", "ze"));
    EXPECT_EQ(again->closed->note, "till 9");
    EXPECT_EQ(log.count("finding.closed"), 1u);
    EXPECT_FALSE(log.has("till 9")) << "a note may name a customer";
    EXPECT_EQ(clock->run(reconciler->resolve(99, "x", "")).error(), errc::not_found);
}

// A long work is never done at once: others have their turn between two parts.
TEST_F(ReconcilerTest, SalesGoOnWhileAStatementIsRead) {
    std::vector<Line> lines;
    for (int i = 0; i < 20'000; ++i)
        lines.push_back({.id_externo = fmt::format("01J0ABCDEF0123456789A{:05}", i), .status = "CANCELADA"});
    int turns = 0;
    bool done = false;
    auto others = [&]() -> boost::asio::awaitable<void> {
        while (!done) {
            ++turns;
            co_await clock->sleep_for(Duration(0));
        }
    };
    auto reading = [&]() -> boost::asio::awaitable<void> {
        StatementText text{.bytes = statement_of(lines), .source = "file"};
        const auto told_report = co_await reconciler->read(std::move(text));
        EXPECT_TRUE(told_report.has_value());
        done = true;
    };
    boost::asio::co_spawn(*io, reading(), boost::asio::detached);
    boost::asio::co_spawn(*io, others(), boost::asio::detached);
    clock->settle();
    EXPECT_TRUE(done);
    EXPECT_GT(turns, 20'000 / static_cast<int>(StatementRows::lines_at_once) * 2);
}

TEST_F(ReconcilerTest, TwoStatementsAreReadOneAfterTheOther) {
    std::vector<std::optional<Reconciler::Told>> all(2);
    const auto text = statement_of({{.id_externo = nobody}});
    auto reading = [&](std::size_t i) -> boost::asio::awaitable<void> {
        StatementText one{.bytes = text, .source = "file"};
        all.at(i).emplace(co_await reconciler->read(std::move(one)));
    };
    boost::asio::co_spawn(*io, reading(0), boost::asio::detached);
    boost::asio::co_spawn(*io, reading(1), boost::asio::detached);
    clock->settle();
    EXPECT_FALSE((*all[0])->already_imported);
    EXPECT_TRUE((*all[1])->already_imported);
    EXPECT_EQ(findings().size(), 1u);
}

// A crash between any two operations of the journal leaves all of a statement or nothing.
TEST_F(ReconcilerTest, WhereTheJournalFailsNothingIsKeptAndTheNextTryIsWhole) {
    class Failing final : public ForwardingJournal {
      public:
        using ForwardingJournal::ForwardingJournal;
        Awaited<FindingChanges> keep_statement(const KeptStatement&, const std::vector<Finding>&) override {
            co_return errc::journal_unavailable;
        }
    } failing(*journal);
    in_front = &failing;
    build();
    const auto text = statement_of({{.id_externo = nobody}});
    EXPECT_EQ(read(text).error().failure, errc::journal_unavailable);
    EXPECT_THAT(findings(), IsEmpty());
    in_front = nullptr;
    build();
    EXPECT_FALSE(read(text)->already_imported);
    EXPECT_EQ(findings().size(), 1u);
}

}  // namespace
}  // namespace gateway::test
