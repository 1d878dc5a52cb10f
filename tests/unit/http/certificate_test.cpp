#include "http/certificate.hpp"

#include "base/wall_time.hpp"
#include "unit/support/certificates.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

Context context() {
    return {SSL_CTX_new(TLS_method()), &SSL_CTX_free};
}

TEST(CertificateEnd, IsToldToTheSecond) {
    const auto shown = Authority().issue("DNS:store.example", "20310228235958Z");
    const auto tls = context();
    ASSERT_EQ(SSL_CTX_use_certificate_chain_file(tls.get(), temporary_file(shown.cert).c_str()), 1);
    const auto end = http::end_of_certificate(tls.get());
    ASSERT_TRUE(end);
    EXPECT_EQ(to_rfc3339(*end), "2031-02-28T23:59:58.000Z");
}

TEST(CertificateEnd, OfACertificateThatWasGivenIsTheSame) {
    const auto shown = Authority().issue("DNS:caixa-01", "20310228235958Z");
    const std::unique_ptr<BIO, decltype(&BIO_free)> text(
        BIO_new_mem_buf(shown.cert.data(), static_cast<int>(shown.cert.size())), &BIO_free);
    const std::unique_ptr<X509, decltype(&X509_free)> given(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr),
                                                            &X509_free);
    const auto end = http::end_of_certificate(given.get());
    ASSERT_TRUE(end);
    EXPECT_EQ(to_rfc3339(*end), "2031-02-28T23:59:58.000Z");
    const X509* none = nullptr;
    EXPECT_FALSE(http::end_of_certificate(none));
}

TEST(CertificateEnd, IsUnknownWhereNoneIsShown) {
    EXPECT_FALSE(http::end_of_certificate(context().get()));
}

}  // namespace
}  // namespace gateway::test
