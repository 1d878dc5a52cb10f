// What this sandbox sells: a small believable catalogue, the answers to the value queries made from it, and the
// look-ups that a sale request is checked with. Every name in it is invented.
//
// Amounts choose outcomes (outcomes.hpp). Where the amount is not the terminal's to choose, the catalogue has an entry
// for every outcome NN: health products "Consulta-NN" at 60,NN, and values "9NN;30NN" of the dynamic TV product, which
// are accepted but not listed.
#pragma once

#include "base/clock.hpp"
#include "sandbox/words.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gateway::sandbox::catalogue {

struct TvProduct {
    std::string_view nome;
    std::string_view fornecedor;
    bool dynamic;  // sold by id_valor, from the value query
};
const TvProduct* tv_product(std::string_view nome);
std::optional<Cents> tv_amount(std::string_view id_valor);

struct EgiftEntry {
    int id;
    std::string_view nome;
    std::string_view nomeMenu;
    std::string_view fornecedor;
    std::string_view chaveProduto;
    std::string_view configuracaoId;
    Cents minimum;
    Cents maximum;
};
const EgiftEntry* egift_entry(std::string_view chaveProduto, std::string_view configuracaoId);

struct CardEntry {
    std::string_view numeroCartao;
    std::string_view tipoCredito;
    std::string_view tipoProduto;
    std::string_view descricao;
    Cents unit;  // 0: a range
    Cents least_quantity;
    Cents most_quantity;
    Cents minimum;
    Cents maximum;

    bool allows(Cents valor) const noexcept;
};
struct TransitOperator {
    std::string_view segment;
    std::string_view fornecedor;
};
const TransitOperator* transit_operator(std::string_view segment);
std::span<const CardEntry> card_entries();

struct HealthProduct {
    std::string nome;
    std::string segment;  // the lower-case product name
    Cents valor;
    std::string produtoIdParceiro;
};
std::optional<HealthProduct> health_product(std::string_view nome);

inline constexpr std::string_view esim_supplier = "Operadora Movel";
struct EsimPlan {
    std::string_view servicoId;
    std::string_view label;
    Cents price;
    Cents recharge;
};
bool esim_product(std::string_view nome);
const EsimPlan* esim_plan(std::string_view servicoId);

// The value queries' answers; nothing where there is nothing of that name.
std::optional<boost::json::object> tv_values(std::string_view produto);
std::optional<boost::json::object> egift_menu(std::string_view nomeMenu, WallTime now);
std::optional<boost::json::object> card_values(std::string_view numeroCartao);
std::optional<boost::json::object> health_values(std::string_view segment, std::string_view produto);
std::optional<boost::json::object> esim_plans(std::string_view produto);

// All of it in one document, for people.
boost::json::object overview(WallTime now);

}  // namespace gateway::sandbox::catalogue
