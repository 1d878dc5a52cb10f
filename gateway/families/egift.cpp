// E-gift ("E-gift family"): digital gift codes from a catalogue that a menu name finds. The catalogue gives the bounds
// of the amount, and the goods, an activation address and an account number, come with the answer to the confirm.
#include "families/field_reader.hpp"
#include "families/likeness.hpp"
#include "families/money.hpp"
#include "families/option_reader.hpp"
#include "families/plain_text.hpp"
#include "families/printed.hpp"
#include "families/question.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <limits>

namespace gateway {
namespace {

namespace json = boost::json;

constexpr std::array parameters_of_egift{
    OptionsParameter{"nomeMenu", true, false, "The name of the menu, as the provider spells it."}};
constexpr std::array<std::string_view, 3> fields_of_egift_product{"produto", "fornecedor", "tipoNegocio"};

// Its allowed values are not documented; any number that an "integer" can be is the provider's to judge.
constexpr std::int64_t min_tipo_negocio = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t max_tipo_negocio = std::numeric_limits<std::int32_t>::max();

// The catalogue is not documented to say these two, which a sell needs; where it does, nobody has to know them.
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
    json::object sell{{"produto", *nome},
                      {"nomeMenu", question.nome_menu},
                      {"chaveProduto", *chave},
                      {"configuracaoId", *configuracao}};
    add_undocumented(sell, entry);
    return make_option(*nome, *price, std::move(sell));
}

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

class EgiftRules final : public FamilyRules {
  public:
    Family family() const override { return Family::egift; }

    void read(json::object& body, Order& order, FieldErrors& errors) const override {
        FieldReader reader(body, errors);
        order.fornecedor = reader.text("fornecedor");
        order.valor = reader.valor();
        order.fields["tipoProduto"] = "ONLINE";
        order.fields["tipoNegocio"] = reader.integer("tipoNegocio", min_tipo_negocio, max_tipo_negocio);
        order.fields["chaveProduto"] = reader.text("chaveProduto");
        order.fields["configuracaoId"] = reader.text("configuracaoId");
        order.fields["valor"] = digits_of(order.valor);
        if (const auto menu = reader.optional_text("nomeMenu")) order.extra["nomeMenu"] = *menu;
    }

    Secret likeness_of(const json::object& fields) const override {
        return likeness(fields, {"chaveProduto", "configuracaoId"});
    }

    // The cancel goes where the provider's own flow sends it; none is documented under the e-gift prefix.
    std::string path(Step step, std::string_view) const override {
        if (step == Step::cancelar) return "/venda/voucher/cancelar";
        return std::string("/venda/egift/").append(to_string(step));
    }

    OptionsQuestion question(const QueryValues& query, FieldErrors& errors) const override {
        (void)query("produto");  // as the other families are asked; a menu has all of its products
        return {.family = Family::egift, .nome_menu = query_value(query, "nomeMenu", errors)};
    }

    std::span<const OptionsParameter> parameters() const override { return parameters_of_egift; }
    std::span<const std::string_view> product_fields() const override { return fields_of_egift_product; }

    std::vector<std::string_view> sell_fields(const json::object&) const override {
        return {"fornecedor", "valor", "tipoNegocio", "chaveProduto", "configuracaoId"};
    }

    std::optional<OptionsQuestion> question_for(const Order& order) const override {
        auto menu = lenient_text(order.extra, "nomeMenu");
        if (menu.empty()) return std::nullopt;
        return OptionsQuestion{
            .family = Family::egift, .estabelecimento = order.estabelecimento, .nome_menu = std::move(menu)};
    }

    std::string query_path(const OptionsQuestion& question) const override {
        return fmt::format("/venda/egift/consulta-dinamica/{}/{}", encoded_segment(question.estabelecimento),
                           encoded_segment(question.nome_menu));
    }

    Result<Options> read_options(const OptionsQuestion& question, std::string_view body) const override {
        auto answer = parse_answer(body);
        if (!answer) return answer.error();
        auto options = read_list(*answer, "produtos",
                                 [&](const json::object& entry) { return read_egift_entry(question, entry); });
        if (!options) return options;
        // A credential of the catalogue's, no business of a terminal. The products stay whole: images, terms and
        // instructions stand inside them.
        answer->stable_erase("token");
        options->details = std::move(*answer);
        return options;
    }

    FieldErrors check_bounds(const Order& order, const Options& options) const override {
        std::vector<const Option*> listed;
        for (const auto& option : options.options)
            if (same_fields(option.sell, order.fields, {"chaveProduto", "configuracaoId"})) listed.push_back(&option);
        return departures_from_all(listed, order.valor, 1);
    }

    // "An entry can contain the placeholder %%ACCOUNTNUMBER%% inside a redemption URL."
    std::string redemption_of(const Order& order, const Options& options) const override {
        const auto* produtos = options.details.if_contains("produtos");
        if (produtos == nullptr || !produtos->is_array()) return {};
        for (const auto& produto : produtos->get_array()) {
            const auto* entry = produto.if_object();
            if (entry == nullptr || !same_fields(*entry, order.fields, {"chaveProduto", "configuracaoId"})) continue;
            return redemption_in(*entry);
        }
        return {};
    }

    std::vector<std::string> receipt_lines(const Sale& sale, const json::value& instrucao,
                                           const json::value&) const override {
        std::vector<std::string> lines;
        const auto token = field_text(instrucao, "token");
        const auto url = fill_account_number(field_text(instrucao, "urlAtivacao"), token);
        append_labelled(lines, "Código", token);
        if (!url.empty()) lines.insert(lines.end(), {"Ative em:", url});
        // Without the code, what it is to be put into helps nobody.
        if (const auto how = fill_account_number(sale.redemption, token); !how.empty() && !is_unfilled(how))
            lines.push_back(how);
        append_labelled(lines, "Transação do e-gift", field_text(instrucao, "transacaoId"));
        return lines_or_all(std::move(lines), instrucao);
    }
};

}  // namespace

const FamilyRules& egift_rules() {
    static const EgiftRules rules;
    return rules;
}

}  // namespace gateway
