#include "families/product.hpp"

#include "families/family.hpp"
#include "families/field_reader.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gateway {
namespace {

namespace json = boost::json;

struct TextField {
    std::string_view name;
    std::string Product::*text;
};
constexpr std::array text_fields{TextField{"produto", &Product::produto}, TextField{"fornecedor", &Product::fornecedor},
                                 TextField{"nomeMenu", &Product::nome_menu}, TextField{"transit", &Product::transit},
                                 TextField{"health", &Product::health}};

// Returns the names of the fields that are there, without family and label, which every product has.
std::vector<std::string_view> named_fields(const Product& product) {
    std::vector<std::string_view> names;
    for (const auto& field : text_fields)
        if (!(product.*field.text).empty()) names.push_back(field.name);
    if (product.tipo_negocio) names.emplace_back("tipoNegocio");
    if (product.price_list) names.emplace_back("price_list");
    return names;
}

// Returns the names of the fields that a product of the family may have.
std::vector<std::string_view> fields_of(Family family) {
    const auto& rules = rules_of(family);
    std::vector<std::string_view> names;
    for (const auto& parameter : rules.parameters)
        if (!parameter.is_of_customer()) names.push_back(parameter.name);
    names.insert(names.end(), rules.product_fields);
    return names;
}

bool is_among(std::span<const std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Returns the product's value query, and adds what is wrong with it. A placeholder stands for what only the customer
// has.
OptionsQuestion question_of(const Product& product, FieldErrors& errors) {
    const auto customers = customers_parameters(product.family);
    const QueryValues values = [&](std::string_view name) -> std::optional<std::string> {
        if (is_among(customers, name)) return "0";
        const auto text = listed_text(product, name);
        return text.empty() ? std::nullopt : std::optional(std::string(text));
    };
    return rules_of(product.family).question(values, errors);
}

void check_text(std::string_view name, std::string_view text, FieldErrors& errors) {
    auto pointer = pointer_to("", name);
    const auto is_reported = [&](const FieldError& error) { return error.pointer == pointer; };
    if (text.empty() || is_plain_text(text) || std::any_of(errors.begin(), errors.end(), is_reported)) return;
    errors.push_back({std::move(pointer),
                      fmt::format(told("must be 1 to {} characters without control characters"), max_text_length)});
}

}  // namespace

std::string_view listed_text(const Product& product, std::string_view name) {
    for (const auto& field : text_fields)
        if (field.name == name) return product.*field.text;
    return {};
}

FieldErrors check_product(const Product& product) {
    FieldErrors errors;
    question_of(product, errors);
    for (const auto& field : text_fields)
        check_text(field.name, product.*field.text, errors);
    check_text("label", product.label, errors);
    const auto known = fields_of(product.family);
    for (const auto name : named_fields(product)) {
        if (is_among(known, name)) continue;
        errors.push_back({pointer_to("", name), fmt::format(told("is not a field of {}, which has {} and label"),
                                                            to_string(product.family), fmt::join(known, ", "))});
    }
    return errors;
}

bool are_same_product(const Product& one, const Product& other) {
    FieldErrors errors;
    return one.produto == other.produto && question_of(one, errors) == question_of(other, errors);
}

std::string_view label_of(const Product& product) {
    if (!product.label.empty()) return product.label;
    return product.produto.empty() ? product.nome_menu : product.produto;
}

std::string options_query(const Product& product) {
    auto query = fmt::format("family={}", to_string(product.family));
    for (const auto& parameter : rules_of(product.family).parameters) {
        const auto text = listed_text(product, parameter.name);
        if (!text.empty()) query += fmt::format("&{}={}", parameter.name, encoded_segment(text));
    }
    for (const auto name : customers_parameters(product.family))
        query += fmt::format("&{}=", name);
    return query;
}

std::vector<std::string_view> customers_parameters(Family family) {
    std::vector<std::string_view> names;
    for (const auto& parameter : rules_of(family).parameters)
        if (parameter.is_of_customer()) names.push_back(parameter.name);
    return names;
}

std::optional<json::object> listed_sell(const Product& product) {
    if (!rules_of(product.family).sells_without_options(product)) return std::nullopt;
    json::object sell{{"family", to_string(product.family)}, {"produto", product.produto}};
    complete_sell(sell, product.family, {&product, 1});
    return sell;
}

void complete_sell(json::object& sell, Family family, std::span<const Product> products) {
    const auto is_of = [&](const Product& product, std::string_view name) {
        const auto wanted = listed_text(product, name);
        const auto* value = sell.if_contains(name);
        const auto* text = value != nullptr ? value->if_string() : nullptr;
        return wanted.empty() || (text != nullptr && wanted == std::string_view(*text));
    };
    const auto add = [&](const Product& product) {
        if (product.family != family || !is_of(product, "produto") || !is_of(product, "nomeMenu")) return;
        if (!product.fornecedor.empty()) sell.emplace("fornecedor", product.fornecedor);
        if (product.tipo_negocio) sell.emplace("tipoNegocio", *product.tipo_negocio);
    };
    // What is listed for one product of a menu goes before what is listed for the whole menu.
    for (const bool of_one : {true, false})
        for (const auto& product : products)
            if (product.produto.empty() != of_one) add(product);
}

std::vector<std::string_view> missing_fields(Family family, const json::object& sell) {
    const auto missing_of = [&](const SellKind& kind) {
        std::vector<std::string_view> missing;
        for (const auto& field : kind.fields)
            if (field.is_required && !sell.contains(field.name)) missing.push_back(field.name);
        return missing;
    };
    const auto kinds = rules_of(family).sell_kinds;
    const auto is_complete = [&](const SellKind& kind) { return missing_of(kind).empty(); };
    if (std::ranges::any_of(kinds, is_complete)) return {};
    return missing_of(kinds.front());
}

}  // namespace gateway
