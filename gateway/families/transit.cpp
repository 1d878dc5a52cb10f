// Public-transit card credit ("Transit family"). How much a card may be charged with depends on the card. The value
// query for the card gives entries with a fixed unit value, perhaps by quantity, or with a range, and a sale copies the
// entry that it was made from.
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

constexpr std::array<std::string_view, 4> copied_fields{"numeroCartao", "tipoCredito", "tipoProduto", "descricao"};

// This is far above what a card takes, and small enough that unit value times quantity never overflows.
constexpr std::int64_t max_quantity = 9999;

// Reads `quantidade` like `valor`: a JSON integer or a string of digits.
std::int64_t read_quantity(FieldReader& reader) {
    const auto value = reader.take("quantidade");
    if (!value) return 1;
    std::optional<std::int64_t> quantity;
    if (const auto* text = value->if_string()) quantity = number_from_digits({text->data(), text->size()});
    if (const auto* integer = value->if_int64()) quantity = *integer;
    if (quantity && *quantity >= 1 && *quantity <= max_quantity) return *quantity;
    reader.fail("quantidade", fmt::format("must be a whole number from 1 to {}", max_quantity));
    return 1;
}

// Returns 1 if the field is absent. If the field is there, it must be a number.
std::optional<std::int64_t> quantity_of(const json::object& entry, std::string_view name) {
    return is_absent(entry, name) ? std::optional<std::int64_t>(1) : whole_number(entry, name);
}

std::optional<OptionPrice> unit_price(const json::object& entry, std::int64_t unit) {
    const auto min = quantity_of(entry, "quantidadeMinima");
    const auto max = quantity_of(entry, "quantidadeMaxima");
    if (!min || !max || unit > max_valor.value) return std::nullopt;
    // A quantity is not offered if its amount could not be sold.
    const std::int64_t least = std::max<std::int64_t>(*min, 1);
    const std::int64_t most = std::min({*max, max_quantity, max_valor.value / unit});
    if (least > most) return std::nullopt;
    if (most == 1) return Option::Fixed{Cents{unit}};
    return Option::Unit{Cents{unit}, least, most};
}

// "When a product is a value range, valorUnitario is zero". It may also be absent.
std::optional<OptionPrice> price_of(const json::object& entry) {
    const auto unit =
        is_absent(entry, "valorUnitario") ? std::optional<std::int64_t>(0) : whole_number(entry, "valorUnitario");
    if (!unit) return std::nullopt;
    if (*unit > 0) return unit_price(entry, *unit);
    return range_price(whole_number(entry, "valorMinimo"), whole_number(entry, "valorMaximo"));
}

OptionOrWhy read_transit_entry(const OptionsQuestion& question, const json::object& entry) {
    auto sell = sell_of(question);
    for (const auto name : copied_fields) {
        auto text = sellable_text(entry, name);
        if (!text && name == "numeroCartao" && is_absent(entry, name)) text = question.customers.reveal();
        if (!text) return NotAnOption{fmt::format("{} is not a text that can be sent", name)};
        sell[name] = *text;
    }
    const auto price = price_of(entry);
    if (!price) return NotAnOption{"has neither a unit value with a quantity nor a range of values"};
    return make_option(lenient_text(entry, "descricao"), *price, std::move(sell));
}

void read_transit(FieldReader& reader, Order& order) {
    for (const auto name : copied_fields)
        order.fields[name] = reader.text(name);
    order.valor = reader.valor();
    order.fields["valor"] = digits_of(order.valor);
    order.fields["quantidade"] = read_quantity(reader);
}

constexpr SellField transit_fields[] = {
    {"numeroCartao", sell_text, "The card."},
    {"tipoCredito", sell_text, "From the options."},
    {"tipoProduto", sell_text, "From the options."},
    {"descricao", sell_text, "From the options."},
    {"valor", sell_cents},
    maybe({"quantidade",
           R"("oneOf":[{"type":"integer","minimum":1,"maximum":9999},{"type":"string","pattern":"^0*[1-9][0-9]{0,3}$",)"
           R"("maxLength":15}],"default":1)",
           "How many units `valor` pays for. Checked, not sent on."}),
    maybe({"transit", sell_segment, "The operator's path segment. Default: `produto` in lower case."}),
};
constexpr SellKind transit_kinds[] = {
    {transit_fields, R"({"family":"transit","produto":"Bilhete","numeroCartao":"1000000001","tipoCredito":"1",
        "tipoProduto":"501","descricao":"Bilhete unitario","valor":880,"quantidade":2})"},
};

}  // namespace

// The operator stands twice in the path of the value query: the second time where other families have the product.
extern const FamilyRules transit_rules{
    .family = Family::transit,
    .paths = {.options = "/venda/transporte/{transit}/consulta-valores/{estabelecimento}/{transit}/{numeroCartao}",
              .solicitar = "/venda/transporte/{transit}/solicitar",
              .confirmar = "/venda/transporte/{transit}/confirmar",
              .cancelar = "/venda/transporte/{transit}/cancelar"},
    .read_fields = read_transit,
    .sell_description = "Public-transit card credit.",
    .sell_kinds = transit_kinds,
    .unsent_fields = {"quantidade"},
    .likeness_fields = {"numeroCartao", "tipoCredito", "tipoProduto"},
    .card_field = "numeroCartao",
    .parameters = {{"produto", QuestionPart::produto, "The name that the sale gets.", "Bilhete"},
                   {"transit", QuestionPart::segment,
                    "The operator's segment of the path; without it, produto in lower case."},
                   {"numeroCartao", QuestionPart::customers, "The number of the customer's card.", "1000000001"}},
    .option_list = "valores",
    .hidden_details = {"valores"},
    .read_entry = read_transit_entry,
    .entry_fields = {"tipoCredito", "tipoProduto"},
    .entry_description = "descricao",
    .receipt = {{"", "nomeProduto"}, {"Cartão", "cartao"}, {"NSU", "nsuFornecedor"}, {"", "mensagens"}},
};

}  // namespace gateway
