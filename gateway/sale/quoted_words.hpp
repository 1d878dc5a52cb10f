// Finds the words in what another system wrote, each in one spelling, however it came, and tells which of them name
// nobody. Those who quote it to a person hide by these what is personal.
#pragma once

#include <string>
#include <string_view>

namespace gateway {

// One spelling of each character: what is invisible, or another form of a letter or digit, hides nothing. Empty where
// it is not UTF-8.
std::string plain_form(std::string_view text);

// As words are compared: an accent or a capital more or less is the same word. Empty where it is not UTF-8.
std::string folded(std::string_view word);

// Whether it is one of the words that a refusal is made of, in Portuguese or in English, which names no person, street
// or town; or a number; or signs in the place of something ("xxx").
bool names_nobody(std::string_view word);

}  // namespace gateway
