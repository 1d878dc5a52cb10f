#include "unit/config/config_text.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

std::string quoted(std::string_view text) {
    return "\"" + std::string(text) + "\"";
}

TEST(ScopesCheck, OneThatTheInterfaceDocumentDoesNotNameIsWarnedOf) {
    EXPECT_FALSE(
        warns(ConfigText().set("provider.scopes", R"(["Venda_Egift", "PagamentoDeContas"])"), "provider.scopes"));
    for (const auto* scope : {"Venda_TvPrePago", "venda_egift", "Venda_Something"})
        EXPECT_TRUE(warns(ConfigText().set("provider.scopes", "[" + quoted(scope) + "]"), "provider.scopes")) << scope;
    const auto reading = ConfigText().set("provider.scopes", R"(["Venda_TvPrePago"])").read();
    EXPECT_NE(lines(reading.warnings).find("did you mean \"Venda_TvPrePaga\"?"), std::string::npos);
}

TEST(ScopesCheck, AnEntryThatIsNoNameIsQuotedWithWhatItHas) {
    const auto error = [](std::string_view scope) {
        return only_error(ConfigText().set("provider.scopes", "[\"Venda_Voucher\", " + quoted(scope) + "]"));
    };
    EXPECT_TRUE(
        error("Venda_Egift ")
            .starts_with(
                "provider.scopes: \"Venda_Egift \" has a blank as its character 12, and the name of a scope has none"));
    EXPECT_TRUE(error("Venda_Egift Venda_Transit")
                    .starts_with("provider.scopes: \"Venda_Egift Venda_Transit\" has a blank as its character 12"));
    EXPECT_NE(error("Venda_Egift\u00a0").find("\" has U+00A0, which cannot be seen, as its character 12"),
              std::string::npos);
    EXPECT_NE(error("Venda_Ação").find("\"Venda_Ação\" has what is no letter of English"), std::string::npos);
}

TEST(UrlCheck, ThePathThatTheGatewayAddsIsNotToBeWritten) {
    for (const auto* url : {"https://auth.store/authorization/token", "https://auth.store/v1/Authorization/Token/"}) {
        const auto error = only_error(ConfigText().set("provider.auth_url", quoted(url)));
        EXPECT_TRUE(error.starts_with("provider.auth_url: ends in /authorization/token, which is added")) << error;
    }
    EXPECT_TRUE(
        warns(ConfigText().set("provider.auth_url", R"("https://a.store/authorization")"), "provider.auth_url"));
    EXPECT_TRUE(warns(ConfigText().set("provider.base_url", R"("https://a.store/api/venda")"), "provider.base_url"));
    EXPECT_FALSE(warns(ConfigText().set("provider.auth_url", R"("https://a.store/oauth")"), "provider.auth_url"));
}

TEST(PlaceholderCheck, WhatTheExampleLeavesToFillInIsWarnedOf) {
    const auto text = ConfigText()
                          .set("provider.base_url", R"("https://sales.provider.example")")
                          .set("provider.auth_url", R"("https://auth.provider.example")")
                          .set("provider.app_key", R"("the app-key")")
                          .set("provider.estabelecimento", R"("12345678")");
    for (const auto* key : {"provider.base_url", "provider.auth_url", "provider.app_key", "provider.estabelecimento"}) {
        EXPECT_TRUE(warns(text, key)) << key;
        EXPECT_FALSE(warns(ConfigText(), key)) << key;
    }
}

TEST(PlaceholderCheck, TheSignForWhatIsLeftOutIsNoValue) {
    for (const std::string_view sign : {"…", "..."}) {
        for (const auto* key : {"provider.app_secret", "provider.app_key", "provider.estabelecimento"})
            EXPECT_NE(lines(ConfigText().set(key, quoted(sign)).read().warnings)
                          .find(key + std::string(": is the example's placeholder: write the value itself")),
                      std::string::npos)
                << key;
        const TemporaryFolder folder;
        const auto file = folder.write("secret", std::string(sign) + "\n");
        const auto name = quoted(std::string_view(file));
        const auto in_file = ConfigText().drop("provider.app_secret").set("provider.app_secret_file", name).read();
        EXPECT_NE(lines(in_file.warnings)
                      .find("provider.app_secret_file: what " + name + " holds is the example's placeholder"),
                  std::string::npos);
    }
    EXPECT_EQ(lines(ConfigText().set("provider.app_key", R"("a…")").read().warnings).find("placeholder"),
              std::string::npos);
}

TEST(QuotesCheck, AQuoteOfAWordProcessorAtAnEndOfAValueIsWarnedOf) {
    for (const auto* value : {"“abc”", "”abc”", "«abc»", "„abc“", "‘abc’", "“abc", "abc”", " “abc”"})
        EXPECT_TRUE(warns(ConfigText().set("provider.app_key", quoted(value)), "provider.app_key")) << value;
    for (const auto* value : {"abc", "Loja “Sol”", "Loja “Sol” 2", "d’água", "`abc`"})
        EXPECT_FALSE(warns(ConfigText().set("provider.app_key", quoted(value)), "provider.app_key")) << value;
    const auto warning = lines(ConfigText().set("provider.app_key", quoted("“abc”")).read().warnings);
    EXPECT_NE(warning.find("provider.app_key: begins with U+201C, a quote as a word processor makes it"),
              std::string::npos);
    EXPECT_EQ(warning.find("abc"), std::string::npos) << "it may be a secret";
    const auto in_list = ConfigText().set("provider.scopes", R"(["Venda_Egift", "«a»"])").read();
    EXPECT_NE(lines(in_list.warnings).find("provider.scopes: entry 2 begins with U+00AB"), std::string::npos);
}

}  // namespace
}  // namespace gateway::test
