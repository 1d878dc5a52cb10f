#include "families/subject.hpp"

#include "base/ascii.hpp"
#include "families/plain_text.hpp"

#include <array>

namespace gateway {
namespace {

// The second segment of a family's paths.
struct Place {
    std::string_view word;
    Family family;
};
constexpr std::array places{
    Place{"tv", Family::tv},
    Place{"egift", Family::egift},
    Place{"voucher", Family::egift},  // an e-gift's cancel
    Place{"transporte", Family::transit},
    Place{"esim", Family::esim},
};

// The partner's name is the family's word of a health path: it is told by its end.
constexpr std::size_t health_segments = 5;
constexpr std::string_view health_query = "valores";

}  // namespace

std::vector<std::string_view> segments_of(std::string_view path) {
    std::vector<std::string_view> segments;
    while (!path.empty()) {
        const auto segment = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(segment.size() + 1, path.size()));
        const auto name = segment.substr(0, segment.find(';'));
        if (!name.empty()) segments.push_back(name);
    }
    return segments;
}

std::optional<Family> family_of(std::string_view path) {
    const auto segments = segments_of(path);
    const auto is = [&](std::size_t at, std::string_view word) {
        return at < segments.size() && to_lower(segments[at]) == word;
    };
    if (!is(0, "venda")) return std::nullopt;
    for (const auto& place : places)
        if (is(1, place.word)) return place.family;
    if (segments.size() == health_segments && is(health_segments - 1, health_query)) return Family::health;
    return std::nullopt;
}

}  // namespace gateway
