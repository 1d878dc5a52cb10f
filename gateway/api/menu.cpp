#include "api/menu.hpp"

#include "api/openapi/shared.hpp"
#include "api/openapi/written.hpp"
#include "families/family.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace gateway {
namespace {

constexpr std::string_view how_to_use_it =
    "GET the options of a product and sell one of them. Where its needs stand beside options alone, append what they "
    "name to the address, percent-encoded. Where there is a sell, add what its needs name and POST it to /v1/sell; "
    "where there are both, do so if the options are 404.";

std::string options_address(std::string_view query) {
    return fmt::format("/v1/options?{}", query);
}

}  // namespace

namespace openapi {
namespace {

constexpr Written<Product> menu_product_members[] = {
    {{"label", some_text, "For a person.", "TV Livre"}, [](const Product& product) { return label_of(product); }},
    {maybe({"produto", a("Produto"), "", "TV Livre"}), its<&Product::produto>},
    {maybe({"options", Type{R"("type":"string","pattern":"^/v1/options\\?family=[!-~]+$")"},
            "The address of its options, relative to this listener. Where it ends with `=`, append, percent-encoded, "
            "what `needs` names.",
            "/v1/options?family=tv&produto=TV%20Livre"}),
     [](const Product& product) {
         const bool has_options = rules_of(product.family).has_options(product);
         return has_options ? options_address(options_query(product)) : std::string();
     }},
    {{"needs", a("Needs"), "", "[]"},
     [](const Product& product) {
         const auto sell = listed_sell(product);
         return sell ? missing_fields(product.family, *sell) : customers_parameters(product.family);
     }},
    {maybe({"sell", a("OptionSell"), "", R"({"family":"tv","produto":"TV Mensal","fornecedor":"Operadora Norte"})"}),
     [](const Product& product) { return listed_sell(product); }},
};

constexpr Written<OptionsParameter> menu_parameter_members[] = {
    {{"name", a("OptionsParameter"), "", "produto"}, its<&OptionsParameter::name>},
    {{"required", boolean, "", "true"}, [](const OptionsParameter& parameter) { return parameter.is_required(); }},
    {{"detail", some_text, "For a person.", "The name of the dynamic-price product."}, its<&OptionsParameter::meaning>},
};

struct MenuFamily {
    Family family;
    std::vector<Product> products;
};
constexpr Written<MenuFamily> menu_family_members[] = {
    {{"family", a("Family")}, its<&MenuFamily::family>},
    {{"options", Type{R"("type":"string","pattern":"^/v1/options\\?family=[a-z]+$")"},
      "The address of the family's options call, to which `&name=value` is appended for what it takes.",
      "/v1/options?family=tv"},
     [](const MenuFamily& menu) { return options_address(fmt::format("family={}", to_string(menu.family))); }},
    {{"takes", list_of(object_of<menu_parameter_members>, R"("minItems":1)")},
     [](const MenuFamily& menu) { return parts(menu_parameter_members, rules_of(menu.family).parameters); }},
    {{"products", list_of(a("MenuProduct"))},
     [](const MenuFamily& menu) { return parts(menu_product_members, menu.products); }},
};

struct Menu {
    std::vector<MenuFamily> families;
};
constexpr Written<Menu> menu_members[] = {
    {{"detail", some_text, "How to use it, for a person.", "GET the options of a product and sell one of them."},
     [](const Menu&) { return how_to_use_it; }},
    {{"families", list_of(a("MenuFamily"))},
     [](const Menu& menu) { return parts(menu_family_members, menu.families); }},
};

constexpr Schema all_menu_schemas[] = {
    {.name = "MenuProduct",
     .description = "A product that this store lists. With `options`, GET that address; with `sell`, add what `needs` "
                    "names and POST it to /v1/sell. With both, nobody here knows yet whether it has options: ask, and "
                    "where they are 404, sell it as `sell` says.",
     .type = object_of<menu_product_members>,
     .rules = R"("anyOf":[{"required":["options"]},{"required":["sell"]}])"},
    {.name = "MenuFamily", .type = object_of<menu_family_members>},
    {.name = "Menu",
     .description = "What a terminal finds without knowing anything: the families that it may sell.",
     .type = object_of<menu_members>},
};

}  // namespace

std::span<const Schema> menu_schemas() {
    return all_menu_schemas;
}

}  // namespace openapi

std::string menu_json(const Terminal& terminal, std::span<const Product> products) {
    openapi::Menu menu;
    for (const auto family : terminal.families) {
        auto& listed = menu.families.emplace_back(openapi::MenuFamily{family, {}}).products;
        std::ranges::copy_if(products, std::back_inserter(listed),
                             [&](const Product& product) { return product.family == family; });
    }
    return openapi::write(openapi::menu_members, menu);
}

}  // namespace gateway
