#include "http/field_value.hpp"

#include "base/eight_bytes.hpp"

#include <algorithm>

namespace gateway {

bool is_field_value(std::string_view text) noexcept {
    const auto plain = length_before(
        text, [](EightBytes bytes) { return bytes.below(' ') | bytes.equal(0x7f); }, is_control);
    // Tabs are rare.
    return std::ranges::none_of(text.substr(plain), [](char c) { return is_control(c) && c != '\t'; });
}

}  // namespace gateway
