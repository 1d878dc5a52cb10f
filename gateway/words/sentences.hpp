// Tells in Portuguese what is written in English where it is said: the sentences of the log, and the texts that are
// marked with told() (base/told.hpp). sentences.pt-BR.json has the Portuguese by the English text, in groups:
//
// - "log" has the sentences of the log, each part of a sentence by itself, with the same {fields} and [optional parts];
// - "details" has the words and texts that stand inside of them, by the literals of the program;
// - "help" has what --help says of commands and options, by such literals, too;
// - every other group has texts that are marked with told().
//
// Outside of "log" a text may be a format with the placeholders of fmt. Its Portuguese has the same ones; "{0}" and
// "{1}" there put them into another order. A value in quotes is filled in as it is, and so is one with a format there,
// such as "{:s}"; every other one is told, too. A text that ends with a space is what something else is appended to.
// tests/tidy/sentences.py holds the file to all that. The causes and the findings of the word files are known, too.
#pragma once

#include "base/language.hpp"

#include <string>
#include <string_view>

namespace gateway {

// Returns the text in the language: by the text itself, or else by a format that it was made of, whose values are told
// likewise. Of texts that were joined ("a: b", "a; b", "A. B", "a, b", "a (b)") each is told by itself. What has no
// Portuguese stays English: that is the least misleading thing to show.
std::string told_in(Language language, std::string_view english);

}  // namespace gateway
