// This is the token service: it answers POST /authorization/token, and says whether a bearer token is good. Any number
// of tokens is valid at the same time. A request names at least one scope that the user may have, and gets those that
// the user may have. The personality decides what the document leaves open besides: what becomes of a used refresh
// token and of the access token that came with it, and the status codes of errors. unsupported_grant_type and
// invalid_grant come from RFC 6749.
#pragma once

#include "base/clock.hpp"
#include "base/random.hpp"
#include "sandbox/message.hpp"
#include "sandbox/personality.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace gateway::sandbox {

class Tokens {
  public:
    // Both references must outlive the object.
    Tokens(const Options& options, Random& random) : options_(options), random_(random) {}

    Reply request(const Call& call, WallTime now);

    enum class Verdict { good, unknown, expired };
    Verdict check(const std::string& access_token, WallTime now) const;
    // Revokes all of them at once, the refresh tokens too.
    void revoke();

    std::uint64_t issued() const noexcept { return issued_; }
    std::uint64_t refreshed() const noexcept { return refreshed_; }
    std::size_t valid(WallTime now) const;

  private:
    struct Refresh {
        std::string scope;
        WallTime expiry;
        std::string access;  // the access token that came with it
    };

    Reply refuse(std::string_view code, std::string_view description) const;
    Reply client_credentials(const Call& call, std::string_view scope, WallTime now);
    Reply refresh(const std::string& token, WallTime now);
    // `refresh` is the refresh token to be given; if it is empty, a new one is made.
    Reply issue(const std::string& scope, std::string refresh, WallTime now);
    std::string enabled(std::string_view asked) const;
    void forget_expired(WallTime now);

    const Options& options_;
    Random& random_;
    std::unordered_map<std::string, WallTime> access_;  // each token with its expiry
    std::unordered_map<std::string, Refresh> refresh_;
    std::uint64_t issued_ = 0;
    std::uint64_t refreshed_ = 0;
};

}  // namespace gateway::sandbox
