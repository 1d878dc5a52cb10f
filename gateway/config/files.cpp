#include "config/files.hpp"

#include "base/told.hpp"
#include "base/utf8.hpp"
#include "net/certificate.hpp"

#include <boost/asio/ssl/context.hpp>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/stat.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace gateway {

namespace {

namespace ssl = boost::asio::ssl;

// A chain of certificates takes a few kilobytes, a bundle of all public authorities some 300.
constexpr std::size_t pem_limit = 4 * 1024 * 1024;

constexpr std::size_t secret_limit = 4'096;  // bytes; a longer file is the wrong one

// These are said by the system and by OpenSSL about files, and stand here to have their Portuguese.
[[maybe_unused]] constexpr std::array of_others{
    told("No such file or directory"),
    told("Permission denied"),
    told("Is a directory"),
    told("Not a directory"),
    told("Read-only file system"),
    told("No space left on device"),
    told("Input/output error"),
    told("Too many open files"),
    told("File name too long"),
    told("no start line (PEM routines)"),
    told("no certificate or crl found (x509 certificate routines)"),
    told("unsupported (DECODER routines)"),
    told("bad end line (PEM routines)"),
    told("key values mismatch (x509 certificate routines)"),
};

std::string system_message() {
    return std::generic_category().message(errno);
}

std::optional<std::string> trouble_with_reading(const std::string& path) {
    const auto text = read_file(path, pem_limit);
    return text ? std::nullopt : std::optional(text.error());
}

std::optional<std::string> trouble_with_certificate(ssl::context& context, const std::string& cert) {
    if (auto trouble = trouble_with_reading(cert)) return trouble;
    boost::system::error_code failure;
    context.use_certificate_chain_file(cert, failure);
    if (failure)
        return fmt::format(told("\"{}\" holds no certificate in PEM that can be used: {}"), cert, failure.message());
    return {};
}

// Checks the key in a context that has the certificate, if there is one.
std::optional<std::string> trouble_with_key(ssl::context& context, const std::string& cert, const std::string& key) {
    if (auto trouble = trouble_with_reading(key)) return trouble;
    auto* const native = context.native_handle();
    const bool has_certificate = SSL_CTX_get0_certificate(native) != nullptr;
    boost::system::error_code failure;
    context.use_private_key_file(key, ssl::context::pem, failure);
    // OpenSSL accepts a key of another algorithm without an error, because another certificate might follow.
    const bool of_another = !failure && has_certificate && SSL_CTX_check_private_key(native) != 1;
    ERR_clear_error();
    if (!failure && !of_another) return {};
    const auto owner = cert.empty() ? std::string() : fmt::format(told(", that belongs to \"{}\""), cert);
    return fmt::format(told("\"{}\" holds no private key in PEM, without a pass phrase{}{}"), key, owner,
                       failure ? ": " + failure.message() : "");
}

// Checks the certificate that is in the context.
std::optional<std::string> doubt_about_validity(ssl::context& context, const std::string& cert, const TimeZone& zone) {
    const auto doubt = doubt_about_today(SSL_CTX_get0_certificate(context.native_handle()), zone);
    return doubt ? std::optional(fmt::format(told("\"{}\" {}"), cert, doubt->words)) : std::nullopt;
}

// Returns the certificate's name as a person knows it: "CN = Store authority".
std::string name_in(const X509* certificate) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), &BIO_free);
    X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate), 0, XN_FLAG_ONELINE);
    char* name = nullptr;
    const auto length = BIO_get_mem_data(text.get(), &name);
    return {name, static_cast<std::size_t>(length)};
}

// Says what is doubtful about each certificate that the context trusts.
AuthorityRemarks doubts_about_authorities(ssl::context& context, const std::string& path, const TimeZone& zone) {
    AuthorityRemarks remarks{.file = {}, .validity = {}, .none_is_good = true};
    const auto* const objects = X509_STORE_get0_objects(SSL_CTX_get_cert_store(context.native_handle()));
    for (int i = 0; i < sk_X509_OBJECT_num(objects); ++i) {
        const auto* const certificate = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(objects, i));
        if (certificate == nullptr) continue;  // it is a list of revoked certificates
        const auto doubt = doubt_about_today(certificate, zone);
        if (!doubt || doubt->accepted) remarks.none_is_good = false;
        if (doubt)
            remarks.validity.push_back(
                fmt::format(told("\"{}\" has a certificate, {}, that {}"), path, name_in(certificate), doubt->words));
    }
    return remarks;
}

// Tells whether a character is a control or format character, or white space of any kind.
bool is_invisible(utf8proc_category_t category) noexcept {
    constexpr std::array invisible{UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CF, UTF8PROC_CATEGORY_ZS,
                                   UTF8PROC_CATEGORY_ZL, UTF8PROC_CATEGORY_ZP};
    return std::ranges::find(invisible, category) != invisible.end();
}

}  // namespace

boost::system::result<std::string, std::string> read_file(const std::string& path, std::size_t limit) {
    using boost::system::in_place_error;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) return {in_place_error, fmt::format(told("cannot be opened: {}"), system_message())};
    std::string text(limit + 1, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    if (std::ferror(file.get()) != 0)
        return {in_place_error, fmt::format(told("cannot be read: {}"), system_message())};
    if (text.size() > limit) return {in_place_error, fmt::format(told("is longer than {} bytes"), limit)};
    return {boost::system::in_place_value, std::move(text)};
}

boost::system::result<std::string, std::string> read_text(const std::string& path, std::size_t limit) {
    auto text = read_file(path, limit);
    if (text && text->starts_with(byte_order_mark)) text->erase(0, byte_order_mark.size());
    return text;
}

std::optional<std::string> invisible_in(std::string_view text) {
    for (std::size_t at = 0, character = 1; at < text.size(); ++character) {
        const auto [point, length] = first_code_point(text.substr(at));
        if (point < 0)
            return fmt::format(told("is not UTF-8: its character {} is the byte 0x{:02X}"), character,
                               static_cast<unsigned char>(text[at]));
        const bool at_an_edge = at == 0 || at + length == text.size();
        const bool is_seen = point == ' ' ? !at_an_edge : !is_invisible(utf8proc_category(point));
        if (!is_seen)
            return fmt::format(told("has U+{:04X}, which cannot be seen, as its character {}"), point, character);
        at += length;
    }
    return std::nullopt;
}

boost::system::result<Secret, std::string> read_secret(const std::string& path, std::string_view what, Lines lines) {
    using boost::system::in_place_error;
    const auto fault_of_file = [&](std::string_view fault) { return fmt::format(told("\"{}\" {}"), path, fault); };
    auto text = read_text(path, secret_limit);
    if (!text) return {in_place_error, fault_of_file(text.error())};
    if (text->starts_with("\xFF\xFE") || text->starts_with("\xFE\xFF"))
        return {in_place_error, fault_of_file(told("is in UTF-16: save it as UTF-8 or plain text"))};
    if (lines == Lines::the_first) text->erase(std::min(text->find_first_of("\r\n"), text->size()));
    text->erase(text->find_last_not_of("\r\n") + 1);
    if (text->empty() || text->find_first_of("\r\n") != std::string::npos)
        return {in_place_error, lines == Lines::the_first
                                    ? fmt::format(told("\"{}\" must hold {} on its first line"), path, what)
                                    : fmt::format(told("\"{}\" must hold {} on one line"), path, what)};
    if (const auto fault = invisible_in(*text)) return {in_place_error, fault_of_file(*fault)};
    return Secret(std::move(*text));
}

bool is_public(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && (status.st_mode & S_IROTH) != 0;
}

PairRemarks look_at_pair(const std::string& cert, const std::string& key, const TimeZone& zone) {
    ssl::context context(ssl::context::tls);
    // Without this, OpenSSL would ask for a pass phrase on the terminal, which a service does not have.
    context.set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string(); });
    PairRemarks remarks;
    if (!cert.empty()) remarks.cert = trouble_with_certificate(context, cert);
    if (!remarks.cert) remarks.validity = doubt_about_validity(context, cert, zone);
    if (!key.empty()) remarks.key = trouble_with_key(context, cert, key);
    return remarks;
}

std::vector<std::string> names_not_in(const std::string& cert, const std::vector<std::string>& names) {
    ssl::context context(ssl::context::tls);
    if (trouble_with_certificate(context, cert)) return {};
    std::vector<std::string> others;
    std::ranges::copy_if(names, std::back_inserter(others), [&](const std::string& name) {
        return !is_for(SSL_CTX_get0_certificate(context.native_handle()), name);
    });
    return others;
}

AuthorityRemarks look_at_authorities(const std::string& path, const TimeZone& zone) {
    if (auto trouble = trouble_with_reading(path)) return {.file = std::move(trouble), .validity = {}};
    ssl::context context(ssl::context::tls);
    boost::system::error_code failure;
    context.load_verify_file(path, failure);
    if (failure)
        return {.file = fmt::format(told("\"{}\" holds no certificates in PEM: {}"), path, failure.message()),
                .validity = {}};
    return doubts_about_authorities(context, path, zone);
}

}  // namespace gateway
