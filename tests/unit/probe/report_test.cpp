#include "probe/report.hpp"

#include "unit/probe/rig.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;
using probe::Standing;

class ReportTest : public Test {
  protected:
    void answer(std::string point, std::optional<Family> family, std::string value) {
        book.put(
            {.point = std::move(point), .family = family, .answered = true, .value = std::move(value), .detail = {}});
    }
    probe::PointReport report(std::string_view point, probe::Level level = probe::Level::authorise) {
        for (auto& one : probe::point_reports(book, config, level))
            if (one.point->name == point) return one;
        return {};
    }
    void drop_all(probe::Level level) {
        for (const auto& point : probe::points())
            if (point.level <= level && !point.name.starts_with("statement"))
                book.put(
                    {.point = std::string(point.name), .family = {}, .applies = false, .value = {}, .detail = "x"});
    }
    std::string text(const std::vector<probe::Entry>& open = {}) {
        return probe::report_markdown({.version = "9.9",
                                       .level = probe::Level::authorise,
                                       .at = clock.wall(),
                                       .open = open,
                                       .points = probe::point_reports(book, config, probe::Level::authorise)},
                                      book, config);
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    TemporaryFolder folder;
    probe::Notebook book{folder.path("book"), clock};
    Config config = config_of_sandbox();
};

TEST_F(ReportTest, APointThatAllFamiliesAnswerAlikeHasOneAnswer) {
    for (const auto family : {Family::tv, Family::egift})
        answer("cancel-unknown", family, "404");
    EXPECT_EQ(report("cancel-unknown").answer, "HTTP 404 sem status (Vale-presente, TV)");
    EXPECT_EQ(report("cancel-unknown").standing, Standing::answered);
    answer("cancel-unknown", Family::transit, "422");
    EXPECT_EQ(report("cancel-unknown").answer,
              "HTTP 404 sem status (Vale-presente, TV); HTTP 422 sem status (Transporte)");
}

TEST_F(ReportTest, AnAnswerThatTheConfigurationContradictsBringsALine) {
    answer("health-cancel-path", std::nullopt, "/venda/{health}/cancelar");
    EXPECT_EQ(report("health-cancel-path").standing, Standing::contradicts);
    EXPECT_THAT(report("health-cancel-path").lines,
                ElementsAre("provider.health_cancel_path = \"/venda/{health}/cancelar\""));
    config.provider.health_cancel_path = "/venda/{health}/cancelar";
    EXPECT_EQ(report("health-cancel-path").standing, Standing::answered);
    answer("scopes", std::nullopt, "Venda_TvPrePaga");
    EXPECT_THAT(report("scopes").lines, ElementsAre("provider.scopes = [\"Venda_TvPrePaga\"]"));
    answer("id-length", std::nullopt, "20");
    EXPECT_EQ(report("id-length").standing, Standing::contradicts);
    answer("id-length", std::nullopt, "26");
    EXPECT_EQ(report("id-length").standing, Standing::answered);
    answer("id-length", std::nullopt, "unlimited");
    EXPECT_EQ(report("id-length").standing, Standing::answered);
    answer("status-path", std::nullopt, "/venda/transacao/{idExterno}");
    EXPECT_THAT(report("status-path").lines, ElementsAre("provider.status_path = \"/venda/transacao/{idExterno}\""));
    EXPECT_EQ(report("status-path").standing, Standing::answered) << "one more way to ask contradicts nothing";
    config.provider.status_path = "/venda/transacao/{idExterno}";
    EXPECT_THAT(report("status-path").lines, IsEmpty());
    answer("status-path", std::nullopt, "none");
    EXPECT_EQ(report("status-path").standing, Standing::contradicts);
    EXPECT_THAT(report("status-path").lines, ElementsAre("provider.status_path = \"\""));
    answer("cancel-effect", Family::tv, "404");
    EXPECT_THAT(report("cancel-effect").lines, ElementsAre("provider.trust_cancel_4xx = false"));
    config.provider.trust_cancel_4xx = false;
    EXPECT_THAT(report("cancel-effect").lines, IsEmpty());
    EXPECT_EQ(report("cancel-effect").standing, Standing::contradicts) << "nothing can be undone there";
    answer("status-shape", std::nullopt, "top");
    EXPECT_THAT(report("status-shape").remark, HasSubstr("não lê"));
}

TEST_F(ReportTest, AnotherFinalStatusThanTheSalesOwnContradicts) {
    answer("confirm-on-cancelada", Family::tv, "200-status");
    EXPECT_EQ(report("confirm-on-cancelada").standing, Standing::answered);
    answer("confirm-on-cancelada", Family::tv, "200-efetivada");
    EXPECT_EQ(report("confirm-on-cancelada").standing, Standing::contradicts);
    EXPECT_THAT(report("confirm-on-cancelada").remark, HasSubstr("não é o da venda"));
    answer("cancel-on-efetivada", Family::tv, "409-cancelada");
    EXPECT_EQ(report("cancel-on-efetivada").standing, Standing::contradicts);
}

TEST_F(ReportTest, APathThatSellsIsNotProposed) {
    answer("health-cancel-path", std::nullopt, "/venda/{health}/cancelar");
    answer("health-cancel-does", std::nullopt, "sells");
    EXPECT_THAT(report("health-cancel-path").lines, IsEmpty());
    EXPECT_EQ(report("health-cancel-path").answer, "/venda/{health}/cancelar") << "and named all the same";
    config.provider.health_cancel_path = "/venda/{health}/cancelar";
    EXPECT_THAT(report("health-cancel-path").lines, ElementsAre("provider.health_cancel_path = \"\""));
}

TEST_F(ReportTest, TheEndOfOpenSalesIsComparedWithWhatWasWaited) {
    using namespace std::chrono_literals;
    struct Case {
        std::string value;
        Duration configured;
        Standing standing;
    };
    for (const auto& [value, configured, standing] :
         {Case{"never", Duration(0), Standing::answered}, Case{"never", 48h, Standing::contradicts},
          Case{"never", 72h, Standing::answered}, Case{"within-49h", 72h, Standing::contradicts},
          Case{"within-49h", 24h, Standing::answered}, Case{"within-49h", Duration(0), Standing::contradicts}}) {
        config.provider.open_sales_end = configured;
        answer("open-sales-end-tv", std::nullopt, value);
        EXPECT_EQ(report("open-sales-end-tv").standing, standing) << value << ' ' << configured.count();
    }
    EXPECT_THAT(report("open-sales-end-tv").lines, IsEmpty()) << "when it ends is not known";
    EXPECT_THAT(report("open-sales-end-tv").remark, HasSubstr("pergunte"));
}

TEST_F(ReportTest, WithNoScopeGrantedNoneIsProposed) {
    answer("scopes", std::nullopt, "none");
    EXPECT_EQ(report("scopes").standing, Standing::contradicts);
    EXPECT_THAT(report("scopes").lines, IsEmpty());
}

TEST_F(ReportTest, ListsWhatWasSold) {
    const auto whole = probe::report_markdown({.version = "9.9",
                                               .level = probe::Level::authorise,
                                               .at = clock.wall(),
                                               .sold = {{.id = "01SOLD", .last = "EFETIVADA"}}},
                                              book, config);
    EXPECT_THAT(whole, ContainsRegex("## Vendas efetivadas\n\n- .*01SOLD"));
}

TEST_F(ReportTest, AStatementThatIsReadDifferentlyContradicts) {
    answer("statement-count", std::nullopt, "all");
    EXPECT_THAT(report("statement-count").lines, ElementsAre("statement.counts = \"all\""));
    EXPECT_EQ(report("statement-count").standing, Standing::contradicts);
    answer("statement-count", std::nullopt, "sold");
    EXPECT_EQ(report("statement-count").standing, Standing::answered);
    answer("statement-columns", std::nullopt, "statement.columns.valor = 5 ; statement.columns.status = 6");
    EXPECT_THAT(report("statement-columns").lines,
                ElementsAre("statement.columns.valor = 5", "statement.columns.status = 6"));
    config.statement.format.columns.valor = 5;
    EXPECT_THAT(report("statement-columns").lines, ElementsAre("statement.columns.status = 6"));
}

TEST_F(ReportTest, EveryPointHasItsSentenceForTheAnalystWhereItIsNotAnswered) {
    for (const auto& point : probe::points())
        book.put({.point = std::string(point.name), .family = {}, .value = {}, .detail = "a razão disso"});
    const auto whole = text();
    for (const auto& point : probe::points()) {
        EXPECT_THAT(whole, HasSubstr(point.ask)) << point.name;
        EXPECT_TRUE(point.ask.ends_with('?') || point.ask.ends_with('.')) << point.name;
        EXPECT_FALSE(point.title.empty()) << point.name;
        EXPECT_THAT(report(point.name).standing, Standing::not_answered);
    }
    EXPECT_FALSE(probe::all_answered(probe::point_reports(book, config, probe::Level::sell)));
}

TEST_F(ReportTest, WhatWasNotTriedSaysWhy) {
    EXPECT_EQ(report("confirm-again").standing, Standing::not_tried);
    EXPECT_THAT(report("confirm-again").detail, HasSubstr("sell"));
    EXPECT_THAT(report("open-sales-end-tv").detail, HasSubstr("--leave-open"));
    EXPECT_THAT(report("statement-money").detail, HasSubstr("--statement"));
    EXPECT_THAT(text(), HasSubstr("O que não foi testado, e por quê"));
    EXPECT_THAT(report("egift-instrucao-again", probe::Level::sell).detail, HasSubstr("e-gift"));
    EXPECT_THAT(report("callback-tries", probe::Level::sell).detail, HasSubstr("eSIM"));
    EXPECT_FALSE(probe::all_answered(probe::point_reports(book, config, probe::Level::look)))
        << "nothing of the level was looked for";
    drop_all(probe::Level::look);
    EXPECT_TRUE(probe::all_answered(probe::point_reports(book, config, probe::Level::look)));
    EXPECT_FALSE(probe::all_answered(probe::point_reports(book, config, probe::Level::authorise)));
}

TEST_F(ReportTest, WhatDoesNotApplyIsNoOpenQuestion) {
    book.put({.point = "scope-separator", .family = {}, .applies = false, .value = {}, .detail = "um escopo só"});
    EXPECT_EQ(report("scope-separator").standing, Standing::not_applicable);
    drop_all(probe::Level::look);
    EXPECT_TRUE(probe::all_answered(probe::point_reports(book, config, probe::Level::look)));
}

TEST_F(ReportTest, ShowsTheStepsWithTheLogAndWhatMayBeOpen) {
    book.trial("Um passo", "tudo respondido", {R"({"event":"probe.answered"})"});
    const auto whole = text(
        {{.id = "01ABC", .id_transacao = {}, .asked = clock.wall(), .open = true, .last = "a resposta se perdeu"}});
    EXPECT_THAT(whole, HasSubstr("### 1. Um passo"));
    EXPECT_THAT(whole, HasSubstr("Resultado: tudo respondido"));
    EXPECT_THAT(whole, HasSubstr(R"({"event":"probe.answered"})"));
    EXPECT_THAT(whole, HasSubstr("01ABC"));
    EXPECT_THAT(whole, HasSubstr("a resposta se perdeu"));
}

TEST_F(ReportTest, OfALongStepTheBeginningAndTheEndAreShown) {
    std::vector<std::string> lines;
    for (int i = 0; i < 240; ++i)
        lines.push_back("linha " + std::to_string(i) + ".");
    book.trial("Um passo", "", lines);
    const auto whole = text();
    for (const auto* shown : {"linha 0.", "linha 59.", "… 120 linhas", "linha 180.", "linha 239."})
        EXPECT_THAT(whole, HasSubstr(shown));
    for (const auto* hidden : {"linha 60.", "linha 179."})
        EXPECT_THAT(whole, Not(HasSubstr(hidden)));
}

TEST_F(ReportTest, AsksTheProviderOnceForWhatWasTestedAndNotAnswered) {
    EXPECT_THAT(text(),
                HasSubstr("Nenhuma: tudo o que foi testado foi respondido. O que não foi testado está abaixo."));
    book.put({.point = "id-length", .family = {}, .value = {}, .detail = "um pedido não foi respondido"});
    EXPECT_THAT(text(), HasSubstr("1. Quantos caracteres pode ter o idExterno? (`id-length`)"));
}

TEST_F(ReportTest, AWordOfTheProvidersBreaksNoTable) {
    answer("scopes", std::nullopt, "a|b\nc");
    EXPECT_THAT(text(), HasSubstr("a\\|b c"));
}

}  // namespace
}  // namespace gateway::test
