// What both ends of a connection ask of a certificate of ours.
#pragma once

#include "base/clock.hpp"

#include <openssl/ssl.h>

#include <optional>

namespace gateway::http {

// When the certificate ends that a context shows; nothing where it shows none.
std::optional<WallTime> end_of_certificate(const SSL_CTX* context);
// The same of a certificate; nothing of none.
std::optional<WallTime> end_of_certificate(const X509* certificate);

}  // namespace gateway::http
