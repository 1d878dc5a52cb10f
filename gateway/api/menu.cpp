#include "api/menu.hpp"

#include "families/family.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway {
namespace {

namespace json = boost::json;

constexpr std::string_view how_to_use_it =
    "GET the options of a product and sell one of them. Where its needs stand beside options alone, append what they "
    "name to the address, percent-encoded. Where there is a sell, add what its needs name and POST it to /v1/sell; "
    "where there are both, do so if the options are 404.";

std::string options_address(std::string_view query) {
    return fmt::format("/v1/options?{}", query);
}

json::array names_json(const std::vector<std::string_view>& names) {
    json::array list;
    for (const auto name : names)
        list.emplace_back(json::string_view(name.data(), name.size()));
    return list;
}

json::array parameters_json(const FamilyRules& rules) {
    json::array list;
    for (const auto& parameter : rules.parameters)
        list.push_back(json::object{
            {"name", parameter.name}, {"required", parameter.is_required()}, {"detail", parameter.meaning}});
    return list;
}

json::object product_json(const Product& product) {
    json::object shown{{"label", label_of(product)}};
    if (!product.produto.empty()) shown["produto"] = product.produto;
    if (rules_of(product.family).has_options(product)) shown["options"] = options_address(options_query(product));
    if (auto sell = listed_sell(product)) {
        shown["needs"] = needs_json(product.family, *sell);
        shown["sell"] = std::move(*sell);
    } else {
        shown["needs"] = names_json(customers_parameters(product.family));
    }
    return shown;
}

json::object family_json(Family family, std::span<const Product> products) {
    json::array listed;
    for (const auto& product : products)
        if (product.family == family) listed.push_back(product_json(product));
    return {{"family", to_string(family)},
            {"options", options_address(fmt::format("family={}", to_string(family)))},
            {"takes", parameters_json(rules_of(family))},
            {"products", std::move(listed)}};
}

}  // namespace

json::object menu_json(const Terminal& terminal, std::span<const Product> products) {
    json::array families;
    for (const auto family : terminal.families)
        families.push_back(family_json(family, products));
    return {{"detail", how_to_use_it}, {"families", std::move(families)}};
}

json::array needs_json(Family family, const json::object& sell) {
    return names_json(missing_fields(family, sell));
}

}  // namespace gateway
