// How this sandbox behaves where the interface document leaves a choice, and how long its misbehaviour takes. The
// program fills it from its arguments, a simulation from its seed.
#pragma once

#include "base/clock.hpp"
#include "base/secret.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::sandbox {

// What `expires_in` holds. The document says "timestamp of the token expiry" and not in which unit; services of its
// kind also send a number of seconds, so a client has to stand all three.
enum class ExpiresIn { timestamp_ms, timestamp_s, duration_s };
std::optional<ExpiresIn> parse_expires_in(std::string_view word);

// How a confirm or a cancel of a sale that is final already is answered. "No effect" is documented, the answer is not.
enum class FinalAnswers { ok, conflict_with_status, conflict_bare };
std::optional<FinalAnswers> parse_final_answers(std::string_view word);

// "250ms", "3s", "5m", "2h"; a bare number is milliseconds.
std::optional<Duration> parse_duration(std::string_view text);

struct Options {
    std::string app_key = "app-key";
    Secret app_secret{"app-secret"};
    Duration token_lifetime = std::chrono::minutes(5);   // the document's sandbox value
    Duration refresh_lifetime = std::chrono::hours(24);  // not documented
    ExpiresIn expires_in = ExpiresIn::timestamp_ms;
    std::vector<std::string> estabelecimentos{"12345678"};
    std::string callback_field = "the service";  // the notification address's name in an eSIM sale request
    std::string health_cancel_path;              // "{health}" stands for the partner's segment; empty: there is none
    bool egift_confirm_without_token = false;    // the document's example omits the header
    FinalAnswers final_answers = FinalAnswers::ok;
    Duration slow = std::chrono::seconds(3);            // how late a slow answer is
    Duration lost_after{0};                             // how long a lost answer's connection stays open, silent
    Duration late_arrival = std::chrono::seconds(30);   // how late a held request is processed
    Duration callback_delay = std::chrono::seconds(1);  // from a sale to its callback, and on to the next
    Duration callback_late = std::chrono::seconds(30);  // the same where the callback is late
    Duration callback_retry = std::chrono::seconds(1);  // before the second try; doubles with each further one
    Duration callback_retry_most = std::chrono::seconds(60);
    int callback_tries = 100;    // then it is given up, so that an address that is gone does not stay for ever
    std::size_t keep = 100'000;  // sales in the books; the oldest finished one makes room for one more
};

}  // namespace gateway::sandbox
