// Describes a product that a store's configuration lists, so that terminals find what can be sold here: the provider's
// interface has no list of its products ("The product catalogue listing operation: not shown"). The family's own file
// says which of these fields a product has.
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

// A field is empty if the configuration leaves it out.
struct Product {
    Family family = Family::tv;
    std::string produto;  // egift: empty where the line is about the whole menu
    std::string fornecedor;
    std::optional<std::int64_t> tipo_negocio;
    std::string nome_menu;
    std::string transit;  // this and `health` are segments of paths; if empty, produto in lower case is used
    std::string health;
    std::optional<bool> price_list;  // tv: true if it is the dynamic-price product
    std::string label;               // shown to people; without it they see produto or nomeMenu
    friend bool operator==(const Product&, const Product&) = default;
};

// Says what is wrong with the product by the rules of its family: fields that the family does not have, fields that it
// needs and that are missing, and texts that could not be sent. Pointers are the names of the configuration:
// "/nomeMenu".
FieldErrors check_product(const Product& product);

// Returns what the product has under a name of the configuration that stands for a text. The result is empty if it has
// nothing there.
std::string_view listed_text(const Product& product, std::string_view name);

// Tells whether both lead to the same thing at the provider, whatever their labels are.
bool are_same_product(const Product& one, const Product& other);

// Returns the name that people see. It is never empty if check_product() found nothing.
std::string_view label_of(const Product& product);

// Returns the query of the product's options call, percent-encoded: "family=transit&produto=Bilhete&numeroCartao=".
// What only the customer has stands at its end, without a value; customers_parameters() gives its name.
std::string options_query(const Product& product);
std::vector<std::string_view> customers_parameters(Family family);

// Returns the sell of a product that is sold without asking for options, as far as the list has it. Returns nothing if
// the options have to be asked for.
std::optional<boost::json::object> listed_sell(const Product& product);

// Adds to a sell of this family what the list knows about its product and the provider did not say.
void complete_sell(boost::json::object& sell, Family family, std::span<const Product> products);

// Returns the fields that a sell of this family needs and that `sell` does not have: the terminal adds them.
std::vector<std::string_view> missing_fields(Family family, const boost::json::object& sell);

}  // namespace gateway
