// A product that a store's configuration lists, so that terminals find what can be sold here: the provider's interface
// has no list of its products ("The product catalogue listing operation: not shown"). What of it a family has is said
// by the family's own file.
#pragma once

#include "base/field_error.hpp"
#include "sale/sale.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// What is empty was left out.
struct Product {
    Family family = Family::tv;
    std::string produto;  // egift: empty for every product of the menu
    std::string fornecedor;
    std::optional<std::int64_t> tipo_negocio;
    std::string nome_menu;
    std::string transit;  // path segments; else the lower-case produto
    std::string health;
    std::optional<bool> price_list;  // tv: whether it is the dynamic-price product
    std::string label;               // for a person; else produto or nomeMenu
    friend bool operator==(const Product&, const Product&) = default;
};

// What is wrong with it by the rules of its family: fields that the family does not have, those that it needs and that
// are not there, texts that could not be sent. Pointers are the names of the configuration: "/nomeMenu".
FieldErrors check_product(const Product& product);

// What the list says under a name of the configuration that has a text; empty where it says nothing.
std::string_view listed_text(const Product& product, std::string_view name);

// Whether both lead to the same thing at the provider, by whatever label.
bool are_same_product(const Product& one, const Product& other);

// What is shown to a person. Never empty where check_product() found nothing.
std::string_view label_of(const Product& product);

// "family=transit&produto=Bilhete&numeroCartao=": the query of its options call, percent-encoded. What only the
// customer has stands at the end, without its value, and is named by customers_parameters().
std::string options_query(const Product& product);
std::vector<std::string_view> customers_parameters(Family family);

// The sell of a product that is sold without asking for options, as far as the list has it; nothing where the options
// have to be asked for.
std::optional<boost::json::object> listed_sell(const Product& product);

// Adds to a sell of that family what the list knows about its product and the provider did not say.
void complete_sell(boost::json::object& sell, Family family, std::span<const Product> products);

// The fields that a sell of that family needs and that are not in `sell`: the terminal's to add.
std::vector<std::string_view> missing_fields(Family family, const boost::json::object& sell);

}  // namespace gateway
