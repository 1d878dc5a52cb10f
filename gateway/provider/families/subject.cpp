#include "provider/families/subject.hpp"

#include "provider/families/plain_text.hpp"

#include <array>

namespace gateway {
namespace {

// Where a family's value query has the establishment: the segment that tells the query, and the one that follows it.
struct Place {
    std::string_view word;
    Family family;
    std::size_t query = 0;
    std::string_view name{};
};
constexpr std::array places{
    Place{"tv", Family::tv, 2, "consulta-dinamica"},
    Place{"egift", Family::egift, 2, "consulta-dinamica"},
    Place{"voucher", Family::egift},  // an e-gift's cancel
    Place{"transporte", Family::transit, 3, "consulta-valores"},
    Place{"esim", Family::esim, 2, "consulta-planos"},
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

std::optional<PathSubject> subject_of(std::string_view path) {
    const auto segments = segments_of(path);
    const auto is = [&](std::size_t at, std::string_view word) {
        return at < segments.size() && ascii_lower(segments[at]) == word;
    };
    if (!is(0, "venda")) return std::nullopt;
    for (const auto& place : places) {
        if (!is(1, place.word)) continue;
        PathSubject subject{.family = place.family};
        const auto after = place.query + 1;
        if (place.query != 0 && is(place.query, place.name) && after < segments.size())
            subject.estabelecimento = segments[after];
        return subject;
    }
    if (segments.size() == health_segments && is(health_segments - 1, health_query))
        return PathSubject{.family = Family::health, .estabelecimento = std::string(segments[2])};
    return std::nullopt;
}

}  // namespace gateway
