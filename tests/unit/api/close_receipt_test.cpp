#include "api/close_receipt.hpp"

#include "api/letterhead.hpp"
#include "paper/columns.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Close close() {
    Close made{.estabelecimento = "12345678", .series = 2, .number = 326, .day = *parse_day("2026-11-20")};
    made.made_at = WallTime(std::chrono::sys_days(made.day) + std::chrono::hours(27));
    made.open =
        R"([{"id":"A","idExterno":"01JD3W4Q90C4D8E1F5G7H9J2KM","family":"tv","valor":1099,"status":"PENDENTE"}])";
    made.totals =
        R"({"sales":2,"late":1,"lateSales":[{"idExterno":"01JD3W4Q90C4D8E1F5G7H9J2KN","valor":4990}],"unreadable":0,
            "first":"2026-11-20T10:58:03Z","last":"2026-11-21T01:41:00Z","previous":null,
            "total":{"sold":{"count":41,"valor":204590},"cancelled":{"count":3,"valor":14700},
                     "refused":{"count":1,"valor":null}},
            "families":{"tv":{"sold":{"count":41,"valor":204590}}},"terminals":{"=caixa":{}}})";
    made.digest = std::string(32, 'a') + std::string(32, 'b');
    return made;
}

TEST(CloseReceipt, FitsThePaperInBothLanguages) {
    const auto zone = TimeZone::find("America/Sao_Paulo").value();
    const auto lines = close_receipt(close(), {}, Language::portuguese, zone);
    EXPECT_THAT(lines,
                ElementsAre("Fechamento nº 326/2", "Loja 12345678", "Dia 20/11/2026   07:58 a 22:41",
                            "feito em 21/11/2026 00:00", "automático", "----------------------------------------",
                            "                  vendidas         valor", "TV                      41      2.045,90",
                            "TOTAL                   41      2.045,90", "----------------------------------------",
                            "canceladas               3        147,00", "recusadas                1             -",
                            "em aberto                1         10,99", "----------------------------------------",
                            "atrasadas, de dia anterior: 1", "01JD3W4Q90C4D8E1F5G7H9J2KN         49,90",
                            "----------------------------------------", "em aberto então, de qualquer dia: 1",
                            "01JD3W4Q90C4D8E1F5G7H9J2KM         10,99", "----------------------------------------",
                            "controle", std::string(32, 'a'), std::string(32, 'b')));
    auto by_somebody = close();
    by_somebody.made_by = std::string(64, 'x');
    by_somebody.estabelecimento = std::string(64, '1');
    const auto english = close_receipt(by_somebody, {}, Language::english, zone);
    EXPECT_EQ(english[2], "Day 2026-11-20   07:58 to 22:41");
    for (const auto& line : english)
        EXPECT_LE(columns_of(line), 40u) << line;
    EXPECT_THAT(english, Each(Not(HasSubstr("vendidas"))));
}

TEST(CloseReceipt, StandsBelowTheNameAndTheCnpjOfTheStore) {
    const auto first_lines = [](const Letterhead& letterhead) {
        auto lines = close_receipt(close(), letterhead, Language::portuguese, TimeZone());
        lines.resize(3);
        return lines;
    };
    EXPECT_THAT(first_lines({.name = "Mercadinho da Praça", .cnpj = "12.345.678/0001-95"}),
                ElementsAre("Mercadinho da Praça", "CNPJ 12.345.678/0001-95", "Fechamento nº 326/2"));
    EXPECT_THAT(first_lines({.cnpj = "12.345.678/0001-95"}),
                ElementsAre("CNPJ 12.345.678/0001-95", "Fechamento nº 326/2", "Loja 12345678"));
    EXPECT_THAT(first_lines({.name = std::string(64, 'x')}),
                ElementsAre(std::string(40, 'x'), "Fechamento nº 326/2", "Loja 12345678"));
}

TEST(CloseReceipt, NamesWhatEachCashierSoldWhereOneWasNamed) {
    const auto zone = TimeZone::find("America/Sao_Paulo").value();
    GroupedTotals cashiers({TotalsBy::cashier});
    cashiers.add({.valor = Cents{4900}, .status = Status::EFETIVADA});
    const auto without = close_receipt(close(), {}, Language::portuguese, zone);
    EXPECT_EQ(close_receipt(close(), {}, Language::portuguese, zone, &cashiers), without);
    cashiers.add({.cashier = "Rita", .valor = Cents{199690}, .status = Status::EFETIVADA});
    const auto hostile = "Z\x1b[2J\n" + std::string(60, 'x');
    cashiers.add({.cashier = hostile, .valor = Cents{1}, .status = Status::CANCELADA});
    auto lines = close_receipt(close(), {}, Language::portuguese, zone, &cashiers);
    ASSERT_EQ(lines.size(), without.size() + 5);
    EXPECT_THAT(std::vector(lines.begin() + 9, lines.begin() + 14),
                ElementsAre("----------------------------------------", "operador          vendidas         valor",
                            "(não informado)          1         49,00", "Rita                     1      1.996,90",
                            "Z[2J xxxxxxxxxxxxx       0          0,00"));
    lines.erase(lines.begin() + 9, lines.begin() + 14);
    EXPECT_EQ(lines, without);
}

TEST(CloseReceipt, NothingThatAPrinterObeysReachesThePaper) {
    auto hostile = close();
    hostile.made_by =
        "Ma\x1b[2Jria\r\nTOTAL 0,00\xE2\x80\xAE\xE2\x80\xA8"
        "fim";
    hostile.estabelecimento =
        "1\v2\xC2\x85"
        "3\xE2\x80\x8B"
        "4";
    const auto lines = close_receipt(hostile, {}, Language::portuguese, TimeZone());
    EXPECT_EQ(lines[1], "Loja 1 2 34");
    EXPECT_EQ(lines[4], "por Ma[2Jria  TOTAL 0,00 fim");
}

TEST(CloseReceipt, WhatWasDamagedIsLeftOut) {
    auto damaged = close();
    damaged.totals = "{}";
    damaged.open = "[1]";
    EXPECT_THAT(close_receipt(damaged, {}, Language::english, TimeZone()), Contains("Close no. 326/2"));
}

}  // namespace
}  // namespace gateway::test
