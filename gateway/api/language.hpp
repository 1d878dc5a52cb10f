// The language of what a person in the store reads: Portuguese or English, as the caller asks (RFC 9110, 12.5.4).
#pragma once

#include "base/language.hpp"

#include <string_view>

namespace gateway {

// The one of the two that an Accept-Language field prefers; `otherwise` where it prefers neither.
Language preferred_language(std::string_view accept_language, Language otherwise = Language::english);

// As Content-Language says it.
std::string_view to_string(Language language) noexcept;

}  // namespace gateway
