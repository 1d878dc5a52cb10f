#include "api/language.hpp"

#include "base/ascii.hpp"

#include <charconv>
#include <optional>
#include <string>

namespace gateway {
namespace {

// Reads "pt-BR" and "pt" alike.
std::optional<Language> language_of(std::string_view range) {
    const auto primary = to_lower(std::string(range.substr(0, range.find('-'))));
    if (primary == "pt") return Language::portuguese;
    if (primary == "en") return Language::english;
    return std::nullopt;
}

// Reads the weight in "pt;q=0.8". A weight that makes no sense counts as 0.
double weight_of(std::string_view parameters) {
    if (parameters.empty()) return 1;
    const auto weight = trim(parameters);
    if (!weight.starts_with("q=") && !weight.starts_with("Q=")) return 0;
    double value = 0;
    const auto [end, error] = std::from_chars(weight.data() + 2, weight.data() + weight.size(), value);
    return error == std::errc() && end == weight.data() + weight.size() && value <= 1 ? value : 0;
}

}  // namespace

Language preferred_language(std::string_view accept_language, Language otherwise) {
    auto preferred = otherwise;
    double most = 0;
    while (!accept_language.empty()) {
        const auto range = accept_language.substr(0, accept_language.find(','));
        accept_language.remove_prefix(std::min(range.size() + 1, accept_language.size()));
        const auto tag = range.substr(0, range.find(';'));
        const auto weight = weight_of(range.substr(std::min(tag.size() + 1, range.size())));
        const auto language = language_of(trim(tag));
        if (!language || weight <= most) continue;
        preferred = *language;
        most = weight;
    }
    return preferred;
}

}  // namespace gateway
