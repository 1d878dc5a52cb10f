#include "paper/escpos.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gateway::test {
namespace {

using namespace std::string_view_literals;
using Lines = std::vector<std::string>;

bool has(std::string_view bytes, std::string_view part) {
    return bytes.find(part) != std::string_view::npos;
}

TEST(Escpos, BeginsWithAPrinterInAKnownStateAndEndsWithTheCut) {
    const EscposPaper paper{.page = CodePage::cp860, .page_number = 3, .cut = true};
    EXPECT_EQ(escpos("", Lines{"São"}, paper), "\x1B@\x1BR\0\x1Bt\3S\x84o\n\x1DVB\0"sv);
}

TEST(Escpos, WithoutACutThePaperIsFed) {
    EXPECT_TRUE(escpos("", Lines{"a"}, {})
                    .ends_with("a\n\x1B"
                               "d\4"));
}

TEST(Escpos, APageWithoutANumberIsNotSelected) {
    EXPECT_EQ(escpos("", Lines{"São"}, {.page = CodePage::utf_8}),
              "\x1B@\x1BR\0São\n\x1B"
              "d\4"sv);
}

TEST(Escpos, ThePagesNumberIsThePrintersOwn) {
    EXPECT_TRUE(has(escpos("", Lines{"a"}, {.page = CodePage::cp850, .page_number = 255}), "\x1Bt\xFF"));
}

TEST(Escpos, TheTitleIsBoldAndInTheMiddle) {
    EXPECT_TRUE(has(escpos("2ª VIA", Lines{"a"}, {}),
                    "\x1B"
                    "E\1\x1B"
                    "a\1"
                    "2\xA6 VIA\n\x1B"
                    "a\0\x1B"
                    "E\0a\n"sv));
}

TEST(Escpos, AnAddressIsAQrCodeAndAllOfItIsTextBelow) {
    const std::string code = "LPA:1$rsp.exemplo.com$" + std::string(20, 'K');
    const auto bytes = escpos("", Lines{code}, {.columns = 32});
    EXPECT_TRUE(has(bytes, std::string("\x1D(k\x2D\0"sv).append("1P0").append(code).append("\x1D(k\3\0001Q0"sv)));
    EXPECT_TRUE(has(bytes, code.substr(0, 32) + "\n" + code.substr(32) + "\n")) << bytes;
}

TEST(Escpos, ModulesAreAsLargeAsThePaperAllows) {
    const auto module = [](std::size_t length, std::size_t columns) {
        const auto bytes = escpos("", Lines{"http://" + std::string(length - 7, 'k')}, {.columns = columns});
        const auto at = bytes.find("\x1D(k\3\0001C"sv);
        return at == std::string::npos ? 0 : static_cast<int>(bytes.at(at + 7));
    };
    EXPECT_EQ(module(14, 32), 6);   // 29 modules with the quiet ones
    EXPECT_EQ(module(251, 32), 5);  // 69
    EXPECT_EQ(module(997, 32), 3);  // 125
    EXPECT_EQ(module(997, 48), 4);
    EXPECT_EQ(module(998, 48), 0);  // it is only printed as text
}

TEST(Escpos, LengthsAbove255HaveTheirHighByte) {
    const auto address = "http://" + std::string(400, 'k');
    EXPECT_TRUE(has(escpos("", Lines{address}, {.columns = 48}), "\x1D(k\x9A\1" + ("1P0" + address)));
}

TEST(Escpos, NothingInALineIsObeyed) {
    const std::string hostile = "a\x1B@\x1DV\x42\x0Bb\x7F\x10\x04\x01";
    const auto bytes = escpos(hostile, Lines{hostile}, {});
    EXPECT_FALSE(has(bytes, "\x1DV"));
    EXPECT_FALSE(has(bytes, "\x10\x04"));
    EXPECT_EQ(bytes.find("\x1B@", 1), std::string::npos);
}

}  // namespace
}  // namespace gateway::test
