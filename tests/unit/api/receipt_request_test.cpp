#include "api/receipt_request.hpp"

#include "unit/api/rig.hpp"

namespace gateway::test {
namespace {

class ReceiptRequestTest : public ApiTest {
  protected:
    Told ask(const std::string& query) { return api.get("/v1/sales/" + id + "/receipt" + query); }
    const std::string id = api.sold("k-1").text("id");
};

TEST_F(ReceiptRequestTest, WithoutParametersIsTextAsEver) {
    const auto told = ask("");
    EXPECT_EQ(told.response.content_type, "text/plain; charset=utf-8");
    EXPECT_EQ(ask("?format=text&columns=40&codepage=utf-8&cut=0").response.body, "2ª VIA\n" + told.response.body);
}

TEST_F(ReceiptRequestTest, AsJsonIsAListThatSaysWhetherItIsACopy) {
    const auto first = ask("?format=json").json();
    EXPECT_EQ(first.at("copy"), false);
    auto lines = first.at("lines").as_array();
    lines.insert(lines.begin(), "2ª VIA");
    const auto second = ask("?format=json").json();
    EXPECT_EQ(second.at("copy"), true);
    EXPECT_EQ(second.at("lines"), lines);
}

TEST_F(ReceiptRequestTest, TextOfAPageIsInItsBytesAndSaysSo) {
    ask("");
    const auto told = ask("?codepage=cp850");
    EXPECT_EQ(told.response.content_type, "text/plain; charset=IBM850");
    EXPECT_TRUE(told.response.body.starts_with("2\xA6 VIA\n"));
}

TEST_F(ReceiptRequestTest, EscposIsBytesInPortuguesesPageUnlessOtherwiseAsked) {
    const auto told = ask("?format=escpos");
    EXPECT_EQ(told.response.content_type, "application/octet-stream");
    EXPECT_TRUE(told.response.body.starts_with(std::string("\x1B@\x1BR\0\x1Bt\3", 8)));
    EXPECT_NE(ask("?format=escpos&codepage=wpc1252").response.body.find("\x1Bt\x10"), std::string::npos);
    EXPECT_EQ(ask("?format=escpos&codepage=utf-8").response.body.find("\x1Bt"), std::string::npos);
    EXPECT_TRUE(ask("?format=escpos&cut=1").response.body.ends_with(std::string("\x1DVB\0", 4)));
}

TEST_F(ReceiptRequestTest, LinesAreAsWideAsThePaper) {
    for (const auto* columns : {"32", "40", "48"}) {
        const auto lines = ask(std::string("?format=json&columns=") + columns).json().at("lines");
        for (const auto& line : lines.as_array())
            EXPECT_LE(line.as_string().size(), std::stoul(columns));
    }
}

TEST_F(ReceiptRequestTest, WhatIsWrongIsSaidAllAtOnceAndCountsAsNoCopy) {
    const auto told = ask("?format=pdf&columns=80&codepage=cp437&cut=yes&color=red");
    EXPECT_EQ(told.status(), 422u);
    EXPECT_EQ(told.json().at("errors").as_array().size(), 5u);
    EXPECT_EQ(ask("?cut=1").status(), 422u);
    EXPECT_EQ(ask("?columns=32&columns=32").status(), 422u);
    EXPECT_EQ(ask("?format=json").json().at("copy"), false);
}

}  // namespace
}  // namespace gateway::test
