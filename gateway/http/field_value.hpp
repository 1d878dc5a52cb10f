// What may stand in the value of an HTTP field (RFC 9110, section 5.5), on the terminals' side and on the provider's.
#pragma once

#include <string_view>

namespace gateway {

// Whether it is a C0 control character or DEL.
constexpr bool is_control(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return byte < ' ' || byte == 0x7f;
}

// Whether the text may stand on the wire as a field's value: no control character but the tab.
bool is_field_value(std::string_view text) noexcept;

}  // namespace gateway
