#include "base/password.hpp"

#include "base/check.hpp"
#include "base/digest.hpp"

#include <openssl/evp.h>

#include <array>
#include <cstdint>

namespace gateway {
namespace {

constexpr std::string_view front = "$scrypt$ln=15,r=8,p=1$";
constexpr std::uint64_t cost = std::uint64_t{1} << 15U;
constexpr std::uint64_t block = 8;
constexpr std::uint64_t lanes = 1;
// These parameters take 32 MiB and a little more.
constexpr std::uint64_t most_memory = std::uint64_t{48} << 20U;
constexpr std::size_t salt_size = 16;
constexpr std::size_t hash_size = 32;

const unsigned char* bytes_of(const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

// Returns nothing if there is not enough memory.
std::optional<std::string> scrypt(const Secret& password, const std::string& salt) {
    std::array<unsigned char, hash_size> hash{};
    const auto& text = password.reveal();
    if (EVP_PBE_scrypt(text.data(), text.size(), bytes_of(salt), salt.size(), cost, block, lanes, most_memory,
                       hash.data(), hash.size()) != 1)
        return std::nullopt;
    return std::string(hash.begin(), hash.end());
}

// Returns the length of base64 without its padding.
constexpr std::size_t encoded_size(std::size_t bytes) {
    return (bytes * 8 + 5) / 6;
}

std::string encode(const std::string& bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const auto length =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes_of(bytes), static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(length));
    return text.substr(0, text.find('='));
}

std::optional<std::string> decode(std::string_view text, std::size_t size) {
    if (text.size() != encoded_size(size)) return std::nullopt;
    std::string padded(text);
    padded.resize((text.size() + 3) / 4 * 4, '=');
    std::string bytes(padded.size() / 4 * 3, '\0');
    if (EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), bytes_of(padded),
                        static_cast<int>(padded.size())) < 0)
        return std::nullopt;
    bytes.resize(size);
    // Each value has only one text: other padding bits are refused, and so are blanks, which OpenSSL would skip.
    return encode(bytes) == text ? std::optional(bytes) : std::nullopt;
}

}  // namespace

PasswordHash PasswordHash::make(const Secret& password, Random& random) {
    std::string salt(salt_size, '\0');
    random.fill(std::as_writable_bytes(std::span(salt)));
    auto hash = scrypt(password, salt);
    CHECK(hash);
    return {std::move(salt), std::move(*hash)};
}

PasswordHash PasswordHash::of_nobody(Random& random) {
    std::string salt(salt_size, '\0');
    std::string hash(hash_size, '\0');
    random.fill(std::as_writable_bytes(std::span(salt)));
    random.fill(std::as_writable_bytes(std::span(hash)));
    return {std::move(salt), std::move(hash)};
}

std::optional<PasswordHash> PasswordHash::parse(std::string_view text) {
    if (!text.starts_with(front)) return std::nullopt;
    text.remove_prefix(front.size());
    const auto end = text.find('$');
    if (end == std::string_view::npos) return std::nullopt;
    auto salt = decode(text.substr(0, end), salt_size);
    auto hash = decode(text.substr(end + 1), hash_size);
    if (!salt || !hash) return std::nullopt;
    return PasswordHash(std::move(*salt), std::move(*hash));
}

std::string PasswordHash::text() const {
    return std::string(front) + encode(salt_) + "$" + encode(hash_);
}

bool PasswordHash::matches(const Secret& password) const {
    const auto hash = scrypt(password, salt_);
    return hash && equal_in_constant_time(*hash, hash_);
}

}  // namespace gateway
