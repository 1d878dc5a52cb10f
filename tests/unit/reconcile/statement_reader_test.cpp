#include "reconcile/statement_reader.hpp"

#include "base/ascii.hpp"
#include "base/wall_time.hpp"
#include "unit/reconcile/statement_text.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

const std::string good_line = detail_line(some_id, "1049");

TEST(StatementReader, ReadsHeaderAndRows) {
    const auto reading = read_statement(header_line("1", "1049") + good_line);
    EXPECT_EQ(reading.error, "");
    ASSERT_TRUE(reading.header);
    EXPECT_EQ(reading.header->network, "1234");
    EXPECT_EQ(reading.header->name, "REDE UM");
    EXPECT_EQ(reading.header->written, next_day);
    EXPECT_EQ(reading.header->movement, some_day);
    EXPECT_EQ(reading.header->count, 1);
    EXPECT_EQ(reading.header->total, "1049");
    EXPECT_EQ(reading.header->commission, "12");
    EXPECT_EQ(reading.header->payable, "34");
    ASSERT_EQ(reading.rows.size(), 1U);
    EXPECT_EQ(reading.rows[0], (StatementRow{.line = 2,
                                             .id_externo = std::string(some_id),
                                             .id_transacao = "T-1",
                                             .nsu = "77",
                                             .valor = Cents{1049},
                                             .status = Status::EFETIVADA,
                                             .at = from_rfc3339("2026-11-20T13:11:12Z"),
                                             .estabelecimento = "12345678"}));
}

TEST(StatementReader, TimesWithoutAnOffsetGoByTheClocksOfTheirZone) {
    const LocalTime noon{std::chrono::local_days(some_day) + std::chrono::hours(12)};
    EXPECT_EQ(zone_rule(TimeZone())(noon), std::chrono::sys_days(some_day) + std::chrono::hours(12));
    EXPECT_EQ(zone_rule(*TimeZone::find("America/Sao_Paulo"))(noon),
              std::chrono::sys_days(some_day) + std::chrono::hours(15));
}

TEST(StatementReader, PiecesOfAnySizeGiveTheSame) {
    const auto text = header_line("2", "1") + good_line + detail_line(other_id, "1", "CANCELADA");
    const auto whole = read_statement(text);
    ASSERT_EQ(whole.rows.size(), 2U);
    for (std::size_t piece = 1; piece < text.size(); ++piece)
        EXPECT_EQ(read_statement(text, usual_format(), piece).rows, whole.rows) << piece;
}

TEST(StatementReader, LineBreaksOfEveryKindAreTaken) {
    auto text = header_line("1", "1") + good_line;
    EXPECT_EQ(good_rows(text.substr(0, text.size() - 1)).size(), 1U) << "the last line has none";
    for (const auto* end : {"\x1A", "\x1A\x1A\x1A", "\x1A\n", "\r\n\x1A"})
        EXPECT_EQ(good_rows(text + end).size(), 1U) << "as programs of DOS end a file";
    EXPECT_EQ(good_rows(text.substr(0, text.size() - 1) + "\x1A").size(), 1U);
    EXPECT_NE(error_of(text + "\x1A\n" + good_line), "") << "in the middle it is none";
    EXPECT_EQ(good_rows(text + "\n\r\n\n").size(), 1U) << "empty lines at the end";
    for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2))
        text.insert(at, "\r");
    EXPECT_EQ(good_rows(text), good_rows(header_line("1", "1") + good_line));
    EXPECT_EQ(error_of("\n\n" + good_line), "line 2 is empty, and others follow");
}

TEST(StatementReader, MarkOfUtf8IsPassedOver) {
    EXPECT_EQ(good_rows("\xEF\xBB\xBF" + header_line("1", "1") + good_line).size(), 1U);
    auto latin1 = usual_format();
    latin1.encoding = StatementEncoding::latin1;
    EXPECT_EQ(read_statement("\xEF\xBB\xBF" + header_line("1", "1"), latin1).error,
              "line 1 begins with the mark of UTF-8, and statement.encoding says otherwise");
}

TEST(StatementReader, EncodingIsTheOneThatIsConfigured) {
    auto latin1 = usual_format();
    latin1.encoding = StatementEncoding::latin1;
    latin1.words.negada = {"N\u00C3O"};
    EXPECT_EQ(row_of(detail_line(some_id, "1", "N\xC3O"), latin1).status, Status::NEGADA);
    EXPECT_EQ(read_statement("0;1;S\xE3o;;21112026;20112026;0;0;0;0;\n", latin1).header->name, "S\u00E3o");
    EXPECT_EQ(error_of(detail_line(some_id, "1", "N\xC3O")), "line 2 is not UTF-8; statement.encoding can be latin1");
    EXPECT_EQ(error_of(detail_line(some_id, "1", "N\x81O"), latin1),
              "line 2 holds a character that latin1 does not have");
}

TEST(StatementReader, FileOfAnotherKindIsCalledByItsName) {
    const auto said = [](std::string_view text) { return read_statement(text).error; };
    EXPECT_EQ(said(""), "the file is empty");
    EXPECT_EQ(said("\n\r\n"), "the file is empty");
    EXPECT_EQ(said("{\"error\":\"none\"}"),
              "line 1, field 1: \"{\"error\":\"none\"}\" stands where a header begins with 0; it looks like JSON");
    EXPECT_TRUE(said("<!DOCTYPE html>\n<html>").ends_with("it looks like HTML or XML"));
    EXPECT_EQ(said(std::string_view("PK\x03\x04\0\0", 6)),
              "line 1 holds the byte 0x03, which is no text; it looks like a ZIP archive: unpack it first");
    EXPECT_TRUE(said("\x1F\x8B\x08").ends_with("it looks like gzip: unpack it first"));
    EXPECT_TRUE(said(std::string_view("\xFF\xFE"
                                      "0\0;\0",
                                      6))
                    .ends_with("it looks like UTF-16"));
    EXPECT_TRUE(said("{" + std::string(2 * max_statement_line, ' ')).ends_with("4096 bytes; it looks like JSON"));
    EXPECT_EQ(said(good_line), "line 1, field 1: \"1\" stands where a header begins with 0");
}

TEST(StatementReader, BytesThatAreNoTextAreRefused) {
    auto line = good_line;
    line[5] = '\0';
    EXPECT_EQ(error_of(line), "line 2 holds the byte 0x00, which is no text");
    line[5] = '\x1B';
    EXPECT_EQ(error_of(line), "line 2 holds the byte 0x1B, which is no text");
}

TEST(StatementReader, LineIsBoundedWhetherItsEndComesOrNot) {
    const auto filled = [](std::size_t length) {
        auto line = good_line;
        line.pop_back();
        line.insert(line.find("T-1"), length - line.size(), ' ');
        return line;
    };
    EXPECT_EQ(row_of(filled(max_statement_line)).valor, Cents{1049});
    EXPECT_EQ(row_of(filled(max_statement_line) + "\r\n").valor, Cents{1049});
    for (const auto* const end : {"", "\n", "\r\n", "more"})
        for (const std::size_t piece : {1, 100, 1'000'000})
            EXPECT_EQ(
                read_statement(header_line("1", "1") + filled(max_statement_line + 1) + end, usual_format(), piece)
                    .error,
                "line 2 is longer than 4096 bytes");
}

TEST(StatementReader, NothingIsReadBehindAnError) {
    const auto format = usual_format();
    StatementReader reader(format, in_brasilia);
    std::vector<StatementRow> rows;
    const auto first = reader.take(header_line("1", "1") + good_line + "2;\n" + good_line, rows);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->line, 3U);
    EXPECT_EQ(reader.take(good_line, rows), first);
    EXPECT_EQ(reader.finish(rows), first);
    EXPECT_EQ(rows.size(), 1U);
}

TEST(StatementReader, HeaderIsReadStrictly) {
    const auto said = [](std::string_view text) { return read_statement(text).error; };
    EXPECT_EQ(said("0;1;N;;21112026;20112026;0;0;0;0"), "");
    EXPECT_EQ(said("0;1;N;;21112026;20112026;0;0;0;"), "");
    EXPECT_EQ(said("0;1;N;;21112026;20112026;0;0;0"), "line 1 has 9 fields, and a header has 10");
    EXPECT_EQ(said("0;1;N;;21112026;20112026;0;0;0;0;0"), "line 1 has 11 fields, and a header has 10");
    EXPECT_EQ(said("0;1;N;x;21112026;20112026;0;0;0;0;"), "line 1, field 4: \"x\" stands where a header has nothing");
    EXPECT_EQ(said("0;1;N;;31022026;20112026;0;0;0;0;"),
              "line 1, field 5 (written): \"31022026\" is no date such as 20112026");
    EXPECT_EQ(said("0;1;N;;21112026;20261120;0;0;0;0;"),
              "line 1, field 6 (movement day): \"20261120\" is no date such as 20112026");
    EXPECT_EQ(said("0;1;N;;21112026;20112026;x;0;0;0;"), "line 1, field 7 (count): \"x\" is no whole number");
    EXPECT_EQ(said("0;1;N;;21112026;20112026;-1;0;0;0;"), "line 1, field 7 (count): \"-1\" is no whole number");
    EXPECT_EQ(said("0;1;N;;21112026;20112026;1;1.2.3;0;0;"), "line 1, field 8 (total): \"1.2.3\" is no amount");
    EXPECT_EQ(said("0;1;N;;21112026;20112026;0;0;0;0;\n0;1;N;;21112026;20112026;0;0;0;0;"),
              "line 2, field 1: \"0\" begins neither a detail line, which has \"1\" in field 1, nor a line that "
              "statement.ignore lists");
}

TEST(StatementReader, FieldsMayBePaddedAndSetApartOtherwise) {
    auto format = usual_format();
    auto text =
        header_line("0001", "00001049") + "1|" + std::string(some_id) + "|T-1 | |12345678|000000001049|EFETIVADA ||";
    std::ranges::replace(text, ';', '|');
    for (const std::string separator : {"|", "\t", "\x1f", "§"}) {
        format.separator = separator;
        std::string apart;
        for (const char c : text)
            apart += c == '|' ? separator : std::string(1, c);
        const auto rows = good_rows(apart, format);
        ASSERT_EQ(rows.size(), 1U);
        EXPECT_EQ(rows[0].id_transacao, "T-1");
        EXPECT_EQ(rows[0].nsu, "");
        EXPECT_EQ(rows[0].valor, Cents{1049});
        EXPECT_EQ(rows[0].status, Status::EFETIVADA);
        EXPECT_FALSE(rows[0].at);
    }
}

TEST(StatementReader, RecordOfAnotherDesignIsReadAsConfigured) {
    StatementFormat format;
    format.encoding = StatementEncoding::latin1;
    format.separator = "|";
    format.detail_column = 3;
    format.detail_text = "VENDA";
    format.columns = {.id_transacao = 4, .valor = 1, .data_hora = 2};
    format.money = AmountUnit::comma;
    format.time = "dd/MM/yyyy HH:mm:ss";
    format.ignored = {"9"};
    const auto rows = good_rows(
        "0|1|N||21112026|20112026|1|1.049,90|0|0|\n"
        "1.049,90|20/11/2026 23:59:58|VENDA|987\n"
        "9|fim\n",
        format);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0], (StatementRow{.line = 2,
                                     .id_transacao = "987",
                                     .valor = Cents{104990},
                                     .status = Status::EFETIVADA,
                                     .at = from_rfc3339("2026-11-21T02:59:58Z")}));
}

TEST(StatementReader, WithoutDetailsOnlyTheHeaderIsRead) {
    const auto reading = read_statement(header_line("7", "1") + "whatever\n9\n", StatementFormat{});
    EXPECT_EQ(reading.error, "");
    EXPECT_TRUE(reading.rows.empty());
    EXPECT_EQ(reading.header->count, 7);
}

TEST(StatementReader, LineThatIsNeitherIsAnErrorUnlessItIsListed) {
    EXPECT_EQ(error_of(good_line + "9;1;\n"),
              "line 3, field 1: \"9\" begins neither a detail line, which has \"1\" in field 1, nor a line that "
              "statement.ignore lists");
    auto format = usual_format();
    format.ignored = {"9"};
    EXPECT_EQ(good_rows(header_line("1", "1") + good_line + "9;1;\n", format).size(), 1U);
    format.detail_column = 20;
    EXPECT_EQ(read_statement(header_line("1", "1") + "9;1;\n", format).error, "") << "it has no such column";
}

TEST(StatementReader, LinesHaveTheFieldsOfTheFirst) {
    EXPECT_EQ(error_of("1;" + std::string(some_id) + ";T-1;77;12345678;1\n"),
              "line 2 has 6 fields, and status is field 7");
    auto cut = good_line;
    cut.resize(cut.size() - 2);
    EXPECT_EQ(error_of(good_line + cut), "line 3 has 8 fields, and the detail lines before it have 9");
    EXPECT_EQ(error_of(good_line + "1;;" + good_line.substr(2)),
              "line 3 has 10 fields, and the detail lines before it have 9");
    EXPECT_EQ(error_of(std::string(100, ';')), "line 2 has more than 64 fields");
}

// A line that is the first of its kind may lack the fields after the last one that is needed, because nothing says that
// it had more. The header's count and total then show what is missing.
TEST(StatementReader, FileThatIsCutAnywhereIsAnErrorOrLacksWholeRows) {
    const auto whole = header_line("2", "2") + good_line + detail_line(other_id, "1", "CANCELADA");
    const auto before_last = header_line("2", "2").size() + good_line.size();
    const auto last_break = whole.size() - 1;
    for (std::size_t length = 0; length < last_break; ++length) {
        const auto reading = read_statement(whole.substr(0, length));
        EXPECT_LT(reading.rows.size(), 2U) << length;
        EXPECT_TRUE(length <= before_last || !reading.error.empty()) << length;
        if (reading.rows.empty()) continue;
        EXPECT_EQ(reading.rows[0].id_externo, some_id) << length;
        EXPECT_EQ(reading.rows[0].valor, Cents{1049}) << length;
        EXPECT_EQ(reading.rows[0].status, Status::EFETIVADA) << length;
    }
}

TEST(StatementReader, AmountsAreWholeCentsWithoutASign) {
    const std::string start = "line 2, field 6 (valor): ";
    auto comma = usual_format();
    comma.money = AmountUnit::comma;
    EXPECT_EQ(row_of(detail_line(some_id, "1.049,90"), comma).valor, Cents{104990});
    EXPECT_EQ(error_of(detail_line(some_id, "12,345"), comma), start + "\"12,345\" has three decimals");
    EXPECT_EQ(error_of(detail_line(some_id, "12"), comma), start + "\"12\" has no decimals, and two are expected");
    EXPECT_EQ(error_of(detail_line(some_id, "12,34")),
              start + "\"12,34\" is no whole number of cents (statement.money)");
    EXPECT_EQ(error_of(detail_line(some_id, "-12")),
              start + "\"-12\" has a sign, and an amount of a statement has none");
    EXPECT_EQ(error_of(detail_line(some_id, "")), start + "is empty where an amount is expected");
}

TEST(StatementReader, IdExternoIsOneOfOursUnlessOthersAreLetPass) {
    const std::string start = "line 2, field 2 (idExterno): ";
    EXPECT_TRUE(error_of(detail_line("1049", "1")).starts_with(start + "\"1049\" is none of this program's making"));
    EXPECT_TRUE(error_of(detail_line(to_lower(some_id), "1")).starts_with(start));
    auto any = usual_format();
    any.any_id = true;
    EXPECT_EQ(row_of(detail_line("1049", "1"), any).id_externo, "1049");
    EXPECT_EQ(error_of(detail_line(std::string(max_statement_id + 1, 'x'), "1"), any),
              start + "is longer than 64 bytes");
    EXPECT_EQ(row_of(detail_line("", "1")).id_transacao, "T-1") << "another id names the attempt";
    EXPECT_EQ(error_of("1;;;;12345678;1;EFETIVADA;;\n"), "line 2 names no attempt: every id in it is empty");
}

TEST(StatementReader, WordsOfStatusesAreTakenByTheLetter) {
    auto format = usual_format();
    format.words = {.efetivada = {"OK", "00"}, .cancelada = {"ESTORNO"}, .negada = {}, .autorizada = {"P"}};
    EXPECT_EQ(row_of(detail_line(some_id, "1", "00"), format).status, Status::EFETIVADA);
    EXPECT_EQ(row_of(detail_line(some_id, "1", "ESTORNO"), format).status, Status::CANCELADA);
    EXPECT_EQ(row_of(detail_line(some_id, "1", "P"), format).status, Status::AUTORIZADA);
    for (const auto* const word : {"ok", "EFETIVADA", ""})
        EXPECT_EQ(error_of(detail_line(some_id, "1", word), format),
                  "line 2, field 7 (status): \"" + std::string(word) + "\" is none of statement.words");
}

TEST(StatementReader, TimeIsOneOrIsNotThere) {
    auto format = usual_format();
    format.time = "ddMMyyyyHHmmss";
    const auto with_time = [](std::string_view time) {
        return "1;" + std::string(some_id) + ";;;;1;EFETIVADA;" + std::string(time) + ";";
    };
    EXPECT_EQ(row_of(with_time("20112026235958"), format).at, from_rfc3339("2026-11-21T02:59:58Z"));
    EXPECT_FALSE(row_of(with_time(""), format).at);
    EXPECT_EQ(error_of(with_time("31022026235958"), format),
              "line 2, field 8 (dataHora): \"31022026235958\" is no time such as ddMMyyyyHHmmss");
    EXPECT_EQ(error_of(with_time("2026-11-20 10:11")),
              "line 2, field 8 (dataHora): \"2026-11-20 10:11\" is no time such as 2026-11-20T13:11:12-03:00");
}

TEST(StatementReader, WhatStandsInAFieldIsLeftOutOfTheWordsForTheLog) {
    const std::string cpf = "111.444.777-35";
    const auto unquoted = [](const std::string& text) {
        const auto format = usual_format();
        StatementReader reader(format, in_brasilia);
        std::vector<StatementRow> rows;
        const auto error = reader.take(text + "\n", rows);
        return error ? error->unquoted : "good";
    };
    EXPECT_EQ(unquoted(cpf), "line 1, field 1: its text stands where a header begins with 0");
    EXPECT_EQ(unquoted("0;1;N;" + cpf + ";21112026;20112026;0;0;0;0;"),
              "line 1, field 4: its text stands where a header has nothing");
    EXPECT_EQ(unquoted("0;1;N;;" + cpf + ";20112026;0;0;0;0;"),
              "line 1, field 5 (written): its text is no date such as 20112026");
    EXPECT_EQ(unquoted("0;1;N;;21112026;" + cpf + ";0;0;0;0;"),
              "line 1, field 6 (movement day): its text is no date such as 20112026");
    EXPECT_EQ(unquoted("0;1;N;;21112026;20112026;" + cpf + ";0;0;0;"),
              "line 1, field 7 (count): its text is no whole number");
    EXPECT_EQ(unquoted("0;1;N;;21112026;20112026;0;" + cpf + ";0;0;"),
              "line 1, field 8 (total): its text is no amount");
    const auto header = header_line("1", "1");
    EXPECT_EQ(unquoted(header + cpf),
              "line 2, field 1: its text begins neither a detail line, which has \"1\" in field 1, nor a line that "
              "statement.ignore lists");
    EXPECT_TRUE(unquoted(header + detail_line(cpf, "1"))
                    .starts_with("line 2, field 2 (idExterno): its text is none of this program's making"));
    EXPECT_EQ(unquoted(header + detail_line(some_id, cpf)),
              "line 2, field 6 (valor): its text is no whole number of cents (statement.money)");
    EXPECT_EQ(unquoted(header + detail_line(some_id, "1", cpf)),
              "line 2, field 7 (status): its text is none of statement.words");
    EXPECT_EQ(unquoted(header + "1;" + std::string(some_id) + ";;;;1;EFETIVADA;" + cpf + ";"),
              "line 2, field 8 (dataHora): its text is no time such as 2026-11-20T13:11:12-03:00");
}

TEST(StatementReader, LongFieldIsQuotedInPart) {
    const auto said = error_of(detail_line(some_id, "1", std::string(39, 'x') + "\u00C3" + std::string(300, 'y')));
    EXPECT_EQ(said, "line 2, field 7 (status): \"" + std::string(39, 'x') + "…\" is none of statement.words");
}

}  // namespace
}  // namespace gateway::test
