// This is the e-gift family ("E-gift family"): the goods come with the answer to the confirm.
#include "base/ascii.hpp"
#include "sandbox/dates.hpp"
#include "sandbox/family.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

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
constexpr std::array egift_entries{
    EgiftEntry{1, "Moedas do Jogo", "Jogos", "Estudio Um", "EG-MOEDAS", "cfg-moedas-01", 1000, 50000},
    EgiftEntry{2, "Passe do Jogo", "Jogos", "Estudio Dois", "EG-PASSE", "cfg-passe-01", 2000, 30000},
    EgiftEntry{3, "Cartao de Musica", "Musica", "Radio Digital", "EG-MUSICA", "cfg-musica-01", 1500, 20000},
};

json::object image(std::string_view name, std::string_view tamanho) {
    return {{"url", fmt::format("https://imagens.example/{}-{}.png", name, to_lower(tamanho))}, {"tamanho", tamanho}};
}

json::object text_of(std::string_view texto, std::string_view tipo) {
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
        {"termos", json::array{text_of("O codigo nao expira e nao pode ser trocado por dinheiro.", "WEB"),
                               text_of("Guarde este comprovante.", "PHYSICAL"),
                               text_of("Veja os termos em sua conta.", "EMAIL")}},
        {"instrucoes",
         json::array{text_of("Abra https://resgate.example/" + chave + "?codigo=%%ACCOUNTNUMBER%% para ativar.",
                             "REDEMPTION_INFORMATION"),
                     text_of("Entre em sua conta e informe o codigo.", "ON_LINE_INSTRUCTIONS")}},
    };
}

const EgiftEntry* egift_entry(std::string_view chaveProduto, std::string_view configuracaoId) {
    return find_entry(egift_entries, [&](const auto& entry) {
        return entry.chaveProduto == chaveProduto && entry.configuracaoId == configuracaoId;
    });
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

void read_egift(Fields& fields, const Route&, const Options&, Order& order) {
    fields.literal("tipoProduto", "ONLINE");
    fields.text("fornecedor");
    fields.integer("tipoNegocio");
    const auto chaveProduto = fields.text("chaveProduto");
    const auto configuracaoId = fields.text("configuracaoId");
    order.valor = fields.cents("valor");
    const auto* entry = egift_entry(chaveProduto, configuracaoId);
    if (entry == nullptr)
        return fields.depart("chaveProduto", "and configuracaoId are not those of a catalogue entry", Wrong::product);
    order.fornecedor = entry->fornecedor;
    if (order.valor < entry->minimum || order.valor > entry->maximum)
        fields.depart("valor", "is not between valorMinimo and valorMaximo of the catalogue entry", Wrong::bound);
}

void make_egift_goods(Transaction& sale, Random& random) {
    constexpr std::size_t code_digits = 20;
    const auto code = random_digits(random, code_digits);
    sale.goods = "https://resgate.example/ativar/" + code;
    sale.instrucao = json::serialize(json::object{{"estabelecimento", store_name},
                                                  {"produto", sale.produto},
                                                  {"valor", sale.valor},
                                                  {"token", code},
                                                  {"estabelecimentoId", sale.estabelecimento},
                                                  {"urlAtivacao", sale.goods},
                                                  {"dataTransacao", to_receipt_time(sale.accepted)},
                                                  {"transacaoId", sale.idTransacao}});
}

json::value egift_overview(WallTime now) {
    json::object menus;
    for (const auto& entry : egift_entries)
        menus[entry.nomeMenu] = *egift_menu(entry.nomeMenu, now);
    return menus;
}

}  // namespace

extern const FamilyModel egift_model{
    .family = Family::egift,
    .patterns = {{"GET", "/venda/egift/consulta-dinamica/{e}/{p}", Step::consulta},
                 {"POST", "/venda/egift/solicitar", Step::solicitar},
                 {"POST", "/venda/egift/confirmar", Step::confirmar},
                 {"POST", "/venda/voucher/cancelar", Step::cancelar}},
    .goods_with_confirm = true,
    .read = read_egift,
    .offer = [](const Route& route, WallTime now) { return egift_menu(route.produto, now); },
    .make_goods = make_egift_goods,
    .overview = egift_overview,
};

}  // namespace gateway::sandbox
