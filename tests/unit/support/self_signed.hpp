// Makes a self-signed certificate with its key anew for each test, so that nothing has to be renewed, and the
// repository has no key.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace gateway::test {

struct SelfSigned {
    std::string cert;  // PEM
    std::string key;   // PEM
};

// The certificate is for localhost and the loopback addresses. It is valid from `from_days` to `days` days from now.
inline SelfSigned make_self_signed(int days = 30, int from_days = 0) {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> cert(X509_new(), &X509_free);
    X509_set_version(cert.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), 1);
    X509_time_adj_ex(X509_getm_notBefore(cert.get()), from_days, -60, nullptr);
    X509_time_adj_ex(X509_getm_notAfter(cert.get()), days, 0, nullptr);
    X509_set_pubkey(cert.get(), key.get());
    auto* name = X509_get_subject_name(cert.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1,
                               0);
    X509_set_issuer_name(cert.get(), name);
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> names(
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1"),
        &X509_EXTENSION_free);
    X509_add_ext(cert.get(), names.get(), -1);
    X509_sign(cert.get(), key.get(), EVP_sha256());

    const auto text = [](auto&& write) {
        const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), &BIO_free);
        write(bio.get());
        char* data = nullptr;
        const auto length = BIO_get_mem_data(bio.get(), &data);
        return std::string(data, static_cast<std::size_t>(length));
    };
    return {text([&](BIO* bio) { PEM_write_bio_X509(bio, cert.get()); }),
            text([&](BIO* bio) { PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr); })};
}

}  // namespace gateway::test
