// Health-appointment voucher ("Health family"). The partner's price is asked for and must be paid exactly. Every
// request of this family writes its time without a zone, in the store's. No cancel path is documented: the one that an
// operator may configure is the provider room's business, not this file's.
#include "base/wall_time.hpp"
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

constexpr std::array parameters_of_health{
    OptionsParameter{"produto", true, false, "The name of the product, as the provider spells it."},
    OptionsParameter{"health", false, false, "The partner's segment of the path; without it, produto in lower case."}};

OptionOrWhy read_partner(const OptionsQuestion& question, const json::object& answer) {
    const auto id = sellable_text(answer, "produtoIdParceiro");
    if (!id) return NotAnOption{"produtoIdParceiro is not a text that can be sent"};
    const auto* price = answer.if_contains("valorProdutoParceiro");
    const auto* text = price != nullptr ? price->if_string() : nullptr;
    const auto amount = text != nullptr ? cents_from_two_decimals({text->data(), text->size()}) : std::nullopt;
    if (!amount || !is_sellable(*amount))
        return NotAnOption{"valorProdutoParceiro is no decimal with a comma and two digits behind it that can be sold"};
    json::object sell{{"produto", question.produto}};
    add_segment(sell, "health", question);
    sell["produtoIdParceiro"] = *id;
    return make_option(lenient_text(answer, "nomeProdutoParceiro"), Option::Fixed{*amount}, std::move(sell));
}

class HealthRules final : public FamilyRules {
  public:
    Family family() const override { return Family::health; }

    void read(json::object& body, Order& order, FieldErrors& errors) const override {
        FieldReader reader(body, errors);
        order.fields["produtoIdParceiro"] = reader.text("produtoIdParceiro");
        order.valor = reader.valor();
        order.fields["valor"] = digits_of(order.valor);
        order.segment = read_segment(reader, "health", order.produto);
    }

    Secret likeness_of(const json::object& fields) const override { return likeness(fields, {"produtoIdParceiro"}); }

    std::string path(Step step, std::string_view segment) const override {
        if (step == Step::cancelar) return {};
        return fmt::format("/venda/{}/{}", encoded_segment(segment), to_string(step));
    }

    std::string client_time(WallTime at) const override { return to_local_iso8601(at); }

    OptionsQuestion question(const QueryValues& query, FieldErrors& errors) const override {
        auto produto = query_value(query, "produto", errors);
        auto segment = query_segment(query, "health", produto, errors);
        return {.family = Family::health, .produto = std::move(produto), .segment = std::move(segment)};
    }

    std::span<const OptionsParameter> parameters() const override { return parameters_of_health; }

    std::vector<std::string_view> sell_fields(const json::object&) const override {
        return {"produtoIdParceiro", "valor"};
    }

    std::optional<OptionsQuestion> question_for(const Order& order) const override {
        return OptionsQuestion{.family = Family::health,
                               .estabelecimento = order.estabelecimento,
                               .produto = order.produto,
                               .segment = order.segment};
    }

    std::string query_path(const OptionsQuestion& question) const override {
        return fmt::format("/venda/{}/{}/{}/valores", encoded_segment(question.segment),
                           encoded_segment(question.estabelecimento), encoded_segment(question.produto));
    }

    // The answer is the one thing that is sold.
    Result<Options> read_options(const OptionsQuestion& question, std::string_view body) const override {
        auto answer = parse_answer(body);
        if (!answer) return answer.error();
        Options options;
        auto option = read_partner(question, *answer);
        if (option)
            options.options.push_back(std::move(*option));
        else
            options.left_out.push_back(option.error().why);
        for (const auto name : {"nomeProdutoParceiro", "valorProdutoParceiro", "produtoIdParceiro"})
            answer->stable_erase(name);
        options.details = std::move(*answer);
        return options;
    }

    FieldErrors check_bounds(const Order& order, const Options& options) const override {
        std::vector<const Option*> listed;
        for (const auto& option : options.options)
            if (same_fields(option.sell, order.fields, {"produtoIdParceiro"})) listed.push_back(&option);
        return departures_from_all(listed, order.valor, 1);
    }

    std::vector<std::string> receipt_lines(const Sale&, const json::value& instrucao,
                                           const json::value&) const override {
        std::vector<std::string> lines;
        append_labelled(lines, "PIN", field_text(instrucao, "pin"));
        append_labelled(lines, "NSU", field_text(instrucao, "nsu"));
        append_labelled(lines, "NSU do parceiro", field_text(instrucao, "nsuParceiro"));
        append_messages(lines, instrucao, "text");
        append_messages(lines, instrucao, "message");
        return lines_or_all(std::move(lines), instrucao);
    }
};

}  // namespace

const FamilyRules& health_rules() {
    static const HealthRules rules;
    return rules;
}

}  // namespace gateway
