// When a certificate is good: what every end of a connection, and everyone who tells of it, asks of one.
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
// Of a certificate, or of the one that a context shows; nothing where there is none.
std::optional<Validity> validity_of(const X509* certificate);
std::optional<Validity> validity_of(const SSL_CTX* context);

// When it ends; nothing where there is none.
std::optional<WallTime> end_of_certificate(const X509* certificate);
std::optional<WallTime> end_of_certificate(const SSL_CTX* context);

// What is to be said of a certificate that is not good now, or not for long.
struct ValidityDoubt {
    bool accepted = false;          // it still is, by those who look at it
    std::optional<WallTime> since;  // when this became true; nothing where it is not valid yet
    std::string words;              // that follow its name: "has expired: it ended on 2026-11-20 10:11:12, and …"
};
// Nothing where it is good for two weeks more, which is what a person needs to get another one, holidays included. The
// words have times as `text` writes them.
std::optional<ValidityDoubt> doubt_about(const Validity& validity, WallTime now,
                                         const std::function<std::string(WallTime)>& text = to_local_text);
// For those who look once and have no Clock: by the clock of this machine, in words with the times of that zone.
std::optional<ValidityDoubt> doubt_about_today(const X509* certificate, const TimeZone& zone);

}  // namespace gateway
