#include "http/client/tls_client.hpp"

#include "base/check.hpp"
#include "base/digest.hpp"
#include "base/wall_time.hpp"
#include "net/certificate.hpp"

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>

namespace gateway::http {
namespace {

std::string with_reason(const std::string& what) {
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    return reason == nullptr ? what : what + ": " + reason;
}

// A connection keeps its TlsMemory under this index.
int memory_index() {
    static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return index;
}

// A connection keeps under this index why its peer's certificate was refused.
int refusal_index() {
    static const int index = SSL_get_ex_new_index(
        0, nullptr, nullptr, nullptr,
        [](void*, void* words, CRYPTO_EX_DATA*, int, long, void*) { delete static_cast<std::string*>(words); });
    return index;
}

// Returns the host that the certificate must be for.
std::string host_of(SSL* tls) {
    auto* expected = SSL_get0_param(tls);
    if (const char* name = X509_VERIFY_PARAM_get0_host(expected, 0); name != nullptr) return name;
    char* address = X509_VERIFY_PARAM_get1_ip_asc(expected);
    std::string text = address == nullptr ? "the peer" : address;
    OPENSSL_free(address);
    return text;
}

std::string common_name_of(const X509* certificate) {
    const auto* name = X509_get_subject_name(certificate);
    const int at = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
    unsigned char* utf8 = nullptr;
    const int size = at < 0 ? -1 : ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    if (size < 0) return "without a name";
    std::string text(utf8, utf8 + size);
    OPENSSL_free(utf8);
    return fmt::format("\"{}\"", text);
}

// Says why the library refuses a chain, with the date that is the reason if there is one.
std::string refusal_in_words(const std::string& host, X509_STORE_CTX* chain) {
    const int verdict = X509_STORE_CTX_get_error(chain);
    const auto* faulty = X509_STORE_CTX_get_current_cert(chain);
    const auto validity = validity_of(faulty);
    const auto whose = X509_STORE_CTX_get_error_depth(chain) == 0
                           ? fmt::format("{} shows one that", host)
                           : fmt::format("{} shows one of an authority, {}, that", host,
                                         faulty == nullptr ? "without a name" : common_name_of(faulty));
    const char* words = X509_verify_cert_error_string(verdict);
    if (validity && verdict == X509_V_ERR_CERT_HAS_EXPIRED)
        return fmt::format("{} ended on {} ({})", whose, to_local_text(validity->ends_at), words);
    if (validity && verdict == X509_V_ERR_CERT_NOT_YET_VALID)
        return fmt::format("{} begins only on {} ({})", whose, to_local_text(validity->begins_at), words);
    return fmt::format("{} shows one that is not accepted: {}", host, words);
}

// The library has made a session that can be resumed. Returning 1 says that we own it now.
int remember(SSL* tls, SSL_SESSION* session) {
    auto* memory = static_cast<TlsMemory*>(SSL_get_ex_data(tls, memory_index()));
    memory->session.reset(session);
    return 1;
}

// Refuses a key that is locked with a passphrase, because the library would ask for it on the terminal.
int no_passphrase(char*, int, int, void*) {
    return -1;
}

void set_policy(SSL_CTX* context) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    // Thousands of connections wait at once, so they keep no buffers between two records.
    SSL_CTX_set_mode(context,
                     SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, &remember);
    SSL_CTX_set_default_passwd_cb(context, &no_passphrase);
    static constexpr std::array<unsigned char, 9> http{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    CHECK(SSL_CTX_set_alpn_protos(context, http.data(), http.size()) == 0);
}

std::string use_authorities(SSL_CTX* context, const std::string& ca_file) {
    if (ca_file.empty() && SSL_CTX_set_default_verify_paths(context) != 1)
        return with_reason("the system's certificate store cannot be read");
    if (!ca_file.empty() && SSL_CTX_load_verify_file(context, ca_file.c_str()) != 1)
        return with_reason("ca_file " + ca_file + " holds no certificates in PEM that can be read");
    return {};
}

std::string key_digest(X509* certificate) {
    unsigned char* der = nullptr;
    const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
    CHECK(size > 0);
    auto digest = sha256_hex({reinterpret_cast<const char*>(der), static_cast<std::size_t>(size)});
    OPENSSL_free(der);
    return digest;
}

std::string use_certificate(SSL_CTX* context, const std::string& cert, const std::string& key) {
    if (cert.empty()) return {};
    if (SSL_CTX_use_certificate_chain_file(context, cert.c_str()) != 1)
        return with_reason("client_cert " + cert + " holds no certificate in PEM that can be read");
    if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1)
        return with_reason("client_key " + key + " holds no key in PEM for client_cert that can be read");
    return {};
}

}  // namespace

TlsClient::TlsClient() : context_(SSL_CTX_new(TLS_client_method())) {
    CHECK(context_);
    set_policy(context_.get());
}

boost::system::result<std::shared_ptr<const TlsClient>, std::string> TlsClient::make(const TlsClientOptions& options) {
    const std::shared_ptr<TlsClient> client(new TlsClient());
    if (auto trouble = client->use(options); !trouble.empty()) return trouble;
    return std::shared_ptr<const TlsClient>(client);
}

std::string TlsClient::use(const TlsClientOptions& options) {
    ERR_clear_error();
    if (auto trouble = use_authorities(context_.get(), options.ca_file); !trouble.empty()) return trouble;
    pinned_keys_ = options.pinned_keys;
    SSL_CTX_set_cert_verify_callback(context_.get(), &TlsClient::verify, this);
    return use_certificate(context_.get(), options.client_cert, options.client_key);
}

// Does the library's own verification, and then checks the pinned keys.
int TlsClient::verify(X509_STORE_CTX* chain, void* client) {
    auto* tls = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
    const auto refuse = [tls](std::string words) {
        delete static_cast<std::string*>(SSL_get_ex_data(tls, refusal_index()));
        CHECK(SSL_set_ex_data(tls, refusal_index(), new std::string(std::move(words))) == 1);
        return 0;
    };
    const auto host = host_of(tls);
    if (X509_verify_cert(chain) != 1) return refuse(refusal_in_words(host, chain));
    const auto& pinned = static_cast<const TlsClient*>(client)->pinned_keys_;
    if (pinned.empty()) return 1;
    const auto* certificates = X509_STORE_CTX_get0_chain(chain);
    for (int i = 0; i < sk_X509_num(certificates); ++i)
        if (std::ranges::find(pinned, key_digest(sk_X509_value(certificates, i))) != pinned.end()) return 1;
    X509_STORE_CTX_set_error(chain, X509_V_ERR_APPLICATION_VERIFICATION);
    return refuse(host + " shows one, and no key in its chain is one of provider.pinned_key");
}

Ssl TlsClient::open(const std::string& host, TlsMemory& memory) const {
    Ssl tls(SSL_new(context_.get()));
    CHECK(tls && SSL_set_ex_data(tls.get(), memory_index(), &memory) == 1);
    SSL_set_connect_state(tls.get());
    boost::system::error_code is_name;
    boost::asio::ip::make_address(host, is_name);
    auto* expected = SSL_get0_param(tls.get());
    if (is_name) {
        X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        CHECK(X509_VERIFY_PARAM_set1_host(expected, host.data(), host.size()) == 1);
        CHECK(SSL_set_tlsext_host_name(tls.get(), host.c_str()) == 1);
    } else {
        CHECK(X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) == 1);
    }
    if (memory.session) SSL_set_session(tls.get(), memory.session.get());  // at worst the session is not resumed
    return tls;
}

std::optional<WallTime> TlsClient::certificate_expires_at() const {
    return end_of_certificate(context_.get());
}

std::string handshake_failure(SSL* tls) {
    const auto* refusal = static_cast<const std::string*>(SSL_get_ex_data(tls, refusal_index()));
    if (refusal != nullptr) return "certificate refused: " + *refusal;
    return "TLS handshake failed: " + Stream::tls_failure();
}

}  // namespace gateway::http
