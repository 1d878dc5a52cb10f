// What a path of the provider's is about, as its interface document lays the paths out. For a caller
// that lets others ask the provider by path; what they may ask about is decided there.
#pragma once

#include "sale/sale.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace gateway {

// The family of a path without its query; nothing where it belongs to none. A path that a lenient server might take for
// a family's, in other letters or with slashes too many, is that family's here.
std::optional<Family> family_of(std::string_view path);

// Its segments that are not empty, without what a ";" begins.
std::vector<std::string_view> segments_of(std::string_view path);

}  // namespace gateway
