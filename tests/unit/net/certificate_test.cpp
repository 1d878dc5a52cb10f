#include "net/certificate.hpp"

#include "base/wall_time.hpp"
#include "unit/support/certificates.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using AnyContext = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

AnyContext any_context() {
    return {SSL_CTX_new(TLS_method()), &SSL_CTX_free};
}

TEST(CertificateEnd, IsToldToTheSecond) {
    const auto shown = Authority().issue("DNS:store.example", "20310228235958Z");
    const auto tls = any_context();
    ASSERT_EQ(SSL_CTX_use_certificate_chain_file(tls.get(), temporary_file(shown.cert).c_str()), 1);
    const auto end = end_of_certificate(tls.get());
    ASSERT_TRUE(end);
    EXPECT_EQ(to_rfc3339(*end), "2031-02-28T23:59:58.000Z");
    const auto validity = validity_of(tls.get());
    ASSERT_TRUE(validity);
    EXPECT_EQ(to_rfc3339(validity->begins_at), "2000-01-01T00:00:00.000Z");
    EXPECT_EQ(validity->ends_at, *end);
}

TEST(CertificateEnd, OfACertificateThatWasGivenIsTheSame) {
    const auto shown = Authority().issue("DNS:caixa-01", "20310228235958Z");
    const std::unique_ptr<BIO, decltype(&BIO_free)> text(
        BIO_new_mem_buf(shown.cert.data(), static_cast<int>(shown.cert.size())), &BIO_free);
    const std::unique_ptr<X509, decltype(&X509_free)> given(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr),
                                                            &X509_free);
    const auto end = end_of_certificate(given.get());
    ASSERT_TRUE(end);
    EXPECT_EQ(to_rfc3339(*end), "2031-02-28T23:59:58.000Z");
    const X509* none = nullptr;
    EXPECT_FALSE(end_of_certificate(none));
}

TEST(CertificateEnd, IsUnknownWhereNoneIsShown) {
    EXPECT_FALSE(end_of_certificate(any_context().get()));
    EXPECT_FALSE(validity_of(any_context().get()));
}

TEST(CertificateNames, AreThoseOfItsAlternativeNames) {
    const auto tls = any_context();
    const auto shown = Authority().issue("DNS:store.example,IP:192.168.1.2");
    ASSERT_EQ(SSL_CTX_use_certificate_chain_file(tls.get(), temporary_file(shown.cert).c_str()), 1);
    auto* const certificate = SSL_CTX_get0_certificate(tls.get());
    EXPECT_TRUE(is_for(certificate, "store.example"));
    EXPECT_TRUE(is_for(certificate, "192.168.1.2"));
    EXPECT_FALSE(is_for(certificate, "other.example"));
    EXPECT_FALSE(is_for(certificate, "192.168.1.3"));
}

TEST(ShownAuthority, IsTheOneBehindTheCertificate) {
    const auto shown_by = [](const std::string& chain) {
        const auto tls = any_context();
        EXPECT_EQ(SSL_CTX_use_certificate_chain_file(tls.get(), temporary_file(chain).c_str()), 1);
        return authority_shown_by(tls.get());
    };
    const Authority authority;
    const auto cert = authority.issue("DNS:store.example").cert;
    const auto der = shown_by(cert + authority.pem());
    const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
    const std::unique_ptr<X509, decltype(&X509_free)> read(d2i_X509(nullptr, &bytes, static_cast<long>(der.size())),
                                                           &X509_free);
    ASSERT_TRUE(read);
    EXPECT_EQ(X509_self_signed(read.get(), 1), 1);
    EXPECT_EQ(shown_by(cert), "") << "nothing is behind it";
    EXPECT_EQ(shown_by(cert + authority.issue("DNS:other.example").cert), "") << "this one vouches for nobody";
    EXPECT_EQ(authority_shown_by(any_context().get()), "");
}

class CertificateDoubt : public testing::Test {
  protected:
    const WallTime begin = *from_rfc3339("2026-01-01T00:00:00Z");
    const WallTime end = *from_rfc3339("2026-06-30T12:00:00Z");
    std::optional<ValidityDoubt> at(WallTime now) const { return doubt_about({begin, end}, now); }
};

TEST_F(CertificateDoubt, ThereIsNoneWhileItIsGoodForMoreThanTwoWeeks) {
    EXPECT_FALSE(at(begin));
    EXPECT_FALSE(at(end - 14 * 24h - 1ms));
}

TEST_F(CertificateDoubt, BeginsTwoWeeksBeforeTheEndAndNamesIt) {
    const auto doubt = at(end - 14 * 24h);
    ASSERT_TRUE(doubt);
    EXPECT_TRUE(doubt->accepted);
    EXPECT_EQ(doubt->since, end - 14 * 24h);
    EXPECT_EQ(doubt_about({end - 7 * 24h, end}, end - 1h)->since, end - 7 * 24h)
        << "one that is valid for less than that was not shown before";
    EXPECT_EQ(doubt->words, "expires in 14 d: it ends on " + to_local_text(end));
    EXPECT_THAT(at(end - 90min)->words, HasSubstr("expires in 1 h 30 min"));
}

TEST_F(CertificateDoubt, FromTheEndOnAnyoneWhoLooksAtItRefusesIt) {
    const auto doubt = at(end);
    ASSERT_TRUE(doubt);
    EXPECT_FALSE(doubt->accepted);
    EXPECT_EQ(doubt->since, end);
    EXPECT_EQ(doubt->words, "has expired: it ended on " + to_local_text(end) +
                                ", and whoever looks at it refuses it, unless the clock of this machine is wrong");
}

TEST_F(CertificateDoubt, BeforeItsBeginAnyoneWhoLooksAtItRefusesIt) {
    const auto doubt = at(begin - 1s);
    ASSERT_TRUE(doubt);
    EXPECT_FALSE(doubt->accepted);
    EXPECT_FALSE(doubt->since) << "the certificate does not say since when it is shown";
    EXPECT_THAT(doubt->words,
                HasSubstr("not valid yet: whoever looks at it refuses it before " + to_local_text(begin)));
}

}  // namespace
}  // namespace gateway::test
