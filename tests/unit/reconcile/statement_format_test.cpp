#include "reconcile/statement_format.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

TEST(StatementFormat, ColumnsAreNamedAsTheProviderNamesFields) {
    EXPECT_TRUE(named_columns({}).empty());
    const auto named = named_columns(
        {.id_externo = 1, .id_transacao = 2, .nsu = 3, .valor = 4, .status = 5, .data_hora = 6, .estabelecimento = 7});
    std::string all;
    for (const auto& [name, column] : named)
        all += std::to_string(column) + std::string(name) + " ";
    EXPECT_EQ(all, "1idExterno 2idTransacao 3nsu 4valor 5status 6dataHora 7estabelecimento ");
}

TEST(StatementFormat, EveryStatusHasItsWords) {
    for (const auto status : {Status::EFETIVADA, Status::CANCELADA, Status::NEGADA, Status::AUTORIZADA})
        EXPECT_EQ(status_in({}, to_string(status)), status);
    EXPECT_EQ(status_in({}, "PENDENTE"), std::nullopt);
    EXPECT_EQ(status_in({}, "efetivada"), std::nullopt);
    EXPECT_EQ(status_in({}, ""), std::nullopt);
}

TEST(StatementFormat, SourceWithoutAStatusListsWhatIsSold) {
    StatementFormat format;
    EXPECT_TRUE(format.lists_sold_only());
    format.columns.status = 2;
    EXPECT_FALSE(format.lists_sold_only());
}

TEST(StatementFormat, WordsAreTakenExactly) {
    for (const auto unit : {AmountUnit::cents, AmountUnit::comma, AmountUnit::point})
        EXPECT_EQ(parse_amount_unit(to_string(unit)), unit);
    EXPECT_FALSE(parse_amount_unit("guess"));
    EXPECT_EQ(parse_statement_encoding("latin1"), StatementEncoding::latin1);
    EXPECT_EQ(parse_statement_encoding("utf-8"), StatementEncoding::utf8);
    EXPECT_FALSE(parse_statement_encoding("UTF-8"));
    EXPECT_EQ(parse_statement_covers("this"), StatementCovers::this_gateway);
    EXPECT_EQ(parse_statement_covers("network"), StatementCovers::network);
    EXPECT_FALSE(parse_statement_covers(""));
    EXPECT_EQ(parse_counted_rows("all"), CountedRows::all);
    EXPECT_EQ(parse_counted_rows("sold"), CountedRows::sold);
    EXPECT_FALSE(parse_counted_rows("none"));
}

}  // namespace
}  // namespace gateway::test
