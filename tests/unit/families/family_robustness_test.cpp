// Whatever a terminal or the provider sends, a family answers with values: nothing throws, nothing crashes, and
// whatever is accepted can be sold. The values are random from a seed, most of them near the documented ones.
#include "families/money.hpp"
#include "families/paths.hpp"
#include "families/plain_text.hpp"
#include "families/receipt.hpp"
#include "families/request_body.hpp"
#include "paper/columns.hpp"
#include "unit/families/testing.hpp"

namespace gateway::test {
namespace {

constexpr int rounds = 1500;  // takes a second or two in a debug build

class Chaos {
  public:
    explicit Chaos(std::uint64_t seed) : random_(seed) {}

    json::value scalar() {
        switch (random_.below(10)) {
            case 0: return nullptr;
            case 1: return random_.below(2) == 0;
            case 2: return static_cast<std::int64_t>(random_.next());
            case 3: return random_.next();
            case 4: return 1e300;
            case 5: return static_cast<std::int64_t>(random_.below(200));
            case 6: return json::value(json::string(random_.below(400), 'x'));
            // default: a number, and all the rest are texts
            default: return json::value(json::string_view(texts_[random_.below(std::size(texts_))]));
        }
    }

    json::value any(int depth) {
        const auto kind = depth == 0 ? 0 : random_.below(4);
        if (kind == 1) {
            json::array array;
            for (auto n = random_.below(4); n > 0; --n)
                array.push_back(any(depth - 1));
            return array;
        }
        if (kind == 2) {
            json::object object;
            for (auto n = random_.below(5); n > 0; --n)
                object[names_[random_.below(std::size(names_))]] = any(depth - 1);
            return object;
        }
        return scalar();
    }

    // Replaces something in the value, removes it or adds something.
    void spoil(json::value& value) {
        if (auto* object = value.if_object(); object != nullptr && !object->empty() && random_.below(8) != 0) {
            auto& field = *(object->begin() + static_cast<std::ptrdiff_t>(random_.below(object->size())));
            if (random_.below(12) == 0)
                object->erase(field.key());
            else if (random_.below(12) == 0)
                (*object)[names_[random_.below(std::size(names_))]] = any(2);
            else
                spoil(field.value());
        } else if (auto* array = value.if_array(); array != nullptr && !array->empty() && random_.below(8) != 0) {
            spoil((*array)[random_.below(array->size())]);
        } else {
            value = any(3);
        }
    }

    json::value near(const json::value& document) {
        json::value value = document;
        for (auto n = random_.below(3); n > 0; --n)
            spoil(value);
        return value;
    }

  private:
    static constexpr const char* texts_[] = {"",       " ",           "0",           "1",        "-1",
                                             "440",    "99999999",    "100000000",   "1;1",      "a;1;1",
                                             ";",      ";;",          "49,90",       "1.049,90", "R$ 1,00",
                                             "..",     "tv",          "a/b",         "a\nb",     "\x1b@",
                                             "é",      "1e5",         "52998224725", "31022000", "%%ACCOUNTNUMBER%%",
                                             "<br>x<", "a - b - 1,00"};
    static constexpr const char* names_[] = {"valor",         "valores",     "produtos",   "cpf",       "id_valor",
                                             "chave",         "token",       "pin",        "mensagens", "urlAtivacao",
                                             "endereco",      "consumidor",  "quantidade", "transit",   "health",
                                             "valorUnitario", "valorMinimo", "nomeMenu",   "",          "a~/b"};
    SeededRandom random_;
};

// Does everything that happens to a sale of this order later.
void expect_sellable(const Order& order) {
    EXPECT_TRUE(is_sellable(order.valor)) << order.valor.value;
    EXPECT_EQ(is_operator_segment(order.segment), rules_of(order.family).has_segment());
    const auto sale = sale_of(order);
    for (const auto step : {Step::solicitar, Step::confirmar, Step::cancelar}) {
        boost::system::error_code ec;
        const auto body = json::parse(request_body(step, sale, sale.current(), "https://x", "campo"), ec);
        EXPECT_FALSE(ec);
        EXPECT_EQ(body.at("estabelecimento"), "0042");
    }
}

// Returns the option's `sell`, completed with what the person chose and what the terminal knows by itself.
json::object completed(const Option& option, const Documents& document, std::string& produto) {
    json::object body = option.sell;
    produto = json::value_to<std::string>(body.at("produto"));
    body.erase("produto");
    if (const auto* range = std::get_if<Option::Range>(&option.valor)) body["valor"] = range->max.value;
    if (const auto* unit = std::get_if<Option::Unit>(&option.valor)) {
        body["quantidade"] = unit->max_quantity;
        body["valor"] = unit->unit.value * unit->max_quantity;
    }
    if (document.family == Family::tv && !body.contains("id_valor")) ADD_FAILURE() << "an option without id_valor";
    for (const auto* name : {"fornecedor", "tipoNegocio", "consumidor", "endereco"})
        if (const auto* field = document.sell.as_object().if_contains(name);
            field != nullptr && document.family != Family::tv)
            body[name] = *field;
    return body;
}

void expect_options_sell(const Documents& document, const OptionsQuestion& question, const json::value& answer) {
    const auto& rules = rules_of(document.family);
    const auto options = rules.read_options(question, json::serialize(answer));
    if (!options) {
        EXPECT_EQ(options.error(), errc::malformed);
        return;
    }
    for (const auto& option : options->options) {
        std::string produto;
        const auto body = completed(option, document, produto);
        const auto reading = read_sell(document.family, body, produto);
        EXPECT_EQ(reading.errors, FieldErrors{}) << json::serialize(body);
        EXPECT_TRUE(reading.rest.empty()) << json::serialize(body);
        EXPECT_EQ(rules.check_bounds(reading.order, {{option}, {}, {}}), FieldErrors{}) << json::serialize(body);
        expect_sellable(reading.order);
    }
}

OptionsQuestion question_of(Family family) {
    FieldErrors errors;
    const auto query = query_of({{"produto", "Top"}, {"nomeMenu", "M"}, {"numeroCartao", "1"}, {"transit", "metro"}});
    auto question = rules_of(family).question(query, errors);
    EXPECT_EQ(errors, FieldErrors{});
    return question;
}

void expect_printable(const std::vector<std::string>& lines) {
    for (const auto& line : lines) {
        EXPECT_TRUE(is_plain_text(line, line.size())) << line;
        EXPECT_TRUE(columns_of(line) <= receipt_columns || is_address(line)) << line;
    }
}

TEST(FamilyRobustness, EveryFamilyIsTried) {
    for (const auto family : all_families)
        EXPECT_EQ(std::ranges::count(documents(), family, &Documents::family), 1) << to_string(family);
}

TEST(FamilyRobustness, TheDocumentedOptionsOfEveryFamilyCanBeSoldAsTheyStand) {
    for (const auto& document : documents()) {
        const auto question = question_of(document.family);
        const auto options = rules_of(document.family).read_options(question, json::serialize(document.answer));
        ASSERT_TRUE(options);
        EXPECT_FALSE(options->options.empty());
        EXPECT_TRUE(options->left_out.empty());
        expect_options_sell(document, question, document.answer);
    }
}

TEST(FamilyRobustness, WhateverATerminalSendsIsReadOrRefusedWithAPointer) {
    int accepted = 0;
    Chaos chaos(20240502);
    for (int i = 0; i < rounds; ++i) {
        for (const auto& document : documents()) {
            auto body = i % 4 == 0 ? chaos.any(4) : chaos.near(document.sell);
            if (!body.is_object()) continue;
            const auto reading = read_sell(document.family, body, i % 3 == 0 ? "Bilhete Único" : "top");
            for (const auto& error : reading.errors) {
                EXPECT_TRUE(error.pointer.starts_with('/'));
                EXPECT_FALSE(error.detail.empty());
            }
            if (!reading.errors.empty()) continue;
            ++accepted;
            expect_sellable(reading.order);
        }
    }
    EXPECT_GT(accepted, rounds / 2);
}

TEST(FamilyRobustness, WhateverTheProviderListsCanBeSoldOrIsLeftOut) {
    Chaos chaos(77);
    for (const auto& document : documents()) {
        const auto question = question_of(document.family);
        for (int i = 0; i < rounds; ++i)
            expect_options_sell(document, question, i % 8 == 0 ? chaos.any(5) : chaos.near(document.answer));
    }
}

TEST(FamilyRobustness, WhateverWasBoughtCanBePrinted) {
    Chaos chaos(4711);
    for (const auto& document : documents()) {
        auto sale = sale_of(read_sell(document.family, document.sell, "top").order);
        sale.status = Status::EFETIVADA;
        for (int i = 0; i < rounds; ++i) {
            const auto instrucao = i % 4 == 0 ? chaos.any(5) : chaos.near(document.instrucao);
            sale.details.instrucao = Secret(json::serialize(instrucao));
            sale.details.complemento = Secret(json::serialize(chaos.any(2)));
            sale.details.data_hora = json::serialize(chaos.scalar());
            expect_printable(receipt_of(sale));
        }
    }
}

TEST(FamilyRobustness, ADeepValueIsNotFollowedToItsEnd) {
    json::value deep = "fundo";
    for (int i = 0; i < 5000; ++i) {
        if (i % 2 == 0)
            deep = json::value(json::array{std::move(deep)});
        else
            deep = json::value(json::object{{"a", std::move(deep)}});
    }
    for (const auto& document : documents()) {
        const auto sale = sale_of(read_sell(document.family, document.sell, "top").order);
        EXPECT_TRUE(rules_of(document.family).receipt_lines(sale, deep).empty());
        auto body = document.sell.as_object();
        body["valor"] = deep;
        EXPECT_FALSE(read_sell(document.family, body, "top").errors.empty());
    }
    const std::string nested(100'000, '[');
    for (const auto& document : documents())
        EXPECT_EQ(rules_of(document.family).read_options(question_of(document.family), nested).error(),
                  errc::malformed);
}

}  // namespace
}  // namespace gateway::test
