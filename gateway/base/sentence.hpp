// What a line of the log says to a person, written where it is logged: plain words with the fields of the line in
// braces. What stands in brackets is left out where a field in it has no value, is zero or false:
//
//     "{terminal}: the provider refused {produto} for {valor}[: \"{providerSaid}\"][ (HTTP {httpStatus})]"
//
// It is a phrase that begins with a small letter and has no full stop. One with a brace or bracket too many does not
// compile; that it names no field that its call does not give, tests/tidy/log_calls.py looks after.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace gateway {

class Sentence {
  public:
    // Of a literal only: it is kept as a view.
    consteval Sentence(const char* words) : parts_{words} {  // NOLINT(google-explicit-constructor)
        if (!is_well_formed(parts_[0])) throw "a brace or a bracket is not closed, or stands inside of its like";
    }
    // One that goes on in further words. It has at most three parts.
    constexpr Sentence operator+(const Sentence& further) const {
        Sentence whole = *this;
        std::size_t end = 0;
        while (!whole.parts_.at(end).empty())
            ++end;
        for (const auto part : further.parts_)
            if (!part.empty()) whole.parts_.at(end++) = part;
        return whole;
    }
    // Some may be empty.
    std::span<const std::string_view> parts() const { return parts_; }

  private:
    static constexpr bool is_well_formed(std::string_view words) {
        bool optional = false;
        bool named = false;  // the optional part has a field
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i] == '{') {
                const auto end = words.find_first_of("{}[]", i + 1);
                if (end == words.npos || words[end] != '}' || end == i + 1) return false;
                named = true;
                i = end;
            } else if (words[i] == '[') {
                if (optional) return false;
                optional = true;
                named = false;
            } else if (words[i] == ']') {
                if (!optional || !named) return false;
                optional = false;
            } else if (words[i] == '}') {
                return false;
            }
        }
        return !optional;
    }

    std::array<std::string_view, 3> parts_;
};

}  // namespace gateway
