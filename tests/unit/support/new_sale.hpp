// Makes a sale as a terminal begins it, for the tests of a journal.
#pragma once

#include "base/random.hpp"
#include "sale/sale.hpp"
#include "unit/support/virtual_clock.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace gateway::test {

// The sale's id is later than that of every sale that was made before, because the clock is moved. Without `key` the
// sale gets a new one.
inline Sale new_sale(VirtualClock& clock, Random& random, std::string key = {}) {
    clock.jump(std::chrono::milliseconds(1));
    Sale made{.id = SaleId::make(clock.wall(), random)};
    made.terminal = "caixa-01";
    made.key = key.empty() ? made.id.str() : std::move(key);
    made.estabelecimento = "12345678";
    made.produto = "TV Mensal";
    made.valor = Cents{2500};
    made.created_at = clock.wall();
    made.updated_at = clock.wall();
    made.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()});
    return made;
}

}  // namespace gateway::test
