// Pay-TV recharge ("Pay-TV family"). There are two kinds of product. The dynamic-price product is sold by an entry of
// its value query, id_valor, which carries the amount. All others are sold by valor and cpf. A sale has one or the
// other, never both.
#include "families/cpf.hpp"
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

// Returns the amount in "<id>;<cents>", and nothing for any other text.
std::optional<Cents> cents_of_id_valor(std::string_view text) noexcept {
    const auto semicolon = text.find(';');
    if (semicolon == 0 || semicolon == std::string_view::npos) return std::nullopt;
    const auto amount = cents_from_digits(text.substr(semicolon + 1));
    return amount && is_sellable(*amount) ? amount : std::nullopt;
}

bool is_id_valor(std::string_view text) noexcept {
    return cents_of_id_valor(text).has_value();
}

bool is_cpf_shaped(std::string_view text) noexcept {
    return cpf_digits(text).has_value();
}

void read_dynamic(FieldReader& reader, Order& order) {
    reader.refuse("cpf", "must not come with id_valor: the dynamic-price product takes none");
    if (reader.has("valor")) {
        reader.refuse("id_valor", "must not come with valor: a sale has one of the two");
        reader.refuse("valor", "must not come with id_valor, which holds the amount");
        return;
    }
    const auto id_valor =
        reader.text_that("id_valor", is_id_valor,
                         fmt::format("<id>;<cents> as one of the options has it, with 1 to {} cents", max_valor.value));
    order.fields["id_valor"] = id_valor;
    order.valor = cents_of_id_valor(id_valor).value_or(Cents{});
}

void read_priced(FieldReader& reader, Order& order) {
    order.valor = reader.valor();
    const auto cpf = reader.text_that("cpf", is_cpf_shaped, "eleven digits, either plain or as 000.000.000-00");
    order.fields["valor"] = digits_of(order.valor);
    const auto digits = cpf_digits(cpf);
    if (!digits) return;
    order.fields["cpf"] = formatted_cpf(*digits);
    // The cpf is stored before it is checked: a sale that was made before there was this check must be found by it.
    if (!has_right_check_digits(*digits)) reader.fail("cpf", "has wrong check digits: it was mistyped");
}

OptionOrWhy read_tv_entry(const OptionsQuestion& question, const json::object& entry) {
    const auto id_valor = sellable_text(entry, "valor");
    const auto amount = id_valor ? cents_of_id_valor(*id_valor) : std::nullopt;
    if (!amount) return NotAnOption{"valor is not <id>;<cents> with an amount that can be sold"};
    auto label = lenient_text(entry, "chave");
    if (label.empty()) label = money_text(*amount);
    auto sell = sell_of(question);
    sell["id_valor"] = *id_valor;
    // There is no valor here: the amount is in id_valor, and a sell with both is refused.
    return Option{std::move(label), Option::Fixed{*amount}, std::move(sell)};
}

void read_tv(FieldReader& reader, Order& order) {
    order.fornecedor = reader.optional_text("fornecedor").value_or("");
    order.fields["tipoProduto"] = "ONLINE";
    if (reader.has("id_valor"))
        read_dynamic(reader, order);
    else
        read_priced(reader, order);
}

constexpr SellField supplier = maybe({"fornecedor", sell_text, "The supplier."});
constexpr SellField priced_fields[] = {
    {"valor", sell_cents},
    {"cpf", sell_cpf, "Eleven digits, formatted or not."},
    supplier,
};
constexpr SellField dynamic_fields[] = {
    {"id_valor",
     R"("type":"string","maxLength":250,"pattern":"^[^;\\u0000-\\u001F\\u007F-\\u009F]+;0*[1-9][0-9]{0,7}$")",
     "`<id>;<cents>` from the options."},
    supplier,
};
constexpr SellKind tv_kinds[] = {
    {priced_fields, R"({"family":"tv","produto":"TV Mensal","valor":1099,"cpf":"529.982.247-25"})", "Priced",
     "A product sold by its amount."},
    {dynamic_fields, R"({"family":"tv","produto":"TV Livre","id_valor":"101;2500"})", "Dynamic",
     "The dynamic-price product: an entry of its options, which holds the amount."},
};

}  // namespace

// Only the dynamic-price product has a value query, and its id_valor is the price, so no order has bounds.
extern const FamilyRules tv_rules{
    .family = Family::tv,
    .paths = {.options = "/venda/tv/consulta-dinamica/{estabelecimento}/{produto}",
              .solicitar = "/venda/tv/solicitar",
              .confirmar = "/venda/tv/confirmar",
              .cancelar = "/venda/tv/cancelar"},
    .read_fields = read_tv,
    .sell_description = "Pay-TV recharge: one of the two kinds.",
    .sell_kinds = tv_kinds,
    .likeness_fields = {"id_valor", "cpf"},
    .parameters = {{"produto", QuestionPart::produto,
                    "The name of the dynamic-price product, as the provider spells it. No other has a price list."}},
    .product_fields = {"fornecedor", "price_list"},
    .option_list = "valores",
    .hidden_details = {"valores"},
    .read_entry = read_tv_entry,
    .receipt = {{"NSU", "nsuFornecedor"}, {"", "mensagens"}, {"", "mensagem_validade"}},
};

}  // namespace gateway
