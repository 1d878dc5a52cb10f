#include "net/store_authority.hpp"

#include "base/digest.hpp"
#include "net/certificate.hpp"
#include "unit/support/certificates.hpp"
#include "unit/support/seeded_random.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;
using Names = std::vector<std::string>;
using AnyCertificate = std::unique_ptr<X509, decltype(&X509_free)>;

AnyCertificate parsed(const std::string& pem) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                         &BIO_free);
    return {PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), &X509_free};
}

// Returns the name under which a telephone lists an authority.
std::string listed_name(const CertifiedKey& authority) {
    const auto certificate = parsed(authority.cert);
    auto* const subject = X509_get_subject_name(certificate.get());
    unsigned char* text = nullptr;
    const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(
                                                    subject, X509_NAME_get_index_by_NID(subject, NID_commonName, -1))));
    std::string name(text, text + size);
    OPENSSL_free(text);
    return name;
}

class StoreAuthority : public testing::Test {
  protected:
    boost::system::result<IssuedCertificate, std::string> issued(const CertifiedKey& authority, const Names& names,
                                                                 Duration later = 0ms) {
        return issue_certificate(authority, key, names, now + later, random);
    }
    std::string error_of(const CertifiedKey& authority, const Names& names, Duration later = 0ms) {
        const auto made = issued(authority, names, later);
        return made ? "none" : made.error();
    }

    const WallTime now = *from_rfc3339("2026-11-30T12:00:00Z");
    SeededRandom random{1};
    const Secret key = make_private_key();
    const Names names{"gateway.store.example", "192.168.10.5"};
    const CertifiedKey authority = make_authority(names, "", now, random);
};

TEST_F(StoreAuthority, VouchesForAServerOfItsNamesAndOfThisMachine) {
    const auto made = issued(authority, names);
    ASSERT_TRUE(made) << made.error();
    const auto certificate = parsed(made->cert);
    ASSERT_TRUE(certificate);
    for (const auto* name : {"gateway.store.example", "192.168.10.5", "localhost", "127.0.0.1", "::1"})
        EXPECT_TRUE(is_for(certificate.get(), name)) << name;
    EXPECT_FALSE(is_for(certificate.get(), "192.168.10.6"));
    EXPECT_EQ(X509_get_extended_key_usage(certificate.get()), static_cast<std::uint32_t>(XKU_SSL_SERVER));
    EXPECT_EQ(X509_check_ca(certificate.get()), 0);
    EXPECT_EQ(X509_check_ca(parsed(authority.cert).get()), 1);
    EXPECT_EQ(X509_verify(certificate.get(), X509_get0_pubkey(parsed(authority.cert).get())), 1);
}

TEST_F(StoreAuthority, VouchesForNoSiteOfTheInternet) {
    const std::string other = "it was made for other names";
    EXPECT_EQ(error_of(authority, {"bank.example"}), other);
    EXPECT_EQ(error_of(authority, {"store.example"}), other);
    EXPECT_EQ(error_of(authority, {"203.0.113.7"}), other);
    EXPECT_EQ(error_of(authority, {"2001:db8::7"}), other);
}

TEST_F(StoreAuthority, VouchesForAnotherAddressInThePrivateNetwork) {
    for (const auto* name : {"192.168.77.1", "10.1.2.3", "172.16.0.9", "fd00::5", "till.gateway.store.example"})
        EXPECT_EQ(error_of(authority, {name}), "none") << name;
}

TEST_F(StoreAuthority, VouchesForAPublicAddressThatItWasMadeFor) {
    const Names of_the_internet{"203.0.113.7", "2001:db8::7"};
    const auto made_for_it = make_authority(of_the_internet, "", now, random);
    EXPECT_EQ(error_of(made_for_it, of_the_internet), "none");
    EXPECT_EQ(error_of(made_for_it, {"203.0.113.8"}), "it was made for other names");
}

TEST_F(StoreAuthority, IsGoodForTenYearsAndItsCertificateForNoLongerThanTelephonesAccept) {
    EXPECT_EQ(validity_of(parsed(authority.cert).get())->ends_at, now - 1h + 3650 * 24h);
    const auto made = *issued(authority, names);
    const auto validity = *validity_of(parsed(made.cert).get());
    EXPECT_EQ(validity.ends_at, made.ends_at);
    EXPECT_LT(validity.begins_at, now) << "the clock of a telephone may be late";
    EXPECT_EQ(validity.ends_at - validity.begins_at, 825 * 24h - 1s);
}

TEST_F(StoreAuthority, CertificateEndsWithItsAuthorityAndNoneFollows) {
    const auto last = issued(authority, names, 3600 * 24h);
    ASSERT_TRUE(last) << last.error();
    EXPECT_EQ(validity_of(parsed(last->cert).get())->ends_at, validity_of(parsed(authority.cert).get())->ends_at);
    EXPECT_THAT(error_of(authority, names, 3651 * 24h), HasSubstr("expired"));
}

TEST_F(StoreAuthority, NeedsItsOwnKeyAndTheCertificateOne) {
    const CertifiedKey mixed{.cert = authority.cert, .key = make_private_key()};
    EXPECT_THAT(error_of(mixed, names), HasSubstr("do not belong to each other"));
    EXPECT_THAT(error_of({.cert = "no certificate", .key = authority.key}, names), HasSubstr("do not belong"));
    const auto made = issue_certificate(authority, Secret("no key"), names, now, random);
    EXPECT_THAT(made ? "none" : made.error(), HasSubstr("no private key"));
}

TEST_F(StoreAuthority, OfAnotherProgramIsRefusedWhereThoseWhoLookCloselyRefuseIt) {
    const Authority other;
    EXPECT_THAT(error_of({.cert = other.pem(), .key = Secret(other.key_pem())}, names), HasSubstr("key identifier"));
}

TEST_F(StoreAuthority, LongNameMakesNoCertificateThatOthersRefuse) {
    const Names longest{std::string(60, 'a') + ".example"};
    EXPECT_EQ(error_of(make_authority(longest, "", now, random), longest), "none");
}

TEST_F(StoreAuthority, IsListedUnderTheNameOfTheStore) {
    const auto listed = [this](const std::string& store) {
        const auto made = make_authority(names, store, now, random);
        EXPECT_EQ(error_of(made, names), "none") << store;
        return listed_name(made);
    };
    EXPECT_EQ(listed(""), "sales-gateway gateway.store.example");
    EXPECT_EQ(listed("Mercadinho da Praça"), "sales-gateway Mercadinho da Praça");
    EXPECT_EQ(listed(R"(Rua 1/CN=x, "Bar" + Café)"), R"(sales-gateway Rua 1/CN=x, "Bar" + Café)");
    std::string longest = "x";
    std::string cut = "sales-gateway x";
    for (int i = 0; i < 63; ++i)
        longest += "ã";
    for (int i = 0; i < 49; ++i)
        cut += "ã";
    EXPECT_EQ(listed(longest), cut) << "64 characters, and none of them halved";
}

TEST_F(StoreAuthority, FingerprintIsTheDigestOfTheCertificateAsTelephonesShowIt) {
    unsigned char* der = nullptr;
    const int size = i2d_X509(parsed(authority.cert).get(), &der);
    const auto digest = sha256_hex(std::string(der, der + size));
    OPENSSL_free(der);
    auto shown = fingerprint_of(authority.cert);
    EXPECT_EQ(shown.size(), 95U);
    std::erase(shown, ':');
    std::ranges::transform(shown, shown.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
    EXPECT_EQ(shown, digest);
    EXPECT_EQ(fingerprint_of("no certificate"), "");
}

}  // namespace
}  // namespace gateway::test
