#include "config/diagnostics.hpp"

#include "unit/config/config_text.hpp"
#include "unit/support/self_signed.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace gateway {

namespace {

using test::ConfigText;
using test::lines;
using test::make_self_signed;
using test::TemporaryFolder;

// These are the keys that have an error and those that have a warning, each list in the order of the lines.
struct Found {
    std::vector<std::string> errors;
    std::vector<std::string> warnings;
};

Found found_in(const std::string& text) {
    const auto keys = [](const std::vector<ConfigProblem>& problems) {
        std::vector<std::string> all;
        for (const auto& problem : problems)
            all.push_back(problem.key);
        return all;
    };
    const auto reading = read_config(text);
    return {keys(reading.errors), keys(reading.warnings)};
}

// Returns the keys that have an error, in alphabetical order.
std::vector<std::string> wrong_keys(const ConfigText& text) {
    auto keys = found_in(text.text()).errors;
    std::ranges::sort(keys);
    return keys;
}

bool warns_anyway(const ConfigText& text, std::string_view key) {
    const auto warnings = found_in(text.text()).warnings;
    return std::ranges::find(warnings, key) != warnings.end();
}

using Keys = std::vector<std::string>;

const std::string demo_digest = "12d3336369935a77edf5aea93861c3246bc95e234a013b528b814544f17dee23";

std::string in_quotes(const std::string& text) {
    return "\"" + text + "\"";
}

}  // namespace

TEST(WhatFollows, FromAnAddressOfTheProviderThatCannotBeReadIsNotReported) {
    const auto malformed = ConfigText()
                               .set("provider.base_url", R"("127.0.0.1:8090")")
                               .set("provider.estabelecimento", R"("12345678")")
                               .set("provider.auth_url", R"("http://127.0.0.1:8090")")
                               .set("provider.pinned_key", in_quotes(test::some_digest).insert(0, "[") + "]")
                               .no_terminals()
                               .terminal("caixa-01", "key_sha256 = \"" + demo_digest + "\"")
                               .terminal("caixa-02", "key_sha256 = \"" + test::some_digest + "\"");
    EXPECT_EQ(wrong_keys(malformed), Keys{"provider.base_url"}) << lines(malformed.read().errors);
    EXPECT_FALSE(warns_anyway(malformed, "provider.estabelecimento")) << "the sandbox takes it";
    EXPECT_FALSE(warns_anyway(malformed, "provider.pinned_key")) << "the address may be https";
    auto elsewhere = malformed;
    elsewhere.set("provider.base_url", R"("https://provider.store")");
    EXPECT_EQ(wrong_keys(elsewhere), Keys{"terminals[1].key_sha256"}) << "there it is an error";
    EXPECT_TRUE(warns_anyway(elsewhere, "provider.estabelecimento"));
}

TEST(WhatFollows, FromAListenerThatCannotBeReadIsNotReported) {
    const TemporaryFolder folder;
    const auto made = make_self_signed();
    const auto key = in_quotes(folder.write("key", made.key));
    const auto authority = in_quotes(folder.write("ca", made.cert));
    EXPECT_EQ(wrong_keys(ConfigText()
                             .set("listen.admin", R"("here")")
                             .set("listen.callbacks", R"("127.0.0.1:9090")")
                             .set("provider.callback_url", R"("https://store.example")")),
              Keys{"listen.admin"})
        << "9090 is the admin listener's where the file names none";
    EXPECT_EQ(wrong_keys(ConfigText()
                             .set("listen.tls.cert", "5")
                             .set("listen.tls.key", key)
                             .set("listen.tls.client_ca", authority)
                             .set("listen.console", R"("0.0.0.0:9443")")),
              Keys{"listen.tls.cert"})
        << "TLS is meant";
}

TEST(WhatFollows, FromAnotherKeyThatCannotBeReadIsNotReported) {
    EXPECT_EQ(
        wrong_keys(
            ConfigText().set("provider.base_url", R"("http://10.0.0.1")").set("provider.allow_plaintext", R"("true")")),
        Keys{"provider.allow_plaintext"});
    EXPECT_EQ(
        wrong_keys(ConfigText()
                       .drop("provider.estabelecimento")
                       .no_terminals()
                       .terminal("caixa-01", "key_sha256 = \"" + test::some_digest + "\"\nestabelecimento = 4711")),
        Keys{"terminals[1].estabelecimento"});
    EXPECT_EQ(wrong_keys(ConfigText()
                             .set("listen.console", R"("127.0.0.1:9443")")
                             .lines("[[operators]]\nname = 1\npassword = 1\n[[operators]]\nname = 2\npassword = 2")),
              (Keys{"operators[1].name", "operators[1].password", "operators[2].name", "operators[2].password"}));
    EXPECT_EQ(wrong_keys(ConfigText().set("statement.separator", "5").set("statement.words.EFETIVADA", R"(["A;B"])")),
              Keys{"statement.separator"});
    EXPECT_EQ(wrong_keys(ConfigText().set("statement.settle", "true").set("statement.detail", "5")),
              Keys{"statement.detail"});
    EXPECT_EQ(wrong_keys(ConfigText()
                             .set("statement.detail.column", "1")
                             .set("statement.detail.text", R"("1")")
                             .set("statement.columns.valor", "2")
                             .set("statement.columns.nsu", R"("x")")),
              Keys{"statement.columns.nsu"})
        << "an attempt would be found by it";
    EXPECT_FALSE(warns_anyway(ConfigText().set("provider.request_timeout", "20").set("sale.confirm_window", R"("5s")"),
                              "sale.confirm_window"));
}

TEST(WhatFollows, FromASectionThatIsNoneIsNotReported) {
    const std::string journal = "[journal]\npath = \"journal.db\"\n";
    EXPECT_EQ(found_in("provider = 5\n" + journal).errors, Keys{"provider"});
    EXPECT_EQ(found_in("[provder]\nbase_url = \"https://provider.store\"\n" + journal).errors, Keys{"provder"})
        << "what should stand there probably stands here";
}

TEST(WhatFollows, FromAMistypedKeyIsNotReported) {
    EXPECT_EQ(wrong_keys(ConfigText().drop("provider.app_key").set("provider.appkey", R"("key")")),
              Keys{"provider.appkey"});
    EXPECT_EQ(wrong_keys(ConfigText().no_terminals().terminal("caixa-01", "key = \"" + test::some_digest + "\"")),
              Keys{"terminals[1].key"});
    EXPECT_EQ(wrong_keys(ConfigText().drop("journal.path").set("store.path", R"("journal.db")")), Keys{"store.path"});
    EXPECT_EQ(wrong_keys(ConfigText().set("provider.base_url", R"("http://10.0.0.1")").set("provider.baseurl", "1")),
              (Keys{"provider.base_url", "provider.baseurl"}))
        << "what stands there besides is judged";
}

TEST(AllAtOnce, FilesOfAPairAreLookedAtEachByItself) {
    const TemporaryFolder folder;
    const auto absent = in_quotes(folder.path("absent"));
    EXPECT_EQ(wrong_keys(ConfigText().set("listen.tls.cert", absent)), (Keys{"listen.tls.cert", "listen.tls.key"}));
    EXPECT_EQ(wrong_keys(ConfigText().set("listen.tls.cert", "5").set("listen.tls.key", absent)),
              (Keys{"listen.tls.cert", "listen.tls.key"}));
    const auto text = in_quotes(folder.write("text", "hello"));
    const auto told = ConfigText().set("provider.client_cert", "5").set("provider.client_key", text).read();
    EXPECT_EQ(lines(told.errors).find("belongs to"), std::string::npos) << "to which is not known";
}

TEST(AllAtOnce, TheRestOfTheJournalIsLookedAtWhereItsPlaceCannotBeRead) {
    const TemporaryFolder folder;
    const auto absent = in_quotes(folder.path("absent/file"));
    EXPECT_EQ(wrong_keys(ConfigText()
                             .set("journal.path", "5")
                             .set("journal.url", R"("mysql://db.store")")
                             .set("journal.gateway", R"("a b")")
                             .set("journal.tally_file", absent)
                             .set("journal.password_file", absent)),
              (Keys{"journal.gateway", "journal.password_file", "journal.path", "journal.tally_file", "journal.url"}));
    EXPECT_EQ(wrong_keys(ConfigText().set("journal.url", "5").set("journal.path", absent)),
              (Keys{"journal.path", "journal.url"}));
}

}  // namespace gateway
