// Compares the words that another system wrote: gives each word one spelling, and tells which words name nobody. Code
// that quotes them to a person hides what is personal by these functions.
#pragma once

#include <string>
#include <string_view>

namespace gateway {

// Returns the text with one spelling of each character, so that invisible characters and other forms of a letter or
// digit hide nothing. Spaces replace line breaks and tabs, and other control characters are left out. Returns an empty
// text if it is not UTF-8.
std::string plain_form(std::string_view text);

// Returns the word in the form in which words are compared: accents and capitals make no difference. Returns an empty
// text if it is not UTF-8.
std::string folded(std::string_view word);

// Tells whether the word is one of the usual words of a refusal, in Portuguese or in English, which name no person,
// street or town. Numbers, and signs in the place of something ("xxx"), count as such words.
bool names_nobody(std::string_view word);

}  // namespace gateway
