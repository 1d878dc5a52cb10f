#include "net/certificate.hpp"

#include "base/in_words.hpp"
#include "base/wall_time.hpp"

#include <fmt/format.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>
#include <memory>

namespace gateway {
namespace {

constexpr Duration time_to_renew = std::chrono::days(14);

std::optional<WallTime> wall_time_of(const ASN1_TIME* time) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
    constexpr int year_zero = 1900;  // the year from which a std::tm counts
    const auto day = std::chrono::year(parts.tm_year + year_zero) / (parts.tm_mon + 1) / parts.tm_mday;
    return WallTime(std::chrono::sys_days(day)) + std::chrono::hours(parts.tm_hour) +
           std::chrono::minutes(parts.tm_min) + std::chrono::seconds(parts.tm_sec);
}

}  // namespace

std::optional<Validity> validity_of(const X509* certificate) {
    if (certificate == nullptr) return std::nullopt;
    const auto begin = wall_time_of(X509_get0_notBefore(certificate));
    const auto end = wall_time_of(X509_get0_notAfter(certificate));
    if (!begin || !end) return std::nullopt;
    return Validity{*begin, *end};
}

std::optional<Validity> validity_of(const SSL_CTX* context) {
    return validity_of(SSL_CTX_get0_certificate(context));
}

std::optional<WallTime> end_of_certificate(const X509* certificate) {
    return certificate == nullptr ? std::nullopt : wall_time_of(X509_get0_notAfter(certificate));
}

std::optional<WallTime> end_of_certificate(const SSL_CTX* context) {
    return end_of_certificate(SSL_CTX_get0_certificate(context));
}

bool is_for(X509* certificate, const std::string& name) {
    return X509_check_ip_asc(certificate, name.c_str(), 0) == 1 ||
           X509_check_host(certificate, name.data(), name.size(), 0, nullptr) == 1;
}

std::string authority_shown_by(SSL_CTX* context) {
    STACK_OF(X509)* behind = nullptr;
    SSL_CTX_get0_chain_certs(context, &behind);
    for (int i = sk_X509_num(behind) - 1; i >= 0; --i) {
        auto* const certificate = sk_X509_value(behind, i);
        if (X509_check_ca(certificate) != 1 || X509_self_signed(certificate, 0) != 1) continue;
        unsigned char* der = nullptr;
        const int size = i2d_X509(certificate, &der);
        const std::unique_ptr<unsigned char, void (*)(unsigned char*)> owner(
            der, [](unsigned char* one) { OPENSSL_free(one); });
        return size > 0 ? std::string(der, der + size) : std::string();
    }
    return {};
}

std::optional<ValidityDoubt> doubt_about(const Validity& validity, WallTime now,
                                         const std::function<std::string(WallTime)>& text) {
    const auto end = text(validity.ends_at);
    if (now < validity.begins_at)
        return ValidityDoubt{
            .accepted = false,
            .since = std::nullopt,
            .words = fmt::format("is not valid yet: whoever looks at it refuses it before {}, unless the clock of this "
                                 "machine is wrong",
                                 text(validity.begins_at))};
    if (now >= validity.ends_at)
        return ValidityDoubt{
            .accepted = false,
            .since = validity.ends_at,
            .words = fmt::format("has expired: it ended on {}, and whoever looks at it refuses it, unless the clock of "
                                 "this machine is wrong",
                                 end)};
    const auto left = std::chrono::duration_cast<Duration>(validity.ends_at - now);
    if (left > time_to_renew) return std::nullopt;
    return ValidityDoubt{.accepted = true,
                         .since = std::max(validity.begins_at, validity.ends_at - time_to_renew),
                         .words = fmt::format("expires in {}: it ends on {}", duration_in_words(left), end)};
}

std::optional<ValidityDoubt> doubt_about_today(const X509* certificate, const TimeZone& zone) {
    const auto validity = validity_of(certificate);
    const std::unique_ptr<ASN1_TIME, decltype(&ASN1_TIME_free)> today(X509_gmtime_adj(nullptr, 0), &ASN1_TIME_free);
    const auto now = today ? wall_time_of(today.get()) : std::nullopt;
    if (!validity || !now) return std::nullopt;
    return doubt_about(*validity, *now, [&](WallTime at) { return zone.text_of(at); });
}

}  // namespace gateway
