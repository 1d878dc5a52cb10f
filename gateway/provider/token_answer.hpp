// Says what the token service's answers mean, and writes the requests to it ("Authentication", "Errors"). It is pure.
#pragma once

#include "base/clock.hpp"
#include "base/reply.hpp"
#include "base/secret.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gateway {

// The service gave a token.
struct Grant {
    Secret access;
    Secret refresh;                          // empty if none was given
    std::optional<std::int64_t> expires_in;  // as the service wrote it; nothing if it is not a whole number
};

// The service gave no token.
struct NoGrant {
    std::string why;  // words for an operator: bounded, printable and without credentials
    // True if nothing changes by asking again soon: the credentials or scopes are wrong, or the service cannot be
    // reached.
    bool hopeless = false;
    std::optional<std::chrono::seconds> retry_after;
    bool sent = true;  // false if certainly nothing of the request left this machine
};

// `credentials` are what was sent. If the service repeats one of them, its words are not quoted.
std::variant<Grant, NoGrant> read_token_answer(const Reply& reply, std::span<const Secret> credentials);

// Returns the moment when a token expires, from `expires_in` of the answer. The document calls it "Timestamp of the
// token expiry". It may be in milliseconds or seconds, or a duration in seconds, whichever it plainly is. Returns
// nothing if it is none of them.
std::optional<WallTime> expiry_of(std::int64_t expires_in, WallTime now);

// Returns the value of the Authorization header that names the application.
Secret basic_credentials(std::string_view app_key, std::string_view separator, const Secret& app_secret);

// These return bodies of type application/x-www-form-urlencoded.
Secret credentials_form(const std::vector<std::string>& scopes);
Secret refresh_form(const Secret& refresh_token);

}  // namespace gateway
