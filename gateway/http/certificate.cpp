#include "http/certificate.hpp"

#include <openssl/x509.h>

#include <ctime>

namespace gateway::http {

std::optional<WallTime> end_of_certificate(const SSL_CTX* context) {
    return end_of_certificate(SSL_CTX_get0_certificate(context));
}

std::optional<WallTime> end_of_certificate(const X509* certificate) {
    std::tm end{};
    if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) != 1) return std::nullopt;
    constexpr int year_zero = 1900;  // of a std::tm
    const auto day = std::chrono::year(end.tm_year + year_zero) / (end.tm_mon + 1) / end.tm_mday;
    return WallTime(std::chrono::sys_days(day)) + std::chrono::hours(end.tm_hour) + std::chrono::minutes(end.tm_min) +
           std::chrono::seconds(end.tm_sec);
}

}  // namespace gateway::http
