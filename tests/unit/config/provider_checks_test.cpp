#include "unit/config/config_text.hpp"

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

}  // namespace
}  // namespace gateway::test
