#include "flow/sell_order.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <set>

namespace gateway {
namespace {

namespace json = boost::json;

void compare_fields(const json::object& one, const json::object& other, std::set<std::string>& differing) {
    for (const auto& field : one) {
        const auto* same = other.if_contains(field.key());
        if (same == nullptr || *same != field.value()) differing.emplace(field.key());
    }
}

}  // namespace

std::optional<json::object> request_fields(const Sale& sale) {
    if (sale.request.empty()) return std::nullopt;
    boost::system::error_code malformed;
    auto value = json::parse(sale.request.reveal(), malformed);
    if (malformed || !value.is_object()) return std::nullopt;
    return std::move(value.get_object());
}

std::vector<std::string> differing_fields(const Sale& sale, const SellOrder& asked) {
    const auto& order = asked.order;
    std::set<std::string> differing;
    const auto note = [&](bool differs, std::string_view name) {
        if (differs) differing.emplace(name);
    };
    note(order.family != sale.family, "family");
    note(order.mode != sale.mode, "confirm");
    note(order.produto != sale.produto, "produto");
    note(order.fornecedor != sale.fornecedor, "fornecedor");
    note(order.valor != sale.valor, "valor");
    note(order.segment != sale.segment, to_string(sale.family));  // the field is called as the family
    note(asked.names_estabelecimento && order.estabelecimento != sale.estabelecimento, "estabelecimento");
    if (const auto fields = request_fields(sale); fields && order.family == sale.family) {
        compare_fields(*fields, order.fields, differing);
        compare_fields(order.fields, *fields, differing);
    }
    return {differing.begin(), differing.end()};
}

bool is_repeat(const Sale& sale, const SellOrder& asked) {
    if (sale.digest == asked.digest) return true;
    return request_fields(sale) && differing_fields(sale, asked).empty();
}

}  // namespace gateway
