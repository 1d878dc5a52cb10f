// What the tests of the families share: reading a sell body as the API does, and the sale that comes of it.
#pragma once

#include "families/family.hpp"
#include "unit/support/seeded_random.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::test {

namespace json = boost::json;

// 2024-05-02T13:11:11.480Z.
inline constexpr WallTime requested_at{std::chrono::milliseconds(1'714'655'471'480)};
inline constexpr WallTime confirmed_at = requested_at + std::chrono::milliseconds(1'020);
inline constexpr WallTime cancelled_at = requested_at + std::chrono::minutes(2);

struct SellReading {
    Order order;
    FieldErrors errors;
    json::object rest;  // what read() left in the body
};

// Reads the family's own fields of a sell body whose common ones are read already.
inline SellReading read_sell(Family family, json::value body, std::string produto = "Produto") {
    SellReading reading;
    reading.order.family = family;
    reading.order.produto = std::move(produto);
    reading.rest = std::move(body.as_object());
    rules_of(family).read(reading.rest, reading.order, reading.errors);
    return reading;
}

inline std::vector<std::string> pointers(const FieldErrors& errors) {
    std::vector<std::string> all;
    for (const auto& error : errors)
        all.push_back(error.pointer);
    return all;
}

using Pointers = std::vector<std::string>;

inline std::pair<std::string, std::string> parent_and_name(std::string_view pointer) {
    const auto slash = pointer.rfind('/');
    return {std::string(pointer.substr(0, slash)), std::string(pointer.substr(slash + 1))};
}

// `body` with the field at `pointer` set to `value`.
inline json::value with(json::value body, std::string_view pointer, json::value value) {
    const auto [parent, name] = parent_and_name(pointer);
    body.at_pointer(parent).as_object()[name] = std::move(value);
    return body;
}

// `body` without the field at `pointer`.
inline json::value without(json::value body, std::string_view pointer) {
    const auto [parent, name] = parent_and_name(pointer);
    EXPECT_EQ(body.at_pointer(parent).as_object().erase(name), 1U) << pointer;
    return body;
}

inline QueryValues query_of(std::map<std::string, std::string, std::less<>> values) {
    return [values = std::move(values)](std::string_view name) -> std::optional<std::string> {
        const auto found = values.find(name);
        return found != values.end() ? std::optional(found->second) : std::nullopt;
    };
}

// The sale that an order becomes, with one attempt that has a confirm and a cancel.
inline Sale sale_of(const Order& order) {
    SeededRandom random;
    Sale sale{.id = SaleId::make(requested_at, random),
              .family = order.family,
              .estabelecimento = "0042",
              .produto = order.produto,
              .fornecedor = order.fornecedor,
              .valor = order.valor,
              .segment = order.segment,
              .request = Secret(json::serialize(order.fields)),
              .callback_secret = Secret("segredo")};
    sale.attempts.push_back({.id_externo = IdExterno::make(requested_at, random),
                             .id_transacao = "T-77",
                             .created_at = requested_at,
                             .confirm_time = confirmed_at,
                             .cancel_time = cancelled_at});
    return sale;
}

// Values that no text field, no number field and no object field takes.
inline json::array rubbish() {
    return {nullptr,
            true,
            1.5,
            -1,
            1e300,
            json::array{},
            json::object{},
            "",
            "a\nb",
            std::string(300, 'x'),
            json::value(std::uint64_t(18'446'744'073'709'551'615ULL))};
}

}  // namespace gateway::test
