#include "config/checks.hpp"
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

const std::string some_hash = "$scrypt$ln=15,r=8,p=1$" + std::string(21, 'a') + "A$" + std::string(42, 'a') + "A";

ConfigText with_console(std::string_view at = R"("127.0.0.1:9091")") {
    return ConfigText().set("listen.console", at);
}

ConfigText with_operator(std::string_view more, ConfigText text = with_console()) {
    return text.lines("[[operators]]\n" + std::string(more));
}

std::string person(std::string_view name, std::string_view more = "") {
    return "name = \"" + std::string(name) + "\"\npassword = \"" + some_hash + "\"\n" + std::string(more);
}

// Sets a certificate that is for localhost and the loopback addresses.
ConfigText with_certificate(ConfigText text, const std::string& section = "listen.console_tls", int days = 30) {
    static const TemporaryFolder folder;
    const auto shown = make_self_signed(days);
    return text.set(section + ".cert", "\"" + folder.write("cert.pem", shown.cert) + "\"")
        .set(section + ".key", "\"" + folder.write("key.pem", shown.key) + "\"");
}

}  // namespace

TEST(ConsoleCheck, WithoutAConsoleThereIsNone) {
    const auto config = good(ConfigText());
    EXPECT_FALSE(config.listen.console);
    EXPECT_TRUE(config.operators.empty());
    EXPECT_EQ(config.provider.open_sales_end, Duration(0));
}

TEST(ConsoleCheck, AnOperatorLooksUnlessTheRoleSaysMore) {
    const auto config = good(with_operator(person("Ana", "role = \"settle\""), with_operator(person("Bia"))));
    ASSERT_EQ(config.operators.size(), 2U);
    EXPECT_EQ(config.operators[0].name, "Bia");
    EXPECT_EQ(config.operators[0].role, Role::look);
    EXPECT_EQ(config.operators[1].role, Role::settle);
    EXPECT_EQ(config.operators[1].password.text(), some_hash);
    EXPECT_EQ(only_error(with_operator(person("Ana", "role = \"admin\""))),
              "operators[1].role: must be \"look\" or \"settle\"");
}

TEST(ConsoleCheck, TwoOperatorsWithOneNameAreRefused) {
    EXPECT_EQ(only_error(with_operator(person("Ana"), with_operator(person("Ana")))),
              "operators[2].name: \"Ana\" is operators[1].name too");
}

TEST(ConsoleCheck, ANameIsOneThatCanBeToldInAHistory) {
    good(with_operator(person("Ana Conceição (loja 2)")));
    EXPECT_EQ(only_error(with_operator(person(std::string(65, 'x')))),
              "operators[1].name: must be a text of 1 to 64 characters without control characters");
    EXPECT_EQ(only_error(with_operator(person("console"))),
              "operators[1].name: is the name of a person who comes by a link");
    EXPECT_EQ(only_error(with_operator(person("a\\u0007b"))),
              "operators[1].name: must not contain line breaks or other control characters");
    EXPECT_FALSE(with_operator(person("")).read().config);
    EXPECT_FALSE(with_operator("password = \"" + some_hash + "\"").read().config);
}

TEST(ConsoleCheck, APasswordInClearIsRefusedAndNotRepeated) {
    const auto error = only_error(with_operator("name = \"Ana\"\npassword = \"segredo\""));
    EXPECT_EQ(error, "operators[1].password: must be the hash of a password; sales-gateway new-operator prints it");
    EXPECT_FALSE(with_operator("name = \"Ana\"").read().config) << "and one there must be";
}

TEST(ConsoleCheck, OperatorsWithoutAConsoleAreOfNoUse) {
    EXPECT_TRUE(warns(with_operator(person("Ana"), ConfigText()), "operators"));
    EXPECT_FALSE(warns(with_operator(person("Ana")), "operators"));
}

TEST(ConsoleCheck, BeyondThisMachineItNeedsTls) {
    for (const auto* at : {R"("127.0.0.1:9091")", R"("[::1]:9091")"})
        EXPECT_TRUE(good(with_console(at)).listen.console) << at;
    for (const auto* at : {R"("0.0.0.0:9091")", R"("192.0.2.1:9091")", R"("[::]:9091")"})
        EXPECT_EQ(only_error(with_console(at))
                      .find("listen.console: can be reached from other machines: set "
                            "listen.console_tls.cert and key"),
                  0U)
            << at;
    for (const auto* section : {"listen.tls", "listen.console_tls"})
        EXPECT_TRUE(good(with_certificate(with_console(R"("0.0.0.0:9091")"), section)).listen.console) << section;
}

TEST(ConsoleCheck, ItsOwnCertificateIsCheckedAsThatOfTheTills) {
    const std::string cert = "listen.console_tls.cert";
    EXPECT_FALSE(warns(with_certificate(with_console()), cert));
    EXPECT_TRUE(warns(with_certificate(with_console(), "listen.console_tls", 3), cert)) << "it ends soon";
    EXPECT_TRUE(warns(with_certificate(ConfigText()), cert)) << "there is no console";
    const TemporaryFolder folder;
    const auto of_another = "\"" + folder.write("other.key", make_self_signed().key) + "\"";
    EXPECT_EQ(only_error(with_certificate(with_console()).set("listen.console_tls.key", of_another))
                  .find("listen.console_tls.key: "),
              0U);
    EXPECT_EQ(only_error(with_certificate(with_console()).drop("listen.console_tls.key"))
                  .find("listen.console_tls.key: is missing"),
              0U);
}

TEST(ConsoleCheck, ItsOwnCertificateIsForTheNamesByWhichItIsCalled) {
    const auto named = [](std::string_view names) {
        return with_certificate(with_console()).set("listen.console_names", names);
    };
    const std::string cert = "listen.console_tls.cert";
    EXPECT_FALSE(warns(named(R"(["localhost", "127.0.0.1"])"), cert));
    EXPECT_TRUE(warns(named(R"(["localhost", "gateway.store"])"), cert));
    EXPECT_TRUE(warns(named(R"(["192.168.1.2"])"), cert));
}

TEST(ConsoleCheck, WhereItHasNoCertificateOfItsOwnItHasThatOfTheTills) {
    ListenOptions listen;
    EXPECT_FALSE(listen.tls_of_console());
    listen.tls = {.cert = "tills.pem", .key = "tills.key", .client_ca = "tills.ca"};
    EXPECT_EQ(listen.tls_of_console()->cert, "tills.pem");
    EXPECT_EQ(listen.tls_of_console()->client_ca, "") << "nobody at the console has a certificate";
    listen.console_tls = {.cert = "console.pem", .key = "console.key"};
    EXPECT_EQ(listen.tls_of_console()->cert, "console.pem");
    EXPECT_EQ(listen.tls_of_terminals()->cert, "tills.pem");
}

TEST(ConsoleCheck, HasAPlaceOfItsOwn) {
    const auto error = only_error(with_console(R"("127.0.0.1:9090")").set("listen.admin", R"("127.0.0.1:9090")"));
    EXPECT_EQ(error.find("listen.console: "), 0U) << error;
}

TEST(ConsoleCheck, NamesAreThoseOfHosts) {
    EXPECT_EQ(good(with_console().set("listen.console_names", R"(["gateway.store", "caixa"])")).listen.console_names,
              (std::vector<std::string>{"gateway.store", "caixa"}));
    for (const auto* name : {"http://gateway.store", "gateway.store:9091", "gate way"})
        EXPECT_EQ(only_error(with_console().set("listen.console_names", "[\"" + std::string(name) + "\"]"))
                      .find("listen.console_names: \"" + std::string(name) + "\" is no name of a host"),
                  0U)
            << name;
}

TEST(ConsoleCheck, WarningsAreKeptForThePageThatShowsThem) {
    const auto config = good(with_operator(person("Ana"), ConfigText()));
    EXPECT_NE(lines(config.warnings).find("operators: are of no use without listen.console"), std::string::npos);
}

}  // namespace gateway
