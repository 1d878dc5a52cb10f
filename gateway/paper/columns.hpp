// Says how much room text takes on paper, where each character has its place in a grid. Most characters take one
// column, those of East Asia and emoji take two, and what only changes the character before it takes none. Nothing here
// depends on a locale.
#pragma once

#include <cstddef>
#include <string_view>

namespace gateway {

// Returns the number of columns that the text takes. A byte that is no part of a character counts as one.
std::size_t columns_of(std::string_view text) noexcept;

// Returns the number of bytes of the text that fit into `columns`. What changes a character stays with it. At least one
// character is always included, however wide it is.
std::size_t fitting_length(std::string_view text, std::size_t columns) noexcept;

// Says where an address stands in a text, in bytes. The length is 0 if there is none.
struct AddressPlace {
    std::size_t begin = 0;
    std::size_t length = 0;
};

// Returns the first http or https address, or activation code of an eSIM ("LPA:…"), that begins at `from` or after it.
// It ends at the next space. If it stands inside a sentence, the bracket or the full stop after it is not a part of it.
// If it is the whole text, it is taken unchanged.
AddressPlace find_address(std::string_view text, std::size_t from = 0) noexcept;

// Tells whether the text is one such address, and nothing else.
bool is_address(std::string_view text) noexcept;

}  // namespace gateway
