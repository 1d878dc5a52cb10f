// Eight bytes of a text looked at in one go, for what most texts pass and each byte would have to be asked for.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace gateway {

// A mark is the high bit of a byte. Marks are right up to the first one; what they say of the bytes behind it is not.
class EightBytes {
  public:
    using Marks = std::uint64_t;
    static constexpr std::size_t size = 8;

    // At `text`, which has as many left.
    explicit EightBytes(const char* text) noexcept { std::memcpy(&bytes_, text, size); }

    // Marks what is below `limit`, which is 0x80 at most.
    Marks below(unsigned char limit) const noexcept { return below(bytes_, limit); }
    Marks equal(char c) const noexcept { return below(bytes_ ^ each * static_cast<unsigned char>(c), 1); }
    // Marks what is not ASCII.
    Marks high() const noexcept { return bytes_ & each * 0x80; }

  private:
    static constexpr std::uint64_t each = 0x0101'0101'0101'0101;

    // Subtracting turns the high bit on in a byte that is below `limit`, and first in such a one.
    static Marks below(std::uint64_t bytes, std::uint64_t limit) noexcept {
        return (bytes - each * limit) & ~bytes & each * 0x80;
    }

    std::uint64_t bytes_ = 0;
};

// How many bytes stand before the first that `is_special`. `mark_special` marks them, eight at a time.
template <class MarkSpecial, class IsSpecial>
std::size_t length_before(std::string_view text, MarkSpecial mark_special, IsSpecial is_special) noexcept {
    static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");
    constexpr auto size = EightBytes::size;
    std::size_t length = 0;
    const auto first = [&] {
        const auto marks = mark_special(EightBytes(text.data() + length));
        return marks == 0 ? size : static_cast<std::size_t>(std::countr_zero(marks)) / 8;
    };
    for (; length + size <= text.size(); length += size)
        if (const auto at = first(); at < size) return length + at;
    if (text.size() < size) {
        while (length < text.size() && !is_special(text[length]))
            ++length;
        return length;
    }
    length = text.size() - size;  // some of them once more
    return length + first();
}

}  // namespace gateway
