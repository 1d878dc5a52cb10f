#include "config/reload.hpp"

#include "unit/config/config_text.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace gateway {

namespace {

using test::ConfigText;
using test::good;
using test::some_digest;

Config taken(const ConfigText& running, const ConfigText& fresh) {
    auto result = take_over(good(running), good(fresh));
    EXPECT_TRUE(result.has_value());
    return result.has_value() ? *result : Config{};
}

ConfigText with_one_terminal(std::string_view id, std::string_view more = "") {
    return ConfigText().no_terminals().terminal(id, "key_sha256 = \"" + some_digest + "\"\n" + std::string(more));
}

ConfigText with_callbacks(ConfigText text) {
    return text.set("listen.callbacks", R"("0.0.0.0:8081")").set("provider.callback_url", R"("https://store.example")");
}

std::vector<Family> families_of_first(const Config& config) {
    return config.families_of(config.terminals.at(0));
}

bool sells_esim(const Config& config) {
    const auto families = families_of_first(config);
    return std::ranges::find(families, Family::esim) != families.end();
}

}  // namespace

TEST(Reload, TerminalsAndTheLogsLevelAndLanguageAreTakenOver) {
    const auto config =
        taken(with_one_terminal("caixa-01"),
              with_one_terminal("caixa-02").set("log.level", R"("debug")").set("log.language", R"("pt-BR")"));
    ASSERT_EQ(config.terminals.size(), 1U);
    EXPECT_EQ(config.terminals[0].id, "caixa-02");
    EXPECT_EQ(config.log.level, LogLevel::debug);
    EXPECT_EQ(config.log.language, Language::portuguese);
}

TEST(Reload, ProductsAreTakenOver) {
    const auto fresh = ConfigText().product("family = \"tv\"\nproduto = \"TV Livre\"");
    const auto config = taken(ConfigText().product("family = \"esim\"\nproduto = \"Chip\""), fresh);
    EXPECT_EQ(config.products, (std::vector<Product>{{.family = Family::tv, .produto = "TV Livre"}}));
    EXPECT_TRUE(waiting_keys(config, good(fresh)).empty());
    EXPECT_TRUE(taken(fresh, ConfigText()).products.empty());
}

TEST(Reload, OperatorsAreTakenOver) {
    const auto with_operator = [](std::string_view name, std::string_view role) {
        const std::string hash = "$scrypt$ln=15,r=8,p=1$" + std::string(21, 'a') + "A$" + std::string(42, 'a') + "A";
        return ConfigText()
            .set("listen.console", R"("127.0.0.1:9091")")
            .lines("[[operators]]\nname = \"" + std::string(name) + "\"\npassword = \"" + hash + "\"\nrole = \"" +
                   std::string(role) + "\"");
    };
    const auto fresh = with_operator("Bia", "settle");
    const auto config = taken(with_operator("Ana", "look"), fresh);
    ASSERT_EQ(config.operators.size(), 1U);
    EXPECT_EQ(config.operators[0].name, "Bia");
    EXPECT_EQ(config.operators[0].role, Role::settle);
    EXPECT_TRUE(waiting_keys(config, good(fresh)).empty());
    EXPECT_TRUE(taken(fresh, ConfigText().set("listen.console", R"("127.0.0.1:9091")")).operators.empty());
}

TEST(Reload, WhatThePartsWereBuiltWithStays) {
    const auto config = taken(ConfigText(), ConfigText()
                                                .set("provider.base_url", R"("https://elsewhere.example")")
                                                .set("limits.hold", R"("1m")")
                                                .set("log.format", R"("text")"));
    EXPECT_EQ(config.provider.base_url.host, "provider.example");
    EXPECT_EQ(config.sale.hold, std::chrono::minutes(5));
    EXPECT_EQ(config.log.format, LogFormat::json);
}

TEST(Reload, CredentialsOfTheProxyAreTakenOverUnlessTheyAreForAnother) {
    const test::TemporaryFolder folder;
    const auto with_proxy = [&](std::string_view proxy, std::string_view credentials) {
        const auto file = folder.write(std::string(credentials.substr(0, credentials.find(':'))), credentials);
        return ConfigText()
            .set("provider.proxy", "\"" + std::string(proxy) + "\"")
            .set("provider.proxy_credentials_file", "\"" + file + "\"");
    };
    const auto old_one = with_proxy("http://proxy.store:3128", "old:pw");
    const auto renewed = with_proxy("http://proxy.store:3128", "new:pw");
    const auto moved = with_proxy("http://other.store:3128", "new:pw");
    EXPECT_EQ(taken(old_one, renewed).provider.proxy_credentials, Secret("new:pw"));
    EXPECT_TRUE(waiting_keys(taken(old_one, renewed), good(renewed)).empty());
    EXPECT_EQ(taken(old_one, moved).provider.proxy_credentials, Secret("old:pw"));
    EXPECT_EQ(waiting_keys(taken(old_one, moved), good(moved)), std::vector<std::string_view>{"provider.proxy"});
}

TEST(Reload, EsimIsSoldAsItWasAtTheStart) {
    const auto text = with_one_terminal("caixa-01");
    const auto listed = with_one_terminal("caixa-01", R"(families = ["tv", "esim"])");
    EXPECT_FALSE(sells_esim(taken(text, with_callbacks(text))));
    EXPECT_EQ(families_of_first(taken(text, with_callbacks(listed))), std::vector{Family::tv});
    EXPECT_TRUE(sells_esim(taken(with_callbacks(text), text)));
    EXPECT_TRUE(sells_esim(taken(with_callbacks(text), with_callbacks(listed))));
}

TEST(Reload, TerminalsWithoutAnEstablishmentKeepTheOneOfTheStart) {
    const auto config = taken(ConfigText(), ConfigText().set("provider.estabelecimento", R"("87654321")"));
    EXPECT_EQ(config.provider.estabelecimento, "87654321");
}

TEST(Reload, TerminalThatWouldSellForNoEstablishmentIsRefused) {
    const auto own = with_one_terminal("caixa-01", R"(estabelecimento = "1")").drop("provider.estabelecimento");
    const auto result = take_over(good(own), good(with_one_terminal("caixa-01")));
    ASSERT_TRUE(result.has_error());
    EXPECT_EQ(result.error().key, "terminals[1].estabelecimento");
    EXPECT_NE(result.error().message.find("restart"), std::string::npos);
}

TEST(Reload, CertificatesAreReplacedButNeitherBegunNorEnded) {
    Config off;
    off.terminals.push_back({.id = "caixa-01", .estabelecimento = "1"});
    auto on = off;
    on.listen.tls = {.cert = "old.pem", .key = "old.key"};
    on.listen.tls.client_ca = "old.ca";
    auto renewed = off;
    renewed.listen.tls = {.cert = "new.pem", .key = "new.key"};
    renewed.listen.tls.client_ca = "new.ca";
    EXPECT_EQ(take_over(on, renewed)->listen.tls.cert, "new.pem");
    EXPECT_EQ(take_over(on, renewed)->listen.tls.key, "new.key");
    EXPECT_EQ(take_over(on, renewed)->listen.tls.client_ca, "new.ca");
    EXPECT_FALSE(take_over(off, renewed)->listen.has_tls());
    EXPECT_EQ(take_over(on, off)->listen.tls.cert, "old.pem");
    EXPECT_EQ(take_over(on, off)->listen.tls.client_ca, "old.ca");

    on.listen.console_tls = {.cert = "old-console.pem", .key = "old-console.key"};
    renewed.listen.console_tls = {.cert = "new-console.pem", .key = "new-console.key"};
    EXPECT_EQ(take_over(on, renewed)->listen.tls_of_console()->cert, "new-console.pem");
    EXPECT_FALSE(take_over(off, renewed)->listen.tls_of_console());
}

TEST(Reload, KeysThatWaitForARestartAreNamed) {
    using Names = std::vector<std::string_view>;
    const auto waiting = [](const ConfigText& fresh) { return waiting_keys(taken(ConfigText(), fresh), good(fresh)); };
    EXPECT_EQ(waiting(ConfigText().no_terminals().set("log.level", R"("debug")")), Names{});
    EXPECT_EQ(waiting(with_callbacks(ConfigText())), (Names{"listen.callbacks", "provider.callback_url"}));
    EXPECT_EQ(waiting(ConfigText()
                          .set("provider.base_url", R"("https://elsewhere.example")")
                          .set("provider.scopes", R"(["Venda_Egift"])")
                          .set("provider.estabelecimento", R"("1")")
                          .set("limits.hold", R"("1m")")
                          .set("log.format", R"("text")")),
              (Names{"provider.base_url", "provider.scopes", "provider.estabelecimento", "limits.hold", "log.format"}));
}

TEST(Reload, AnotherAppSecretIsTakenOverWhereverItStands) {
    auto running = good(ConfigText());
    running.provider.app_secret_file = "old-file";
    const auto config = take_over(running, good(ConfigText().set("provider.app_secret", R"("new")")));
    ASSERT_TRUE(config.has_value());
    EXPECT_EQ(config->provider.app_secret.reveal(), "new");
    EXPECT_EQ(config->provider.app_secret_file, "");
}

TEST(Reload, AnotherJournalKeyInTheSameFileWaits) {
    Config running;
    auto fresh = running;
    fresh.journal.keys = {Secret("new")};
    EXPECT_EQ(waiting_keys(running, fresh), (std::vector<std::string_view>{"journal.key_file"}));
}

TEST(Reload, TlsThatIsSwitchedOnWaitsAndARenewedCertificateDoesNot) {
    const Config off;
    auto on = off;
    on.listen.tls = {.cert = "old.pem", .key = "old.key"};
    auto renewed = off;
    renewed.listen.tls = {.cert = "new.pem", .key = "new.key"};
    using Names = std::vector<std::string_view>;
    EXPECT_EQ(waiting_keys(*take_over(off, on), on), (Names{"listen.tls.cert", "listen.tls.key"}));
    EXPECT_EQ(waiting_keys(*take_over(on, renewed), renewed), Names{});
}

TEST(Reload, WhatTheProviderIsKnownByIsTakenOver) {
    Config running;
    auto fresh = running;
    fresh.provider.tls.ca_file = "ca.pem";
    fresh.provider.tls.client_cert = "box.pem";
    fresh.provider.tls.client_key = "box.key";
    fresh.provider.tls.pinned_keys = {some_digest};
    const auto config = *take_over(running, fresh);
    EXPECT_EQ(config.provider.tls.ca_file, "ca.pem");
    EXPECT_EQ(config.provider.tls.client_cert, "box.pem");
    EXPECT_EQ(config.provider.tls.client_key, "box.key");
    EXPECT_EQ(config.provider.tls.pinned_keys, std::vector{some_digest});
}

}  // namespace gateway
