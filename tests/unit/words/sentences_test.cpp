#include "words/sentences.hpp"

#include "base/told.hpp"
#include "words/words.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

std::string in_portuguese(std::string_view english) {
    return told_in(Language::portuguese, english);
}

TEST(Sentences, ASentenceIsFoundByItsEnglishText) {
    EXPECT_EQ(in_portuguese("sales-gateway has stopped"), "o sales-gateway parou");
    EXPECT_EQ(in_portuguese("{terminal} sells {produto} for {valor}[; cashier: {cashier}]"),
              "{terminal} está vendendo {produto} por {valor}[; operador: {cashier}]")
        << "its fields are filled in later";
    EXPECT_EQ(told_in(Language::english, "sales-gateway has stopped"), "sales-gateway has stopped");
}

TEST(Sentences, ATextIsFoundByTheFormatThatItWasMadeOfAndItsValuesAreTold) {
    EXPECT_EQ(in_portuguese(fmt::format(told("it answers {} without JSON"), 502)), "ele responde 502 sem JSON");
    EXPECT_EQ(in_portuguese("the provider answered 500: no word on the sale"),
              "o provedor respondeu 500: nada sobre a venda");
    EXPECT_EQ(in_portuguese("store.example shows one that ended on 2026-11-01 08:00:00 (certificate has expired)"),
              "store.example mostra um que acabou em 2026-11-01 08:00:00 (certificate has expired)")
        << "what OpenSSL says stays";
    EXPECT_EQ(in_portuguese("the journal's disk takes 37 ms to flush, and a sale waits for three flushes. An SSD, or a "
                            "better card, is felt at the tills"),
              "o disco do diário leva 37 ms para gravar de verdade, e uma venda espera por três gravações. Um SSD, ou "
              "um cartão melhor, se sente nos caixas");
    EXPECT_EQ(in_portuguese("{\"id\": 1} ended on a day (x)"), "{\"id\": 1} acabou em a day (x)");
}

TEST(Sentences, AValueInQuotesAndAListOfKeysStayAsTheyAre) {
    EXPECT_EQ(in_portuguese(fmt::format(told("\"{}\" believes every caller"), "file")),
              "\"file\" acredita em qualquer um que chame")
        << "although a file is um arquivo elsewhere";
    EXPECT_EQ(in_portuguese(fmt::format(told("known here: {}"), "sale, look")), "as chaves daqui: sale, look");
}

TEST(Sentences, AFormatThatEndsWithWordsGoesBeforeTheTextThatItBeginsWith) {
    EXPECT_EQ(in_portuguese("is missing"), "está faltando");
    EXPECT_EQ(in_portuguese(fmt::format(told("is missing: {} is of no use without it"), "listen.tls.cert")),
              "está faltando: listen.tls.cert não serve para nada sem essa chave");
}

TEST(Sentences, OfTextsThatWereJoinedEachIsTold) {
    EXPECT_EQ(in_portuguese("the answer was lost: no answer in time"),
              "a resposta se perdeu: nenhuma resposta a tempo");
    EXPECT_EQ(in_portuguese("10.0.0.1:443: no TLS handshake in time"), "10.0.0.1:443: nenhum acordo TLS a tempo");
    EXPECT_EQ(
        in_portuguese("the token service answered HTTP 401 (invalid_client); check provider.app_key and the secret "
                      "that belongs to it"),
        "o serviço de acesso respondeu HTTP 401 (invalid_client); confira provider.app_key e o segredo dela");
    EXPECT_EQ(in_portuguese("not found (x)"), "não encontrado (x)");
}

TEST(Sentences, CausesAndFindingsAreToldInTheWordsOfTheConsole) {
    EXPECT_EQ(in_portuguese("the terminal cancelled"), "o caixa cancelou");
    EXPECT_EQ(in_portuguese(Words::in(Language::english).word("finding_means", "sold_twice")),
              Words::in(Language::portuguese).word("finding_means", "sold_twice"));
}

TEST(Sentences, ATextWithoutItsPortugueseStaysAsItIs) {
    for (const std::string_view text : {"", "{", "}", "{}", "TV Mensal", "a: b; c", ": ", "such: as; this: "})
        EXPECT_EQ(in_portuguese(text), text);
}

}  // namespace
}  // namespace gateway::test
