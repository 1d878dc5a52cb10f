// Passwords, kept as hashes that take so much time and memory to compute that a stolen one is hard to guess from:
// scrypt (RFC 7914), by OpenSSL.
#pragma once

#include "base/random.hpp"
#include "base/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

class PasswordHash {
  public:
    // That no password has, and that has no text yet.
    PasswordHash() = default;
    // Of a new password, with chance of its own. Takes a tenth of a second and 32 MiB: not for an event loop.
    static PasswordHash make(const Secret& password, Random& random);
    // That no password has: to compare with where there is none, in the same time.
    static PasswordHash of_nobody(Random& random);
    // From its text; nothing where that is none, or asks for more or less work than those that are made here.
    static std::optional<PasswordHash> parse(std::string_view text);

    bool empty() const noexcept { return hash_.empty(); }
    // "$scrypt$ln=15,r=8,p=1$<salt>$<hash>", both in base64 without padding.
    std::string text() const;
    // Takes as long as make(), and as long for a wrong password as for the right one. False, too, where there is no
    // memory for it.
    bool matches(const Secret& password) const;

    friend bool operator==(const PasswordHash&, const PasswordHash&) = default;

  private:
    PasswordHash(std::string salt, std::string hash) : salt_(std::move(salt)), hash_(std::move(hash)) {}

    std::string salt_;  // bytes
    std::string hash_;  // bytes
};

}  // namespace gateway
