// Health-appointment voucher ("Health family"). The value query asks for the partner's price, which must be paid
// exactly. Every request of this family writes its time without a zone, in the store's zone. The document names no
// cancel path; an operator may configure one, which is the business of the room provider/ and not of this file.
#include "base/wall_time.hpp"
#include "families/family.hpp"
#include "families/field_reader.hpp"
#include "families/money.hpp"
#include "families/option_reader.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>

namespace gateway {
namespace {

namespace json = boost::json;

OptionOrWhy read_partner(const OptionsQuestion& question, const json::object& answer) {
    const auto id = sellable_text(answer, "produtoIdParceiro");
    if (!id) return NotAnOption{"produtoIdParceiro is not a text that can be sent"};
    const auto* price = answer.if_contains("valorProdutoParceiro");
    const auto* text = price != nullptr ? price->if_string() : nullptr;
    const auto amount = text != nullptr ? cents_from_two_decimals({text->data(), text->size()}) : std::nullopt;
    if (!amount || !is_sellable(*amount))
        return NotAnOption{"valorProdutoParceiro is no decimal with a comma and two digits behind it that can be sold"};
    auto sell = sell_of(question);
    sell["produtoIdParceiro"] = *id;
    return make_option(lenient_text(answer, "nomeProdutoParceiro"), Option::Fixed{*amount}, std::move(sell));
}

void read_health(FieldReader& reader, Order& order) {
    order.fields["produtoIdParceiro"] = reader.text("produtoIdParceiro");
    order.valor = reader.valor();
    order.fields["valor"] = digits_of(order.valor);
}

constexpr SellField health_fields[] = {
    {"produtoIdParceiro", sell_text, "From the options."},
    {"valor", sell_cents},
    maybe({"health", sell_segment, "The partner's path segment. Default: `produto` in lower case."}),
};
constexpr SellKind health_kinds[] = {
    {health_fields, R"({"family":"health","produto":"Consulta","produtoIdParceiro":"7001","valor":5990,
        "confirm":"auto"})"},
};

}  // namespace

// The answer to the value query is itself the one thing that is sold.
extern const FamilyRules health_rules{
    .family = Family::health,
    .paths = {.options = "/venda/{health}/{estabelecimento}/{produto}/valores",
              .solicitar = "/venda/{health}/solicitar",
              .confirmar = "/venda/{health}/confirmar"},
    .cancel_is_configured = true,
    .has_zoneless_times = true,
    .read_fields = read_health,
    .sell_description = "Health-appointment voucher. `manual` only where the gateway has a `health_cancel_path`.",
    .sell_kinds = health_kinds,
    .likeness_fields = {"produtoIdParceiro"},
    .parameters = {{"produto", QuestionPart::produto, "The name of the product, as the provider spells it."},
                   {"health", QuestionPart::segment,
                    "The partner's segment of the path; without it, produto in lower case."}},
    .hidden_details = {"nomeProdutoParceiro", "valorProdutoParceiro", "produtoIdParceiro"},
    .read_entry = read_partner,
    .entry_fields = {"produtoIdParceiro"},
    .receipt = {{"PIN", "pin"}, {"NSU", "nsu"}, {"NSU do parceiro", "nsuParceiro"}, {"", "text"}, {"", "message"}},
};

}  // namespace gateway
