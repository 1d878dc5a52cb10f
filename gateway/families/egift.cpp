// E-gift ("E-gift family"). The products are digital gift codes from a catalogue, which is found by the name of a menu.
// The catalogue gives the bounds of the amount. The goods, an activation address and an account number, come with the
// answer to the confirm.
#include "families/family.hpp"
#include "families/field_reader.hpp"
#include "families/money.hpp"
#include "families/option_reader.hpp"
#include "families/plain_text.hpp"
#include "families/printed.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <limits>

namespace gateway {
namespace {

namespace json = boost::json;

// The document does not say which values are allowed. Any number that fits an "integer" is passed on, and the provider
// judges it.
constexpr std::int64_t min_tipo_negocio = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t max_tipo_negocio = std::numeric_limits<std::int32_t>::max();

// The document does not say that the catalogue has these two, which a sell needs. Where it has them, nobody has to know
// them.
void add_undocumented(json::object& sell, const json::object& entry) {
    if (const auto fornecedor = sellable_text(entry, "fornecedor")) sell["fornecedor"] = *fornecedor;
    const auto* tipo = entry.if_contains("tipoNegocio");
    const auto* number = tipo != nullptr ? tipo->if_int64() : nullptr;
    if (number != nullptr && *number >= min_tipo_negocio && *number <= max_tipo_negocio) sell["tipoNegocio"] = *number;
}

OptionOrWhy read_egift_entry(const OptionsQuestion& question, const json::object& entry) {
    const auto nome = sellable_text(entry, "nome");
    const auto chave = sellable_text(entry, "chaveProduto");
    const auto configuracao = sellable_text(entry, "configuracaoId");
    if (!nome || !chave || !configuracao)
        return NotAnOption{"nome, chaveProduto or configuracaoId is not a text that can be sent"};
    const auto price = range_price(whole_number(entry, "valorMinimo"), whole_number(entry, "valorMaximo"));
    if (!price) return NotAnOption{"valorMinimo to valorMaximo is no range of amounts"};
    json::object sell{
        {"produto", *nome}, {"nomeMenu", question.menu}, {"chaveProduto", *chave}, {"configuracaoId", *configuracao}};
    add_undocumented(sell, entry);
    return make_option(*nome, *price, std::move(sell));
}

// "An entry can contain the placeholder %%ACCOUNTNUMBER%% inside a redemption URL."
std::string redemption_in(const json::object& entry) {
    const auto* instrucoes = entry.if_contains("instrucoes");
    if (instrucoes == nullptr || !instrucoes->is_array()) return {};
    for (const auto& instrucao : instrucoes->get_array()) {
        const auto* words = instrucao.if_object();
        if (words != nullptr && lenient_text(*words, "tipo") == "REDEMPTION_INFORMATION")
            return lenient_text(*words, "texto");
    }
    return {};
}

void read_egift(FieldReader& reader, Order& order) {
    order.fornecedor = reader.text("fornecedor");
    order.valor = reader.valor();
    order.fields["tipoProduto"] = "ONLINE";
    order.fields["tipoNegocio"] = reader.integer("tipoNegocio", min_tipo_negocio, max_tipo_negocio);
    order.fields["chaveProduto"] = reader.text("chaveProduto");
    order.fields["configuracaoId"] = reader.text("configuracaoId");
    order.fields["valor"] = digits_of(order.valor);
    if (const auto menu = reader.optional_text("nomeMenu")) order.extra["nomeMenu"] = *menu;
}

void append_gift(std::vector<std::string>& lines, const Sale& sale, const json::value& instrucao) {
    const auto token = field_text(instrucao, "token");
    const auto url = fill_account_number(field_text(instrucao, "urlAtivacao"), token);
    append_labelled(lines, "Código", token);
    if (!url.empty()) lines.insert(lines.end(), {"Ative em:", url});
    // Without the code, nobody needs to know where to enter it.
    if (const auto how = fill_account_number(sale.redemption, token); !how.empty() && !is_unfilled(how))
        lines.push_back(how);
    append_labelled(lines, "Transação do e-gift", field_text(instrucao, "transacaoId"));
}

constexpr SellField egift_fields[] = {
    {"fornecedor", sell_text, "The supplier."},
    {"valor", sell_cents},
    {"tipoNegocio", sell_int32},
    {"chaveProduto", sell_text, "From the options."},
    {"configuracaoId", sell_text, "From the options."},
    maybe({"nomeMenu", sell_text, "Finds the catalogue entry, whose bounds are then checked; not sent on."}),
};
constexpr SellKind egift_kinds[] = {
    {egift_fields, R"({"family":"egift","produto":"Moedas do Jogo","fornecedor":"Estudio Um","valor":5000,
        "tipoNegocio":1,"chaveProduto":"EG-MOEDAS","configuracaoId":"cfg-moedas-01","nomeMenu":"Jogos"})"},
};

}  // namespace

// The cancel goes where the provider's own flow sends it. The document names no cancel under the e-gift prefix.
extern const FamilyRules egift_rules{
    .family = Family::egift,
    .paths = {.options = "/venda/egift/consulta-dinamica/{estabelecimento}/{nomeMenu}",
              .solicitar = "/venda/egift/solicitar",
              .confirmar = "/venda/egift/confirmar",
              .cancelar = "/venda/voucher/cancelar"},
    .read_fields = read_egift,
    .sell_description = "Digital gift code.",
    .sell_kinds = egift_kinds,
    .likeness_fields = {"chaveProduto", "configuracaoId"},
    .parameters = {{"nomeMenu", QuestionPart::menu, "The name of the menu, as the provider spells it."}},
    .product_fields = {"produto", "fornecedor", "tipoNegocio"},
    .has_large_options = true,
    .option_list = "produtos",
    .hidden_details = {"token"},
    .read_entry = read_egift_entry,
    .entry_fields = {"chaveProduto", "configuracaoId"},
    .redemption_in = redemption_in,
    .append_receipt = append_gift,
};

}  // namespace gateway
