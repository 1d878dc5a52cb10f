#include "config/new_terminal.hpp"

#include "base/ascii.hpp"
#include "base/check.hpp"
#include "base/digest.hpp"

#include <algorithm>
#include <array>

namespace gateway {

namespace {

constexpr std::size_t id_limit = 64;

// These letters need no escaping in a header, a URL or a shell. The key is not hex, so that nobody takes it for its
// digest.
constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static_assert(alphabet.size() == 64);
// A letter has six bits, so a key has 258 bits: nobody can guess it or compute it from its digest.
constexpr std::size_t key_length = 43;

}  // namespace

bool is_terminal_id(std::string_view id) noexcept {
    return !id.empty() && id.size() <= id_limit &&
           std::ranges::all_of(id, [](char c) { return is_alphanumeric(c) || c == '.' || c == '_' || c == '-'; });
}

NewTerminal make_terminal(std::string_view id, Random& random) {
    CHECK(is_terminal_id(id));
    std::array<std::byte, key_length> chance{};
    random.fill(chance);
    std::string key;
    for (const auto byte : chance)
        key += alphabet[std::to_integer<std::size_t>(byte) % alphabet.size()];
    const auto lines = "[[terminals]]\nid = \"" + std::string(id) + "\"\nkey_sha256 = \"" + sha256_hex(key) + "\"\n";
    return {Secret(std::move(key)), lines};
}

}  // namespace gateway
