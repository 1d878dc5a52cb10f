#include "sandbox/family.hpp"

#include <fmt/format.h>

#include <array>

namespace gateway::sandbox {

extern const FamilyModel tv_model;
extern const FamilyModel egift_model;
extern const FamilyModel transit_model;
extern const FamilyModel health_model;
extern const FamilyModel esim_model;

namespace {

// These stand in the order of the enumeration.
constexpr std::array<const FamilyModel*, families.size()> all_models{&tv_model, &egift_model, &transit_model,
                                                                     &health_model, &esim_model};

}  // namespace

const FamilyModel& model_of(Family family) noexcept {
    return *all_models[static_cast<std::size_t>(family)];
}

boost::json::object catalogue_overview(WallTime now) {
    boost::json::object all;
    for (const auto family : families)
        all[to_string(family)] = model_of(family).overview(now);
    return all;
}

bool is_path_word(std::string_view segment) noexcept {
    constexpr std::string_view root = "/venda/";
    for (const auto* model : all_models)
        for (const auto& pattern : model->patterns) {
            const auto rest = pattern.path.substr(root.size());
            if (rest.substr(0, rest.find('/')) == segment) return true;
        }
    return false;
}

std::string with_comma(Cents valor) {
    return fmt::format("{},{:02}", valor / 100, valor % 100);
}

std::string random_digits(Random& random, std::size_t count) {
    std::string digits;
    for (std::size_t i = 0; i < count; ++i)
        digits += static_cast<char>('0' + random.below(10));
    return digits;
}

}  // namespace gateway::sandbox
