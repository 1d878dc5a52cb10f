// This is the eSIM mobile plan ("eSIM family"): there is one request, and callbacks bring what was sold.
#include "base/ascii.hpp"
#include "sandbox/dates.hpp"
#include "sandbox/family.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view esim_supplier = "Operadora Movel";
struct EsimPlan {
    std::string_view servicoId;
    std::string_view label;
    Cents price;
    Cents recharge;
};
constexpr std::string_view esim_name = "Chip Virtual";
constexpr std::array esim_plan_list{
    EsimPlan{"301", "Basico - 3 GB", 2990, 1500},
    EsimPlan{"302", "Essencial - 8 GB", 4990, 3000},
    EsimPlan{"303", "Completo - 20 GB", 7990, 5000},
    EsimPlan{"304", "So o chip - 0 GB", 1000, 0},
};

std::optional<json::object> esim_plans(std::string_view produto) {
    if (produto != esim_name) return std::nullopt;
    json::array valores;
    for (const auto& plan : esim_plan_list)
        valores.push_back({{"chave", fmt::format("{} - R$ {}", plan.label, with_comma(plan.price))},
                           {"valor", fmt::format("{};{};{}", plan.servicoId, plan.price, plan.recharge)}});
    return json::object{{"tipoValor", 1}, {"valores", std::move(valores)}};
}

// The document shows a format for TV only.
bool is_any_cpf(std::string_view text) {
    return is_formatted_cpf(text) || (text.size() == 11 && is_digits(text));
}

bool is_url(std::string_view text) {
    for (const std::string_view scheme : {"http://", "https://"})
        if (text.starts_with(scheme) && text.size() > scheme.size() && text.find_first_of(" \r\n") == text.npos)
            return true;
    return false;
}

// Strings may be empty here: the document asks for no more than a string.
void read_address(Fields fields) {
    for (const auto* name : {"cep", "uf", "cidade", "bairro", "logradouro", "complemento"})
        fields.text_or_empty(name);
    for (const auto* name : {"tipoEnderecoId", "tipoLogradouroId", "numeroLogradouro"})
        fields.integer(name);
    fields.finish();
}

void read_consumer(Fields fields) {
    fields.form("cpf", &is_any_cpf, "eleven digits, formatted or not");
    fields.text("nome");
    fields.text("email");
    fields.form("nascimento", &is_birth_date, "eight digits, day, month and year");
    fields.integer("telefone");
    read_address(fields.object("endereco"));
    fields.finish();
}

void read_esim(Fields& fields, const Route&, const Options& options, Order& order) {
    read_consumer(fields.object("consumidor"));
    read_address(fields.object("endereco"));
    const auto servicoId = fields.text("servicoId");
    order.recharge = fields.integer("valorRecarga");
    order.valor = fields.cents("valor");
    order.sale_url = fields.form(options.callback_field, &is_url, "an http or https address");
    order.recharge_url =
        fields.has("urlRecarga") ? fields.form("urlRecarga", &is_url, "an http or https address") : order.sale_url;
    order.fornecedor = esim_supplier;
    if (order.produto != esim_name) fields.depart("produto", "is not in the catalogue", Wrong::product);
    const auto* plan = find_entry(esim_plan_list, [&](const EsimPlan& one) { return one.servicoId == servicoId; });
    if (plan == nullptr) return fields.depart("servicoId", "is not one of the plan query", Wrong::product);
    if (order.recharge != plan->recharge)
        fields.depart("valorRecarga", "is not the one of the plan query", Wrong::bound);
}

}  // namespace

extern const FamilyModel esim_model{
    .family = Family::esim,
    .patterns = {{"GET", "/venda/esim/consulta-planos/{e}/{p}", Step::consulta},
                 {"POST", "/venda/esim/solicitar", Step::solicitar}},
    .by_callback = true,
    .read = read_esim,
    .offer = [](const Route& route, WallTime) { return esim_plans(route.produto); },
    .overview =
        [](WallTime) {
            return json::value{{"produto", esim_name}, {"planos", *esim_plans(esim_name)}};
        },
};

}  // namespace gateway::sandbox
