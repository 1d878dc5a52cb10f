// Reads what a client sends to sell, to confirm and to cancel, exactly as the interface's tables list the fields, and
// holds it against the catalogue. Knows no books: whether an idExterno was used before is the model's question.
#pragma once

#include "sandbox/fields.hpp"
#include "sandbox/options.hpp"
#include "sandbox/routes.hpp"
#include "sandbox/words.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace gateway::sandbox {

struct Order {
    std::string estabelecimento{};
    std::string idExterno{};
    std::string produto{};
    std::string fornecedor{};  // as the answer names it
    Cents valor = 0;
    std::string produtoIdParceiro{};  // health
    Cents recharge = 0;               // eSIM, as the two addresses
    std::string sale_url{};
    std::string recharge_url{};
};

struct Confirm {
    std::string estabelecimento{};
    std::string idTransacao{};
    std::string produto{};
};

struct Cancel {
    std::string estabelecimento{};
    std::string idExterno{};
};

// What was read, or in `departure` how the body departs from the interface.
template <class Body>
struct ReadBody {
    Body body{};
    std::string departure{};
    Wrong wrong{};  // of the departure
};

ReadBody<Order> read_order(const Route& route, const boost::json::object& body, const Options& options);
ReadBody<Confirm> read_confirm(const Route& route, const boost::json::object& body, const Options& options);
ReadBody<Cancel> read_cancel(const Route& route, const boost::json::object& body, const Options& options);

}  // namespace gateway::sandbox
