// These are the languages of texts for people in the store. Ids, codes and the names of events and fields have no
// language and are never translated.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

namespace gateway {

enum class Language { english, portuguese };

// Returns the language as the configuration and Content-Language say it: "en" or "pt-BR".
constexpr std::string_view to_string(Language language) noexcept {
    return language == Language::portuguese ? "pt-BR" : "en";
}
constexpr std::optional<Language> parse_language(std::string_view text) noexcept {
    for (const auto language : {Language::english, Language::portuguese})
        if (to_string(language) == text) return language;
    return std::nullopt;
}

}  // namespace gateway
