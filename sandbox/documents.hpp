// This writes the JSON documents that the provider sends about a sale in the exact shapes of the interface: its three
// answers, the text inside `instrucao`, and the eSIM callbacks. It also writes the answer about a sale's status, which
// the interface lacks.
#pragma once

#include "base/random.hpp"
#include "sandbox/books.hpp"
#include "sandbox/outcomes.hpp"
#include "sandbox/personality.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace gateway::sandbox {

// Makes what an accepted sale gets only once: its nsu, its goods and its instrucao.
void make_goods(Transaction& transaction, Random& random);

boost::json::object solicitar_answer(const Transaction& sale);
boost::json::object confirmar_answer(const Transaction& sale);
boost::json::object cancelar_answer(const Transaction& sale);

// Writes the status of a sale, or the given word where there is no sale.
boost::json::object status_answer(const Transaction& sale, StatusShape shape);
boost::json::object status_answer(std::string_view status, StatusShape shape);

// Writes the callback that tells of `event`; `recharge` is the amount that was ordered.
std::string callback_body(const Transaction& sale, const CallbackEvent& event, Cents recharge, EsimUuid uuid,
                          Random& random);

}  // namespace gateway::sandbox
