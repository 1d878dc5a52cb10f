// Tells when a certificate is valid, for whom it is and who vouches for it: for both ends of a connection and for those
// who report it.
#pragma once

#include "base/calendar.hpp"
#include "base/wall_time.hpp"

#include <openssl/ssl.h>

#include <functional>
#include <optional>
#include <string>

namespace gateway {

struct Validity {
    WallTime begins_at;
    WallTime ends_at;
    friend bool operator==(const Validity&, const Validity&) = default;
};
// These return the validity of a certificate, or of the certificate that a context shows, and nothing if there is none.
std::optional<Validity> validity_of(const X509* certificate);
std::optional<Validity> validity_of(const SSL_CTX* context);

// These return the end of the validity, and nothing if there is no certificate.
std::optional<WallTime> end_of_certificate(const X509* certificate);
std::optional<WallTime> end_of_certificate(const SSL_CTX* context);

// Tells whether the certificate is for this name of a host, or this IP address.
bool is_for(X509* certificate, const std::string& name);

// Returns, in DER, the authority among the certificates that a context shows behind its own; empty if there is none.
std::string authority_shown_by(SSL_CTX* context);

// Says what is wrong with a certificate that is not valid now, or not for long.
struct ValidityDoubt {
    bool accepted = false;          // those who check it still accept it
    std::optional<WallTime> since;  // the moment when this became true; nothing if it is not valid yet
    std::string words;              // follow its name: "has expired: it ended on 2026-11-20 10:11:12, and …"
};
// Returns nothing if the certificate is valid for two more weeks, in which a person can get another one, holidays
// included. `text` writes the times in the words.
std::optional<ValidityDoubt> doubt_about(const Validity& validity, WallTime now,
                                         const std::function<std::string(WallTime)>& text = to_local_text);
// Does the same for those who look once and have no Clock: it goes by the clock of this machine, and the words have
// times in this zone.
std::optional<ValidityDoubt> doubt_about_today(const X509* certificate, const TimeZone& zone);

}  // namespace gateway
