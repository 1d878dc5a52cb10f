// Pay-TV recharge ("Pay-TV family"). Two kinds of product: the dynamic-price one is sold by an entry of its value
// query, id_valor, which carries the amount; all others by valor and cpf. A sale is one or the other, never a mixture.
#include "families/cpf.hpp"
#include "families/field_reader.hpp"
#include "families/likeness.hpp"
#include "families/money.hpp"
#include "families/option_reader.hpp"
#include "families/plain_text.hpp"
#include "families/printed.hpp"
#include "families/product.hpp"
#include "families/question.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>

namespace gateway {
namespace {

namespace json = boost::json;

constexpr std::array parameters_of_tv{
    OptionsParameter{"produto", true, false,
                     "The name of the dynamic-price product, as the provider spells it. No other has a price list."}};
constexpr std::array<std::string_view, 2> fields_of_tv_product{"fornecedor", "price_list"};

// The amount in "<id>;<cents>"; nothing of any other text.
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
    // Read all the same: a sale that was made before this was checked must be found by it.
    if (!has_right_check_digits(*digits)) reader.fail("cpf", "has wrong check digits: it was mistyped");
}

OptionOrWhy read_tv_entry(const OptionsQuestion& question, const json::object& entry) {
    const auto id_valor = sellable_text(entry, "valor");
    const auto amount = id_valor ? cents_of_id_valor(*id_valor) : std::nullopt;
    if (!amount) return NotAnOption{"valor is not <id>;<cents> with an amount that can be sold"};
    auto label = lenient_text(entry, "chave");
    if (label.empty()) label = money_text(*amount);
    // Without valor: the amount travels inside id_valor, and a sell with both is refused.
    return Option{std::move(label), Option::Fixed{*amount}, {{"produto", question.produto}, {"id_valor", *id_valor}}};
}

class TvRules final : public FamilyRules {
  public:
    Family family() const override { return Family::tv; }

    void read(json::object& body, Order& order, FieldErrors& errors) const override {
        FieldReader reader(body, errors);
        order.fornecedor = reader.optional_text("fornecedor").value_or("");
        order.fields["tipoProduto"] = "ONLINE";
        if (reader.has("id_valor"))
            read_dynamic(reader, order);
        else
            read_priced(reader, order);
    }

    // The cpf is written in one way here.
    Secret likeness_of(const json::object& fields) const override { return likeness(fields, {"id_valor", "cpf"}); }

    std::string path(Step step, std::string_view) const override {
        return std::string("/venda/tv/").append(to_string(step));
    }

    OptionsQuestion question(const QueryValues& query, FieldErrors& errors) const override {
        return {.family = Family::tv, .produto = query_value(query, "produto", errors)};
    }

    std::span<const OptionsParameter> parameters() const override { return parameters_of_tv; }
    std::span<const std::string_view> product_fields() const override { return fields_of_tv_product; }
    bool has_options(const Product& product) const override { return product.price_list.value_or(true); }
    bool sells_without_options(const Product& product) const override { return !product.price_list.value_or(false); }

    std::vector<std::string_view> sell_fields(const json::object& sell) const override {
        if (sell.contains("id_valor")) return {"id_valor"};
        return {"valor", "cpf"};
    }

    // Only the dynamic-price product has a value query, and its id_valor is the price.
    std::optional<OptionsQuestion> question_for(const Order&) const override { return std::nullopt; }

    std::string query_path(const OptionsQuestion& question) const override {
        return fmt::format("/venda/tv/consulta-dinamica/{}/{}", encoded_segment(question.estabelecimento),
                           encoded_segment(question.produto));
    }

    Result<Options> read_options(const OptionsQuestion& question, std::string_view body) const override {
        return read_valores(body, [&](const json::object& entry) { return read_tv_entry(question, entry); });
    }

    FieldErrors check_bounds(const Order&, const Options&) const override { return {}; }

    std::vector<std::string> receipt_lines(const Sale&, const json::value& instrucao,
                                           const json::value&) const override {
        std::vector<std::string> lines;
        append_labelled(lines, "NSU", field_text(instrucao, "nsuFornecedor"));
        append_messages(lines, instrucao, "mensagens");
        append_messages(lines, instrucao, "mensagem_validade");
        return lines_or_all(std::move(lines), instrucao);
    }
};

}  // namespace

const FamilyRules& tv_rules() {
    static const TvRules rules;
    return rules;
}

}  // namespace gateway
