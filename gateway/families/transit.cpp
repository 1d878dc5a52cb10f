// Public-transit card credit ("Transit family"). What a card may be charged with depends on the card: its value query
// gives entries of a fixed unit value, perhaps by quantity, or of a range, and a sale copies the entry it was made
// from.
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

namespace gateway {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 4> copied_fields{"numeroCartao", "tipoCredito", "tipoProduto", "descricao"};

constexpr std::array<std::string_view, 1> fields_checked_here{"quantidade"};

constexpr std::array parameters_of_transit{
    OptionsParameter{"produto", true, false, "The name that the sale gets."},
    OptionsParameter{"transit", false, false, "The operator's segment of the path; without it, produto in lower case."},
    OptionsParameter{"numeroCartao", true, true, "The number of the customer's card."}};

// Far above what a card takes, and small enough for unit value times quantity never to overflow.
constexpr std::int64_t max_quantity = 9999;

// `quantidade` like `valor`: a JSON integer or a string of digits.
std::int64_t read_quantity(FieldReader& reader) {
    const auto value = reader.take("quantidade");
    if (!value) return 1;
    std::optional<std::int64_t> quantity;
    if (const auto* text = value->if_string()) quantity = number_from_digits({text->data(), text->size()});
    if (const auto* integer = value->if_int64()) quantity = *integer;
    if (quantity && *quantity >= 1 && *quantity <= max_quantity) return *quantity;
    reader.fail("quantidade", fmt::format("must be a whole number from 1 to {}", max_quantity));
    return 1;
}

// A quantity field that is absent means one; one that is there must be a number.
std::optional<std::int64_t> quantity_of(const json::object& entry, std::string_view name) {
    return is_absent(entry, name) ? std::optional<std::int64_t>(1) : whole_number(entry, name);
}

std::optional<OptionPrice> unit_price(const json::object& entry, std::int64_t unit) {
    const auto min = quantity_of(entry, "quantidadeMinima");
    const auto max = quantity_of(entry, "quantidadeMaxima");
    if (!min || !max || unit > max_valor.value) return std::nullopt;
    // A quantity whose amount could not be sold is not offered.
    const std::int64_t least = std::max<std::int64_t>(*min, 1);
    const std::int64_t most = std::min({*max, max_quantity, max_valor.value / unit});
    if (least > most) return std::nullopt;
    if (most == 1) return Option::Fixed{Cents{unit}};
    return Option::Unit{Cents{unit}, least, most};
}

// "When a product is a value range, valorUnitario is zero", or absent.
std::optional<OptionPrice> price_of(const json::object& entry) {
    const auto unit =
        is_absent(entry, "valorUnitario") ? std::optional<std::int64_t>(0) : whole_number(entry, "valorUnitario");
    if (!unit) return std::nullopt;
    if (*unit > 0) return unit_price(entry, *unit);
    return range_price(whole_number(entry, "valorMinimo"), whole_number(entry, "valorMaximo"));
}

OptionOrWhy read_transit_entry(const OptionsQuestion& question, const json::object& entry) {
    json::object sell{{"produto", question.produto}};
    add_segment(sell, "transit", question);
    for (const auto name : copied_fields) {
        auto text = sellable_text(entry, name);
        if (!text && name == "numeroCartao" && is_absent(entry, name)) text = question.numero_cartao.reveal();
        if (!text) return NotAnOption{fmt::format("{} is not a text that can be sent", name)};
        sell[name] = *text;
    }
    const auto price = price_of(entry);
    if (!price) return NotAnOption{"has neither a unit value with a quantity nor a range of values"};
    return make_option(lenient_text(entry, "descricao"), *price, std::move(sell));
}

// The entries that an order may have been made from. Where several differ by their description only, that decides; a
// description alone that is not listed does not take an order out of its bounds.
std::vector<const Option*> listed_for(const Order& order, const Options& options) {
    std::vector<const Option*> same_product;
    std::vector<const Option*> same_description;
    for (const auto& option : options.options) {
        if (!same_fields(option.sell, order.fields, {"tipoCredito", "tipoProduto"})) continue;
        same_product.push_back(&option);
        if (same_fields(option.sell, order.fields, {"descricao"})) same_description.push_back(&option);
    }
    return same_description.empty() ? same_product : same_description;
}

class TransitRules final : public FamilyRules {
  public:
    Family family() const override { return Family::transit; }

    void read(json::object& body, Order& order, FieldErrors& errors) const override {
        FieldReader reader(body, errors);
        for (const auto name : copied_fields)
            order.fields[name] = reader.text(name);
        order.valor = reader.valor();
        order.fields["valor"] = digits_of(order.valor);
        order.fields["quantidade"] = read_quantity(reader);
        order.segment = read_segment(reader, "transit", order.produto);
    }

    std::span<const std::string_view> unsent_fields() const override { return fields_checked_here; }

    Secret likeness_of(const json::object& fields) const override {
        return likeness(fields, {"numeroCartao", "tipoCredito", "tipoProduto"});
    }

    Secret card_of(const json::object& fields) const override { return Secret(lenient_text(fields, "numeroCartao")); }

    std::string path(Step step, std::string_view segment) const override {
        return fmt::format("/venda/transporte/{}/{}", encoded_segment(segment), to_string(step));
    }

    OptionsQuestion question(const QueryValues& query, FieldErrors& errors) const override {
        auto produto = query_value(query, "produto", errors);
        auto segment = query_segment(query, "transit", produto, errors);
        return {.family = Family::transit,
                .produto = std::move(produto),
                .segment = std::move(segment),
                .numero_cartao = Secret(query_value(query, "numeroCartao", errors))};
    }

    std::span<const OptionsParameter> parameters() const override { return parameters_of_transit; }

    std::vector<std::string_view> sell_fields(const json::object&) const override {
        return {"numeroCartao", "tipoCredito", "tipoProduto", "descricao", "valor"};
    }

    std::optional<OptionsQuestion> question_for(const Order& order) const override {
        return OptionsQuestion{.family = Family::transit,
                               .estabelecimento = order.estabelecimento,
                               .produto = order.produto,
                               .segment = order.segment,
                               .numero_cartao = Secret(lenient_text(order.fields, "numeroCartao"))};
    }

    // The operator stands twice in this path, the second time where others have the product.
    std::string query_path(const OptionsQuestion& question) const override {
        const auto segment = encoded_segment(question.segment);
        return fmt::format("/venda/transporte/{}/consulta-valores/{}/{}/{}", segment,
                           encoded_segment(question.estabelecimento), segment,
                           encoded_segment(question.numero_cartao.reveal()));
    }

    Result<Options> read_options(const OptionsQuestion& question, std::string_view body) const override {
        return read_valores(body, [&](const json::object& entry) { return read_transit_entry(question, entry); });
    }

    FieldErrors check_bounds(const Order& order, const Options& options) const override {
        const auto quantity = whole_number(order.fields, "quantidade").value_or(1);
        return departures_from_all(listed_for(order, options), order.valor, quantity);
    }

    std::vector<std::string> receipt_lines(const Sale&, const json::value& instrucao,
                                           const json::value&) const override {
        std::vector<std::string> lines;
        append_messages(lines, instrucao, "nomeProduto");
        append_labelled(lines, "Cartão", field_text(instrucao, "cartao"));
        append_labelled(lines, "NSU", field_text(instrucao, "nsuFornecedor"));
        append_messages(lines, instrucao, "mensagens");
        return lines_or_all(std::move(lines), instrucao);
    }
};

}  // namespace

const FamilyRules& transit_rules() {
    static const TransitRules rules;
    return rules;
}

}  // namespace gateway
