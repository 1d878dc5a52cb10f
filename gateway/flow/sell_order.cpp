#include "flow/sell_order.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <set>

namespace gateway {
namespace {

namespace json = boost::json;

// Compares the families' own fields. A sale of an earlier version has none of the fields that are not sent, so these
// are not compared there.
void compare_fields(const FamilyRules& rules, const json::object& sold, const json::object& asked,
                    std::set<std::string>& differing) {
    const auto unsent = rules.unsent_fields;
    const auto known = rules.understood(sold);
    const auto now = rules.understood(asked);
    for (const auto& field : known)
        if (!now.contains(field.key())) differing.emplace(field.key());
    for (const auto& field : now) {
        const auto* same = known.if_contains(field.key());
        const bool was_kept =
            same != nullptr || std::ranges::find(unsent, std::string_view(field.key())) == unsent.end();
        if (was_kept && (same == nullptr || *same != field.value())) differing.emplace(field.key());
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
    note(order.segment != sale.segment, to_string(sale.family));  // the field has the name of the family
    note(asked.names_estabelecimento && order.estabelecimento != sale.estabelecimento, "estabelecimento");
    if (const auto fields = request_fields(sale); fields && order.family == sale.family)
        compare_fields(rules_of(sale.family), *fields, order.fields, differing);
    return {differing.begin(), differing.end()};
}

bool is_repeat(const Sale& sale, const SellOrder& asked) {
    if (sale.digest == asked.digest) return true;
    return request_fields(sale) && differing_fields(sale, asked).empty();
}

}  // namespace gateway
