#include "paper/columns.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace gateway {
namespace {

// Turns the sign before it into an emoji, which is two columns wide.
constexpr utf8proc_int32_t emoji_selector = 0xFE0F;

struct Character {
    std::size_t bytes = 1;
    std::size_t columns = 1;
    bool joins = false;  // it belongs to the character before it
};

// Returns the character at the front of a text that is not empty.
Character front_of(std::string_view text) noexcept {
    if (static_cast<unsigned char>(text.front()) < 0x80) return {};
    const auto [point, bytes] = first_code_point(text);
    if (point < 0) return {};
    const auto columns = utf8proc_charwidth(point);
    return {bytes, static_cast<std::size_t>(std::max(columns, 0)), columns <= 0 || point == emoji_selector};
}

// Returns the character at the front with everything that joins it.
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
    std::string_view name;  // in lower case
    std::string_view rest;  // from the colon on
    bool stands_alone;      // no letter or digit may stand before it
};
constexpr std::array schemes{Scheme{"https", "://", false}, Scheme{"http", "://", false}, Scheme{"lpa", ":", true}};

bool ends_with(std::string_view text, std::string_view lower_case) noexcept {
    return text.size() >= lower_case.size() && std::equal(lower_case.rbegin(), lower_case.rend(), text.rbegin(),
                                                          [](char wanted, char c) { return wanted == to_lower(c); });
}

// Returns the place of the scheme whose colon stands at `colon` and that begins at `from` or later, if something
// follows it. Otherwise the length is 0.
AddressPlace scheme_around(std::string_view text, std::size_t from, std::size_t colon) noexcept {
    const auto before = text.substr(from, colon - from);
    for (const auto& scheme : schemes) {
        if (!ends_with(before, scheme.name) || !text.substr(colon).starts_with(scheme.rest)) continue;
        const auto end = colon + scheme.rest.size();
        if (end == text.size() || text[end] == ' ') continue;
        const auto begin = colon - scheme.name.size();
        if (!scheme.stands_alone || begin == 0 || !is_alphanumeric(text[begin - 1])) return {begin, end - begin};
    }
    return {};
}

// Returns the length without what ends a sentence or closes a bracket. A bracket that the address itself has opened is
// a part of it.
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
    // No scheme has a second colon, so the first of two addresses has the first colon.
    for (auto colon = text.find(':', from); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
        const auto scheme = scheme_around(text, from, colon);
        if (scheme.length == 0) continue;
        const auto word = text.substr(scheme.begin, text.find(' ', scheme.begin) - scheme.begin);
        if (word.size() == text.size()) return {0, text.size()};
        return {scheme.begin, without_punctuation(word, scheme.length + 1)};
    }
    return {};
}

bool is_address(std::string_view text) noexcept {
    const auto place = find_address(text);
    return place.length > 0 && place.length == text.size();
}

}  // namespace gateway
