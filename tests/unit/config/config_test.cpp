#include "config/config.hpp"

#include "unit/config/config_text.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace gateway {

using namespace std::chrono_literals;
using test::ConfigText;
using test::good;
using test::only_error;
using test::TemporaryFolder;

TEST(Config, MinimalFileGetsEveryDocumentedDefault) {
    const auto config = good(ConfigText());
    EXPECT_EQ(config.listen.terminals, Endpoint(boost::asio::ip::address_v4::any(), 8080));
    EXPECT_EQ(config.listen.admin, Endpoint(boost::asio::ip::address_v4::loopback(), 9090));
    EXPECT_FALSE(config.listen.callbacks);
    EXPECT_FALSE(config.listen.has_tls());
    EXPECT_EQ(config.provider.connect_timeout, Duration(5s));
    EXPECT_EQ(config.provider.request_timeout, Duration(15s));
    EXPECT_EQ(config.provider.callback_field, "the service");
    EXPECT_EQ(config.provider.health_cancel_path, "");
    EXPECT_TRUE(config.provider.trust_cancel_4xx);
    EXPECT_EQ(config.provider.status_path, "");
    EXPECT_FALSE(config.provider.allow_plaintext);
    EXPECT_EQ(config.sale.confirm_window, Duration(2min));
    EXPECT_EQ(config.sale.late_arrival, Duration(2min));
    EXPECT_EQ(config.sale.attention_after, Duration(10min));
    EXPECT_EQ(config.sale.max_attempts, 2);
    EXPECT_EQ(config.sell.sell_wait, Duration(25s));
    EXPECT_EQ(config.sale.hold, Duration(5min));
    EXPECT_EQ(config.drain, Duration(20s));
    EXPECT_EQ(config.listen.body, 65536U);
    EXPECT_EQ(config.seller.in_flight, 10000U);
    EXPECT_EQ(config.sell.per_terminal_rate, 50);
    EXPECT_EQ(config.cache.ttl, Duration(5min));
    EXPECT_TRUE(config.proxy.allow.empty());
    EXPECT_EQ(config.journal.retention, Duration(std::chrono::days(90)));
    EXPECT_EQ(config.store.timezone, "America/Sao_Paulo");
    EXPECT_EQ(config.sale.day, DayClock::ours);
    EXPECT_EQ(config.log.level, LogLevel::info);
    EXPECT_EQ(config.log.format, LogFormat::json);
    EXPECT_EQ(config.log.language, Language::english);
}

TEST(Config, ValuesOfTheFileAreTaken) {
    const auto config = good(ConfigText()
                                 .set("listen.callbacks", R"("0.0.0.0:8081")")
                                 .set("provider.callback_url", R"("https://store.example:8443/")")
                                 .set("limits.sell_wait", R"("7s")")
                                 .set("proxy.allow", R"(["/venda/egift/*"])")
                                 .terminal("caixa-02", "key_sha256 = \"" + std::string(64, 'B') +
                                                           "\"\nestabelecimento = \"87654321\"\nfamilies = [\"tv\"]"));
    EXPECT_EQ(config.listen.callbacks, Endpoint(boost::asio::ip::address_v4::any(), 8081));
    EXPECT_EQ(config.provider.callback_url.text, "https://store.example:8443");
    EXPECT_EQ(config.provider.base_url.path, "/api");
    EXPECT_EQ(config.provider.app_secret.reveal(), "s3cret");
    EXPECT_EQ(config.sell.sell_wait, Duration(7s));
    ASSERT_EQ(config.terminals.size(), 2U);
    EXPECT_EQ(config.terminals[0].id, "caixa-01");
    EXPECT_EQ(config.terminals[1].key_sha256.all, std::vector{std::string(64, 'b')})
        << "compared in lower case from here on";
    EXPECT_EQ(config.terminals[1].estabelecimento, "87654321");
    EXPECT_EQ(config.terminals[1].families, std::vector{Family::tv});
}

TEST(Config, WhatATerminalDoesNotSayOfItselfIsSaidForAll) {
    const auto callers = good(ConfigText()
                                  .set("printer.cp850", "7")
                                  .terminal("caixa-02", "key_sha256 = \"" + std::string(64, 'b') +
                                                            "\"\nestabelecimento = \"12345678\"\n"
                                                            "families = [\"tv\"]\nprinter.cp860 = 9"))
                             .callers();
    ASSERT_EQ(callers.size(), 2U);
    EXPECT_EQ(callers[0].id, "caixa-01");
    EXPECT_EQ(callers[0].key_sha256, std::vector{test::some_digest});
    EXPECT_EQ(callers[0].estabelecimento, "87654321");
    EXPECT_EQ(callers[0].families.size(), all_families.size() - 1) << "no eSIM without callbacks";
    EXPECT_EQ(callers[0].printer, (CodePageNumbers{.cp860 = 3, .cp850 = 7, .wpc1252 = 16}));
    EXPECT_EQ(callers[1].estabelecimento, "12345678");
    EXPECT_EQ(callers[1].families, std::vector{Family::tv});
    EXPECT_EQ(callers[1].printer, (CodePageNumbers{.cp860 = 9, .cp850 = 7, .wpc1252 = 16}));
}

TEST(Config, EveryErrorIsToldAtOnceInTheOrderOfTheFile) {
    const auto reading = read_config(R"([listen]
terminals = "here"
[provider]
base_url = "https://provider.example"
auth_url = "https://auth.example"
app_key = "key"
app_secret = 5
connect_timeout = 5
conect_timeout = "5s"
scopes = ["Venda_TvPrePaga"]
estabelecimento = "1"
[journal]
path = "journal.db"
[[terminals]]
id = "caixa-01"
)");
    ASSERT_EQ(reading.errors.size(), 5U) << test::lines(reading.errors);
    EXPECT_FALSE(reading.config);
    EXPECT_EQ(
        to_string(reading.errors[0], "f"),
        "f:2: listen.terminals: \"here\" is not an address; write IP address and port, such as \"0.0.0.0:8080\" or "
        "\"[::1]:8080\"");
    EXPECT_EQ(to_string(reading.errors[1], "f"), "f:7: provider.app_secret: must be a text in quotes");
    EXPECT_EQ(to_string(reading.errors[2], "f"),
              "f:8: provider.connect_timeout: is a number without a unit; write a duration in quotes, such as \"5s\"");
    EXPECT_EQ(to_string(reading.errors[3], "f"),
              "f:9: provider.conect_timeout: is no key of this program; did you mean \"connect_timeout\"?");
    EXPECT_EQ(reading.errors[4].key, "terminals[1].key_sha256");
    EXPECT_EQ(reading.errors[4].line, 14U) << "a key that is missing is told at its section";
}

TEST(Config, MistypedSectionIsNamed) {
    EXPECT_EQ(only_error(ConfigText().set("lisen.terminals", R"("0.0.0.0:1")")),
              "lisen: is no key of this program; did you mean \"listen\"?");
}

TEST(Config, KeyInTheWrongSectionIsSentToTheRightOne) {
    EXPECT_EQ(only_error(ConfigText().set("sale.sell_wait", R"("5s")")),
              "sale.sell_wait: is no key of this program; did you mean \"limits.sell_wait\"?");
}

TEST(Config, AKeyThatIsOnlyBegunIsOneOfItsOwnSection) {
    EXPECT_EQ(
        only_error(ConfigText().terminal("caixa-02", "key = \"x\"\nkey_sha256 = \"" + std::string(64, 'b') + "\"")),
        "terminals[2].key: is no key of this program; did you mean \"key_sha256\"?");
}

TEST(Config, KeyOfATerminalIsNamedWithItsPlaceInTheList) {
    EXPECT_EQ(only_error(ConfigText().terminal("caixa-02",
                                               "key_sha25 = \"x\"\nkey_sha256 = \"" + std::string(64, 'b') + "\"")),
              "terminals[2].key_sha25: is no key of this program; did you mean \"key_sha256\"?");
}

TEST(Config, WhereNoKeyIsNearThoseOfTheSectionAreNamed) {
    EXPECT_EQ(only_error(ConfigText().terminal("caixa-02", "x = 1\nkey_sha256 = \"" + std::string(64, 'b') + "\"")),
              "terminals[2].x: is no key of this program; known here: id, key_sha256, estabelecimento, families, "
              "printer");
    EXPECT_EQ(only_error(ConfigText().set("listen.tls.password", "1")),
              "listen.tls.password: is no key of this program; known here: cert, key, client_ca");
    const auto of_the_file = only_error(ConfigText().set("weather.name", "1"));
    EXPECT_TRUE(of_the_file.starts_with("weather: is no key of this program; known here: listen, provider, sale, "))
        << of_the_file;
}

TEST(Config, AByteOrderMarkIsNoError) {
    EXPECT_TRUE(read_config("\xEF\xBB\xBF" + ConfigText().text()).config);
}

TEST(Config, SectionThatIsAValueAndListThatIsASectionAreTold) {
    EXPECT_EQ(only_error(ConfigText().set("cache", "5")), "cache: is a section; write [cache] and its keys below it");
    EXPECT_EQ(only_error(ConfigText().no_terminals().set("terminals.id", R"("caixa-01")")),
              "terminals: is a list; write [[terminals]] above each terminal's keys");
}

TEST(Config, RequiredKeyThatIsMissingIsToldWithItsPurpose) {
    for (const auto* key : {"provider.base_url", "provider.auth_url", "provider.app_key", "provider.scopes",
                            "provider.estabelecimento", "journal.path"}) {
        EXPECT_TRUE(only_error(ConfigText().drop(key)).starts_with(std::string(key) + ": is missing")) << key;
    }
}

TEST(Config, RequiredKeyThatIsEmptyIsNoKey) {
    EXPECT_TRUE(
        only_error(ConfigText().set("provider.app_key", R"("")")).starts_with("provider.app_key: must not be empty: "));
    EXPECT_TRUE(
        only_error(ConfigText().set("provider.scopes", "[]")).starts_with("provider.scopes: must not be empty"));
}

TEST(Config, BrokenTomlIsToldWithItsLine) {
    const auto reading = read_config("[listen]\nterminals = \"0.0.0.0:8080\nadmin = 1\n");
    ASSERT_EQ(reading.errors.size(), 1U);
    EXPECT_EQ(reading.errors[0].line, 2U);
    EXPECT_TRUE(to_string(reading.errors[0], "gateway.toml").starts_with("gateway.toml:2: is not TOML: "));
}

TEST(Config, RepeatedKeyIsAnError) {
    EXPECT_EQ(read_config("[log]\nlevel = \"info\"\nlevel = \"warn\"\n").errors.size(), 1U);
}

TEST(Config, FileThatCannotBeReadIsTold) {
    const TemporaryFolder folder;
    const auto missing = load_config(folder.path("absent.toml"));
    ASSERT_EQ(missing.errors.size(), 1U);
    EXPECT_NE(missing.errors[0].message.find("No such file"), std::string::npos);
    EXPECT_EQ(load_config(folder.path("")).errors.size(), 1U) << "a folder is no file";
}

TEST(Config, FileIsLoaded) {
    const TemporaryFolder folder;
    const auto reading = load_config(folder.write("gateway.toml", ConfigText().text()));
    EXPECT_EQ(test::lines(reading.errors), "");
    EXPECT_TRUE(reading.config.has_value());
}

TEST(Config, SecretInAPublicFileIsWarnedOf) {
    const TemporaryFolder folder;
    const auto path = folder.write("gateway.toml", ConfigText().text());
    const auto before = load_config(path).warnings.size();
    std::filesystem::permissions(path, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
    EXPECT_EQ(load_config(path).warnings.size(), before + 1);
}

TEST(Config, TheJournalIsFoundInAFileThatIsWrongElsewhere) {
    const TemporaryFolder folder;
    auto text = ConfigText();
    text.set("sale.max_attempts", "0").set("provider.app_secret_file", R"("/nowhere")");
    const auto reading = load_journal_place(folder.write("gateway.toml", text.text()));
    EXPECT_EQ(reading.path, "journal.db");
    EXPECT_EQ(test::lines(reading.errors), "");
}

TEST(Config, AFileThatNamesNoJournalIsTold) {
    const TemporaryFolder folder;
    for (const auto& text : {ConfigText().drop("journal.path").text(), ConfigText().set("journal.path", "5").text(),
                             ConfigText().set("journal.path", R"("")").text(), std::string("[[[")}) {
        const auto reading = load_journal_place(folder.write("gateway.toml", text));
        EXPECT_EQ(reading.path, "");
        EXPECT_EQ(reading.errors.size(), 1U) << text;
    }
    EXPECT_EQ(load_journal_place(folder.path("absent.toml")).errors.size(), 1U);
}

TEST(Config, AJournalOnPostgreSQLIsFoundInAFileThatIsWrongElsewhere) {
    const TemporaryFolder folder;
    auto text = ConfigText();
    text.drop("journal.path").set("journal.url", R"("postgresql://gateway@db.example/journal")");
    text.set("journal.password_file", R"("/nowhere/password")").set("journal.tally_file", R"("/nowhere/tally")");
    const auto reading = load_journal_place(folder.write("gateway.toml", text.text()));
    EXPECT_EQ(reading.url, "postgresql://gateway@db.example/journal");
    EXPECT_EQ(reading.path, "");
    EXPECT_EQ(reading.password_file, "/nowhere/password");
    EXPECT_EQ(test::lines(reading.errors), "");
}

TEST(Config, TheAdminListenersAddressIsReadWhateverElseIsWrong) {
    const TemporaryFolder folder;
    auto text = ConfigText();
    text.set("sale.max_attempts", "0").drop("journal.path");
    const auto address = [&] { return load_admin_address(folder.write("gateway.toml", text.text())).admin; };
    EXPECT_EQ(address(), Endpoint(boost::asio::ip::address_v4::loopback(), 9090)) << "as it is by default";
    text.set("listen.admin", R"("[::1]:9999")");
    EXPECT_EQ(address(), Endpoint(boost::asio::ip::address_v6::loopback(), 9999));
}

TEST(Config, AFileWithoutAUsableAdminAddressSaysWhatToDo) {
    const TemporaryFolder folder;
    const auto wrong = folder.write("gateway.toml", ConfigText().set("listen.admin", R"("9090")").text());
    const auto reading = load_admin_address(wrong);
    EXPECT_FALSE(reading.admin);
    ASSERT_EQ(reading.errors.size(), 1U);
    EXPECT_EQ(reading.errors.front().key, "listen.admin");
    const auto absent = load_admin_address(folder.path("absent.toml"));
    EXPECT_FALSE(absent.admin);
    ASSERT_EQ(absent.errors.size(), 1U);
    EXPECT_NE(absent.errors.front().message.find("--admin HOST:PORT needs none"), std::string::npos);
    const auto no_toml = load_admin_address(folder.write("no.toml", "[listen\n"));
    EXPECT_FALSE(no_toml.admin);
    ASSERT_EQ(no_toml.errors.size(), 1U);
    EXPECT_NE(no_toml.errors.front().message.find("--admin HOST:PORT needs none"), std::string::npos);
}

TEST(Config, TheStoresZoneIsReadWhateverElseIsWrong) {
    const TemporaryFolder folder;
    auto text = ConfigText();
    text.set("sale.max_attempts", "0").drop("journal.path");
    const auto zone = [&] { return load_store_zone(folder.write("gateway.toml", text.text())); };
    EXPECT_EQ(zone(), "America/Sao_Paulo") << "as it is by default";
    text.set("store.timezone", R"("America/Manaus")");
    EXPECT_EQ(zone(), "America/Manaus");
    text.set("store.timezone", R"("Manaus")");
    EXPECT_FALSE(zone());
    EXPECT_FALSE(load_store_zone(folder.path("absent.toml")));
}

}  // namespace gateway
