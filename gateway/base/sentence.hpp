// A line of the log says this to a person. It is written where it is logged, as plain words with the fields of the line
// in braces. A part in brackets is left out if a field in it has no value, is zero or is false:
//
//     "{terminal}: the provider refused {produto} for {valor}[: \"{providerSaid}\"][ (HTTP {httpStatus})]"
//
// It is a phrase that begins with a small letter and has no full stop. A phrase with a wrong brace or bracket does not
// compile. tests/tidy/log_calls.py checks that it names only fields that its call gives.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace gateway {

class Sentence {
  public:
    // Takes only a literal, because it is kept as a view.
    consteval Sentence(const char* words) : parts_{words} {  // NOLINT(google-explicit-constructor)
        if (!is_well_formed(parts_[0])) throw "a brace or a bracket is not closed, or stands inside of its like";
    }
    // Returns this sentence with further words after it. A sentence has at most three parts.
    constexpr Sentence operator+(const Sentence& further) const {
        Sentence whole = *this;
        std::size_t end = 0;
        while (!whole.parts_.at(end).empty())
            ++end;
        for (const auto part : further.parts_)
            if (!part.empty()) whole.parts_.at(end++) = part;
        return whole;
    }
    // Returns the parts, some of which may be empty.
    std::span<const std::string_view> parts() const { return parts_; }

  private:
    static constexpr bool is_well_formed(std::string_view words) {
        bool optional = false;
        bool named = false;  // the optional part names a field
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
