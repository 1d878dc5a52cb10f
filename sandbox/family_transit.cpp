// This is public-transit card credit ("Transit family").
#include "base/ascii.hpp"
#include "sandbox/family.hpp"

#include <boost/json.hpp>

#include <array>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

struct TransitOperator {
    std::string_view segment;
    std::string_view fornecedor;
};
struct CardEntry {
    std::string_view numeroCartao;
    std::string_view tipoCredito;
    std::string_view tipoProduto;
    std::string_view descricao;
    Cents unit;  // 0: any amount in a range
    Cents least_quantity;
    Cents most_quantity;
    Cents minimum;
    Cents maximum;
};
constexpr std::array transit_operators{
    TransitOperator{"bilhete", "Consorcio Bilhete"},
    TransitOperator{"metrocard", "Companhia do Metro"},
};
constexpr std::array transit_cards{
    CardEntry{"1000000001", "1", "501", "Bilhete unitario", 440, 1, 50, 0, 0},
    CardEntry{"1000000002", "2", "502", "Recarga livre", 0, 0, 0, 500, 40000},
    CardEntry{"1000000003", "1", "501", "Bilhete unitario", 440, 1, 50, 0, 0},
    CardEntry{"1000000003", "2", "502", "Recarga livre", 0, 0, 0, 500, 40000},
};

bool allows(const CardEntry& entry, Cents valor) {
    if (entry.unit == 0) return valor >= entry.minimum && valor <= entry.maximum;
    const auto quantity = valor / entry.unit;
    return valor % entry.unit == 0 && quantity >= entry.least_quantity && quantity <= entry.most_quantity;
}

const TransitOperator* transit_operator(std::string_view segment) {
    return find_entry(transit_operators, [&](const auto& one) { return one.segment == segment; });
}

json::object card_document(const CardEntry& entry) {
    json::object out{{"numeroCartao", entry.numeroCartao},
                     {"tipoCredito", entry.tipoCredito},
                     {"tipoProduto", entry.tipoProduto},
                     {"descricao", entry.descricao}};
    if (entry.unit > 0) {
        out["quantidadeMinima"] = std::to_string(entry.least_quantity);
        out["quantidadeMaxima"] = std::to_string(entry.most_quantity);
        out["valorUnitario"] = std::to_string(entry.unit);
    } else {
        out["valorMinimo"] = std::to_string(entry.minimum);
        out["valorMaximo"] = std::to_string(entry.maximum);
    }
    return out;
}

std::optional<json::object> card_values(std::string_view numeroCartao) {
    json::array valores;
    for (const auto& entry : transit_cards)
        if (entry.numeroCartao == numeroCartao) valores.push_back(card_document(entry));
    if (valores.empty()) return std::nullopt;
    return json::object{{"valores", std::move(valores)}};
}

void read_transit(Fields& fields, const Route& route, const Options&, Order& order) {
    const auto numeroCartao = fields.text("numeroCartao");
    const auto tipoCredito = fields.text("tipoCredito");
    const auto tipoProduto = fields.form("tipoProduto", &is_digits, "a string of digits");
    const auto descricao = fields.text("descricao");
    order.valor = fields.cents("valor");
    const auto* entry = find_entry(transit_cards, [&](const CardEntry& one) {
        return one.numeroCartao == numeroCartao && one.tipoCredito == tipoCredito && one.tipoProduto == tipoProduto &&
               one.descricao == descricao;
    });
    if (entry == nullptr)
        return fields.depart("numeroCartao", "with tipoCredito, tipoProduto and descricao are not those of an entry",
                             Wrong::product);
    if (!allows(*entry, order.valor)) fields.depart("valor", "is not one that the card's entry allows", Wrong::bound);
    order.fornecedor = transit_operator(route.segment)->fornecedor;
}

bool is_operator(std::string_view segment) {
    return transit_operator(segment) != nullptr;
}

void make_transit_goods(Transaction& sale, Random& random) {
    sale.instrucao = json::serialize(
        json::object{{"tipoProduto", "TRANSPORTE"},
                     {"nsuFornecedor", sale.nsu},
                     {"valorFormatado", "R$ " + with_comma(sale.valor)},
                     {"nomeProduto", sale.produto},
                     {"mensagens", json::array{"Aproxime o cartao do validador para carregar o credito."}},
                     // This is not the card's number, because the sandbox keeps nothing of a customer.
                     {"cartao", "******" + random_digits(random, 4)}});
}

json::value transit_overview(WallTime) {
    json::array segments;
    for (const auto& one : transit_operators)
        segments.push_back(json::value(one.segment));
    json::object by_card;
    for (const auto& entry : transit_cards)
        by_card[entry.numeroCartao] = *card_values(entry.numeroCartao);
    return {{"segments", std::move(segments)}, {"cards", std::move(by_card)}};
}

}  // namespace

extern const FamilyModel transit_model{
    .family = Family::transit,
    .patterns = {{"GET", "/venda/transporte/{s}/consulta-valores/{e}/{=}/{c}", Step::consulta},
                 {"POST", "/venda/transporte/{s}/solicitar", Step::solicitar},
                 {"POST", "/venda/transporte/{s}/confirmar", Step::confirmar},
                 {"POST", "/venda/transporte/{s}/cancelar", Step::cancelar}},
    .knows_segment = is_operator,
    .read = read_transit,
    .offer = [](const Route& route,
                WallTime) { return is_operator(route.segment) ? card_values(route.numeroCartao) : std::nullopt; },
    .make_goods = make_transit_goods,
    .overview = transit_overview,
};

}  // namespace gateway::sandbox
