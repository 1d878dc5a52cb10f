// Finds what was meant by what was mistyped: a word, and a line that is no TOML.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gateway {

// How many letters must be inserted, left out, replaced or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Gives the nearest of the words, or nothing where none is near.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> known);
// Gives `; did you mean "…"?` with that word, or nothing where there is none.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

// What a value has in it that hardly anybody means, as words that follow its name; nothing else of it is quoted: it may
// be a secret. Nothing where all is well.
std::optional<std::string> doubt_about_text(std::string_view text);

// Where the parser gave up, and its own words.
struct SyntaxError {
    std::size_t line = 1;
    std::size_t column = 1;
    std::string_view description;
};

// What is wrong there and what to write instead, as words that follow "is not TOML: ". Quotes no value: it may be a
// secret.
std::string syntax_in_words(std::string_view text, const SyntaxError& error);

}  // namespace gateway
