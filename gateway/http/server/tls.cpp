#include "http/server/tls.hpp"

#include "base/check.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <filesystem>
#include <fstream>

namespace gateway::http {
namespace {

namespace ssl = boost::asio::ssl;

std::optional<TlsFailure> unreadable(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return TlsFailure{errc::not_found, path + " does not exist"};
    if (!std::ifstream(path)) return TlsFailure{errc::not_found, path + " cannot be opened"};
    return std::nullopt;
}

// Agrees on HTTP/1.1 with a client that offers it among others. A client that offers only others may try all the same.
int select_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size, const unsigned char* offered,
                    unsigned offered_size, void*) {
    static constexpr std::array<unsigned char, 9> ours{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    unsigned char* selected = nullptr;
    const int found = SSL_select_next_proto(&selected, chosen_size, ours.data(), ours.size(), offered, offered_size);
    *chosen = selected;
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

// Refuses a key that is locked with a passphrase, because the library would ask for it on the terminal.
int no_passphrase(char*, int, int, void*) {
    return -1;
}

void set_policy(SSL_CTX* context) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    // Thousands of connections wait at once, so they keep no buffers between two records, and sessions are resumed from
    // tickets that the clients keep.
    SSL_CTX_set_mode(context,
                     SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 1);
    SSL_CTX_set_alpn_select_cb(context, &select_protocol, nullptr);
    SSL_CTX_set_default_passwd_cb(context, &no_passphrase);
}

}  // namespace

boost::system::result<ssl::context, TlsFailure> make_tls_context(const TlsFiles& files) {
    for (const auto& path : {files.cert, files.key, files.client_ca})
        if (auto failure = path.empty() ? std::nullopt : unreadable(path)) return *failure;
    ssl::context context(ssl::context::tls_server);
    set_policy(context.native_handle());
    boost::system::error_code error;
    context.use_certificate_chain_file(files.cert, error);
    if (error) return TlsFailure{errc::malformed, files.cert + " is no certificate in PEM: " + error.message()};
    context.use_private_key_file(files.key, ssl::context::pem, error);
    if (error) return TlsFailure{errc::malformed, files.key + " is no key in PEM for it: " + error.message()};
    if (SSL_CTX_check_private_key(context.native_handle()) != 1)
        return TlsFailure{errc::malformed, files.key + " does not belong to " + files.cert};
    if (!files.client_ca.empty()) {
        // These names are told to the callers, who may have several certificates.
        auto* names = SSL_load_client_CA_file(files.client_ca.c_str());
        context.load_verify_file(files.client_ca, error);
        if (names == nullptr || error)
            return TlsFailure{errc::malformed, files.client_ca + " holds no certificates in PEM"};
        SSL_CTX_set_client_CA_list(context.native_handle(), names);
        SSL_CTX_set_verify(context.native_handle(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
        // A resumed session brings the caller's certificate along. Without this name no session would be resumed.
        static constexpr std::array<unsigned char, 7> sessions{'g', 'a', 't', 'e', 'w', 'a', 'y'};
        SSL_CTX_set_session_id_context(context.native_handle(), sessions.data(), sessions.size());
    }
    return context;
}

std::optional<ShownCertificate> shown_by(ssl::context& context, const std::string& file, const Clock& clock) {
    const auto validity = validity_of(context.native_handle());
    if (!validity) return std::nullopt;
    return ShownCertificate{.file = file,
                            .validity = *validity,
                            .shown_since = RunMoment(clock),
                            .authority = authority_shown_by(context.native_handle())};
}

bool shows_the_same(ssl::context& one, ssl::context& other) {
    return X509_cmp(SSL_CTX_get0_certificate(one.native_handle()), SSL_CTX_get0_certificate(other.native_handle())) ==
           0;
}

Ssl accept_tls(ssl::context& context) {
    Ssl tls(SSL_new(context.native_handle()));
    CHECK(tls);
    SSL_set_accept_state(tls.get());
    return tls;
}

Certified peer_certificate(SSL* tls) {
    const X509* certificate = SSL_get0_peer_certificate(tls);
    if (certificate == nullptr) return {};
    Certified certified{.ends_at = end_of_certificate(certificate)};
    auto& names = certified.names;
    const auto take = [&](const ASN1_STRING* text) {
        unsigned char* utf8 = nullptr;
        const int size = ASN1_STRING_to_UTF8(&utf8, text);
        if (size < 0) return;
        names.emplace_back(utf8, utf8 + size);
        OPENSSL_free(utf8);
    };
    auto* others = static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
    for (int i = 0; i < sk_GENERAL_NAME_num(others); ++i) {
        int type = 0;
        const auto* value =
            static_cast<const ASN1_STRING*>(GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(others, i), &type));
        if (type == GEN_DNS) take(value);
    }
    GENERAL_NAMES_free(others);
    if (!names.empty()) return certified;
    const auto* subject = X509_get_subject_name(certificate);
    const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (at >= 0) take(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    return certified;
}

}  // namespace gateway::http
