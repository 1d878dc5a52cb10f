#include "sandbox/statement.hpp"

#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

constexpr Day the_day(std::chrono::year(2024) / 5 / 2);

// Makes a row of what the test says; the rest is made up.
StatementRow row_of(const std::string& idExterno, Cents valor, Status status = Status::efetivada) {
    return {.idExterno = idExterno,
            .idTransacao = "T-" + idExterno,
            .nsu = "77",
            .estabelecimento = "12345678",
            .valor = valor,
            .status = std::string(to_string(status)),
            .at = noon_of(the_day)};
}

Statement statement_of(std::vector<StatementRow> rows) {
    return {.day = the_day, .written = the_day, .rows = std::move(rows)};
}

std::string order_of(const std::vector<StatementRow>& rows) {
    std::string names;
    for (const auto& row : rows)
        names += row.idExterno;
    return names;
}

TEST(Statement, HasEveryAttemptThatTheProviderKnows) {
    Caller caller;
    for (const auto family : families)
        caller.ask(family, std::string(to_string(family)));
    caller.confirm("egift");
    caller.cancel("transit");
    caller.ask(Family::tv, "refused", 8);
    caller.cancel("never asked for");
    const auto rows = statement_rows(caller.model.books(), {}, false);
    ASSERT_EQ(rows.size(), 6U);
    for (const auto& row : rows) {
        const auto& sale = caller.entry(row.idExterno);
        EXPECT_EQ(row.idTransacao, sale.idTransacao);
        EXPECT_EQ(row.nsu, sale.nsu);
        EXPECT_EQ(row.estabelecimento, "12345678");
        EXPECT_EQ(row.valor, sale.valor);
        EXPECT_EQ(row.status, to_string(sale.status));
    }
    EXPECT_EQ(statement_rows(caller.model.books(), {}, true).size(), 1U);
}

TEST(Statement, HasTheEstablishmentsThatAreAskedFor) {
    Caller caller(Options{.estabelecimentos = {"12345678", "2", "3"}});
    caller.ask(Family::tv, "A");
    auto order = caller.order(Family::tv, "B");
    order["estabelecimento"] = "2";
    caller.post(Caller::path(Family::tv, Step::solicitar), order);
    const auto names = [&](const std::vector<std::string>& of) {
        return order_of(statement_rows(caller.model.books(), of, false));
    };
    EXPECT_EQ(names({}), "AB");
    EXPECT_EQ(names({"2"}), "B");
    EXPECT_EQ(names({"12345678", "2"}), "AB");
    EXPECT_EQ(names({"3"}), "");
}

TEST(Statement, AnAttemptIsOfTheMomentOfItsEndAndAnOpenOneOfThatOfItsBeginning) {
    Caller caller;
    const auto begun = caller.now;
    caller.ask(Family::tv, "A");
    caller.ask(Family::tv, "B");
    caller.ask(Family::tv, "C");
    caller.now += 24h;
    caller.token = caller.new_token();
    caller.confirm("A");
    caller.now += 1min;
    caller.cancel("B");
    caller.now += 1min;
    caller.confirm("A");  // this has no effect, and changes no time
    const auto rows = statement_rows(caller.model.books(), {}, false);
    ASSERT_EQ(order_of(rows), "CAB");
    EXPECT_EQ(rows[0].at, begun);
    EXPECT_EQ(rows[1].at, begun + 24h);
    EXPECT_EQ(rows[2].at, begun + 24h + 1min);
}

TEST(Statement, AnEsimIsOfTheMomentOfItsCallback) {
    Caller caller;
    const auto begun = caller.now;
    caller.ask(Family::esim, "A");
    caller.ask(Family::esim, "B", 36);
    caller.pass(1min);
    const auto rows = statement_rows(caller.model.books(), {}, false);
    ASSERT_EQ(order_of(rows), "AB");
    EXPECT_EQ(rows[0].status, "EFETIVADA");
    EXPECT_EQ(rows[0].at, begun + 1s);
    EXPECT_EQ(rows[1].status, "NEGADA");
}

TEST(Statement, ARefusedOneIsOfTheMomentOfItsRefusal) {
    Caller caller;
    caller.ask(Family::tv, "A", 8);
    EXPECT_EQ(statement_rows(caller.model.books(), {}, false).at(0).at, caller.now);
}

TEST(Statement, TheFirstLineCountsWhatIsSold) {
    auto statement = statement_of({row_of("A", 4900), row_of("B", 1250), row_of("C", 9999, Status::cancelada)});
    statement.written = Day(std::chrono::year(2024) / 5 / 3);
    EXPECT_EQ(to_file(statement, {}),
              "0;4711;Rede de Demonstração;;03052024;02052024;2;6150;246;5904;\n"
              "1;A;T-A;77;12345678;4900;EFETIVADA;2024-05-02T12:00:00.000-03:00;\n"
              "1;B;T-B;77;12345678;1250;EFETIVADA;2024-05-02T12:00:00.000-03:00;\n"
              "1;C;T-C;77;12345678;9999;CANCELADA;2024-05-02T12:00:00.000-03:00;\n");
}

TEST(Statement, ADayWithoutSalesIsAFirstLine) {
    EXPECT_EQ(to_file(statement_of({}), {}), "0;4711;Rede de Demonstração;;02052024;02052024;0;0;0;0;\n");
    EXPECT_EQ(to_list(statement_of({}), Money::cents), "[\n]\n");
}

TEST(Statement, TheFirstLineSaysWhatItIsToldTo) {
    auto statement = statement_of({row_of("A", 4900)});
    statement.count = 7;
    statement.total = 100;
    statement.network = "0001";
    const auto file = to_file(statement, {});
    EXPECT_EQ(file.substr(0, file.find('\n')), "0;0001;Rede de Demonstração;;02052024;02052024;7;100;4;96;");
}

TEST(Statement, MoneyAndLineEndsAreAsAskedFor) {
    const auto statement = statement_of({row_of("A", 4905)});
    EXPECT_EQ(to_file(statement, {.money = Money::comma, .line_end = LineEnd::crlf}),
              "0;4711;Rede de Demonstração;;02052024;02052024;1;49,05;1,96;47,09;\r\n"
              "1;A;T-A;77;12345678;49,05;EFETIVADA;2024-05-02T12:00:00.000-03:00;\r\n");
    EXPECT_NE(to_file(statement, {.money = Money::point}).find(";1;49.05;1.96;47.09;\n"), std::string::npos);
}

TEST(Statement, InLatin1EveryCharacterIsOneByte) {
    const auto file = to_file(statement_of({row_of("ñ€é😀A", 1)}), {.encoding = Encoding::latin_1});
    EXPECT_NE(file.find("Demonstra\xE7\xE3o"), std::string::npos) << file;
    EXPECT_NE(file.find("1;\xF1?\xE9?A;"), std::string::npos) << file;
}

TEST(Statement, NoIdExternoMakesAFieldOrALine) {
    const auto statement = statement_of({row_of("a;b\r\nc", 1)});
    EXPECT_NE(to_file(statement, {}).find("\n1;a?b??c;T-a?b??c;"), std::string::npos);
    EXPECT_EQ(json::parse(to_list(statement, Money::cents)).at(0).at("idExterno").as_string(), "a;b\r\nc");
}

TEST(Statement, TheListHasTheSameRows) {
    const auto statement = statement_of({row_of("A", 4905), row_of("B", 1, Status::autorizada)});
    const auto list = json::parse(to_list(statement, Money::cents)).as_array();
    ASSERT_EQ(list.size(), 2U);
    const json::object expected{{"idExterno", "A"},
                                {"idTransacao", "T-A"},
                                {"nsu", "77"},
                                {"estabelecimento", "12345678"},
                                {"valor", 4905},
                                {"status", "EFETIVADA"},
                                {"dataHora", "2024-05-02T12:00:00.000-03:00"}};
    EXPECT_EQ(list.at(0), json::value(expected));
    EXPECT_EQ(json::parse(to_list(statement, Money::comma)).at(1).at("valor").as_string(), "0,01");
}

TEST(Statement, ABentRowIsWrittenAsItsFaultSays) {
    auto row = row_of("A", 4905);
    row.swapped = true;
    EXPECT_NE(to_file(statement_of({row}), {}).find("\n1;4905;T-A;77;12345678;A;EFETIVADA;"), std::string::npos);
    EXPECT_EQ(json::parse(to_list(statement_of({row}), Money::cents)).at(0).at("valor").as_string(), "A");
    row = row_of("A", 4905);
    row.three_decimals = true;
    EXPECT_NE(to_file(statement_of({row}), {.money = Money::comma}).find(";49,055;EFETIVADA;"), std::string::npos);
}

TEST(Statement, EverythingEndsInTheMiddleOfARowThatIsCut) {
    auto rows = std::vector{row_of("A", 1), row_of("B", 1), row_of("C", 1)};
    const auto whole = to_file(statement_of(rows), {});
    rows[1].cut = true;
    const auto file = to_file(statement_of(rows), {});
    EXPECT_TRUE(whole.starts_with(file));
    EXPECT_NE(file.find("\n1;B;"), std::string::npos);
    EXPECT_NE(file.back(), '\n');
    const auto list = to_list(statement_of(rows), Money::cents);
    EXPECT_TRUE(to_list(statement_of({row_of("A", 1), row_of("B", 1)}), Money::cents).starts_with(list));
    EXPECT_NE(list.find("\"B\""), std::string::npos);
}

}  // namespace
}  // namespace gateway::sandbox
