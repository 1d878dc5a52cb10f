// What text takes on paper, where each character has its place in a grid: most have one column, those of East Asia and
// emoji two, and what only changes the character before it none. Nothing here depends on a locale.
#pragma once

#include <cstddef>
#include <string_view>

namespace gateway {

// How many columns the text takes. A byte that is no part of a character counts as one.
std::size_t columns_of(std::string_view text) noexcept;

// How many bytes of the text fit into `columns`. What changes a character stays with it, and one character is always
// among them, however wide it is.
std::size_t fitting_length(std::string_view text, std::size_t columns) noexcept;

// Where an address stands in a text, in bytes; a length of 0 where there is none.
struct AddressPlace {
    std::size_t begin = 0;
    std::size_t length = 0;
};

// The first http or https address, or activation code of an eSIM ("LPA:…"), that begins at `from` or after it, up to
// the next space. Of one that stands inside a sentence, the bracket or the full stop behind it is no part; one that is
// all of the text is taken as it is.
AddressPlace find_address(std::string_view text, std::size_t from = 0) noexcept;

// Whether the text is one of these, and nothing else.
bool is_address(std::string_view text) noexcept;

}  // namespace gateway
