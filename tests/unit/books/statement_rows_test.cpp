#include "books/statement_rows.hpp"

#include "unit/books/statement_rig.hpp"

namespace gateway::test {
namespace {

using namespace testing;

class StatementRowsTest : public StatementRig {
  protected:
    static std::string id_of_number(int number) { return fmt::format("01J0ABCDEF0123456789A{:05}", number); }
    static void read_all(StatementRows& rows, int* parts = nullptr) {
        for (; rows.read_some();)
            if (parts != nullptr) ++*parts;
        while (rows.sort_some()) {
        }
    }
    static WallTime utc(LocalTime time) { return WallTime(time.time_since_epoch()); }
};

TEST_F(StatementRowsTest, EveryRowIsFoundOnceByTheIdThatItNames) {
    std::vector<Line> lines;
    constexpr int many = 1'200;
    for (int i = 0; i < many; ++i)
        lines.push_back({.id_externo = id_of_number(i), .valor = i, .id_transacao = "T", .nsu = "1"});
    lines.push_back({.id_externo = "", .id_transacao = "T9"});
    const auto text = statement_of(lines);
    StatementRows rows(text, format, utc);
    int parts = 0;
    read_all(rows, &parts);
    ASSERT_FALSE(rows.error());
    EXPECT_EQ(rows.size(), static_cast<std::size_t>(many + 1));
    EXPECT_EQ(parts, 2) << "it is read in parts";
    for (int i = 0; i < many; i += 2) {
        const auto row = rows.take({RowId::Kind::id_externo, id_of_number(i)});
        ASSERT_TRUE(row);
        EXPECT_EQ(row->valor, Cents{i});
        EXPECT_EQ(row->line, static_cast<std::size_t>(i + 2));
        EXPECT_FALSE(rows.take({RowId::Kind::id_externo, id_of_number(i)})) << "it is taken";
    }
    EXPECT_FALSE(rows.take({RowId::Kind::id_transacao, "T"})) << "what has an idExterno is found by that alone";
    EXPECT_TRUE(rows.take({RowId::Kind::id_transacao, "T9"}));
    std::vector<StatementRow> rest;
    int rounds = 1;
    while (rows.take_rest(rest))
        ++rounds;
    EXPECT_EQ(rest.size(), static_cast<std::size_t>(many / 2));
    EXPECT_EQ(rounds, 2);
    for (const auto& row : rest)
        EXPECT_EQ(row.valor.value % 2, 1);
}

TEST_F(StatementRowsTest, AFewRowsAreSortedInOnePart) {
    const auto text = statement_of({{.id_externo = id_of_number(1)}, {.id_externo = id_of_number(2)}});
    StatementRows rows(text, format, utc);
    EXPECT_FALSE(rows.read_some());
    EXPECT_FALSE(rows.sort_some());
    EXPECT_TRUE(rows.take({RowId::Kind::id_externo, id_of_number(2)}));
}

TEST_F(StatementRowsTest, ALastLineWithoutABreakAndAMarkOfUtf8AreRead) {
    auto text = "\xef\xbb\xbf" + statement_of({{.id_externo = id_of_number(1)}, {.id_externo = id_of_number(2)}});
    text.pop_back();
    StatementRows rows(text, format, utc);
    read_all(rows);
    ASSERT_FALSE(rows.error()) << rows.error()->message;
    EXPECT_EQ(rows.take({RowId::Kind::id_externo, id_of_number(2)})->line, 3u);
}

TEST_F(StatementRowsTest, NothingIsReadBehindAnError) {
    for (const std::string& text :
         {std::string(), std::string("x"), std::string(1'000'000, 'x'), statement_of({}) + "2;x\n" + Line{}.text()}) {
        StatementRows rows(text, format, utc);
        read_all(rows);
        EXPECT_TRUE(rows.error());
        EXPECT_EQ(rows.size(), 0u);
    }
}

}  // namespace
}  // namespace gateway::test
