// Chooses the language of what a person in the store reads: Portuguese or English, as the caller asks (RFC 9110,
// 12.5.4).
#pragma once

#include "base/language.hpp"

#include <string_view>

namespace gateway {

// Returns which of the two an Accept-Language field prefers; `otherwise` where it prefers neither.
Language preferred_language(std::string_view accept_language, Language otherwise = Language::english);

}  // namespace gateway
