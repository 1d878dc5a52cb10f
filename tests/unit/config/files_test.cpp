#include "config/files.hpp"

#include "net/certificate.hpp"
#include "unit/support/self_signed.hpp"
#include "unit/support/temporary_folder.hpp"

#include <boost/asio/ssl/context.hpp>
#include <gtest/gtest.h>

namespace gateway {

using test::make_self_signed;
using test::TemporaryFolder;

TEST(ReadFile, ReturnsTheWholeFileUpToTheLimit) {
    const TemporaryFolder folder;
    const auto path = folder.write("f", "12345");
    EXPECT_EQ(*read_file(path, 5), "12345");
    EXPECT_NE(read_file(path, 4).error().find("longer than 4 bytes"), std::string::npos);
    EXPECT_EQ(*read_file(folder.write("empty", ""), 5), "");
}

TEST(ReadFile, TellsWhyAFileCannotBeRead) {
    const TemporaryFolder folder;
    EXPECT_NE(read_file(folder.path("absent"), 5).error().find("No such file"), std::string::npos);
    EXPECT_NE(read_file(folder.path(""), 5).error().find("directory"), std::string::npos);
}

TEST(Pair, CertificateAndItsKeyAreFine) {
    const TemporaryFolder folder;
    const auto made = make_self_signed();
    const auto remarks = look_at_pair(folder.write("cert", made.cert), folder.write("key", made.key), {});
    EXPECT_EQ(remarks.cert, std::nullopt);
    EXPECT_EQ(remarks.key, std::nullopt);
    EXPECT_EQ(remarks.validity, std::nullopt);
    const auto authorities = look_at_authorities(folder.path("cert"), {});
    EXPECT_EQ(authorities.file, std::nullopt);
    EXPECT_TRUE(authorities.validity.empty());
}

TEST(Pair, KeyOfAnotherCertificateIsFound) {
    const TemporaryFolder folder;
    const auto remarks =
        look_at_pair(folder.write("cert", make_self_signed().cert), folder.write("key", make_self_signed().key), {});
    EXPECT_EQ(remarks.cert, std::nullopt);
    EXPECT_NE(remarks.key.value_or("").find("private key"), std::string::npos);
}

TEST(Pair, FilesWithoutPemAreNamed) {
    const TemporaryFolder folder;
    const auto made = make_self_signed();
    const auto cert = folder.write("cert", made.cert);
    const auto text = folder.write("text", "hello");
    EXPECT_NE(look_at_pair(text, text, {}).cert.value_or("").find("no certificate"), std::string::npos);
    EXPECT_NE(look_at_pair(text, text, {}).key.value_or("").find("private key"), std::string::npos);
    EXPECT_NE(look_at_pair(cert, folder.path("absent"), {}).key.value_or("").find("No such file"), std::string::npos);
    EXPECT_NE(look_at_authorities(text, {}).file.value_or("").find("no certificates"), std::string::npos);
}

TEST(Pair, CertificateThatIsNotGoodTodayOrNotForLongIsRemarkedOn) {
    const TemporaryFolder folder;
    const auto validity = [&](const test::SelfSigned& made) {
        const auto remarks = look_at_pair(folder.write("cert", made.cert), folder.write("key", made.key), {});
        EXPECT_FALSE(remarks.cert || remarks.key) << "it can be served all the same";
        return remarks.validity.value_or("");
    };
    EXPECT_NE(validity(make_self_signed(-1, -30)).find("has expired"), std::string::npos);
    EXPECT_NE(validity(make_self_signed(0, -30)).find("has expired"), std::string::npos);
    EXPECT_NE(validity(make_self_signed(60, 1)).find("not valid yet"), std::string::npos);
    EXPECT_NE(validity(make_self_signed(3)).find("expires in "), std::string::npos);
    EXPECT_EQ(validity(make_self_signed(15)), "");
}

TEST(Pair, TheEndOfACertificateIsToldInTheGivenZone) {
    const TemporaryFolder folder;
    const auto made = make_self_signed(3);
    const auto cert = folder.write("cert", made.cert);
    const auto key = folder.write("key", made.key);
    boost::asio::ssl::context context(boost::asio::ssl::context::tls);
    context.use_certificate_file(cert, boost::asio::ssl::context::pem);
    for (const auto* name : {"UTC", "America/Sao_Paulo", "Pacific/Chatham"}) {
        const auto zone = *TimeZone::find(name);
        const auto end = zone.text_of(*end_of_certificate(context.native_handle()));
        EXPECT_NE(look_at_pair(cert, key, zone).validity.value_or("").find("it ends on " + end), std::string::npos)
            << name;
    }
}

TEST(Authorities, EachCertificateThatIsNotGoodTodayOrNotForLongIsRemarkedOnInTheGivenZone) {
    const TemporaryFolder folder;
    const auto ended = make_self_signed(-1, -30);
    const auto path = folder.write("ca", make_self_signed().cert + ended.cert + make_self_signed(3).cert);
    const auto cert = folder.write("cert", ended.cert);
    boost::asio::ssl::context context(boost::asio::ssl::context::tls);
    context.use_certificate_file(cert, boost::asio::ssl::context::pem);
    for (const auto* name : {"America/Sao_Paulo", "Pacific/Chatham"}) {
        const auto zone = *TimeZone::find(name);
        const auto remarks = look_at_authorities(path, zone);
        EXPECT_EQ(remarks.file, std::nullopt);
        EXPECT_FALSE(remarks.none_is_good);
        ASSERT_EQ(remarks.validity.size(), 2u);
        const auto end = zone.text_of(*end_of_certificate(context.native_handle()));
        EXPECT_NE((remarks.validity[0] + remarks.validity[1])
                      .find("\"" + path + "\" has a certificate, CN = localhost, that has expired: it ended on " + end),
                  std::string::npos)
            << name;
    }
}

TEST(Authorities, OfWhichNoneIsGoodTodayAreNone) {
    const TemporaryFolder folder;
    const auto ended = make_self_signed(-1, -30).cert;
    const auto none_is_good = [&](const std::string& certificates) {
        const auto remarks = look_at_authorities(folder.write("ca", certificates), {});
        EXPECT_EQ(remarks.file, std::nullopt) << "a gateway starts with them";
        return remarks.none_is_good;
    };
    EXPECT_TRUE(none_is_good(ended));
    EXPECT_TRUE(none_is_good(ended + make_self_signed(-2, -30).cert));
    EXPECT_TRUE(none_is_good(ended + make_self_signed(60, 1).cert)) << "the other one is not valid yet";
    EXPECT_FALSE(none_is_good(ended + make_self_signed(3).cert));
    EXPECT_FALSE(none_is_good(make_self_signed().cert));
}

TEST(Public, IsWhatEverybodyMayRead) {
    const TemporaryFolder folder;
    const auto path = folder.write("f", "x");
    EXPECT_FALSE(is_public(path));
    std::filesystem::permissions(path, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
    EXPECT_TRUE(is_public(path));
    EXPECT_FALSE(is_public(folder.path("absent")));
}

}  // namespace gateway
