// Passwords are kept as hashes that take much time and memory to compute, so that a stolen hash is of little use for
// guessing: scrypt (RFC 7914), by OpenSSL.
#pragma once

#include "base/random.hpp"
#include "base/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

class PasswordHash {
  public:
    // Makes a hash that no password has, and that has no text yet.
    PasswordHash() = default;
    // Makes the hash of a new password, with its own salt. It takes a tenth of a second and 32 MiB, so it must not run
    // on an event loop.
    static PasswordHash make(const Secret& password, Random& random);
    // Makes a hash that no password has. It is compared with where there is no hash, so that this takes the same time.
    static PasswordHash of_nobody(Random& random);
    // Reads a hash from its text. Returns nothing if the text is not a hash, or if it asks for more or less work than
    // make() does.
    static std::optional<PasswordHash> parse(std::string_view text);

    bool empty() const noexcept { return hash_.empty(); }
    // Returns "$scrypt$ln=15,r=8,p=1$<salt>$<hash>", with both in base64 without padding.
    std::string text() const;
    // Takes as long as make(), and as long for a wrong password as for the right one. It is also false if there is not
    // enough memory.
    bool matches(const Secret& password) const;

    friend bool operator==(const PasswordHash&, const PasswordHash&) = default;

  private:
    PasswordHash(std::string salt, std::string hash) : salt_(std::move(salt)), hash_(std::move(hash)) {}

    std::string salt_;  // as bytes
    std::string hash_;  // as bytes
};

}  // namespace gateway
