// Makes certificates for tests when they are needed, so that the repository has no secret and nothing that expires.
#pragma once

#include "base/check.hpp"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <fstream>
#include <memory>
#include <string>
#include <string_view>

namespace gateway::test {

// This is a certificate and its key, both in PEM.
struct Certificate {
    std::string cert;
    std::string key;
};

// Makes a file that holds `text`, and returns its path. The file is removed with the directory for temporary files.
inline std::string temporary_file(std::string_view text) {
    static int count = 0;
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    const auto path = testing::TempDir() + (test ? std::string(test->test_suite_name()) + "." + test->name() : "test") +
                      "." + std::to_string(++count);
    std::ofstream(path) << text;
    return path;
}

class Authority {
  public:
    explicit Authority(const std::string& name = "Test Authority", const char* until = "99991231235959Z")
        : key_(make_key()) {
        certificate_ = make(name, key_.get(), "critical,CA:TRUE", "", "20000101000000Z", until);
        pem_ = to_pem(certificate_.get());
    }

    const std::string& pem() const { return pem_; }
    std::string key_pem() const { return to_pem(key_.get()); }

    // Issues a certificate for `names`, such as "DNS:provider.example,IP:127.0.0.1".
    Certificate issue(const std::string& names, const char* until = "99991231235959Z",
                      const char* from = "20000101000000Z") const {
        const auto key = make_key();
        const auto certificate = make("Test", key.get(), "CA:FALSE", names, from, until);
        return {to_pem(certificate.get()), to_pem(key.get())};
    }

  private:
    struct Free {
        void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
        void operator()(X509* certificate) const { X509_free(certificate); }
        void operator()(BIO* bio) const { BIO_free(bio); }
    };
    using Key = std::unique_ptr<EVP_PKEY, Free>;
    using Cert = std::unique_ptr<X509, Free>;

    static Key make_key() { return Key(EVP_EC_gen("P-256")); }

    // Makes a certificate that this authority signs. The first one that it makes is the authority's own.
    Cert make(const std::string& name, EVP_PKEY* key, const char* basic, const std::string& names, const char* from,
              const char* until) const {
        static long serial = 0;
        Cert cert(X509_new());
        X509_set_version(cert.get(), X509_VERSION_3);
        ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), ++serial);
        CHECK(ASN1_TIME_set_string_X509(X509_getm_notBefore(cert.get()), from) == 1);
        CHECK(ASN1_TIME_set_string_X509(X509_getm_notAfter(cert.get()), until) == 1);
        X509_set_pubkey(cert.get(), key);
        auto* subject = X509_get_subject_name(cert.get());
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(name.c_str()),
                                   -1, -1, 0);
        X509* issuer = certificate_ ? certificate_.get() : cert.get();
        X509_set_issuer_name(cert.get(), X509_get_subject_name(issuer));
        extend(cert.get(), issuer, NID_basic_constraints, basic);
        if (!names.empty()) extend(cert.get(), issuer, NID_subject_alt_name, names.c_str());
        CHECK(X509_sign(cert.get(), key_.get(), EVP_sha256()) > 0);
        return cert;
    }

    static void extend(X509* cert, X509* issuer, int what, const char* value) {
        X509V3_CTX context;
        X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
        auto* extension = X509V3_EXT_conf_nid(nullptr, &context, what, value);
        CHECK(extension != nullptr && X509_add_ext(cert, extension, -1) == 1);
        X509_EXTENSION_free(extension);
    }

    static std::string text_of(BIO* bio) {
        char* data = nullptr;
        const long size = BIO_get_mem_data(bio, &data);
        return {data, static_cast<std::size_t>(size)};
    }
    static std::string to_pem(X509* cert) {
        const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
        CHECK(PEM_write_bio_X509(bio.get(), cert) == 1);
        return text_of(bio.get());
    }
    static std::string to_pem(EVP_PKEY* key) {
        const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
        CHECK(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
        return text_of(bio.get());
    }

    Key key_;
    Cert certificate_;
    std::string pem_;
};

}  // namespace gateway::test
