#include "probe/goods.hpp"

#include "base/json_members.hpp"
#include "families/field_reader.hpp"
#include "families/money.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace gateway::probe {
namespace {

namespace json = boost::json;

// Nobody says what may be charged for a product without a list of prices. Ten units of money are neither a trifle that
// a provider refuses nor much to lose.
constexpr Cents usual_amount{1000};

struct Price {
    Cents valor;
    std::optional<Cents> most;
    std::int64_t quantity = 1;
};

Price least_of(const Option& option) {
    if (const auto* fixed = std::get_if<Option::Fixed>(&option.valor)) return {fixed->valor, std::nullopt};
    if (const auto* unit = std::get_if<Option::Unit>(&option.valor))
        return {Cents{unit->unit.value * unit->min_quantity}, Cents{unit->unit.value * unit->max_quantity},
                unit->min_quantity};
    const auto& range = std::get<Option::Range>(option.valor);
    return {range.min, range.max};
}

// A plan with a recharge tells more than one without: two callbacks come of it.
bool has_recharge(const Option& option) {
    const auto* recharge = option.sell.if_contains("valorRecarga");
    return recharge == nullptr || *recharge != json::value(0);
}

// Says what the command line calls what is missing.
std::string_view how_to_give(std::string_view field) {
    if (field == "cpf") return " (--cpf)";
    if (field == "numeroCartao") return " (--card)";
    return field == "consumidor" || field == "endereco" ? " (--consumidor)" : " (em [[products]])";
}

// Completes the sell by what the customer has, and reads it as a terminal's is read.
boost::system::result<Goods, std::string> read_goods(json::object sell, Family family, std::string label,
                                                     const Customer& customer, const std::string& estabelecimento) {
    for (const auto name : missing_fields(family, sell))
        if (const auto* given = customer.if_contains(name)) sell[name] = *given;
    if (const auto missing = missing_fields(family, sell); !missing.empty())
        return fmt::format("falta {}{}", missing.front(), how_to_give(missing.front()));
    Goods goods;
    goods.label = std::move(label);
    goods.order.family = family;
    goods.order.estabelecimento = estabelecimento;
    FieldErrors errors;
    {
        FieldReader reader(sell, errors);
        goods.order.produto = reader.text("produto");
    }
    rules_of(family).read(sell, goods.order, errors);
    if (!errors.empty()) return fmt::format("a oferta não serve: {} {}", errors.front().pointer, errors.front().detail);
    return goods;
}

}  // namespace

std::optional<OptionsQuestion> question_of(const Product& product, const std::string& estabelecimento,
                                           const Customer& customer) {
    const auto& rules = rules_of(product.family);
    if (!rules.has_options(product)) return std::nullopt;
    FieldErrors errors;
    auto question = rules.question(
        [&](std::string_view name) -> std::optional<std::string> {
            const std::string text(name == "numeroCartao" ? text_in(customer, name) : listed_text(product, name));
            return text.empty() ? std::nullopt : std::optional(text);
        },
        errors);
    if (!errors.empty()) return std::nullopt;
    question.estabelecimento = estabelecimento;
    return question;
}

boost::system::result<Goods, std::string> cheapest(const Options& options, const Product& product,
                                                   std::span<const Product> products, const Customer& customer,
                                                   const std::string& estabelecimento) {
    const auto dearer = [](const Option& one, const Option& other) {
        return std::pair(!has_recharge(one), least_of(one).valor) <
               std::pair(!has_recharge(other), least_of(other).valor);
    };
    const auto found = std::ranges::min_element(options.options, dearer);
    if (found == options.options.end()) return std::string("a consulta não oferece nada que se possa vender");
    const auto price = least_of(*found);
    auto sell = found->sell;
    if (!sell.contains("valor") && !sell.contains("id_valor")) sell["valor"] = price.valor.value;
    if (price.quantity > 1) sell["quantidade"] = price.quantity;
    if (!sell.contains("produto")) sell["produto"] = product.produto;
    complete_sell(sell, product.family, products);
    auto goods = read_goods(std::move(sell), product.family, found->label, customer, estabelecimento);
    if (goods) goods->most = price.most;
    return goods;
}

boost::system::result<Goods, std::string> without_options(const Product& product, const Customer& customer,
                                                          const std::string& estabelecimento) {
    auto sell = listed_sell(product);
    if (!sell) return std::string("as opções deste produto não puderam ser consultadas");
    if (!sell->contains("valor")) (*sell)["valor"] = usual_amount.value;
    return read_goods(std::move(*sell), product.family, product.produto, customer, estabelecimento);
}

}  // namespace gateway::probe
