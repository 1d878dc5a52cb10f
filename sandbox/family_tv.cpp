// This is the pay-TV recharge ("Pay-TV family").
#include "sandbox/family.hpp"
#include "sandbox/outcomes.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <charconv>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

struct TvProduct {
    std::string_view nome;
    std::string_view fornecedor;
    bool dynamic;  // it is sold by an id_valor from the value query
};
constexpr std::array tv_products{
    TvProduct{"TV Livre", "Operadora Livre", true},
    TvProduct{"TV Mensal", "Operadora Norte", false},
    TvProduct{"TV Familia", "Operadora Sul", false},
};

struct TvValue {
    std::string_view chave;
    std::string_view valor;
};
constexpr std::array tv_value_list{
    TvValue{"R$ 25,00 - 7 dias", "101;2500"},
    TvValue{"R$ 49,90 - 15 dias", "102;4990"},
    TvValue{"R$ 79,90 - 30 dias", "103;7990"},
    TvValue{"R$ 149,90 - 60 dias", "104;14990"},
};
constexpr int tv_outcome_ids = 900;
constexpr Cents tv_outcome_base = 3000;

const TvProduct* tv_product(std::string_view nome) {
    return find_entry(tv_products, [&](const auto& product) { return product.nome == nome; });
}

std::optional<Cents> tv_amount(std::string_view id_valor) {
    const auto semicolon = id_valor.find(';');
    if (semicolon == std::string_view::npos) return std::nullopt;
    if (const auto* listed = find_entry(tv_value_list, [&](const auto& value) { return value.valor == id_valor; })) {
        Cents cents = 0;
        const auto digits = listed->valor.substr(semicolon + 1);
        std::from_chars(digits.data(), digits.data() + digits.size(), cents);
        return cents;
    }
    for (const auto& row : outcomes())
        if (id_valor == fmt::format("{};{}", tv_outcome_ids + row.cents, tv_outcome_base + row.cents))
            return tv_outcome_base + row.cents;
    return std::nullopt;
}

std::optional<json::object> tv_values(std::string_view produto) {
    const auto* product = tv_product(produto);
    if (product == nullptr || !product->dynamic) return std::nullopt;
    json::array valores;
    for (const auto& value : tv_value_list)
        valores.push_back({{"chave", value.chave}, {"valor", value.valor}});
    return json::object{{"tipoValor", "LISTA"}, {"valores", std::move(valores)}};
}

void read_tv(Fields& fields, const Route&, const Options&, Order& order) {
    fields.literal("tipoProduto", "ONLINE");
    fields.optional_text("fornecedor");  // a TV request may carry it; nothing says that it must
    const auto* product = tv_product(order.produto);
    if (product == nullptr) return fields.depart("produto", "is not in the catalogue", Wrong::product);
    order.fornecedor = product->fornecedor;
    if (product->dynamic) {
        const auto valor = tv_amount(fields.text("id_valor"));
        if (!valor) fields.depart("id_valor", "is not a value of the value query", Wrong::amount);
        order.valor = valor.value_or(0);
    } else {
        fields.form("cpf", &is_formatted_cpf, "formatted as 000.000.000-00");
        order.valor = fields.cents("valor");
    }
}

void make_tv_goods(Transaction& sale, Random&) {
    sale.instrucao = json::serialize(
        json::object{{"recargaTV",
                      {{"nsuFornecedor", sale.nsu},
                       {"mensagens", json::array{"RECARGA DE TV", "Ligue o decodificador e aguarde alguns minutos."}},
                       {"mensagem_validade", "Valido por 30 dias."}}}});
}

json::value tv_overview(WallTime) {
    json::array produtos;
    for (const auto& product : tv_products)
        produtos.push_back(
            {{"produto", product.nome}, {"fornecedor", product.fornecedor}, {"dynamic", product.dynamic}});
    return {{"produtos", std::move(produtos)}, {"valores", *tv_values(tv_products.front().nome)}};
}

}  // namespace

extern const FamilyModel tv_model{
    .family = Family::tv,
    .patterns = {{"GET", "/venda/tv/consulta-dinamica/{e}/{p}", Step::consulta},
                 {"POST", "/venda/tv/solicitar", Step::solicitar},
                 {"POST", "/venda/tv/confirmar", Step::confirmar},
                 {"POST", "/venda/tv/cancelar", Step::cancelar}},
    .read = read_tv,
    .offer = [](const Route& route, WallTime) { return tv_values(route.produto); },
    .make_goods = make_tv_goods,
    .overview = tv_overview,
};

}  // namespace gateway::sandbox
