#include "net/store_authority.hpp"

#include "base/check.hpp"
#include "base/utf8.hpp"
#include "net/certificate.hpp"
#include "net/networks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <memory>

namespace gateway {
namespace {

using namespace std::chrono_literals;

constexpr Duration authority_time = std::chrono::days(3650);
constexpr Duration certificate_time = std::chrono::days(825);
// The clock of a telephone may be behind that of this machine.
constexpr Duration clocks_may_differ = 1h;
constexpr std::size_t serial_size = 16;          // bytes; 20 is the most that is allowed (RFC 5280, section 4.1.2.2)
constexpr std::size_t longest_common_name = 64;  // characters (RFC 5280, appendix A.1)

template <class T, void (*Release)(T*)>
struct ReleaseOf {
    void operator()(T* object) const noexcept { Release(object); }
};
using PrivateKey = std::unique_ptr<EVP_PKEY, ReleaseOf<EVP_PKEY, EVP_PKEY_free>>;
using X509Certificate = std::unique_ptr<X509, ReleaseOf<X509, X509_free>>;
using Memory = std::unique_ptr<BIO, ReleaseOf<BIO, BIO_free_all>>;

// A network whose addresses mean another machine in every house, so that no site of the Internet has one.
struct PrivateNetwork {
    const char* network;     // as Networks reads it
    const char* constraint;  // as OpenSSL reads it
};
constexpr std::array private_networks{
    PrivateNetwork{"10.0.0.0/8", "10.0.0.0/255.0.0.0"},
    PrivateNetwork{"172.16.0.0/12", "172.16.0.0/255.240.0.0"},
    PrivateNetwork{"192.168.0.0/16", "192.168.0.0/255.255.0.0"},
    PrivateNetwork{"127.0.0.0/8", "127.0.0.0/255.0.0.0"},
    PrivateNetwork{"::1", "::1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
    PrivateNetwork{"fc00::/7", "fc00::/fe00::"},
};
constexpr std::array names_of_the_machine_itself{"localhost", "127.0.0.1", "::1"};

std::string text_in(const Memory& memory) {
    char* data = nullptr;
    const auto size = BIO_get_mem_data(memory.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

Memory read_from(const std::string& text) {
    return Memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string to_pem(X509* certificate) {
    const Memory memory(BIO_new(BIO_s_mem()));
    CHECK(PEM_write_bio_X509(memory.get(), certificate) == 1);
    return text_in(memory);
}

X509Certificate certificate_in(const std::string& text) {
    X509Certificate certificate(PEM_read_bio_X509(read_from(text).get(), nullptr, nullptr, nullptr));
    ERR_clear_error();
    return certificate;
}

// A key that is locked with a pass phrase is none, because nobody is asked for it.
PrivateKey key_in(const Secret& text) {
    const auto no_passphrase = [](char*, int, int, void*) { return -1; };
    PrivateKey key(PEM_read_bio_PrivateKey(read_from(text.reveal()).get(), nullptr, no_passphrase, nullptr));
    ERR_clear_error();
    return key;
}

void set_time(ASN1_TIME* time, WallTime at) {
    CHECK(ASN1_TIME_set(time, std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count()) !=
          nullptr);
}

// Returns as much of the text as a common name may have. OpenSSL takes no half character.
std::string common_name(std::string_view text) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < longest_common_name && bytes < text.size(); ++i)
        bytes += first_code_point(text.substr(bytes)).bytes;
    return std::string(text.substr(0, bytes));
}

X509Certificate begin_certificate(EVP_PKEY* key, const std::string& name, const Validity& validity, Random& random) {
    X509Certificate made(X509_new());
    CHECK(made && X509_set_version(made.get(), X509_VERSION_3) == 1);
    std::array<std::byte, serial_size> serial{};
    random.fill(serial);
    serial[0] = (serial[0] & std::byte{0x7F}) | std::byte{0x40};  // a positive number that has all of these bytes
    const std::unique_ptr<BIGNUM, ReleaseOf<BIGNUM, BN_free>> number(
        BN_bin2bn(reinterpret_cast<const unsigned char*>(serial.data()), serial_size, nullptr));
    CHECK(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(made.get())) != nullptr);
    set_time(X509_getm_notBefore(made.get()), validity.begins_at);
    set_time(X509_getm_notAfter(made.get()), validity.ends_at);
    CHECK(X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_UTF8,
                                     reinterpret_cast<const unsigned char*>(common_name(name).c_str()), -1, -1,
                                     0) == 1);
    CHECK(X509_set_pubkey(made.get(), key) == 1);
    return made;
}

void add_extension(X509* certificate, X509* issuer, int which, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, ReleaseOf<X509_EXTENSION, X509_EXTENSION_free>> extension(
        X509V3_EXT_conf_nid(nullptr, &context, which, value.c_str()));
    CHECK(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

// Returns the name as OpenSSL reads it in a list: "DNS:gateway.store" or "IP:192.168.1.2".
std::string general_name(const std::string& name) {
    const auto address = parse_plain_address(name);
    return address ? "IP:" + address->to_string() : "DNS:" + name;
}

std::string constraints_to(const std::vector<std::string>& names) {
    Networks ours;
    std::vector<std::string> permitted;
    for (const auto& one : private_networks) {
        (void)ours.add(one.network);
        permitted.push_back(fmt::format("permitted;IP:{}", one.constraint));
    }
    permitted.emplace_back("permitted;DNS:localhost");
    for (const auto& name : names) {
        const auto address = parse_plain_address(name);
        if (address && ours.contain(*address)) continue;
        const std::string_view mask = !address           ? ""
                                      : address->is_v4() ? "/255.255.255.255"
                                                         : "/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
        permitted.push_back(fmt::format("permitted;{}{}", general_name(name), mask));
    }
    return fmt::format("critical,{}", fmt::join(permitted, ","));
}

std::string alternative_names(const std::vector<std::string>& names) {
    std::vector<std::string> all(names.size());
    std::ranges::transform(names, all.begin(), general_name);
    for (const auto* name : names_of_the_machine_itself)
        if (std::ranges::find(all, general_name(name)) == all.end()) all.push_back(general_name(name));
    return fmt::format("{}", fmt::join(all, ","));
}

// Says why those who trust the authority would refuse the certificate; empty where they accept it.
std::string why_refused(X509* authority, X509* certificate, WallTime now) {
    const std::unique_ptr<X509_STORE, ReleaseOf<X509_STORE, X509_STORE_free>> trusted(X509_STORE_new());
    const std::unique_ptr<X509_STORE_CTX, ReleaseOf<X509_STORE_CTX, X509_STORE_CTX_free>> look(X509_STORE_CTX_new());
    CHECK(trusted && look && X509_STORE_add_cert(trusted.get(), authority) == 1);
    CHECK(X509_STORE_CTX_init(look.get(), trusted.get(), certificate, nullptr) == 1);
    auto* const parameters = X509_STORE_CTX_get0_param(look.get());
    X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_X509_STRICT);
    X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER);
    X509_VERIFY_PARAM_set_time(parameters,
                               std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count());
    if (X509_verify_cert(look.get()) == 1) return {};
    const int error = X509_STORE_CTX_get_error(look.get());
    ERR_clear_error();
    if (error == X509_V_ERR_PERMITTED_VIOLATION) return "it was made for other names";
    return X509_verify_cert_error_string(error);
}

}  // namespace

Secret make_private_key() {
    const PrivateKey key(EVP_EC_gen("P-256"));
    const Memory memory(BIO_new(BIO_s_mem()));
    CHECK(key && PEM_write_bio_PrivateKey(memory.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
    return Secret(text_in(memory));
}

CertifiedKey make_authority(const std::vector<std::string>& names, const std::string& store, WallTime now,
                            Random& random) {
    CHECK(!names.empty());
    CertifiedKey made{.cert = {}, .key = make_private_key()};
    const auto key = key_in(made.key);
    const auto from = now - clocks_may_differ;
    const auto certificate = begin_certificate(key.get(), "sales-gateway " + (store.empty() ? names.front() : store),
                                               {from, from + authority_time}, random);
    auto* const own = certificate.get();
    CHECK(X509_set_issuer_name(own, X509_get_subject_name(own)) == 1);
    add_extension(own, own, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
    add_extension(own, own, NID_key_usage, "critical,keyCertSign,cRLSign");
    add_extension(own, own, NID_subject_key_identifier, "hash");
    add_extension(own, own, NID_name_constraints, constraints_to(names));
    CHECK(X509_sign(own, key.get(), EVP_sha256()) > 0);
    made.cert = to_pem(own);
    return made;
}

boost::system::result<IssuedCertificate, std::string> issue_certificate(const CertifiedKey& authority,
                                                                        const Secret& key,
                                                                        const std::vector<std::string>& names,
                                                                        WallTime now, Random& random) {
    using boost::system::in_place_error;
    const auto issuer = certificate_in(authority.cert);
    const auto issuers_key = key_in(authority.key);
    const auto own_key = key_in(key);
    if (!issuer || !issuers_key || X509_check_private_key(issuer.get(), issuers_key.get()) != 1) {
        ERR_clear_error();
        return {in_place_error, "its certificate and its key do not belong to each other"};
    }
    if (X509_get0_subject_key_id(issuer.get()) == nullptr)
        return {in_place_error, "its certificate has no key identifier, which strict readers want"};
    if (!own_key) return {in_place_error, "the key of the certificate is no private key without a pass phrase"};
    const auto from = now - clocks_may_differ;
    const auto until = std::min(from + certificate_time - 1s, *end_of_certificate(issuer.get()));
    const auto made = begin_certificate(own_key.get(), "sales-gateway", {from, until}, random);
    CHECK(X509_set_issuer_name(made.get(), X509_get_subject_name(issuer.get())) == 1);
    add_extension(made.get(), issuer.get(), NID_basic_constraints, "critical,CA:FALSE");
    add_extension(made.get(), issuer.get(), NID_key_usage, "critical,digitalSignature");
    add_extension(made.get(), issuer.get(), NID_ext_key_usage, "serverAuth");
    add_extension(made.get(), issuer.get(), NID_subject_key_identifier, "hash");
    add_extension(made.get(), issuer.get(), NID_authority_key_identifier, "keyid:always");
    add_extension(made.get(), issuer.get(), NID_subject_alt_name, alternative_names(names));
    if (X509_sign(made.get(), issuers_key.get(), EVP_sha256()) <= 0) {
        ERR_clear_error();
        return {in_place_error, "its key is of a kind that this program does not sign with"};
    }
    auto why = why_refused(issuer.get(), made.get(), now);
    if (!why.empty()) return {in_place_error, std::move(why)};
    return IssuedCertificate{.cert = to_pem(made.get()), .ends_at = until};
}

std::string fingerprint_of(const std::string& cert) {
    const auto certificate = certificate_in(cert);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (!certificate || X509_digest(certificate.get(), EVP_sha256(), digest.data(), &size) != 1) return {};
    return fmt::format("{:02X}", fmt::join(digest.begin(), digest.begin() + size, ":"));
}

}  // namespace gateway
