// Finds what was probably meant by a misspelt word, or by a line that is no TOML.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gateway {

// Counts the letters that must be inserted, left out, replaced or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns the nearest of the known words; empty where none is near.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> known);
// Returns `; did you mean "…"?` with that word; empty where there is none.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

// Says what in a value hardly anybody means, in words that follow its name; nothing where all is well. Nothing else of
// the value is quoted, because it may be a secret.
std::optional<std::string> doubt_about_text(std::string_view text);

// This is the place where the parser gave up, and its own words.
struct SyntaxError {
    std::size_t line = 1;
    std::size_t column = 1;
    std::string_view description;
};

// Says what is wrong there and what to write instead, in words that follow "is not TOML: ". Quotes no value, because it
// may be a secret.
std::string syntax_in_words(std::string_view text, const SyntaxError& error);

}  // namespace gateway
