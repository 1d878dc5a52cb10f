// This is the health-appointment voucher ("Health family"). Its addresses have the partner where other families have
// their own word.
#include "base/ascii.hpp"
#include "sandbox/dates.hpp"
#include "sandbox/family.hpp"
#include "sandbox/outcomes.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <charconv>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

struct HealthProduct {
    std::string nome;
    std::string segment;  // the lower-case product name
    Cents valor;
    std::string produtoIdParceiro;
};
struct HealthEntry {
    std::string_view nome;
    Cents valor;
    std::string_view produtoIdParceiro;
};
constexpr std::array health_entries{
    HealthEntry{"Consulta", 5990, "7001"},
    HealthEntry{"Exame", 12900, "7002"},
};
constexpr std::string_view health_outcome_prefix = "Consulta-";
constexpr Cents health_outcome_base = 6000;
constexpr int health_outcome_ids = 7100;

bool is_outcome(Cents cents) {
    const auto asks = [&](const auto& row) { return row.cents == cents; };
    return std::any_of(outcomes().begin(), outcomes().end(), asks);
}

// Reads the two digits of an outcome at the end of a name.
std::optional<Cents> outcome_digits(std::string_view text) {
    Cents cents = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cents);
    if (text.size() != 2 || error != std::errc{} || end != text.data() + text.size() || !is_outcome(cents))
        return std::nullopt;
    return cents;
}

json::object health_document(const HealthProduct& product) {
    return {{"nomeProdutoParceiro", product.nome},
            {"valorProdutoParceiro", with_comma(product.valor)},
            {"produtoIdParceiro", product.produtoIdParceiro}};
}

std::optional<HealthProduct> health_product(std::string_view nome) {
    if (const auto* entry = find_entry(health_entries, [&](const auto& one) { return one.nome == nome; }))
        return HealthProduct{std::string(nome), to_lower(nome), entry->valor, std::string(entry->produtoIdParceiro)};
    if (!nome.starts_with(health_outcome_prefix)) return std::nullopt;
    const auto cents = outcome_digits(nome.substr(health_outcome_prefix.size()));
    if (!cents) return std::nullopt;
    return HealthProduct{std::string(nome), to_lower(nome), health_outcome_base + *cents,
                         std::to_string(health_outcome_ids + *cents)};
}

void read_health(Fields& fields, const Route& route, const Options&, Order& order) {
    order.produtoIdParceiro = fields.text("produtoIdParceiro");
    order.valor = fields.cents("valor");
    const auto product = health_product(order.produto);
    if (!product || product->segment != route.segment)
        return fields.depart("produto", "is not one of this health partner", Wrong::product);
    order.fornecedor = product->nome;
    if (order.produtoIdParceiro != product->produtoIdParceiro)
        fields.depart("produtoIdParceiro", "is not the one of the value query", Wrong::product);
    if (order.valor != product->valor) fields.depart("valor", "is not the one of the value query", Wrong::bound);
}

std::optional<json::object> health_offer(const Route& route, WallTime) {
    const auto product = health_product(route.produto);
    if (!product || product->segment != route.segment) return std::nullopt;
    return health_document(*product);
}

void make_health_goods(Transaction& sale, Random& random) {
    constexpr std::size_t pin_digits = 10;
    sale.goods = random_digits(random, pin_digits);
    sale.instrucao = json::serialize(json::object{{"produto", sale.produto},
                                                  {"expired", false},
                                                  {"text", "Apresente este voucher na recepcao."},
                                                  {"estabelecimentoId", sale.estabelecimento},
                                                  {"nsuParceiro", sale.nsu},
                                                  {"nomeEstabelecimento", store_name},
                                                  {"valor", with_comma(sale.valor)},
                                                  {"nsu", sale.nsu},
                                                  {"dataHora", to_receipt_time(sale.accepted)},
                                                  {"message", "Voucher emitido."},
                                                  {"situacaoAtual", "ATIVO"},
                                                  {"pin", sale.goods}});
}

json::value health_overview(WallTime) {
    json::array produtos;
    for (const auto& entry : health_entries)
        produtos.push_back(health_document(*health_product(entry.nome)));
    int before = 0;
    for (const auto& row : outcomes())
        if (std::exchange(before, row.cents) != row.cents)
            produtos.push_back(
                health_document(*health_product(fmt::format("{}{:02}", health_outcome_prefix, row.cents))));
    return produtos;
}

}  // namespace

extern const FamilyModel health_model{
    .family = Family::health,
    .patterns = {{"GET", "/venda/{s}/{e}/{p}/valores", Step::consulta},
                 {"POST", "/venda/{s}/solicitar", Step::solicitar},
                 {"POST", "/venda/{s}/confirmar", Step::confirmar}},
    .zoneless_times = true,
    .read = read_health,
    .offer = health_offer,
    .make_goods = make_health_goods,
    .overview = health_overview,
};

}  // namespace gateway::sandbox
