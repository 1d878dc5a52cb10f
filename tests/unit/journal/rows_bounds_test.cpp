// What a row may hold: each column on the last value that makes sense, and on the first one that does not.
#include "journal/encrypted_fields.hpp"
#include "journal/rows.hpp"
#include "unit/journal/written_row.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

constexpr std::int64_t last_time = 253'370'764'800'000;  // the first moment of the year 9999

WrittenRow row_of_a_sale() {
    WrittenRow row;
    row.columns = {{0, "01JD3W4Q8Y0000000000000001"},
                   {1, "till"},
                   {2, "k1"},
                   {3, "digest"},
                   {4, "tv"},
                   {5, std::string(to_string(ConfirmMode::automatic))},
                   {6, "12345678"},
                   {7, "TV"},
                   {8, ""},
                   {9, std::int64_t{4990}},
                   {10, ""},
                   {11, R"({"cpf":"1"})"},
                   {13, std::int64_t{1000}},
                   {14, std::int64_t{2000}},
                   {15, "PENDENTE"},
                   {16, std::int64_t{0}},
                   {17, "none"},
                   {23, R"([{"idExterno":"01JD3W4Q8Y0000000000000002","state":"requesting","createdAt":1000}])"},
                   {24, std::int64_t{2000}}};
    return row;
}

struct Read {
    Result<Sale> sale;
    std::vector<std::string> unreadable;
};

Read read(const WrittenRow& row) {
    FieldCipher cipher;
    rows::FieldReader fields(cipher);
    auto sale = rows::read_sale(row, fields, {.now = Instant{}, .wall = WallTime(2s)});
    return {std::move(sale), fields.unreadable()};
}
Read read_with(int column, WrittenRow::Value value) {
    auto row = row_of_a_sale();
    row.columns[column] = std::move(value);
    return read(row);
}
bool makes_sense(int column, WrittenRow::Value value) {
    const auto got = read_with(column, std::move(value));
    EXPECT_TRUE(got.sale.has_value() || got.sale.error() == errc::sale_unreadable);
    return got.sale.has_value() && got.unreadable.empty();
}

TEST(RowBounds, ASaleIsReadFromItsColumns) {
    auto row = row_of_a_sale();
    row.columns[12] = "redeemed at";
    row.columns[26] = "Rita";
    const auto got = read(row);
    ASSERT_TRUE(got.sale.has_value());
    const auto& sale = *got.sale;
    EXPECT_EQ(sale.id.str(), "01JD3W4Q8Y0000000000000001");
    EXPECT_EQ(sale.terminal, "till");
    EXPECT_EQ(sale.key, "k1");
    EXPECT_EQ(sale.digest, "digest");
    EXPECT_EQ(sale.estabelecimento, "12345678");
    EXPECT_EQ(sale.produto, "TV");
    EXPECT_EQ(sale.valor.value, 4990);
    EXPECT_EQ(sale.redemption, "redeemed at");
    EXPECT_EQ(sale.cashier, "Rita");
    EXPECT_EQ(sale.created_at, WallTime(1s));
    EXPECT_EQ(sale.updated_at, WallTime(2s));
    EXPECT_FALSE(sale.settled || sale.reason || sale.esim || sale.day);
    EXPECT_THAT(got.unreadable, IsEmpty());
}

TEST(RowBounds, NumbersStayWithinTheirBounds) {
    const std::vector<std::pair<int, std::int64_t>> most{
        {9, 1'000'000'000'000}, {13, last_time}, {14, last_time}, {24, last_time}};
    for (const auto& [column, number] : most) {
        EXPECT_TRUE(makes_sense(column, std::int64_t{0})) << column;
        EXPECT_FALSE(makes_sense(column, std::int64_t{-1})) << column;
        EXPECT_TRUE(makes_sense(column, number)) << column;
        EXPECT_FALSE(makes_sense(column, number + 1)) << column;
        EXPECT_FALSE(makes_sense(column, "5")) << column;
        EXPECT_FALSE(makes_sense(column, 5.0)) << column;
        EXPECT_FALSE(makes_sense(column, {})) << column;
    }
}

TEST(RowBounds, ASaleIsSettledOrIsNot) {
    auto row = row_of_a_sale();
    row.columns[15] = "CANCELADA";
    row.columns[23] = R"([{"idExterno":"01JD3W4Q8Y0000000000000002","state":"cancelled","createdAt":1000}])";
    row.columns[16] = std::int64_t{1};
    ASSERT_TRUE(read(row).sale.has_value());
    EXPECT_TRUE(read(row).sale->settled);
    row.columns[16] = std::int64_t{2};
    EXPECT_EQ(read(row).sale.error(), errc::sale_unreadable);
}

TEST(RowBounds, ASaleThatCannotBeIsUnreadable) {
    EXPECT_EQ(read_with(15, "EFETIVADA").sale.error(), errc::sale_unreadable) << "its request was never answered";
    EXPECT_EQ(read_with(5, std::string(to_string(ConfirmMode::manual))).sale->mode, ConfirmMode::manual);
}

TEST(RowBounds, TextsAreUtf8AndTheirWordsAreKnown) {
    for (const int column : {0, 1, 2, 4, 5, 6, 7, 8, 10, 15, 23}) {
        EXPECT_FALSE(makes_sense(column, "\xff")) << column;
        EXPECT_FALSE(makes_sense(column, std::int64_t{1})) << column;
        EXPECT_FALSE(makes_sense(column, {})) << column;
    }
    for (const int column : {0, 4, 5, 15, 17, 23})
        EXPECT_FALSE(makes_sense(column, "x")) << column;
    for (const int column : {1, 2, 6, 7, 8, 10})
        EXPECT_TRUE(makes_sense(column, "x")) << column;
    EXPECT_EQ(read_with(17, "x").sale->attention, Attention::unreadable);
}

TEST(RowBounds, AReasonIsReadWithItsNumbers) {
    const auto reason = [](const std::string& text, const std::string& words = {}) {
        auto row = row_of_a_sale();
        row.columns[18] = text;
        if (!words.empty()) row.columns[19] = words;
        return read(row);
    };
    const auto whole = reason(R"({"code":"refused","detail":"no","providerStatus":999,"retryAfter":1000000000})",
                              R"({"providerBody":"words","note":"a note"})");
    ASSERT_TRUE(whole.sale.has_value() && whole.sale->reason);
    EXPECT_EQ(whole.sale->reason->code, ReasonCode::refused);
    EXPECT_EQ(whole.sale->reason->detail, "no") << "the note of a person is only read where there is no detail";
    EXPECT_EQ(whole.sale->reason->provider_status, 999u);
    EXPECT_EQ(whole.sale->reason->retry_after, std::chrono::seconds(1'000'000'000));
    EXPECT_EQ(whole.sale->reason->provider_body.reveal(), "words");
    const auto noted = reason(R"({"code":"operator"})", R"({"note":"a note"})");
    EXPECT_EQ(noted.sale->reason->detail, "a note");
    EXPECT_EQ(noted.sale->reason->provider_status, 0u);
    EXPECT_FALSE(noted.sale->reason->retry_after);
    for (const auto* text : {"{}", "[]", R"({"code":"x"})", R"({"code":"refused","providerStatus":1000})",
                             R"({"code":"refused","providerStatus":-1})", R"({"code":"refused","detail":5})",
                             R"({"code":"refused","retryAfter":1000000001})"})
        EXPECT_EQ(reason(text).sale.error(), errc::sale_unreadable) << text;
    for (const auto* words :
         {"[]", R"({"note":5})", R"({"providerBody":5,"note":"a note"})", R"({"providerBody":"words","note":5})"}) {
        const auto damaged = reason(R"({"code":"operator"})", words);
        ASSERT_TRUE(damaged.sale.has_value() && damaged.sale->reason) << words;
        EXPECT_EQ(damaged.sale->reason->detail, "") << words;
        EXPECT_TRUE(damaged.sale->reason->provider_body.empty()) << words;
        EXPECT_THAT(damaged.unreadable, ElementsAre(std::string(encrypted::words) + "01JD3W4Q8Y0000000000000001"));
    }
}

TEST(RowBounds, WhatMayBeErasedIsLeftOutAndCountedWhereItIsDamaged) {
    const std::vector<std::pair<int, std::string_view>> columns{
        {11, encrypted::request}, {20, encrypted::details}, {21, encrypted::goods}, {22, encrypted::esim}};
    for (const auto& [column, name] : columns) {
        const auto got = read_with(column, "[]");
        ASSERT_TRUE(got.sale.has_value()) << name;
        EXPECT_THAT(got.unreadable, ElementsAre(std::string(name) + "01JD3W4Q8Y0000000000000001"));
        EXPECT_THAT(read_with(column, "").unreadable, IsEmpty()) << name;
    }
    EXPECT_TRUE(read_with(11, "[]").sale->request.empty());
    EXPECT_THAT(read_with(20, R"({"cnpjCpf":5})").unreadable, SizeIs(1));
    EXPECT_THAT(read_with(21, R"({"instrucao":5})").unreadable, SizeIs(1));
    EXPECT_THAT(read_with(22, R"({"uuid":5})").unreadable, SizeIs(1));
    EXPECT_FALSE(read_with(22, R"({"uuid":5})").sale->esim);
    EXPECT_EQ(read_with(22, R"({"uuid":"u"})").sale->esim->uuid, "u");
}

TEST(RowBounds, ADayIsADay) {
    EXPECT_EQ(read_with(27, "2026-11-30").sale->day, parse_day("2026-11-30"));
    EXPECT_THAT(read_with(27, "2026-11-30").unreadable, IsEmpty());
    for (const auto& damaged : {WrittenRow::Value("2026-11-31"), WrittenRow::Value(std::int64_t{5})}) {
        const auto got = read_with(27, damaged);
        EXPECT_FALSE(got.sale->day);
        EXPECT_THAT(got.unreadable, ElementsAre("sales.day/01JD3W4Q8Y0000000000000001"));
    }
    WrittenRow row;
    EXPECT_FALSE(rows::is_of_a_day(row));
    row.columns[27] = "x";
    EXPECT_FALSE(rows::is_of_a_day(row));
    row.columns[27] = "2026-11-30";
    EXPECT_TRUE(rows::is_of_a_day(row));
}

TEST(RowBounds, ATimeHasAYearOfFourDigits) {
    EXPECT_EQ(rows::readable_time(0), WallTime{});
    EXPECT_EQ(rows::readable_time(-1), std::nullopt);
    EXPECT_EQ(rows::readable_time(last_time), WallTime(Duration(last_time)));
    EXPECT_EQ(rows::readable_time(last_time + 1), std::nullopt);
}

TEST(RowBounds, MembersAreAbsentOrOfTheirType) {
    const auto is_good = [](std::string_view text, auto&& look) {
        rows::Members members(text);
        look(members);
        return members.good();
    };
    EXPECT_TRUE(is_good("", [](auto&) {}));
    EXPECT_TRUE(is_good("{}", [](auto& members) { EXPECT_EQ(members.text("a"), ""); }));
    EXPECT_FALSE(is_good("[]", [](auto& members) { EXPECT_EQ(members.text("a"), ""); }));
    EXPECT_FALSE(is_good("{", [](auto&) {}));
    EXPECT_FALSE(is_good(R"({"a":1})", [](auto& members) { EXPECT_EQ(members.text("a"), ""); }));
    EXPECT_FALSE(is_good(R"({"a":"1"})", [](auto& members) { EXPECT_FALSE(members.number("a")); }));
    EXPECT_TRUE(is_good(R"({"a":0})", [](auto& members) { EXPECT_EQ(members.number("a", 0), 0); }));
    EXPECT_FALSE(is_good(R"({"a":1})", [](auto& members) { EXPECT_FALSE(members.number("a", 0)); }));
    EXPECT_FALSE(is_good(R"({"a":-1})", [](auto& members) { EXPECT_FALSE(members.number("a", 0)); }));
    EXPECT_TRUE(is_good("{}", [](auto& members) { EXPECT_FALSE(members.number("a", 0)); }));
    EXPECT_TRUE(is_good(R"({"a":1})", [](auto& members) { EXPECT_EQ(members.time("a"), WallTime(1ms)); }));
    EXPECT_FALSE(is_good(R"({"a":-1})", [](auto& members) { EXPECT_FALSE(members.time("a")); }));
    EXPECT_TRUE(is_good("{}", [](auto& members) { EXPECT_FALSE(members.time("a")); }));
    rows::Members damaged(R"({"a":"x","b":1})");
    EXPECT_FALSE(damaged.number("a", 5));
    EXPECT_EQ(damaged.time("b"), WallTime(1ms));
    EXPECT_FALSE(damaged.good()) << "what makes sense does not make good what did not";
    EXPECT_FALSE(damaged.number("b", 5)) << "once one makes no sense, no number is believed";
}

TEST(RowBounds, WhatIsShownIsUtf8WithoutNul) {
    EXPECT_EQ(rows::shown("a\xc3\xa3z"), "a\xc3\xa3z");
    EXPECT_EQ(rows::shown("a\x80\xffz\x7f"), "a??z\x7f");
    EXPECT_EQ(rows::shown(std::string("a\0b\0", 4)), "a?b?");
}

TEST(RowBounds, ACallbackIsReadWithItsKindAndItsBody) {
    const auto got = [](std::map<int, WrittenRow::Value> columns, std::size_t unreadable) {
        WrittenRow row;
        row.columns = std::move(columns);
        FieldCipher cipher;
        rows::FieldReader fields(cipher);
        auto callback = rows::read_callback(row, "s", fields);
        EXPECT_EQ(fields.unreadable().size(), unreadable);
        return callback;
    };
    const auto whole = got({{0, std::int64_t{5}}, {1, "sale"}, {2, std::int64_t{1}}, {3, "{}"}}, 0);
    ASSERT_TRUE(whole.has_value());
    EXPECT_EQ(whole->at, WallTime(5ms));
    EXPECT_EQ(whole->kind, "sale");
    EXPECT_TRUE(whole->valid);
    EXPECT_EQ(whole->body->reveal(), "{}");
    const auto erased = got({{0, std::int64_t{5}}, {1, "sale"}, {2, std::int64_t{0}}}, 0);
    ASSERT_TRUE(erased.has_value());
    EXPECT_FALSE(erased->valid);
    EXPECT_FALSE(erased->body.has_value());
    EXPECT_FALSE(got({{1, "sale"}, {2, std::int64_t{1}}, {3, "{}"}}, 1));
    EXPECT_FALSE(got({{0, std::int64_t{5}}, {2, std::int64_t{1}}, {3, "{}"}}, 1));
    EXPECT_FALSE(got({{0, std::int64_t{5}}, {1, "sale"}, {3, "{}"}}, 1));
}

}  // namespace
}  // namespace gateway::test
