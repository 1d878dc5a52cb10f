// Lists the product families and what the law of a sale must know about each. Everything else about a family is in its
// own file in families/. A new family gets a word and a line here; words that are on disk are never changed.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

enum class Family { tv, egift, transit, health, esim };

// Says which answer of the provider brings what the customer is to be given.
enum class Delivery {
    none,          // no answer has to: the credit is booked at the provider, and a receipt only tells of it
    with_request,  // only the answer to the request brings it
    with_confirm,  // the answer to the confirm brings it, each time that it is sent
};

struct FamilyTraits {
    Family family = Family::tv;
    std::string_view name;  // the word in JSON, in the journal and in the log
    Delivery delivery = Delivery::none;
    // The family has neither confirm nor cancel: callbacks say what became of the sale and bring what was sold, and
    // NEGADA is among their words.
    bool by_callback = false;
    bool echoes_id_externo = true;  // the answer to the request has the idExterno
};

inline constexpr std::array family_traits{
    FamilyTraits{.family = Family::tv, .name = "tv"},
    FamilyTraits{.family = Family::egift, .name = "egift", .delivery = Delivery::with_confirm},
    FamilyTraits{.family = Family::transit, .name = "transit"},
    FamilyTraits{.family = Family::health, .name = "health", .delivery = Delivery::with_request},
    FamilyTraits{.family = Family::esim, .name = "esim", .by_callback = true, .echoes_id_externo = false},
};

inline constexpr std::size_t family_count = family_traits.size();

constexpr std::size_t index_of(Family family) noexcept {
    return static_cast<std::size_t>(family);
}

// The families stand in the order of the enumeration.
inline constexpr std::array all_families = [] {
    std::array<Family, family_count> all{};
    for (std::size_t i = 0; i < family_count; ++i)
        all.at(i) = family_traits.at(i).family;
    return all;
}();

static_assert(
    [] {
        for (std::size_t i = 0; i < family_count; ++i)
            if (index_of(family_traits.at(i).family) != i) return false;
        return true;
    }(),
    "family_traits lists the families in the order of the enumeration");

constexpr const FamilyTraits& traits_of(Family family) noexcept {
    return family_traits[index_of(family)];
}

constexpr bool is_by_callback(Family family) noexcept {
    return traits_of(family).by_callback;
}

constexpr std::string_view to_string(Family family) noexcept {
    return traits_of(family).name;
}

// Accepts exactly the word that to_string() gives.
std::optional<Family> parse_family(std::string_view text) noexcept;

// Returns "tv, egift, transit, health, esim", for messages. With " and " as `before_last` it returns "… health and
// esim".
std::string family_names(std::string_view before_last = ", ");

}  // namespace gateway
