#include "probe/statement_look.hpp"

#include "base/ulid.hpp"
#include "sandbox/model.hpp"
#include "sandbox/seeded_random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;

std::string statement(std::string_view separator, std::string_view money, std::string_view eol) {
    sandbox::SeededRandom random(3);
    const auto amount = [&](std::string_view cents) {
        if (money == "cents") return std::string(cents);
        const auto whole = cents.substr(0, cents.size() - 2);
        return std::string(whole) + (money == "comma" ? "," : ".") + std::string(cents.substr(whole.size()));
    };
    std::vector<std::vector<std::string>> lines{
        {"0", "7001", "Rede", "", "02052024", "01052024", "2", amount("5900"), "0", "0", ""}};
    for (const auto& [cents, status] : {std::pair("4900", "EFETIVADA"), {"1000", "EFETIVADA"}, {"3000", "CANCELADA"}})
        lines.push_back({"1", Ulid::make(WallTime(std::chrono::seconds(1'714'655'471)), random).str(), "998877665544",
                         "12345678", amount(cents), status, "2024-05-01T12:00:00-03:00", ""});
    std::string text;
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i)
            text.append(i == 0 ? "" : separator).append(line[i]);
        text += eol;
    }
    return text;
}

TEST(StatementLook, GuessesTheFormat) {
    for (const std::string separator : {";", "\t", "|"})
        for (const std::string money : {"cents", "comma", "point"})
            for (const std::string eol : {"\n", "\r\n"}) {
                const auto look = probe::look_at_statement(statement(separator, money, eol), "12345678");
                EXPECT_EQ(look.trouble, "");
                EXPECT_EQ(look.separator, separator);
                EXPECT_EQ(look.money, money) << separator;
                EXPECT_EQ(look.crlf, eol == "\r\n");
                EXPECT_EQ(look.header_count, 2);
                EXPECT_EQ(look.details, 3U);
                EXPECT_EQ(look.columns.id_externo, 2);
                EXPECT_EQ(look.columns.id_transacao, 3);
                EXPECT_EQ(look.columns.estabelecimento, 4);
                EXPECT_EQ(look.columns.valor, 5);
                EXPECT_EQ(look.columns.status, 6);
                EXPECT_EQ(look.columns.data_hora, 7);
                EXPECT_FALSE(look.only_sold);
            }
}

TEST(StatementLook, ProposesTheLinesThatReadIt) {
    const auto look = probe::look_at_statement(statement(";", "cents", "\n"), "12345678");
    EXPECT_THAT(
        probe::statement_lines(look),
        IsSupersetOf({"statement.detail.column = 1", "statement.detail.text = \"1\"", "statement.columns.idExterno = 2",
                      "statement.columns.valor = 5", "statement.columns.status = 6"}));
}

TEST(StatementLook, ComparesTheHeadersCountWithTheRows) {
    const auto value = [](std::string text, std::string_view point) {
        probe::Found found(std::nullopt);
        probe::read_statement(probe::look_at_statement(text, "12345678"), found);
        for (const auto& reading : found.readings())
            if (reading.point == point) return reading.answered ? reading.value : "?";
        return std::string("none");
    };
    const auto with_count = [](std::string_view count) {
        auto text = statement(";", "cents", "\n");
        return text.replace(text.find(";2;") + 1, 1, count);
    };
    EXPECT_EQ(value(with_count("2"), "statement-count"), "sold");
    EXPECT_EQ(value(with_count("3"), "statement-count"), "all");
    EXPECT_EQ(value(with_count("4"), "statement-count"), "neither");
    EXPECT_EQ(value(with_count("x"), "statement-count"), "?");
    EXPECT_THAT(value(with_count("2"), "statement-columns"), HasSubstr("statement.columns.valor = 5"));
}

TEST(StatementLook, SaysWhatIsNoStatement) {
    EXPECT_NE(probe::look_at_statement("", "1").trouble, "");
    EXPECT_NE(probe::look_at_statement("<html>", "1").trouble, "");
    EXPECT_TRUE(probe::look_at_statement(statement(";", "cents", "\n") + "9;\xe9;\n", "12345678").latin1);
}

}  // namespace
}  // namespace gateway::test
