// Says how a text that is written in English comes to a person in their language. A sentence stays where it is said. To
// let it be told in Portuguese, mark it there:
//
//     fmt::format(told("the certificate {} cannot be read: {}"), file, why)
//
// and write its Portuguese into gateway/words/sentences.pt-BR.json, by the English text. The text itself, and the text
// with its values filled in, can then be looked up by told_in(), see words/sentences.hpp, where the language is known.
// Sentences of the log need no mark. tests/tidy/sentences.py finds every sentence that has no Portuguese.
#pragma once

#include "base/language.hpp"

#include <string>
#include <string_view>

namespace gateway {

// Returns the literal as it is, so that it also serves as the format of fmt::format().
consteval std::string_view told(const char* english) {
    return english;
}

// Tells texts in a language. The default tells them in English, as they are.
struct Telling {
    Language language = Language::english;
    // told_in() of words/sentences.hpp, which is not to be included everywhere. It is needed for other languages only.
    std::string (*told_in)(Language, std::string_view english) = nullptr;

    bool is_english() const noexcept { return language == Language::english || told_in == nullptr; }
    std::string operator()(std::string_view english) const {
        return is_english() ? std::string(english) : told_in(language, english);
    }
};

}  // namespace gateway
