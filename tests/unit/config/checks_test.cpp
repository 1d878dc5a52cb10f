#include "config/checks.hpp"

#include "config/files.hpp"
#include "unit/config/config_text.hpp"
#include "unit/support/self_signed.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace gateway {

namespace {

using test::ConfigText;
using test::good;
using test::lines;
using test::make_self_signed;
using test::only_error;
using test::TemporaryFolder;
using test::warns;

std::string in_quotes(std::string_view text) {
    return "\"" + std::string(text) + "\"";
}

// Returns the key of the only error.
std::string wrong_key(const ConfigText& text) {
    const auto error = only_error(text);
    return error.substr(0, error.find(": "));
}

}  // namespace

TEST(Loopback, IsThisMachine) {
    for (const auto* host :
         {"localhost", "LocalHost", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "::ffff:7f09:1"})
        EXPECT_TRUE(is_loopback(host)) << host;
    for (const auto* host : {"localhost.example", "10.0.0.1", "::", "", "127.0.0.1.example", "127.1", "127.0.0.256",
                             "128.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1"}) {
        EXPECT_FALSE(is_loopback(host)) << host;
    }
}

TEST(SaleCheck, ADuplicateWindowIsOffOrLongEnoughToBeOfUse) {
    EXPECT_EQ(good(ConfigText()).seller.duplicate_window, Duration(0));
    for (const auto* window : {R"("0s")", R"("1s")", R"("10m")", R"("24h")"})
        good(ConfigText().set("sale.duplicate_window", window));
    for (const auto* window : {R"("999ms")", R"("25h")", "300", R"("soon")"})
        EXPECT_EQ(wrong_key(ConfigText().set("sale.duplicate_window", window)), "sale.duplicate_window") << window;
    auto text = ConfigText().set("sale.duplicate_window", R"("10m")");
    EXPECT_FALSE(warns(text, "sale.duplicate_window"));
    EXPECT_TRUE(warns(text.set("journal.retention", R"("5m")"), "sale.duplicate_window"));
}

TEST(StoreCheck, ATimeZoneIsOneThatTheMachineKnows) {
    EXPECT_EQ(good(ConfigText()).store.zone.name(), "America/Sao_Paulo");
    EXPECT_EQ(good(ConfigText().set("store.timezone", R"("America/Manaus")")).store.zone.name(), "America/Manaus");
    for (const auto* name : {R"("")", R"("Sao_Paulo")", R"("-03:00")", "3"})
        EXPECT_EQ(wrong_key(ConfigText().set("store.timezone", name)), "store.timezone") << name;
    const auto meant = read_config(ConfigText().set("store.timezone", R"("America/SaoPaulo")").text());
    ASSERT_EQ(meant.errors.size(), 1u);
    EXPECT_EQ(meant.errors[0].message,
              R"("America/SaoPaulo" is no time zone that this machine knows; did you mean "America/Sao_Paulo"?)");
}

TEST(CloseCheck, DaysAreClosedAtATimeOfDayOrNotByThemselves) {
    using namespace std::chrono_literals;
    EXPECT_FALSE(good(ConfigText()).close.at);
    EXPECT_EQ(good(ConfigText().set("close.at", R"("23:30")")).close.at, 23h + 30min);
    EXPECT_EQ(good(ConfigText().set("close.at", R"("00:00")")).close.at, 0min);
    for (const auto* at : {R"("24:00")", R"("23:60")", R"("9:30")", R"("23.30")", R"("23:30:00")", R"("x3:30")", "23"})
        EXPECT_EQ(wrong_key(ConfigText().set("close.at", at)), "close.at") << at;
}

TEST(ProviderCheck, AnIdPrefixIsFourCharactersOfAnIdExterno) {
    EXPECT_EQ(good(ConfigText()).provider.id_prefix, "");
    EXPECT_EQ(good(ConfigText().set("provider.id_prefix", R"("AB12")")).provider.id_prefix, "AB12");
    for (const auto* prefix : {R"("AB1")", R"("AB123")", R"("ab12")", R"("ABI1")", R"("AB-1")"})
        EXPECT_EQ(wrong_key(ConfigText().set("provider.id_prefix", prefix)), "provider.id_prefix") << prefix;
}

TEST(ProviderCheck, AProxyIsAnAddressOfPlainHttp) {
    EXPECT_TRUE(good(ConfigText()).provider.proxy.empty());
    const auto proxy = good(ConfigText().set("provider.proxy", R"("http://proxy.store:3128/")")).provider.proxy;
    EXPECT_EQ(proxy.text, "http://proxy.store:3128");
    EXPECT_EQ(proxy.host, "proxy.store");
    EXPECT_EQ(proxy.port, 3128);
    EXPECT_EQ(good(ConfigText().set("provider.proxy", R"("http://[::1]:3128")")).provider.proxy.host, "::1");
    for (const auto* wrong : {R"("https://proxy.store")", R"("http://proxy.store/x")", R"("proxy.store:3128")",
                              R"("http://u:p@proxy:1")", R"("socks5://proxy.store:1080")", R"("http://proxy.store:0")"})
        EXPECT_EQ(wrong_key(ConfigText().set("provider.proxy", wrong)), "provider.proxy") << wrong;
}

TEST(ProviderCheck, PlainHttpThroughAProxyElsewhereLeavesThisMachine) {
    const auto through = [](std::string_view proxy) {
        return ConfigText().set("provider.base_url", R"("http://127.0.0.1:8090")").set("provider.proxy", proxy);
    };
    good(through(R"("http://127.0.0.1:3128")"));
    EXPECT_EQ(wrong_key(through(R"("http://proxy.store:3128")")), "provider.base_url");
    EXPECT_TRUE(
        warns(through(R"("http://proxy.store:3128")").set("provider.allow_plaintext", "true"), "provider.base_url"));
}

TEST(ProviderCheck, CredentialsForTheProxyAreReadFromTheirFile) {
    const TemporaryFolder folder;
    const auto with_file = [](const std::string& path) {
        return ConfigText()
            .set("provider.proxy", R"("http://proxy.store:3128")")
            .set("provider.proxy_credentials_file", in_quotes(path));
    };
    for (const auto* text : {"store:p:w", "store:p:w\n", "store:p:w\r\n"})
        EXPECT_EQ(good(with_file(folder.write("credentials", text))).provider.proxy_credentials, Secret("store:p:w"));
    EXPECT_EQ(good(with_file(folder.write("credentials", "store:"))).provider.proxy_credentials, Secret("store:"));
    for (const auto* text : {"", "\n", "store", ":pw", "store:pw\nmore", "st\tore:pw"}) {
        const auto error = only_error(with_file(folder.write("credentials", text)));
        EXPECT_TRUE(error.starts_with("provider.proxy_credentials_file: ")) << text << " " << error;
        EXPECT_EQ(error.find("store"), std::string::npos) << "what it holds is not repeated: " << error;
    }
    EXPECT_EQ(wrong_key(with_file(folder.path("absent"))), "provider.proxy_credentials_file");
    const auto path = folder.write("credentials", "store:pw");
    EXPECT_FALSE(warns(with_file(path), "provider.proxy_credentials_file"));
    EXPECT_TRUE(warns(with_file(path).drop("provider.proxy"), "provider.proxy_credentials_file"));
    std::filesystem::permissions(path, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
    EXPECT_TRUE(warns(with_file(path), "provider.proxy_credentials_file"));
}

TEST(ListenCheck, TwoListenersOnOneAddressAreRefused) {
    EXPECT_EQ(wrong_key(ConfigText().set("listen.admin", R"("0.0.0.0:8080")")), "listen.admin");
    EXPECT_EQ(wrong_key(ConfigText().set("listen.admin", R"("127.0.0.1:8080")")), "listen.admin")
        << "0.0.0.0 is every address";
    EXPECT_EQ(wrong_key(ConfigText()
                            .set("listen.callbacks", R"("127.0.0.1:9090")")
                            .set("provider.callback_url", R"("https://store.example")")),
              "listen.callbacks");
}

TEST(ListenCheck, SamePortOnTwoAddressesAndAnyFreePortAreFine) {
    good(ConfigText().set("listen.terminals", R"("10.0.0.1:9090")"));
    good(ConfigText().set("listen.terminals", R"("127.0.0.1:0")").set("listen.admin", R"("127.0.0.1:0")"));
}

TEST(ListenCheck, NamesOfTheAdminListenerAreNamesAlone) {
    EXPECT_TRUE(good(ConfigText()).listen.admin_names.empty());
    EXPECT_EQ(good(ConfigText().set("listen.admin_names", R"(["gateway.store", "pdv_1"])")).listen.admin_names.size(),
              2u);
    for (const auto* names : {R"(["gateway.store:9090"])", R"(["http://gateway.store"])", R"(["*.store"])",
                              R"(["[::1]"])", R"(["a b"])", R"([""])", R"("gateway.store")"})
        EXPECT_EQ(wrong_key(ConfigText().set("listen.admin_names", names)), "listen.admin_names") << names;
}

TEST(ListenCheck, TrustedProxiesAreAddressesAndNetworks) {
    const auto text = ConfigText().set("listen.trusted_proxies", R"(["192.168.1.2", "10.0.0.0/8", "2001:db8::/32"])");
    EXPECT_EQ(good(text).listen.trusted_proxies.size(), 3U);
    EXPECT_FALSE(warns(text, "listen.trusted_proxies"));
    for (const auto* wrong : {R"(["proxy.store"])", R"(["10.1.0.0/8"])", R"(["10.0.0.0/40"])", R"("10.0.0.1")",
                              R"(["192.168.1.2:80"])", R"([""])"})
        EXPECT_EQ(wrong_key(ConfigText().set("listen.trusted_proxies", wrong)), "listen.trusted_proxies") << wrong;
    EXPECT_TRUE(warns(ConfigText().set("listen.trusted_proxies", R"(["0.0.0.0/0"])"), "listen.trusted_proxies"));
}

TEST(ListenCheck, AProxyHeaderIsTakenFromTrustedProxiesOnly) {
    EXPECT_FALSE(good(ConfigText()).listen.proxy_protocol);
    EXPECT_EQ(wrong_key(ConfigText().set("listen.proxy_protocol", "true")), "listen.proxy_protocol");
    EXPECT_TRUE(
        good(ConfigText().set("listen.proxy_protocol", "true").set("listen.trusted_proxies", R"(["192.168.1.2"])"))
            .listen.proxy_protocol);
}

TEST(ListenCheck, AdminListenerForOtherMachinesIsWarnedOf) {
    EXPECT_TRUE(warns(ConfigText().set("listen.admin", R"("0.0.0.0:9090")"), "listen.admin"));
    EXPECT_FALSE(warns(ConfigText(), "listen.admin"));
}

TEST(TlsCheck, CertificateWithoutItsKeyIsRefused) {
    const TemporaryFolder folder;
    const auto made = make_self_signed();
    const auto cert = in_quotes(folder.write("cert", made.cert));
    const auto key_file = folder.write("key", made.key);
    const auto key = in_quotes(key_file);
    EXPECT_EQ(wrong_key(ConfigText().set("listen.tls.cert", cert)), "listen.tls.key");
    EXPECT_EQ(wrong_key(ConfigText().set("listen.tls.key", key)), "listen.tls.cert");
    EXPECT_EQ(wrong_key(ConfigText().set("provider.client_cert", cert)), "provider.client_key");
    EXPECT_EQ(wrong_key(ConfigText().set("provider.client_key", key)), "provider.client_cert");
    EXPECT_TRUE(good(ConfigText().set("listen.tls.cert", cert).set("listen.tls.key", key)).listen.has_tls());
    EXPECT_EQ(
        good(ConfigText().set("provider.client_cert", cert).set("provider.client_key", key)).provider.tls.client_key,
        key_file);
}

TEST(TlsCheck, FilesThatCannotBeUsedAreRefused) {
    const TemporaryFolder folder;
    const auto absent = in_quotes(folder.path("absent"));
    const auto made = make_self_signed();
    const auto cert = in_quotes(folder.write("cert", made.cert));
    const auto key = in_quotes(folder.write("key", made.key));
    const auto other_key = in_quotes(folder.write("other_key", make_self_signed().key));
    const auto pair = [](const std::string& one, const std::string& other) {
        return ConfigText().set("listen.tls.cert", one).set("listen.tls.key", other);
    };
    EXPECT_EQ(wrong_key(pair(absent, key)), "listen.tls.cert");
    EXPECT_EQ(wrong_key(pair(cert, absent)), "listen.tls.key");
    EXPECT_EQ(wrong_key(pair(cert, other_key)), "listen.tls.key");
    EXPECT_EQ(pair(absent, absent).read().errors.size(), 2U) << "all is told at once";
    EXPECT_EQ(wrong_key(ConfigText().set("provider.ca_file", absent)), "provider.ca_file");
    const auto ended = in_quotes(folder.write("ended", make_self_signed(-1, -30).cert));
    EXPECT_TRUE(warns(ConfigText().set("provider.ca_file", ended), "provider.ca_file"));
    EXPECT_EQ(wrong_key(ConfigText().set("provider.ca_file", in_quotes(folder.write("text", "hello")))),
              "provider.ca_file");
}

TEST(TlsCheck, AuthoritiesThatHaveAllEndedHinderSalesAndOneOfSeveralIsWarnedOf) {
    const TemporaryFolder folder;
    const auto ended = make_self_signed(-1, -30).cert;
    const auto warnings = [&](const std::string& certificates) {
        const auto path = in_quotes(folder.write("ca", certificates));
        const auto reading = ConfigText().set("provider.ca_file", path).read();
        EXPECT_TRUE(reading.config) << "a gateway starts with them";
        std::vector<ConfigProblem> about;
        std::ranges::copy_if(reading.warnings, std::back_inserter(about),
                             [](const ConfigProblem& problem) { return problem.key == "provider.ca_file"; });
        return about;
    };
    const auto all = warnings(ended + make_self_signed(-2, -30).cert);
    ASSERT_EQ(all.size(), 2U) << "each is named";
    for (const auto& one : all)
        EXPECT_TRUE(one.hinders &&
                    one.message.find("CN = localhost, that has expired: it ended on ") != std::string::npos)
            << one.message;
    const auto one_of_two = warnings(ended + make_self_signed().cert);
    ASSERT_EQ(one_of_two.size(), 1U);
    EXPECT_FALSE(one_of_two[0].hinders);
    EXPECT_FALSE(warnings(make_self_signed(3).cert)[0].hinders) << "it has not ended yet";
}

TEST(TlsCheck, CertificateThatExpiresIsWarnedOf) {
    const TemporaryFolder folder;
    const auto with_days = [&](int days) {
        const auto made = make_self_signed(days, -30);
        return ConfigText()
            .set("listen.tls.cert", in_quotes(folder.write("cert", made.cert)))
            .set("listen.tls.key", in_quotes(folder.write("key", made.key)));
    };
    EXPECT_TRUE(warns(with_days(-1), "listen.tls.cert"));
    EXPECT_TRUE(warns(with_days(3), "listen.tls.cert"));
    EXPECT_FALSE(warns(with_days(30), "listen.tls.cert"));
}

TEST(TlsCheck, ItsEndIsToldInTheStoresZone) {
    const TemporaryFolder folder;
    const auto made = make_self_signed(3);
    const auto told_in = [&](const char* zone) {
        const auto text = ConfigText()
                              .set("listen.tls.cert", in_quotes(folder.write("cert", made.cert)))
                              .set("listen.tls.key", in_quotes(folder.write("key", made.key)))
                              .set("store.timezone", in_quotes(zone));
        const auto reading = read_config(text.text());
        const auto about = std::ranges::find(reading.warnings, "listen.tls.cert", &ConfigProblem::key);
        return about == reading.warnings.end() ? std::string() : about->message;
    };
    EXPECT_NE(told_in("Pacific/Kiritimati"), told_in("Pacific/Pago_Pago")) << "they are 25 hours apart";
    EXPECT_FALSE(told_in("UTC").empty());
}

TEST(TlsCheck, KeyThatEverybodyMayReadIsWarnedOf) {
    const TemporaryFolder folder;
    const auto made = make_self_signed();
    const auto text = ConfigText()
                          .set("listen.tls.cert", in_quotes(folder.write("cert", made.cert)))
                          .set("listen.tls.key", in_quotes(folder.write("key", made.key)));
    EXPECT_FALSE(warns(text, "listen.tls.key"));
    std::filesystem::permissions(folder.path("key"), std::filesystem::perms::others_read,
                                 std::filesystem::perm_options::add);
    EXPECT_TRUE(warns(text, "listen.tls.key"));
}

TEST(ClientCaCheck, NeedsTlsAndAFileOfCertificates) {
    const TemporaryFolder folder;
    const auto made = make_self_signed();
    const auto cert = in_quotes(folder.write("cert.pem", made.cert));
    const auto key = in_quotes(folder.write("key.pem", made.key));
    const auto tls = ConfigText().set("listen.tls.cert", cert).set("listen.tls.key", key);
    EXPECT_EQ(good(ConfigText(tls).set("listen.tls.client_ca", cert)).listen.tls.client_ca, folder.path("cert.pem"));
    EXPECT_EQ(wrong_key(ConfigText(tls).set("listen.tls.client_ca", key)), "listen.tls.client_ca");
    EXPECT_EQ(wrong_key(ConfigText().set("listen.tls.client_ca", cert)), "listen.tls.client_ca");
}

TEST(PinnedKeyCheck, DigestsInEitherCaseAreTakenAndAnythingElseIsRefused) {
    const std::string upper(64, 'A');
    EXPECT_EQ(good(ConfigText().set("provider.pinned_key", "[" + in_quotes(upper) + "]")).provider.tls.pinned_keys,
              std::vector<std::string>{std::string(64, 'a')});
    for (const auto* wrong : {R"(["abc"])", R"(["sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="])"})
        EXPECT_EQ(wrong_key(ConfigText().set("provider.pinned_key", wrong)), "provider.pinned_key") << wrong;
}

TEST(PinnedKeyCheck, WithoutTlsItIsOfNoUse) {
    EXPECT_TRUE(warns(ConfigText()
                          .set("provider.base_url", R"("http://127.0.0.1:1")")
                          .set("provider.auth_url", R"("http://127.0.0.1:1")")
                          .set("provider.pinned_key", "[" + in_quotes(std::string(64, 'a')) + "]"),
                      "provider.pinned_key"));
}

TEST(PlaintextCheck, HttpToAnotherMachineNeedsItsSwitch) {
    for (const auto* key : {"provider.base_url", "provider.auth_url"}) {
        EXPECT_EQ(wrong_key(ConfigText().set(key, R"("http://provider.example")")), key);
        good(ConfigText().set(key, R"("http://127.0.0.1:8090")"));
        good(ConfigText().set(key, R"("http://[::1]:8090")"));
        good(ConfigText().set(key, R"("http://LOCALHOST:8090")"));
        EXPECT_TRUE(
            warns(ConfigText().set(key, R"("http://provider.example")").set("provider.allow_plaintext", "true"), key));
    }
}

TEST(SecretCheck, FileIsReadAndItsLastLineBreakLeftOff) {
    const TemporaryFolder folder;
    const auto secret = [&](std::string_view text) {
        const auto path = folder.write("secret", text);
        return good(ConfigText().drop("provider.app_secret").set("provider.app_secret_file", in_quotes(path)))
            .provider.app_secret.reveal();
    };
    EXPECT_EQ(secret("from the file\n"), "from the file");
    EXPECT_EQ(secret("from the file\r\n"), "from the file");
    EXPECT_EQ(secret("from the file"), "from the file");
    EXPECT_EQ(secret("\xEF\xBB\xBF"
                     "from the file\n"),
              "from the file")
        << "as editors of Windows save it";
}

TEST(SecretCheck, FileThatHoldsNoSecretIsRefused) {
    const TemporaryFolder folder;
    const auto with_file = [&](const std::string& path) {
        return ConfigText().drop("provider.app_secret").set("provider.app_secret_file", in_quotes(path));
    };
    for (const auto& text : {std::string(), std::string("\n"), std::string("two\nlines\n"), std::string(5000, 'x')}) {
        EXPECT_EQ(wrong_key(with_file(folder.write("secret", text))), "provider.app_secret_file");
    }
    EXPECT_EQ(wrong_key(with_file(folder.path("absent"))), "provider.app_secret_file");
}

TEST(SecretCheck, WhatNobodyCanSeeInAFileIsNamed) {
    const TemporaryFolder folder;
    const auto trouble = [&](const std::string& text) {
        const auto path = folder.write("secret", text);
        const auto said = read_secret(path, "the app-secret").error();
        return said.substr(std::min(path.size() + 3, said.size()));
    };
    EXPECT_EQ(trouble("app-secret\u00A0\n"), "has U+00A0, which cannot be seen, as its character 11");
    EXPECT_EQ(trouble("\u200Bapp-secret"), "has U+200B, which cannot be seen, as its character 1");
    EXPECT_EQ(trouble("app\u00ADsecret"), "has U+00AD, which cannot be seen, as its character 4");
    EXPECT_EQ(trouble("app\uFEFFsecret"), "has U+FEFF, which cannot be seen, as its character 4");
    EXPECT_EQ(trouble(" app-secret"), "has U+0020, which cannot be seen, as its character 1");
    EXPECT_EQ(trouble("app-secret\t\n"), "has U+0009, which cannot be seen, as its character 11");
    EXPECT_EQ(trouble("segredo-n\xE3o"), "is not UTF-8: its character 10 is the byte 0xE3");
    EXPECT_EQ(trouble(std::string("\xFF\xFE"
                                  "a\0",
                                  4)),
              "is in UTF-16: save it as UTF-8 or plain text");
    const auto literal = ConfigText().set("provider.app_secret", "\"app-secret\u200B\"");
    EXPECT_EQ(wrong_key(literal), "provider.app_secret");
}

TEST(SecretCheck, ExactlyOneOfTheTwoIsNeeded) {
    EXPECT_EQ(wrong_key(ConfigText().drop("provider.app_secret")), "provider.app_secret_file");
    EXPECT_EQ(wrong_key(ConfigText().set("provider.app_secret_file", R"("x")")), "provider.app_secret");
    EXPECT_TRUE(warns(ConfigText(), "provider.app_secret")) << "the literal one is for trying things out";
}

TEST(SecretCheck, FileThatEverybodyMayReadIsWarnedOf) {
    const TemporaryFolder folder;
    const auto path = folder.write("secret", "x");
    const auto text = ConfigText().drop("provider.app_secret").set("provider.app_secret_file", in_quotes(path));
    EXPECT_FALSE(warns(text, "provider.app_secret_file"));
    std::filesystem::permissions(path, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
    EXPECT_TRUE(warns(text, "provider.app_secret_file"));
}

TEST(ScopesCheck, EntryWithSeveralNamesIsRefused) {
    EXPECT_EQ(wrong_key(ConfigText().set("provider.scopes", R"(["Venda_Egift Venda_Voucher"])")), "provider.scopes");
}

TEST(CallbackFieldCheck, NameOfAnotherFieldIsRefused) {
    EXPECT_EQ(wrong_key(ConfigText().set("provider.environment", R"("test")")), "provider.environment");
    EXPECT_EQ(good(ConfigText().set("provider.environment", R"("homologation")")).provider.environment, "homologation");
    EXPECT_EQ(wrong_key(ConfigText().set("provider.callback_field", R"("valor")")), "provider.callback_field");
    EXPECT_EQ(wrong_key(ConfigText().set("provider.callback_field", R"("")")), "provider.callback_field");
    EXPECT_EQ(good(ConfigText().set("provider.callback_field", R"("urlServico")")).provider.callback_field,
              "urlServico");
}

TEST(HealthCancelCheck, PathThatConfirmsIsRefusedHoweverItIsWritten) {
    for (const auto* path :
         {"/venda/{health}/confirmar", "/venda/{health}/confirmar/", "/venda/{health}/CONFIRMAR",
          "/venda/{health}/Confirmar//", "/confirmar", "/venda/x/confirmar/.", "/venda/x/%63onfirmar",
          "/venda/x/confirma%72", "/venda/x%2fconfirmar", "/venda/x/confirmar?a=b", "/venda/x/confirmar#a",
          "/venda/x/confirmar;a", "/venda/x/confirmar/y/.."}) {
        EXPECT_EQ(wrong_key(ConfigText().set("provider.health_cancel_path", in_quotes(path))),
                  "provider.health_cancel_path")
            << path;
    }
}

TEST(HealthCancelCheck, PathMustBePlain) {
    for (const auto* path : {"venda/x/cancelar", "/", "/venda//cancelar", "/venda/cancelar/", "/venda/{other}/cancelar",
                             "/venda/a b", "http://x/cancelar"}) {
        EXPECT_EQ(wrong_key(ConfigText().set("provider.health_cancel_path", in_quotes(path))),
                  "provider.health_cancel_path")
            << path;
    }
    for (const auto* path : {"/venda/{health}/cancelar", "/venda/voucher/cancelar", "/venda/confirmar/cancelar"}) {
        EXPECT_EQ(good(ConfigText().set("provider.health_cancel_path", in_quotes(path))).provider.health_cancel_path,
                  path);
    }
}

TEST(StatusPathCheck, IsAPathThatNamesASale) {
    const auto wrong = [](const char* path) {
        return wrong_key(ConfigText().set("provider.status_path", in_quotes(path))) == "provider.status_path";
    };
    for (const auto* path : {"venda/{idExterno}", "http://x/{idExterno}", "/venda/a b/{idExterno}",
                             "/venda/{idExterno}#a", "/venda/transacao", "/", "/venda/{idexterno}", "/venda/{id}",
                             "/venda/{idExterno", "/venda/idExterno}", "/venda/{idExterno}/{produto}", "/{}"})
        EXPECT_TRUE(wrong(path)) << path;
    for (const auto* path : {"/venda/transacao/{idExterno}", "/v/{idTransacao}", "/v?id={idExterno}&t={idTransacao}"})
        EXPECT_EQ(good(ConfigText().set("provider.status_path", in_quotes(path))).provider.status_path, path);
}

TEST(CallbacksCheck, HalfOfThePairIsWarnedOf) {
    const auto listener = ConfigText().set("listen.callbacks", R"("0.0.0.0:8081")");
    const auto url = ConfigText().set("provider.callback_url", R"("https://store.example")");
    EXPECT_TRUE(warns(listener, "listen.callbacks"));
    EXPECT_TRUE(warns(url, "provider.callback_url"));
    EXPECT_FALSE(good(listener).takes_callbacks());
    EXPECT_FALSE(good(url).takes_callbacks());
}

TEST(CallbacksCheck, StoreWithoutEsimIsNotWarned) {
    EXPECT_EQ(lines(ConfigText().read().warnings),
              "provider.app_secret: stands in the configuration itself; outside of trials put it into an "
              "app_secret_file\n");
}

TEST(CallbacksCheck, PlainHttpFromOutsideIsWarnedOf) {
    auto text = ConfigText().set("listen.callbacks", R"("0.0.0.0:8081")");
    EXPECT_TRUE(warns(text.set("provider.callback_url", R"("http://store.example")"), "provider.callback_url"));
    EXPECT_FALSE(warns(text.set("provider.callback_url", R"("http://127.0.0.1:8081")"), "provider.callback_url"));
}

TEST(CallbacksCheck, PlainHttpToAListenerThatSpeaksTlsIsWarnedOf) {
    const TemporaryFolder folder;
    const auto made = make_self_signed();
    const auto plain = ConfigText()
                           .set("listen.callbacks", R"("127.0.0.1:8081")")
                           .set("provider.callback_url", R"("http://127.0.0.1:8081")");
    EXPECT_FALSE(warns(plain, "provider.callback_url"));
    auto over_tls = plain;
    over_tls.set("listen.tls.cert", in_quotes(folder.write("cert", made.cert)))
        .set("listen.tls.key", in_quotes(folder.write("key", made.key)));
    EXPECT_TRUE(warns(over_tls, "provider.callback_url"));
    auto behind_a_proxy = over_tls;
    EXPECT_FALSE(warns(behind_a_proxy.set("listen.trusted_proxies", R"(["127.0.0.1"])"), "provider.callback_url"));
}

TEST(TimeoutCheck, ConnectingIsPartOfTheRequest) {
    auto text = ConfigText().set("provider.request_timeout", R"("4s")");
    EXPECT_EQ(good(text).provider.connect_timeout, Duration(4'000));
    EXPECT_FALSE(warns(text, "provider.connect_timeout")) << "nobody asked for longer";
    text.set("provider.connect_timeout", R"("5s")");
    EXPECT_EQ(good(text).provider.connect_timeout, Duration(4'000));
    EXPECT_TRUE(warns(text, "provider.connect_timeout"));
    EXPECT_TRUE(warns(ConfigText().set("sale.confirm_window", R"("5s")"), "sale.confirm_window"));
}

TEST(LimitsCheck, NothingMayBeZeroThatWouldSwitchSomethingOff) {
    for (const auto* key :
         {"provider.connect_timeout", "provider.request_timeout", "sale.confirm_window", "sale.late_arrival",
          "sale.attention_after", "limits.sell_wait", "limits.hold", "journal.retention"}) {
        EXPECT_EQ(wrong_key(ConfigText().set(key, R"("0s")")), key);
    }
    for (const auto* key : {"sale.max_attempts", "limits.body", "limits.in_flight", "limits.per_terminal_rate"}) {
        EXPECT_EQ(wrong_key(ConfigText().set(key, "0")), key);
    }
    EXPECT_EQ(wrong_key(ConfigText().set("limits.sell_wait", R"("121s")")), "limits.sell_wait");
    EXPECT_EQ(good(ConfigText().set("limits.sell_wait", R"("500ms")")).sell.sell_wait, Duration(500));
    EXPECT_EQ(good(ConfigText().set("limits.drain", R"("0s")")).drain, Duration(0)) << "stop at once";
}

TEST(ProxyCheck, PathsAndPrefixesAreTaken) {
    const auto list = R"(["/venda/egift/consulta-dinamica/*", "/venda/tv", "/venda/tv/", "/a%20b", "/*"])";
    EXPECT_EQ(good(ConfigText().set("proxy.allow", list)).proxy.allow.size(), 5U);
}

TEST(ProxyCheck, WhatCannotBeComparedIsRefused) {
    for (const auto* path :
         {"venda/tv", "*", "/venda*", "/ven*da/x", "/venda/**", "/venda/*/x", "/venda/../x", "/venda/%2e%2e/x", "/./x",
          "//x", "/venda//*", "/venda?x=1", "/venda#x", "/ven da", "/venda%2", "https://provider.example/x"}) {
        EXPECT_EQ(wrong_key(ConfigText().set("proxy.allow", "[" + in_quotes(path) + "]")), "proxy.allow") << path;
    }
}

TEST(JournalCheck, FolderMustExist) {
    const TemporaryFolder folder;
    good(ConfigText().set("journal.path", in_quotes(folder.path("journal.db"))));
    EXPECT_EQ(wrong_key(ConfigText().set("journal.path", in_quotes(folder.path("absent/journal.db")))), "journal.path");
    EXPECT_EQ(wrong_key(ConfigText().set("journal.path", in_quotes(folder.path("")))), "journal.path");
}

TEST(JournalCheck, JournalThatWouldBeForgottenIsRefused) {
    for (const auto* path : {":memory:", "file::memory:", "file:journal.db?mode=memory"})
        EXPECT_EQ(wrong_key(ConfigText().set("journal.path", in_quotes(path))), "journal.path") << path;
    good(ConfigText().set("journal.path", R"("./:memory:")"));
}

}  // namespace gateway
