// What the token service's answers mean, and how it is asked ("Authentication", "Errors"). Pure.
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

// A token was given.
struct Grant {
    Secret access;
    Secret refresh;                          // empty: none was given
    std::optional<std::int64_t> expires_in;  // as the service wrote it; nothing where it is no whole number
};

// No token was given.
struct NoGrant {
    std::string why;  // words for an operator; bounded, printable, without credentials
    // Asking again soon would change nothing: the credentials or scopes are wrong, or the service cannot be reached.
    bool hopeless = false;
    std::optional<std::chrono::seconds> retry_after;
    bool sent = true;  // false: certainly nothing of the request left this machine
};

// `credentials` are what was sent: a service that repeats one of them is not quoted.
std::variant<Grant, NoGrant> read_token_answer(const Reply& reply, std::span<const Secret> credentials);

// When a token expires, from the answer's `expires_in`: "Timestamp of the token expiry" in the document, milliseconds
// or seconds, or a duration in seconds, whichever it plainly is. Nothing where it is none of them.
std::optional<WallTime> expiry_of(std::int64_t expires_in, WallTime now);

// Value of the Authorization header that names the application.
Secret basic_credentials(std::string_view app_key, std::string_view separator, const Secret& app_secret);

// Bodies of type application/x-www-form-urlencoded.
Secret credentials_form(const std::vector<std::string>& scopes);
Secret refresh_form(const Secret& refresh_token);

}  // namespace gateway
