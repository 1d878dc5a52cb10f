// The targets share this. A target is a function that is given bytes and must return: it reports by an assertion that
// breaks, a sanitizer, or a run without end. Two programs feed the same function: libFuzzer, which looks for new bytes,
// and replay.cpp, which replays the ones that are kept.
#pragma once

#include "base/check.hpp"
#include "families/family.hpp"
#include "families/money.hpp"
#include "families/paths.hpp"
#include "families/plain_text.hpp"
#include "families/request_body.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace gateway::fuzz {

// Takes small choices off the front of the input, so that one input says both how and what.
class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

    // Returns a number below `bound`; 0 if nothing is left. Letters count from 'a', so that a kept input can be written
    // by hand.
    std::size_t choice(std::size_t bound) {
        if (rest_.empty()) return 0;
        const auto value = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        return static_cast<std::size_t>(value - (value >= 'a' ? 'a' : 0)) % bound;
    }
    Family family() { return all_families.at(choice(all_families.size())); }
    std::string_view rest() const { return rest_; }

  private:
    std::string_view rest_;
};

// Makes a sale of the order, in a state in which it can be asked for, confirmed and cancelled.
inline Sale sale_of(const Order& order) {
    constexpr WallTime at{std::chrono::milliseconds(1'714'655'471'480)};
    const auto id = Ulid::first_at(at);
    Sale sale{.id = SaleId(id)};
    sale.family = order.family;
    sale.estabelecimento = "0042";
    sale.produto = order.produto;
    sale.fornecedor = order.fornecedor;
    sale.valor = order.valor;
    sale.segment = order.segment;
    sale.request = Secret(boost::json::serialize(order.fields));
    sale.callback_secret = Secret("secret");
    sale.attempts.push_back({.id_externo = IdExterno(id), .id_transacao = "T-1", .created_at = at});
    sale.attempts.front().confirm_time = at;
    sale.attempts.front().cancel_time = at;
    return sale;
}

// Does everything that a sale goes through after its order was let through.
inline void expect_sellable(const Order& order) {
    CHECK(is_sellable(order.valor));
    CHECK(is_operator_segment(order.segment) == rules_of(order.family).has_segment());
    const auto sale = sale_of(order);
    for (const auto step : {Step::solicitar, Step::confirmar, Step::cancelar}) {
        boost::system::error_code ec;
        const auto body = boost::json::parse(request_body(step, sale, sale.current(), "https://x", "campo"), ec);
        CHECK(!ec && body.at("estabelecimento") == "0042");
    }
}

}  // namespace gateway::fuzz
