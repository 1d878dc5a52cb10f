#include "unit/api/text/rig.hpp"

namespace gateway::test {
namespace {

using StatusText = TextRig;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto selling = R"({"version":"0.2.0","startedAt":"2026-11-22T11:00:00Z","sells":true,
  "detail":"Takes sales. Sales that need a person: 3; sales-gateway attention lists them.","reasons":[],"degraded":[],
  "families":{"tv":true,"egift":true,"transit":false,"health":true,"esim":false},
  "provider":{"reached":true,"since":"2026-11-22T11:00:01Z"},
  "tokenService":{"reached":true,"since":"2026-11-22T11:00:02Z"},
  "token":{"valid":true,"expiresAt":"2026-11-22T21:00:00Z"},
  "sales":{"underWay":3,"unsettled":2,"oldestUnsettledAt":"2026-11-22T20:00:00Z"},
  "attention":{"total":3,"byMark":{"no_callback":2,"contradiction":1}},
  "journal":{"writable":true,"damaged":false}})";

TEST_F(StatusText, SaysWhetherItSellsFirst) {
    answer(selling);
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_EQ(out,
              "Takes sales. Sales that need a person: 3; sales-gateway attention lists them.\n"
              "\n"
              "  running       since 2026-11-22 08:00:00 (-03:00), 9 h 10 min; version 0.2.0; admin listener\n"
              "                127.0.0.1:9090\n"
              "  provider      reached since 2026-11-22 08:00:01\n"
              "  token service reached since 2026-11-22 08:00:02; its token is good until 2026-11-22 18:00:00\n"
              "  families      tv, egift, health; not transit, esim\n"
              "  sales         3 under way, 2 not settled, the oldest since 2026-11-22 17:00:00 (10 min)\n"
              "  attention     3 sales need a person (2 no_callback, 1 contradiction): sales-gateway attention\n"
              "                lists them\n"
              "  journal       can be written\n");
}

TEST_F(StatusText, SaysThatYesterdayIsNotClosedWithItsSum) {
    answer(R"({"sells":true,"detail":"Takes sales.","unclosed":[
        {"estabelecimento":"12345678","day":"2026-11-21","sold":{"count":41,"valor":204590}},
        {"estabelecimento":"87654321","day":"2026-11-21","sold":{"count":1,"valor":null}}]})");
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_THAT(out, HasSubstr("  yesterday     2026-11-21 is not closed in store 12345678: 41 sales, "));
    EXPECT_THAT(out, HasSubstr("2026-11-21 is not closed in store 87654321: 1 sale, "));
}

TEST_F(StatusText, NamesTheDaysBeforeYesterdayThatNobodyClosed) {
    answer(R"({"sells":true,"detail":"Takes sales.","forgotten":[
        {"estabelecimento":"12345678","day":"2026-11-17"},{"estabelecimento":"12345678","day":"2026-11-19"},
        {"estabelecimento":"87654321","day":"2026-11-19"}]})");
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_THAT(out, HasSubstr("2026-11-17, 2026-11-19 are not closed in store 12345678, and no close of "
                               "another day\n                has the sales: sales-gateway close --day 2026-11-17 "
                               "does it, and so on\n"));
    EXPECT_THAT(out, HasSubstr("2026-11-19 is not closed in store 87654321, and no close of another day has the\n"
                               "                sales: sales-gateway close --day 2026-11-19 does it\n"));
}

TEST_F(StatusText, SaysHowManySalesMayBeOpenBecauseTheyCannotBeRead) {
    answer(R"({"sells":true,"sales":{"underWay":0,"unsettled":0,"oldestUnsettledAt":null,"unreadable":1}})");
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_THAT(out, HasSubstr("0 under way, 0 not settled; 1 sale cannot be read, and may be open too:\n"
                               "                sales-gateway attention lists it\n"));
}

TEST_F(StatusText, SaysWhyNoDayIsClosedByItself) {
    answer(R"({"sells":true,"closing":"no day is closed by itself, because"})");
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_THAT(out, HasSubstr("  closes        no day is closed by itself, because\n"));
}

TEST_F(StatusText, SaysHowMuchRoomThereIsAndWhetherTheClockIsRight) {
    answer(R"({"sells":true,"degraded":[],"clock":{"at":"2026-11-22T20:10:00Z","trouble":null,
      "aheadOfProviderSeconds":0,"behindJournalSeconds":0},"disk":{"flushMs":{"p50":1,"p99":2},
      "folder":"/srv/journal","freeBytes":9000000,"neededBytes":5096000,"freeInodes":500,"neededInodes":16}})");
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_THAT(
        out, HasSubstr("  disk          9.0 MB free in /srv/journal; an hour of sales takes up to 5.0 MB; room for 500 "
                       "files\n"
                       "  clock         agrees with the provider's\n"));
}

TEST_F(StatusText, SaysWhatIsWrongWithTheMachine) {
    answer(R"({"sells":true,"degraded":[{"what":"disk","since":"2026-11-22T20:00:00Z","lastError":"x","refused":0}],
      "clock":{"at":"2026-11-22T20:10:00Z","trouble":"this machine's clock is 1 h behind the provider's",
      "aheadOfProviderSeconds":-3600,"behindJournalSeconds":null},"disk":{"folder":"/srv","freeBytes":1,
      "neededBytes":2,"freeInodes":500,"neededInodes":16}})");
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_THAT(
        out,
        HasSubstr("  disk          1 bytes free in /srv; an hour of sales takes up to 2 bytes: that is too little, so\n"
                  "                make room; room for 500 files\n"));
    EXPECT_THAT(out, HasSubstr("  clock         this machine's clock is 1 h behind the provider's\n"));
}

TEST_F(StatusText, SaysThatFilesAreShortWhereRoomIsNot) {
    answer(R"({"sells":true,"degraded":[{"what":"disk","since":"2026-11-22T20:00:00Z","lastError":"x"}],
      "disk":{"folder":"/srv","freeBytes":9000000,"neededBytes":5096000,"freeInodes":0,"neededInodes":16}})");
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_THAT(
        out, HasSubstr("  disk          9.0 MB free in /srv; an hour of sales takes up to 5.0 MB; room for 0 files: "
                       "that is\n                too few, so remove some: a start of the gateway and a backup make up "
                       "to 16\n"));
}

TEST_F(StatusText, WhatIsInTheWayIsSaidAndHasAnExitCodeOfItsOwn) {
    answer(R"({"sells":false,"detail":"Takes no sales: the journal cannot be written.",
      "reasons":["the journal cannot be written","there has never been a token\u001b[2J"],
      "degraded":[{"what":"provider","since":"2026-11-22T20:00:00Z","lastError":"Connection refused","refused":12,"maybeLonger":true},
                  {"what":"token_service","since":"2026-11-22T20:01:00Z","lastError":"HTTP 503","refused":0}],
      "families":{"tv":false},
      "provider":{"reached":false,"since":"2026-11-22T20:00:00Z"},
      "tokenService":{"reached":false,"since":"2026-11-22T20:01:00Z"},"token":{"valid":false,"expiresAt":null},
      "sales":{"underWay":0,"unsettled":0,"oldestUnsettledAt":null},"attention":{"total":0,"byMark":{}},
      "journal":{"writable":false,"damaged":true}})");
    EXPECT_EQ(asked("/v1/status"), 3);
    EXPECT_EQ(out,
              "Takes no sales: the journal cannot be written.\n"
              "\n"
              "  why           there has never been a token?[2J\n"
              "  running       admin listener 127.0.0.1:9090\n"
              "  provider      cannot be used at least since 2026-11-22 17:00:00; 12 sales refused for it; last\n"
              "                error: Connection refused\n"
              "  token service gives no token since 2026-11-22 17:01:00; there is no valid token; last error: HTTP\n"
              "                503\n"
              "  families      none can be sold\n"
              "  sales         0 under way, 0 not settled\n"
              "  attention     no sale needs a person\n"
              "  journal       cannot be written; a damaged page was met: stop the gateway, and restore the newest\n"
              "                backup\n");
}

TEST_F(StatusText, SaysOfAnExchangeThatFailedThatItDid) {
    answer(R"({"sells":true,"provider":{"reached":true,"asked":true,"since":"2026-11-22T20:00:00Z",
      "lastFailure":{"at":"2026-11-22T20:00:02Z","detail":"it answers 500"}}})");
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_THAT(out, HasSubstr("  provider      reached since 2026-11-22 17:00:00; the last exchange failed at "
                               "2026-11-22 17:00:02:\n                it answers 500\n"));
}

TEST_F(StatusText, SaysWhatSpeaksAgainstTheProvidersAddress) {
    answer(R"({"sells":true,"provider":{"reached":true,"asked":true,"since":"2026-11-22T20:00:00Z",
      "lastFailure":{"at":"2026-11-22T20:00:02Z","detail":"it answers 404"}},
      "degraded":[{"what":"provider_address","lastError":"is its path right?"}]})");
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_THAT(out, HasSubstr("  provider      reached since 2026-11-22 17:00:00; is its path right?\n"));
}

TEST_F(StatusText, SaysOfANewSecretThatIsRefusedThatTheTokenOfTheOneBeforeGoesOn) {
    answer(R"({"sells":true,"tokenService":{"reached":false,"asked":true,"since":"2026-11-22T20:00:00Z"},
      "token":{"valid":true,"expiresAt":"2026-11-22T21:00:00Z"},
      "degraded":[{"what":"token_service","lastError":"no","refused":0,"ofNewSecret":true}]})");
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_THAT(
        out, HasSubstr(
                 "  token service gives no token for the new app_secret since 2026-11-22 17:00:00; "
                 "the token of the\n                one before is good until 2026-11-22 18:00:00 and can be refreshed; "
                 "last error: no\n"));
}

TEST_F(StatusText, SaysThatSalesStandStillUntilTheJournalCanBeWritten) {
    answer(R"({"sells":false,"sales":{"underWay":2,"unsettled":3,"waitingForJournal":2,"oldestUnsettledAt":null}})");
    EXPECT_EQ(asked("/v1/status"), 3);
    EXPECT_THAT(out, HasSubstr("  sales         2 under way, 3 not settled; nothing more is asked of the provider "
                               "for 2 of them\n                until the journal can be written\n"));
}

TEST_F(StatusText, WhatEndsWithAQuestionComesLast) {
    answer(R"({"sells":true,"detail":"x","provider":{"reached":false,"asked":true,"since":"2026-11-22T20:00:00Z"},
      "degraded":[{"what":"provider","since":"2026-11-22T20:00:00Z","lastError":"is provider.base_url right?",
                   "refused":0,"mayBeTried":true}]})");
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_THAT(out, HasSubstr("; the next sale shows whether it can be\n                again; last error: is "
                               "provider.base_url right?\n"));
}

TEST_F(StatusText, NamesTheProgramThatKeepsTheLogGrowing) {
    answer(R"({"sells":true,"journal":{"writable":true,"damaged":false,"growingLog":{"bytes":20971520,
      "detail":"another program reads the journal (sqlite3, process 7): let it finish"}}})");
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_THAT(out, HasSubstr("can be written; its log has 20971520 bytes: another program reads the"));
    EXPECT_THAT(out, HasSubstr("(sqlite3, process 7)"));
}

TEST_F(StatusText, WhatIsNotToldIsLeftOut) {
    answer(R"({"sells":true,"families":5,"degraded":{},"sales":[],"provider":"x","journal":null})");
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_EQ(out, "Takes sales.\n\n  running       admin listener 127.0.0.1:9090\n");
}

TEST_F(StatusText, IsPortugueseForPeopleWhoReadThat) {
    language = "pt-BR";
    answer(selling);
    EXPECT_EQ(asked("/v1/status"), 0);
    EXPECT_EQ(out,
              "Está vendendo.\n"
              "\n"
              "  ligado        desde 22/11/2026 08:00:00 (-03:00), há 9 h 10 min; versão 0.2.0; administração em\n"
              "                127.0.0.1:9090\n"
              "  provedor      responde desde 22/11/2026 08:00:01\n"
              "  acesso        responde desde 22/11/2026 08:00:02; a chave de acesso vale até 22/11/2026 18:00:00\n"
              "  famílias      tv, egift, health; não: transit, esim\n"
              "  vendas        3 em andamento, 2 por acertar, a mais antiga desde 22/11/2026 17:00:00 (há 10 min)\n"
              "  alertas       3 vendas precisam de alguém (O aviso do eSIM não chegou: 2, O provedor se\n"
              "                contradisse: 1): sales-gateway attention mostra quais\n"
              "  diário        gravando normalmente\n");
}

TEST_F(StatusText, SaysInPortugueseWhatIsInTheWayAndWhatToDo) {
    language = "pt-BR";
    answer(R"({"sells":false,"detail":"Takes no sales: x","reasons":["x"],"journal":{"writable":false},
      "closing":"no day","clock":{"trouble":"behind","aheadOfProviderSeconds":-3600},
      "hammering":[{"caller":"caixa-01","remote":"10.0.0.7","calls":40,"since":"2026-11-22T20:00:00Z","over":false}],
      "degraded":[{"what":"provider","since":"2026-11-22T20:00:00Z","lastError":"no answer in time","refused":2}],
      "provider":{"reached":false,"asked":true,"since":"2026-11-22T20:00:00Z"},
      "unclosed":[{"estabelecimento":"1","day":"2026-11-21","sold":{"count":41,"valor":204590}}],
      "disk":{"folder":"/srv","freeBytes":9000000,"neededBytes":5096000}})");
    EXPECT_EQ(asked("/v1/status"), 3);
    EXPECT_THAT(out, HasSubstr("Não está vendendo.\n\n  motivo        O gateway não consegue registrar vendas: "));
    EXPECT_THAT(out,
                HasSubstr("  motivo        O provedor não responde desde 22/11/2026 17:00:00. Veja se a internet"));
    EXPECT_THAT(out,
                HasSubstr("2 vendas recusadas por isso; último erro:\n                Nenhuma resposta a tempo\n"));
    EXPECT_THAT(out, HasSubstr("  ontem         21/11/2026 não foi fechado na loja 1: 41 vendas, R$ 2.045,90; "
                               "sales-gateway close\n                --day 2026-11-21 o fecha\n"));
    EXPECT_THAT(out, HasSubstr("  relógio       1 h 0 min atrasado em relação ao do provedor\n"));
    EXPECT_THAT(out,
                HasSubstr("  insiste       caixa-01 (10.0.0.7): 40 chamadas recusadas desde 22/11/2026 17:00:00\n"));
    EXPECT_THAT(out, HasSubstr("  disco         9,0 MB livres em /srv; uma hora de vendas ocupa até 5,0 MB\n"));
    EXPECT_THAT(out, HasSubstr("  diário        não grava\n"));
    EXPECT_THAT(out, HasSubstr("  fechamento    nenhum dia fecha sozinho"));
    EXPECT_THAT(out, Not(HasSubstr("Takes no sales")));
}

}  // namespace
}  // namespace gateway::test
