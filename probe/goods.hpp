// A probe sells the smallest thing of each family that the provider offers and the configuration lists. It is made into
// an order by the same code that reads a terminal's. Pure.
#pragma once

#include "families/family.hpp"
#include "families/product.hpp"

#include <boost/json/object.hpp>
#include <boost/system/result.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gateway::probe {

// The provider gave these for its test environment, by the fields that carry them: numeroCartao of transit, cpf of tv
// products that ask for one, consumidor and endereco of eSIM as a terminal sends them.
using Customer = boost::json::object;

// Holds what can be asked for, and the bound above which an amount is refused, where the offer has one.
struct Goods {
    Order order;
    std::optional<Cents> most;
    std::string label;  // for the report
};

// Returns the value query of a listed product, where it has one and everything that it needs is there.
std::optional<OptionsQuestion> question_of(const Product& product, const std::string& estabelecimento,
                                           const Customer& customer);

// Makes an order for the cheapest of the options, completed by what the list and the customer have. The error says in
// Portuguese what is missing.
boost::system::result<Goods, std::string> cheapest(const Options& options, const Product& product,
                                                   std::span<const Product> products, const Customer& customer,
                                                   const std::string& estabelecimento);

// Does the same for a product that is sold without asking for options.
boost::system::result<Goods, std::string> without_options(const Product& product, const Customer& customer,
                                                          const std::string& estabelecimento);

}  // namespace gateway::probe
