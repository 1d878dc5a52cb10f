#include "config/checks.hpp"
#include "unit/config/config_text.hpp"
#include "unit/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gateway {

namespace {

using test::ConfigText;
using test::good;
using test::only_error;
using test::TemporaryFolder;

// Makes a configuration whose detail lines are "1;<idExterno>;<valor>;<estabelecimento>".
ConfigText with_details() {
    return ConfigText()
        .set("statement.detail.column", "1")
        .set("statement.detail.text", R"("1")")
        .set("statement.columns.idExterno", "2")
        .set("statement.columns.valor", "3")
        .set("statement.columns.estabelecimento", "4");
}

}  // namespace

TEST(StatementCheck, HeaderAloneIsReadUnlessMoreIsSaid) {
    const auto statement = good(ConfigText()).statement;
    EXPECT_FALSE(statement.format.reads_rows());
    EXPECT_EQ(statement.format.separator, ";");
    EXPECT_EQ(statement.format.header_money, std::nullopt);
    EXPECT_EQ(statement.format.covers, StatementCovers::network);
    EXPECT_EQ(statement.format.words.negada, std::vector<std::string>{"NEGADA"});
    EXPECT_FALSE(statement.settle);
}

TEST(StatementCheck, EverythingIsReadAsItStands) {
    const TemporaryFolder folder;
    const auto statement = good(ConfigText().lines(R"([statement]
encoding = "latin1"
separator = "|"
network = "1234"
covers = "this"
money = "comma"
header_money = "point"
counts = "all"
time = "dd/MM/yyyy HH:mm:ss"
zone = "America/Manaus"
ignore = ["9", "T"]
any_id = true
settle = true
folder = ")" + folder.path("") + R"("
[statement.detail]
column = 3
text = "VENDA"
[statement.columns]
idExterno = 1
idTransacao = 2
nsu = 4
valor = 5
status = 6
dataHora = 7
estabelecimento = 8
[statement.words]
EFETIVADA = ["OK", "00"]
NEGADA = []
)"))
                               .statement;
    const auto& format = statement.format;
    EXPECT_EQ(format.encoding, StatementEncoding::latin1);
    EXPECT_EQ(format.separator, "|");
    EXPECT_EQ(format.network, "1234");
    EXPECT_EQ(format.covers, StatementCovers::this_gateway);
    EXPECT_EQ(format.money, AmountUnit::comma);
    EXPECT_EQ(format.header_money, AmountUnit::point);
    EXPECT_EQ(format.counts, CountedRows::all);
    EXPECT_EQ(format.time, "dd/MM/yyyy HH:mm:ss");
    EXPECT_EQ(format.ignored, (std::vector<std::string>{"9", "T"}));
    EXPECT_TRUE(format.any_id);
    EXPECT_EQ(format.detail_column, 3);
    EXPECT_EQ(format.detail_text, "VENDA");
    EXPECT_EQ(format.columns.id_externo, 1);
    EXPECT_EQ(format.columns.id_transacao, 2);
    EXPECT_EQ(format.columns.nsu, 4);
    EXPECT_EQ(format.columns.valor, 5);
    EXPECT_EQ(format.columns.status, 6);
    EXPECT_EQ(format.columns.data_hora, 7);
    EXPECT_EQ(format.columns.estabelecimento, 8);
    EXPECT_EQ(format.words.efetivada, (std::vector<std::string>{"OK", "00"}));
    EXPECT_TRUE(format.words.negada.empty());
    EXPECT_EQ(statement.zone, "America/Manaus");
    EXPECT_TRUE(statement.settle);
    EXPECT_EQ(statement.folder, folder.path(""));
}

TEST(StatementCheck, WordsAreThoseThatThereAre) {
    EXPECT_EQ(only_error(ConfigText().set("statement.encoding", R"("utf8")")),
              "statement.encoding: must be \"utf-8\" or \"latin1\"");
    EXPECT_TRUE(only_error(ConfigText().set("statement.money", R"("guess")"))
                    .starts_with("statement.money: must be \"cents\", \"comma\""));
    EXPECT_TRUE(only_error(ConfigText().set("statement.header_money", R"("reais")"))
                    .starts_with("statement.header_money: must be \"guess\", \"cents\""));
    EXPECT_TRUE(only_error(ConfigText().set("statement.covers", R"("all")"))
                    .starts_with("statement.covers: must be \"network\", or \"this\""));
    EXPECT_EQ(only_error(ConfigText().set("statement.counts", "1")), "statement.counts: must be \"sold\" or \"all\"");
    EXPECT_TRUE(only_error(ConfigText().set("statement.time", R"("dd/mm/yy")"))
                    .starts_with("statement.time: must be \"rfc3339\" or a pattern"));
    EXPECT_EQ(only_error(with_details().set("statement.columns.nsu", "65")),
              "statement.columns.nsu: is 65, must be 1 to 64");
    EXPECT_TRUE(only_error(with_details().set("statement.words.efetivada", "[]"))
                    .starts_with("statement.words.efetivada: is no key of this program"));
}

TEST(StatementCheck, SeparatorIsOneCharacterThatNoFieldHas) {
    for (const auto* const wrong :
         {R"("")", R"(";;")", R"(" ")", R"("a")", R"("0")", R"("ç")", R"("\"")", R"("\r")", R"("\n")", R"("\u0000")",
          R"("\u001A")", R"("\u00A0")", R"("\u200B")", R"("\uFEFF")", R"("\t\t")", R"("\u0301")"})
        EXPECT_TRUE(only_error(ConfigText().set("statement.separator", wrong))
                        .starts_with("statement.separator: must be one character"))
            << wrong;
    EXPECT_EQ(only_error(ConfigText().set("statement.separator", R"(",")").set("statement.money", R"("point")")),
              "statement.separator: stands in amounts too, as statement.money writes them");
    for (const auto* const right : {",", ":", "-", "|", "~", "§", "•", "¦"})
        EXPECT_EQ(
            good(ConfigText().set("statement.separator", fmt::format("\"{}\"", right))).statement.format.separator,
            right);
    EXPECT_EQ(good(ConfigText().set("statement.separator", R"("\t")")).statement.format.separator, "\t");
    EXPECT_EQ(good(ConfigText().set("statement.separator", R"("\u001F")")).statement.format.separator, "\x1f");
    EXPECT_TRUE(only_error(ConfigText().set("statement.separator", R"("•")").set("statement.encoding", R"("latin1")"))
                    .ends_with("latin1 does not have this one"));
}

TEST(StatementCheck, SeparatorDoesNotStandInTimes) {
    const auto times = [](std::string_view separator, std::string_view time) {
        return with_details()
            .set("statement.columns.dataHora", "6")
            .set("statement.separator", fmt::format("\"{}\"", separator))
            .set("statement.time", fmt::format("\"{}\"", time));
    };
    for (const auto& [separator, time] : {std::pair("-", "rfc3339"), std::pair(":", "rfc3339"),
                                          std::pair("/", "dd/MM/yyyy"), std::pair(":", "dd/MM/yyyy HH:mm")})
        EXPECT_EQ(only_error(times(separator, time)),
                  "statement.separator: stands in times too, as statement.time writes them");
    (void)good(times(":", "dd/MM/yyyy"));
}

TEST(StatementCheck, DetailIsToldByColumnAndText) {
    EXPECT_EQ(only_error(ConfigText().set("statement.detail.text", R"("1")")),
              "statement.detail.column: is missing: statement.detail.text is of no use without it");
    EXPECT_EQ(only_error(with_details().drop("statement.detail.text")),
              "statement.detail.text: is missing: statement.detail.column is of no use without it");
    EXPECT_EQ(only_error(with_details().set("statement.detail.text", R"("0")")),
              "statement.detail.text: is what the header begins with");
    EXPECT_EQ(only_error(with_details().set("statement.ignore", R"(["9", "1"])")),
              "statement.ignore: lists what detail lines begin with");
}

TEST(StatementCheck, DetailLineHasAnAmountAndAnId) {
    good(with_details());
    EXPECT_EQ(only_error(with_details().drop("statement.columns.valor")),
              "statement.columns.valor: is missing: no detail line is read without its amount");
    EXPECT_EQ(only_error(with_details().drop("statement.columns.idExterno")),
              "statement.columns.idExterno: is missing: an attempt is found by it, or else by idTransacao or nsu");
    good(with_details().drop("statement.columns.idExterno").set("statement.columns.nsu", "9"));
    EXPECT_EQ(only_error(ConfigText().set("statement.columns.valor", "3")),
              "statement.detail.column: is missing: without it no line is known to have the columns");
}

TEST(StatementCheck, EachFieldHasAColumnOfItsOwn) {
    EXPECT_EQ(
        only_error(with_details().set("statement.columns.nsu", "3")),
        "statement.columns.valor: is column 3, and so is statement.columns.nsu: each field has a column of its own");
    EXPECT_EQ(only_error(with_details().set("statement.columns.nsu", "1")),
              "statement.columns.nsu: is the column of statement.detail, which is the same in every line");
}

TEST(StatementCheck, WordMeansOneStatus) {
    EXPECT_EQ(only_error(ConfigText().set("statement.words.NEGADA", R"(["X", "CANCELADA"])")),
              "statement.words.NEGADA: lists \"CANCELADA\", which means CANCELADA already");
    EXPECT_EQ(only_error(ConfigText().set("statement.words.NEGADA", R"(["a;b"])")),
              "statement.words.NEGADA: lists \"a;b\", which has the separator in it");
}

TEST(StatementCheck, NothingSettlesByLessThanIdAmountAndEstablishment) {
    const std::string said =
        "statement.settle: needs statement.detail, and the columns of valor, estabelecimento, and idExterno or "
        "idTransacao: by less no line may decide a sale";
    const auto settling = [] { return with_details().set("statement.settle", "true"); };
    good(settling());
    good(settling().drop("statement.columns.idExterno").set("statement.columns.idTransacao", "9"));
    EXPECT_EQ(only_error(ConfigText().set("statement.settle", "true")), said);
    EXPECT_EQ(only_error(settling().drop("statement.columns.estabelecimento")), said);
    EXPECT_EQ(only_error(settling().drop("statement.columns.idExterno").set("statement.columns.nsu", "9")), said);
}

TEST(StatementCheck, ZoneIsOfNoUseWhereTimesSayTheirOffset) {
    EXPECT_TRUE(test::warns(ConfigText().set("statement.zone", R"("America/Manaus")"), "statement.zone"));
    EXPECT_FALSE(test::warns(
        ConfigText().set("statement.zone", R"("America/Manaus")").set("statement.time", R"("ddMMyyyyHHmmss")"),
        "statement.zone"));
}

TEST(StatementCheck, AFolderThatIsNotThereKeepsNoSaleBack) {
    EXPECT_TRUE(test::warns(ConfigText().set("statement.folder", R"("/no/such/folder")"), "statement.folder"));
    EXPECT_FALSE(test::warns(ConfigText().set("statement.folder", R"("/")"), "statement.folder"));
}

}  // namespace gateway
