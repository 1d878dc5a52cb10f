#include "base/digest.hpp"

#include "base/check.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>

namespace gateway {

std::string sha256_hex(std::string_view data) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    CHECK(EVP_Digest(data.data(), data.size(), digest.data(), &length, EVP_sha256(), nullptr) == 1);
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    hex.reserve(2 * std::size_t{length});
    for (unsigned i = 0; i < length; ++i) {
        hex += digits[digest.at(i) >> 4];
        hex += digits[digest.at(i) & 15];
    }
    return hex;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace gateway
