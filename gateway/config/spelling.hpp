// Finds the word that was meant by one that was mistyped.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace gateway {

// How many letters must be inserted, left out, replaced or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b);

// `; did you mean "…"?` with the nearest of the words, or nothing where none is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace gateway
