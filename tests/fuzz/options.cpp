// The provider says what can be sold: that is read, or malformed; and whatever is listed can be sold as it stands. The
// first byte is the family.
#include "fuzz/fuzz.hpp"

using namespace gateway;

namespace {

OptionsQuestion question_of(Family family) {
    FieldErrors errors;
    const auto query = [](std::string_view name) -> std::optional<std::string> {
        if (name == "produto") return "Top";
        if (name == "nomeMenu") return "M";
        if (name == "numeroCartao") return "1";
        if (name == "transit") return "metro";
        return std::nullopt;
    };
    auto question = rules_of(family).question(query, errors);
    CHECK(errors.empty());
    return question;
}

// Returns the option's `sell` with what the person chose, and what the terminal knows by itself.
boost::json::object completed(const Option& option, Family family) {
    boost::json::object body = option.sell;
    if (const auto* range = std::get_if<Option::Range>(&option.valor)) body["valor"] = range->max.value;
    if (const auto* unit = std::get_if<Option::Unit>(&option.valor)) {
        body["quantidade"] = unit->max_quantity;
        body["valor"] = unit->unit.value * unit->max_quantity;
    }
    if (family == Family::egift) {
        body.emplace("fornecedor", "F");  // the catalogue may have them already
        body.emplace("tipoNegocio", 1);
    }
    if (family == Family::esim) {
        body["consumidor"] = boost::json::parse(
            R"({"cpf":"52998224725","nome":"N","email":"a@b.c","nascimento":"29022000","telefone":11987654321})");
        body["endereco"] = boost::json::parse(
            R"({"tipoEnderecoId":1,"cep":"01310100","uf":"SP","cidade":"C","bairro":"B","tipoLogradouroId":1,
                "logradouro":"L","numeroLogradouro":1})");
    }
    return body;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const auto family = input.family();
    const auto& rules = rules_of(family);
    const auto options = rules.read_options(question_of(family), input.rest());
    if (!options) {
        CHECK(options.error() == errc::malformed);
        return 0;
    }
    for (const auto& option : options->options) {
        auto body = completed(option, family);
        Order order;
        order.family = family;
        order.produto = body.at("produto").as_string();
        body.erase("produto");
        FieldErrors errors;
        rules.read(body, order, errors);
        CHECK(errors.empty() && body.empty());
        CHECK(rules.check_bounds(order, {{option}, {}, {}}).empty());
        fuzz::expect_sellable(order);
    }
    return 0;
}
