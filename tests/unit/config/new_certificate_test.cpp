#include "config/new_certificate.hpp"

#include "config/files.hpp"
#include "net/own_names.hpp"
#include "unit/config/config_text.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace gateway {

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Names = std::vector<std::string>;

class NewCertificateTest : public testing::Test {
  protected:
    NewCertificateTest() { configure(test::ConfigText()); }

    void configure(const test::ConfigText& of_config) const {
        folder.write("gateway.toml", of_config.text());
        (void)::chmod(config.c_str(), 0640);
    }
    // Names the files that were made, as the lines would.
    void use_them(test::ConfigText of_config = test::ConfigText()) const {
        configure(of_config.set("listen.console", R"("0.0.0.0:9443")")
                      .set("listen.console_names", R"(["gateway.store"])")
                      .set("listen.console_tls.cert", "\"" + path("console.crt") + "\"")
                      .set("listen.console_tls.key", "\"" + path("console.key") + "\""));
    }
    boost::system::result<NewCertificate, std::string> make(const Names& named, bool new_authority = false) {
        return make_certificate({.config = config, .names = named, .new_authority = new_authority}, now, random);
    }
    std::string path(const std::string& name) const { return folder.path("tls/" + name); }
    std::string text(const std::string& name) const {
        const auto read = read_file(path(name), 100'000);
        EXPECT_TRUE(read) << name;
        return read ? *read : "";
    }
    mode_t mode(const std::string& name) const {
        struct stat status {};
        EXPECT_EQ(::stat(path(name).c_str(), &status), 0) << name;
        return status.st_mode & 07777U;
    }

    const test::TemporaryFolder folder;
    const std::string config = folder.path("gateway.toml");
    const Names names{"gateway.store", "192.168.10.5"};
    const WallTime now = *from_rfc3339("2026-11-30T12:00:00Z");
    test::SeededRandom random{1};
};

TEST_F(NewCertificateTest, LinesAndFilesAreGoodInAConfiguration) {
    const auto made = make(names);
    ASSERT_TRUE(made) << made.error();
    EXPECT_TRUE(made->is_of_new_authority);
    EXPECT_TRUE(made->needs_restart);
    EXPECT_THAT(made->of_listen, ElementsAre(R"(console = "0.0.0.0:9091")", HasSubstr("gateway.store")));
    EXPECT_THAT(made->addresses, ElementsAre("https://gateway.store:9091/", "https://192.168.10.5:9091/"));
    const auto reading = read_config(test::ConfigText().text() + "[listen]\n" + made->of_listen[0] + "\n" +
                                     made->of_listen[1] + "\n" + made->lines);
    EXPECT_EQ(test::lines(reading.errors), "");
    ASSERT_TRUE(reading.config);
    EXPECT_EQ(reading.config->listen.console_tls.cert, path("console.crt"));
    EXPECT_EQ(reading.config->listen.console_names, Names{"gateway.store"});
    EXPECT_FALSE(look_at_pair(path("console.crt"), path("console.key"), {}).key) << "they belong to each other";
    EXPECT_THAT(names_not_in(path("console.crt"), names), IsEmpty());
}

TEST_F(NewCertificateTest, OnlyTheServiceReadsTheKeyAndNobodyTheAuthoritys) {
    ASSERT_TRUE(make(names));
    EXPECT_EQ(mode("console.key"), 0640U);
    EXPECT_EQ(mode("authority.key"), 0600U);
    EXPECT_EQ(mode("console.crt"), 0644U);
    EXPECT_EQ(mode("authority.crt"), 0644U);
    EXPECT_THAT(text("console.crt"), testing::EndsWith(text("authority.crt")));
    EXPECT_THAT(text("console.crt"), testing::Not(HasSubstr("PRIVATE KEY")));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path("tls")), {}), 4) << "nothing is left over";
    if (::geteuid() != 0) GTEST_SKIP() << "only root gives files to others";
    constexpr gid_t other_group = 4242;
    ASSERT_EQ(::chown(config.c_str(), static_cast<uid_t>(-1), other_group), 0);
    ASSERT_TRUE(make(names, true));
    struct stat status {};
    ASSERT_EQ(::stat(path("console.key").c_str(), &status), 0);
    EXPECT_EQ(status.st_gid, other_group) << "who reads the configuration reads the key";
}

TEST_F(NewCertificateTest, WordsSayWhatIsNextAndHaveNoKey) {
    const auto words = what_to_do_with(*make(names), {});
    for (const auto& said : {std::string("https://gateway.store:9091/console/authority.crt"), make(names)->fingerprint,
                             std::string(R"(console = "0.0.0.0:9091")"), std::string("systemctl restart")})
        EXPECT_THAT(words, HasSubstr(said));
    EXPECT_THAT(words, testing::Not(HasSubstr("PRIVATE")));
    use_them();
    const auto again = what_to_do_with(*make(names), {});
    EXPECT_THAT(again, HasSubstr("systemctl reload"));
    EXPECT_THAT(again, HasSubstr("nothing is to be done on the telephones"));
}

TEST_F(NewCertificateTest, RenewalKeepsTheAuthorityAndTheKey) {
    const auto first = make(names);
    ASSERT_TRUE(first);
    const auto authority = text("authority.crt");
    const auto cert = text("console.crt");
    const auto key = text("console.key");
    use_them();
    const auto second = make({"gateway.store", "192.168.10.77"});
    ASSERT_TRUE(second) << second.error();
    EXPECT_EQ(text("authority.crt"), authority);
    EXPECT_EQ(text("console.key"), key);
    EXPECT_NE(text("console.crt"), cert);
    EXPECT_EQ(second->fingerprint, first->fingerprint);
    EXPECT_FALSE(second->is_of_new_authority);
    EXPECT_FALSE(second->needs_restart);
    EXPECT_EQ(second->lines, "") << "they are in the configuration";
    EXPECT_THAT(second->of_listen, IsEmpty());
    EXPECT_EQ(second->addresses.front(), "https://gateway.store:9443/");
    // Files of somebody else's stay where they are.
    configure(test::ConfigText()
                  .set("listen.console", R"("0.0.0.0:9443")")
                  .set("listen.console_names", R"(["gateway.store"])")
                  .set("listen.console_tls.cert", "\"" + folder.write("other.crt", cert) + "\"")
                  .set("listen.console_tls.key", "\"" + folder.write("other.key", key) + "\""));
    const auto third = make(names);
    ASSERT_TRUE(third) << third.error();
    EXPECT_THAT(third->lines, HasSubstr("[listen.console_tls]"));
    EXPECT_FALSE(third->needs_restart) << "a reload replaces one certificate by another";
}

TEST_F(NewCertificateTest, AuthorityIsReplacedOnlyOnAsking) {
    const auto first = make(names);
    ASSERT_TRUE(first);
    const auto authority = text("authority.crt");
    const auto key = text("console.key");
    const auto refused = make({"other.store"});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error(), HasSubstr("--new-authority"));
    EXPECT_EQ(text("authority.crt"), authority);
    const auto second = make({"other.store"}, true);
    ASSERT_TRUE(second) << second.error();
    EXPECT_TRUE(second->is_of_new_authority);
    EXPECT_NE(second->fingerprint, first->fingerprint);
    EXPECT_NE(text("authority.crt"), authority);
    EXPECT_NE(text("console.key"), key);
}

TEST_F(NewCertificateTest, HalfAnAuthorityIsRefusedAndKept) {
    ASSERT_TRUE(make(names));
    std::filesystem::remove(path("authority.key"));
    const auto authority = text("authority.crt");
    const auto made = make(names);
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error(), HasSubstr("authority.crt is there without "));
    EXPECT_EQ(text("authority.crt"), authority);
}

TEST_F(NewCertificateTest, WithoutAConfigurationThereIsNoPlaceForIt) {
    std::filesystem::remove(config);
    const auto made = make(names);
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error(), HasSubstr("gateway.toml: cannot be opened"));
    EXPECT_FALSE(std::filesystem::exists(folder.path("tls")));
}

TEST_F(NewCertificateTest, OfAnUnfinishedConfigurationIsMadeAllTheSame) {
    configure(test::ConfigText().drop("provider.app_key").set("listen.console_names", R"(["b.store"])"));
    const auto made = make({});
    ASSERT_TRUE(made) << made.error();
    EXPECT_THAT(made->addresses, ElementsAre("https://b.store:9091/"));
}

TEST_F(NewCertificateTest, NamesAreThoseGivenOrOfTheConfigurationOrOfTheMachine) {
    ListenOptions listen;
    EXPECT_EQ(names_of_console(listen), own_names());
    listen.console_names = {"b.store"};
    EXPECT_EQ(names_of_console(listen), Names{"b.store"});
    for (const auto* name : {"b.store", "loja", "192.168.1.2", "fd00::1"})
        EXPECT_EQ(wrong_name_of_console(name), "") << name;
    for (const auto& name : {std::string(), std::string("https://a.store"), std::string("a.store:9091"),
                             std::string("a,DNS:bank.example"), std::string("*.store"), std::string(254, 'a')}) {
        EXPECT_NE(wrong_name_of_console(name), "") << name;
        EXPECT_FALSE(make({name})) << name;
    }
}

}  // namespace

}  // namespace gateway
