#include "sandbox/catalogue.hpp"

#include "base/ascii.hpp"
#include "sandbox/dates.hpp"
#include "sandbox/outcomes.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace gateway::sandbox::catalogue {
namespace {

namespace json = boost::json;

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

constexpr std::array egift_entries{
    EgiftEntry{1, "Moedas do Jogo", "Jogos", "Estudio Um", "EG-MOEDAS", "cfg-moedas-01", 1000, 50000},
    EgiftEntry{2, "Passe do Jogo", "Jogos", "Estudio Dois", "EG-PASSE", "cfg-passe-01", 2000, 30000},
    EgiftEntry{3, "Cartao de Musica", "Musica", "Radio Digital", "EG-MUSICA", "cfg-musica-01", 1500, 20000},
};

constexpr std::array operators{
    TransitOperator{"bilhete", "Consorcio Bilhete"},
    TransitOperator{"metrocard", "Companhia do Metro"},
};
constexpr std::array cards{
    CardEntry{"1000000001", "1", "501", "Bilhete unitario", 440, 1, 50, 0, 0},
    CardEntry{"1000000002", "2", "502", "Recarga livre", 0, 0, 0, 500, 40000},
    CardEntry{"1000000003", "1", "501", "Bilhete unitario", 440, 1, 50, 0, 0},
    CardEntry{"1000000003", "2", "502", "Recarga livre", 0, 0, 0, 500, 40000},
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

constexpr std::string_view esim_name = "Chip Virtual";
constexpr std::array esim_plan_list{
    EsimPlan{"301", "Basico - 3 GB", 2990, 1500},
    EsimPlan{"302", "Essencial - 8 GB", 4990, 3000},
    EsimPlan{"303", "Completo - 20 GB", 7990, 5000},
    EsimPlan{"304", "So o chip - 0 GB", 1000, 0},
};

template <class List, class Match>
auto find(const List& list, Match match) -> decltype(&*list.begin()) {
    const auto found = std::find_if(list.begin(), list.end(), match);
    return found == list.end() ? nullptr : &*found;
}

bool is_outcome(Cents cents) {
    const auto asks = [&](const auto& row) { return row.cents == cents; };
    return std::any_of(outcomes().begin(), outcomes().end(), asks);
}

std::string with_comma(Cents valor) {
    return fmt::format("{},{:02}", valor / 100, valor % 100);
}

// Two digits of an outcome, at the end of a name.
std::optional<Cents> outcome_digits(std::string_view text) {
    Cents cents = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cents);
    if (text.size() != 2 || error != std::errc{} || end != text.data() + text.size() || !is_outcome(cents))
        return std::nullopt;
    return cents;
}

json::object image(std::string_view name, std::string_view tamanho) {
    return {{"url", fmt::format("https://imagens.example/{}-{}.png", name, to_lower(tamanho))}, {"tamanho", tamanho}};
}

json::object words(std::string_view texto, std::string_view tipo) {
    return {{"texto", texto}, {"tipo", tipo}};
}

json::object egift_document(const EgiftEntry& entry) {
    const auto chave = to_lower(entry.chaveProduto);
    return {
        {"id", entry.id},
        {"nome", entry.nome},
        {"nomeMenu", entry.nomeMenu},
        {"chaveProduto", entry.chaveProduto},
        {"configuracaoId", entry.configuracaoId},
        {"imagens", json::array{image(chave, "EXTRA_LARGE"), image(chave, "EXTRA_EXTRA_LARGE")}},
        {"valorMinimo", entry.minimum},
        {"valorMaximo", entry.maximum},
        {"valorInformado", true},
        {"termos",
         json::array{words("O codigo nao expira e nao pode ser trocado por dinheiro.", "WEB"),
                     words("Guarde este comprovante.", "PHYSICAL"), words("Veja os termos em sua conta.", "EMAIL")}},
        {"instrucoes",
         json::array{words("Abra https://resgate.example/" + chave + "?codigo=%%ACCOUNTNUMBER%% para ativar.",
                           "REDEMPTION_INFORMATION"),
                     words("Entre em sua conta e informe o codigo.", "ON_LINE_INSTRUCTIONS")}},
    };
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

json::object health_document(const HealthProduct& product) {
    return {{"nomeProdutoParceiro", product.nome},
            {"valorProdutoParceiro", with_comma(product.valor)},
            {"produtoIdParceiro", product.produtoIdParceiro}};
}

}  // namespace

const TvProduct* tv_product(std::string_view nome) {
    return find(tv_products, [&](const auto& product) { return product.nome == nome; });
}

std::optional<Cents> tv_amount(std::string_view id_valor) {
    const auto semicolon = id_valor.find(';');
    if (semicolon == std::string_view::npos) return std::nullopt;
    if (const auto* listed = find(tv_value_list, [&](const auto& value) { return value.valor == id_valor; })) {
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

const EgiftEntry* egift_entry(std::string_view chaveProduto, std::string_view configuracaoId) {
    return find(egift_entries, [&](const auto& entry) {
        return entry.chaveProduto == chaveProduto && entry.configuracaoId == configuracaoId;
    });
}

bool CardEntry::allows(Cents valor) const noexcept {
    if (unit == 0) return valor >= minimum && valor <= maximum;
    return valor % unit == 0 && valor / unit >= least_quantity && valor / unit <= most_quantity;
}

const TransitOperator* transit_operator(std::string_view segment) {
    return find(operators, [&](const auto& one) { return one.segment == segment; });
}

std::span<const CardEntry> card_entries() {
    return cards;
}

std::optional<HealthProduct> health_product(std::string_view nome) {
    if (const auto* entry = find(health_entries, [&](const auto& one) { return one.nome == nome; }))
        return HealthProduct{std::string(nome), to_lower(nome), entry->valor, std::string(entry->produtoIdParceiro)};
    if (!nome.starts_with(health_outcome_prefix)) return std::nullopt;
    const auto cents = outcome_digits(nome.substr(health_outcome_prefix.size()));
    if (!cents) return std::nullopt;
    return HealthProduct{std::string(nome), to_lower(nome), health_outcome_base + *cents,
                         std::to_string(health_outcome_ids + *cents)};
}

bool esim_product(std::string_view nome) {
    return nome == esim_name;
}

const EsimPlan* esim_plan(std::string_view servicoId) {
    return find(esim_plan_list, [&](const auto& plan) { return plan.servicoId == servicoId; });
}

std::optional<json::object> tv_values(std::string_view produto) {
    const auto* product = tv_product(produto);
    if (product == nullptr || !product->dynamic) return std::nullopt;
    json::array valores;
    for (const auto& value : tv_value_list)
        valores.push_back({{"chave", value.chave}, {"valor", value.valor}});
    return json::object{{"tipoValor", "LISTA"}, {"valores", std::move(valores)}};
}

std::optional<json::object> egift_menu(std::string_view nomeMenu, WallTime now) {
    json::array produtos;
    for (const auto& entry : egift_entries)
        if (entry.nomeMenu == nomeMenu) produtos.push_back(egift_document(entry));
    if (produtos.empty()) return std::nullopt;
    return json::object{{"dataHora", to_receipt_time(now)},
                        {"catalogo", "catalogo-sandbox"},
                        {"token", "0f3c9a"},
                        {"produtos", std::move(produtos)}};
}

std::optional<json::object> card_values(std::string_view numeroCartao) {
    json::array valores;
    for (const auto& entry : cards)
        if (entry.numeroCartao == numeroCartao) valores.push_back(card_document(entry));
    if (valores.empty()) return std::nullopt;
    return json::object{{"valores", std::move(valores)}};
}

std::optional<json::object> health_values(std::string_view segment, std::string_view produto) {
    const auto product = health_product(produto);
    if (!product || product->segment != segment) return std::nullopt;
    return health_document(*product);
}

std::optional<json::object> esim_plans(std::string_view produto) {
    if (!esim_product(produto)) return std::nullopt;
    json::array valores;
    for (const auto& plan : esim_plan_list)
        valores.push_back({{"chave", fmt::format("{} - R$ {}", plan.label, with_comma(plan.price))},
                           {"valor", fmt::format("{};{};{}", plan.servicoId, plan.price, plan.recharge)}});
    return json::object{{"tipoValor", 1}, {"valores", std::move(valores)}};
}

json::object overview(WallTime now) {
    json::array tv;
    for (const auto& product : tv_products)
        tv.push_back({{"produto", product.nome}, {"fornecedor", product.fornecedor}, {"dynamic", product.dynamic}});
    json::object egift;
    for (const auto& entry : egift_entries)
        egift[entry.nomeMenu] = *egift_menu(entry.nomeMenu, now);
    json::array segments;
    for (const auto& one : operators)
        segments.push_back(json::value(one.segment));
    json::object by_card;
    for (const auto& entry : cards)
        by_card[entry.numeroCartao] = *card_values(entry.numeroCartao);
    json::array health;
    for (const auto& entry : health_entries)
        health.push_back(health_document(*health_product(entry.nome)));
    int before = 0;
    for (const auto& row : outcomes())
        if (std::exchange(before, row.cents) != row.cents)
            health.push_back(
                health_document(*health_product(fmt::format("{}{:02}", health_outcome_prefix, row.cents))));
    return {{"tv", {{"produtos", std::move(tv)}, {"valores", *tv_values(tv_products.front().nome)}}},
            {"egift", std::move(egift)},
            {"transit", {{"segments", std::move(segments)}, {"cards", std::move(by_card)}}},
            {"health", std::move(health)},
            {"esim", {{"produto", esim_name}, {"planos", *esim_plans(esim_name)}}}};
}

}  // namespace gateway::sandbox::catalogue
