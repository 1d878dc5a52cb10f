#include "base/digest.hpp"
#include "config/checks.hpp"
#include "unit/config/config_text.hpp"

#include <gtest/gtest.h>

namespace gateway {

namespace {

using test::ConfigText;
using test::good;
using test::only_error;
using test::some_digest;

std::string digest_line(std::string_view digest) {
    return "key_sha256 = \"" + std::string(digest) + "\"\n";
}

std::string digests_line(const std::vector<std::string>& digests) {
    std::string list;
    for (const auto& digest : digests)
        list += "\"" + digest + "\", ";
    return "key_sha256 = [" + list + "]\n";
}

ConfigText with_terminal(std::string_view id, std::string_view lines) {
    return ConfigText().no_terminals().terminal(id, lines);
}

ConfigText with_callbacks() {
    return ConfigText()
        .set("listen.callbacks", R"("0.0.0.0:8081")")
        .set("provider.callback_url", R"("https://store.example")")
        .no_terminals();
}

std::vector<Family> families_of_first(const ConfigText& text) {
    const auto config = good(text);
    return config.families_of(config.terminals.at(0));
}

}  // namespace

TEST(TerminalCheck, TwoTerminalsWithOneIdAreRefused) {
    EXPECT_EQ(only_error(ConfigText().terminal("caixa-01", digest_line(std::string(64, 'b')))),
              "terminals[2].id: \"caixa-01\" is the id of terminals[1].id too");
}

TEST(TerminalCheck, TwoTerminalsWithOneKeyAreRefusedInAnyLetterCase) {
    EXPECT_EQ(only_error(ConfigText().terminal("caixa-02", digest_line(std::string(64, 'A')))),
              "terminals[2].key_sha256: is the digest of terminals[1].key_sha256 too; every terminal has its own key");
}

TEST(TerminalCheck, ATerminalMayHaveSomeKeysAndNoneOfThemTwice) {
    const std::string a(64, 'a');
    const std::string b(64, 'b');
    const auto config = good(with_terminal("caixa-01", digests_line({a, std::string(64, 'B')})));
    EXPECT_EQ(config.terminals.at(0).key_sha256.all, (std::vector{a, b})) << "compared in lower case from here on";
    good(with_terminal("caixa-01", digests_line({a})));
    good(with_terminal("caixa-01", digests_line({a, b, std::string(64, 'c'), std::string(64, 'd')})));
    EXPECT_EQ(only_error(with_terminal("caixa-01", digests_line({a, b, std::string(64, 'A')}))),
              "terminals[1].key_sha256: entry 3 stands there twice");
    EXPECT_EQ(
        only_error(ConfigText().terminal("caixa-02", digests_line({b, some_digest}))),
        "terminals[2].key_sha256: entry 2 is the digest of terminals[1].key_sha256 too; every terminal has its own "
        "key");
    EXPECT_EQ(only_error(with_terminal("caixa-01", digests_line({a, a, a, a, a}))),
              "terminals[1].key_sha256: lists 5 digests, must be at most 4: take out those of keys that no till has");
    EXPECT_TRUE(only_error(with_terminal("caixa-01", digests_line({})))
                    .starts_with("terminals[1].key_sha256: must not be empty"));
    EXPECT_TRUE(only_error(with_terminal("caixa-01", digests_line({a, "the key itself"})))
                    .starts_with("terminals[1].key_sha256: entry 2 must be the SHA-256"));
}

TEST(TerminalCheck, IdIsAPlainWord) {
    for (const auto& id :
         {std::string("caixa 1"), std::string("caixa/1"), std::string("caixá"), std::string(65, 'a')}) {
        EXPECT_TRUE(only_error(with_terminal(id, digest_line(some_digest))).starts_with("terminals[1].id: ")) << id;
    }
    good(with_terminal(std::string(64, 'a'), digest_line(some_digest)));
    EXPECT_TRUE(
        only_error(with_terminal("", digest_line(some_digest))).starts_with("terminals[1].id: must not be empty"));
}

TEST(TerminalCheck, DigestIsSixtyFourHexDigitsAndNeverQuoted) {
    for (const auto& digest :
         {std::string("the key itself"), std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'g')}) {
        const auto error = only_error(with_terminal("caixa-01", digest_line(digest)));
        EXPECT_TRUE(error.starts_with("terminals[1].key_sha256: must be the SHA-256")) << error;
        EXPECT_EQ(error.find(digest), std::string::npos);
    }
}

TEST(TerminalCheck, DigestThatAnybodyHasTheKeyOfIsRefused) {
    EXPECT_NE(only_error(with_terminal("caixa-01", digest_line(sha256_hex("")))).find("empty key"), std::string::npos);
}

TEST(TerminalCheck, DigestThatNobodyHasTheKeyOfIsWarnedOf) {
    const auto text = with_terminal("caixa-01", digest_line(std::string(64, '0')));
    EXPECT_TRUE(warns(text, "terminals[1].key_sha256"));
    EXPECT_FALSE(warns(with_terminal("caixa-01", digest_line(some_digest)), "terminals[1].key_sha256"));
}

TEST(TerminalCheck, DemoKeyIsGoodOnlyAgainstALocalSandbox) {
    auto text = with_terminal("caixa-01", digest_line(sha256_hex("demo-key-caixa-01")));
    EXPECT_NE(only_error(text).find("demo key"), std::string::npos);
    good(text.set("provider.base_url", R"("http://127.0.0.1:8090")"));
}

TEST(TerminalCheck, FamiliesThatAreNotListedAreAllThatCanBeSold) {
    EXPECT_EQ(families_of_first(ConfigText()),
              (std::vector{Family::tv, Family::egift, Family::transit, Family::health}));
    EXPECT_EQ(families_of_first(with_callbacks().terminal("caixa-01", digest_line(some_digest))),
              std::vector<Family>(all_families.begin(), all_families.end()));
}

TEST(TerminalCheck, EsimThatIsListedNeedsTheCallbacks) {
    const auto terminal = digest_line(some_digest) + "families = [\"tv\", \"esim\"]";
    EXPECT_EQ(only_error(with_terminal("caixa-01", terminal)),
              "terminals[1].families: lists esim, which needs listen.callbacks and provider.callback_url");
    EXPECT_EQ(families_of_first(with_callbacks().terminal("caixa-01", terminal)),
              (std::vector{Family::tv, Family::esim}));
}

TEST(TerminalCheck, EsimIsNotBlamedForACallbackAddressThatIsMistyped) {
    const auto text = with_callbacks()
                          .set("provider.callback_url", R"("store.example")")
                          .terminal("caixa-01", digest_line(some_digest) + "families = [\"esim\"]");
    EXPECT_TRUE(only_error(text).starts_with("provider.callback_url: "));
}

TEST(TerminalCheck, EstablishmentIsNeededOnlyWhereATerminalHasNone) {
    const auto own = digest_line(some_digest) + "estabelecimento = \"1\"";
    good(with_terminal("caixa-01", own).drop("provider.estabelecimento"));
    EXPECT_EQ(only_error(with_terminal("caixa-01", own)
                             .drop("provider.estabelecimento")
                             .terminal("caixa-02", digest_line(std::string(64, 'b')))),
              "provider.estabelecimento: is missing, and terminal \"caixa-02\" has no estabelecimento of its own");
}

TEST(TerminalCheck, GatewayWithoutTerminalsIsWarnedOf) {
    const auto reading = ConfigText().no_terminals().read();
    EXPECT_TRUE(reading.config.has_value());
    EXPECT_TRUE(
        std::ranges::any_of(reading.warnings, [](const ConfigProblem& warning) { return warning.key == "terminals"; }));
}

}  // namespace gateway
