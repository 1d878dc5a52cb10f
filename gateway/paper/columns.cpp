#include "paper/columns.hpp"

#include "base/ascii.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace gateway {
namespace {

// Makes an emoji of the sign before it, two columns wide.
constexpr utf8proc_int32_t emoji_selector = 0xFE0F;

struct Character {
    std::size_t bytes = 1;
    std::size_t columns = 1;
    bool joins = false;  // belongs to the character before it
};

// The character at the front of a text that is not empty.
Character front_of(std::string_view text) noexcept {
    if (static_cast<unsigned char>(text.front()) < 0x80) return {};
    utf8proc_int32_t point = -1;
    const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                        static_cast<utf8proc_ssize_t>(text.size()), &point);
    if (bytes <= 0) return {};
    const auto columns = utf8proc_charwidth(point);
    return {static_cast<std::size_t>(bytes), static_cast<std::size_t>(std::max(columns, 0)),
            columns <= 0 || point == emoji_selector};
}

// A character with all that joins it.
Character front_with_joined(std::string_view text) noexcept {
    auto whole = front_of(text);
    while (whole.bytes < text.size()) {
        const auto next = front_of(text.substr(whole.bytes));
        if (!next.joins) break;
        constexpr std::string_view selector = "\xEF\xB8\x8F";
        if (text.substr(whole.bytes).starts_with(selector)) whole.columns = 2;
        whole.bytes += next.bytes;
    }
    return whole;
}

struct Scheme {
    std::string_view text;  // in lower case
    bool stands_alone;      // is one only where no letter or digit stands before it
};
constexpr std::array schemes{Scheme{"https://", false}, Scheme{"http://", false}, Scheme{"lpa:", true}};

bool begins_with(std::string_view text, std::string_view lower_case) noexcept {
    return text.size() >= lower_case.size() && std::equal(lower_case.begin(), lower_case.end(), text.begin(),
                                                          [](char wanted, char c) { return wanted == to_lower(c); });
}

// The length of the scheme at `begin`, if something follows it; else 0.
std::size_t scheme_length(std::string_view text, std::size_t begin) noexcept {
    const auto rest = text.substr(begin);
    for (const auto& scheme : schemes) {
        const auto length = scheme.text.size();
        if (!begins_with(rest, scheme.text) || rest.size() == length || rest[length] == ' ') continue;
        if (!scheme.stands_alone || begin == 0 || !is_alphanumeric(text[begin - 1])) return length;
    }
    return 0;
}

// What ends a sentence or closes a bracket is none of an address; a bracket that the address opened itself is.
std::size_t without_punctuation(std::string_view address, std::size_t least) noexcept {
    while (address.size() > least) {
        const char last = address.back();
        const bool closes = last == ')' && address.find('(') == std::string_view::npos;
        if (!closes && std::string_view(".,;\"]>").find(last) == std::string_view::npos) break;
        address.remove_suffix(1);
    }
    return address.size();
}

}  // namespace

std::size_t columns_of(std::string_view text) noexcept {
    std::size_t columns = 0;
    while (!text.empty()) {
        const auto character = front_with_joined(text);
        columns += character.columns;
        text.remove_prefix(character.bytes);
    }
    return columns;
}

std::size_t fitting_length(std::string_view text, std::size_t columns) noexcept {
    std::size_t bytes = 0;
    for (std::size_t taken = 0; bytes < text.size();) {
        const auto character = front_with_joined(text.substr(bytes));
        taken += character.columns;
        if (taken > columns && bytes > 0) break;
        bytes += character.bytes;
    }
    return bytes;
}

AddressPlace find_address(std::string_view text, std::size_t from) noexcept {
    if (text.find(':', from) == std::string_view::npos) return {};
    for (auto begin = from; begin < text.size(); ++begin) {
        const auto scheme = scheme_length(text, begin);
        if (scheme == 0) continue;
        const auto word = text.substr(begin, text.find(' ', begin) - begin);
        if (word.size() == text.size()) return {0, text.size()};
        return {begin, without_punctuation(word, scheme + 1)};
    }
    return {};
}

bool is_address(std::string_view text) noexcept {
    const auto place = find_address(text);
    return place.length > 0 && place.length == text.size();
}

}  // namespace gateway
