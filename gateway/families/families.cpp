// The list of the families. Each is a file beside this one.
#include "base/check.hpp"
#include "base/wall_time.hpp"
#include "families/family.hpp"

namespace gateway {

const FamilyRules& tv_rules();
const FamilyRules& egift_rules();
const FamilyRules& transit_rules();
const FamilyRules& health_rules();
const FamilyRules& esim_rules();

std::span<const std::string_view> FamilyRules::unsent_fields() const {
    return {};
}

boost::json::object FamilyRules::understood(const boost::json::object& fields) const {
    return fields;
}

Secret FamilyRules::card_of(const boost::json::object&) const {
    return {};
}

// "Most requests use UTC with milliseconds and a trailing Z."
std::string FamilyRules::client_time(WallTime at) const {
    return to_rfc3339(at);
}

std::span<const std::string_view> FamilyRules::product_fields() const {
    return {};
}

bool FamilyRules::has_options(const Product&) const {
    return true;
}

bool FamilyRules::sells_without_options(const Product&) const {
    return false;
}

std::string FamilyRules::redemption_of(const Order&, const Options&) const {
    return {};
}

const FamilyRules& rules_of(Family family) {
    switch (family) {
        case Family::tv: return tv_rules();
        case Family::egift: return egift_rules();
        case Family::transit: return transit_rules();
        case Family::health: return health_rules();
        case Family::esim: return esim_rules();
    }
    CHECK(false);
}

}  // namespace gateway
