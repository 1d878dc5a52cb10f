#include "base/ulid.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace gateway {
namespace {

constexpr std::string_view alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t time_characters = 10;
// 48 bits hold the times from the first to the last. A time outside is replaced with the nearest one.
constexpr WallTime::rep first_time = 0;
constexpr WallTime::rep last_time = 0xFFFF'FFFF'FFFF;

}  // namespace

void Ulid::write_time(WallTime at) {
    auto milliseconds = static_cast<std::uint64_t>(std::clamp(at.time_since_epoch().count(), first_time, last_time));
    for (std::size_t i = time_characters; i-- > 0; milliseconds >>= 5)
        text_.at(i) = alphabet[milliseconds & 31];
}

WallTime Ulid::time() const noexcept {
    WallTime::rep milliseconds = 0;
    for (std::size_t i = 0; i < time_characters; ++i)
        milliseconds = milliseconds * 32 + static_cast<WallTime::rep>(alphabet.find(text_.at(i)));
    return WallTime(Duration(milliseconds));
}

bool Ulid::is_prefix(std::string_view text) noexcept {
    return text.size() == prefix_length && text.find_first_not_of(alphabet) == std::string_view::npos;
}

Ulid Ulid::make(WallTime at, Random& random, std::string_view prefix) {
    CHECK(prefix.empty() || is_prefix(prefix));
    Ulid id;
    id.write_time(at);
    std::array<std::byte, length - time_characters> chance{};  // five bits of each byte are used
    random.fill(chance);
    for (std::size_t i = 0; i < chance.size(); ++i)
        id.text_.at(time_characters + i) = alphabet[std::to_integer<std::size_t>(chance.at(i)) & 31];
    std::ranges::copy(prefix, id.text_.begin() + time_characters);
    return id;
}

Ulid Ulid::first_at(WallTime at) {
    Ulid id;
    id.text_.fill(alphabet.front());
    id.write_time(at);
    return id;
}

std::optional<Ulid> Ulid::parse(std::string_view text) {
    if (text.size() != length || text.find_first_not_of(alphabet) != std::string_view::npos) return std::nullopt;
    if (text.front() > '7') return std::nullopt;  // 26 characters hold 130 bits, and a Ulid has 128
    Ulid id;
    text.copy(id.text_.data(), length);
    return id;
}

}  // namespace gateway
