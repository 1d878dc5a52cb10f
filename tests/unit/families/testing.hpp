// Shared by the tests of the families: reads a sell body as the API does, and makes the sale that comes of it.
#pragma once

#include "families/family.hpp"
#include "unit/support/seeded_random.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::test {

namespace json = boost::json;

// This is 2024-05-02T13:11:11.480Z.
inline constexpr WallTime requested_at{std::chrono::milliseconds(1'714'655'471'480)};
inline constexpr WallTime confirmed_at = requested_at + std::chrono::milliseconds(1'020);
inline constexpr WallTime cancelled_at = requested_at + std::chrono::minutes(2);

struct SellReading {
    Order order;
    FieldErrors errors;
    json::object rest;  // what read() has left in the body
};

// Reads the family's own fields of a sell body whose common ones are read already.
inline SellReading read_sell(Family family, json::value body, std::string produto = "Produto") {
    SellReading reading;
    reading.order.family = family;
    reading.order.produto = std::move(produto);
    reading.rest = std::move(body.as_object());
    rules_of(family).read(reading.rest, reading.order, reading.errors);
    return reading;
}

inline std::vector<std::string> pointers(const FieldErrors& errors) {
    std::vector<std::string> all;
    for (const auto& error : errors)
        all.push_back(error.pointer);
    return all;
}

using Pointers = std::vector<std::string>;

inline std::pair<std::string, std::string> parent_and_name(std::string_view pointer) {
    const auto slash = pointer.rfind('/');
    return {std::string(pointer.substr(0, slash)), std::string(pointer.substr(slash + 1))};
}

// Returns `body` with the field at `pointer` set to `value`.
inline json::value with(json::value body, std::string_view pointer, json::value value) {
    const auto [parent, name] = parent_and_name(pointer);
    body.at_pointer(parent).as_object()[name] = std::move(value);
    return body;
}

// Returns `body` without the field at `pointer`.
inline json::value without(json::value body, std::string_view pointer) {
    const auto [parent, name] = parent_and_name(pointer);
    EXPECT_EQ(body.at_pointer(parent).as_object().erase(name), 1U) << pointer;
    return body;
}

inline QueryValues query_of(std::map<std::string, std::string, std::less<>> values) {
    return [values = std::move(values)](std::string_view name) -> std::optional<std::string> {
        const auto found = values.find(name);
        return found != values.end() ? std::optional(found->second) : std::nullopt;
    };
}

// Returns the sale that an order becomes, with one attempt that has a confirm and a cancel.
inline Sale sale_of(const Order& order) {
    SeededRandom random;
    Sale sale{.id = SaleId::make(requested_at, random),
              .family = order.family,
              .estabelecimento = "0042",
              .produto = order.produto,
              .fornecedor = order.fornecedor,
              .valor = order.valor,
              .segment = order.segment,
              .request = Secret(json::serialize(order.fields)),
              .callback_secret = Secret("segredo")};
    sale.attempts.push_back({.id_externo = IdExterno::make(requested_at, random),
                             .id_transacao = "T-77",
                             .created_at = requested_at,
                             .confirm_time = confirmed_at,
                             .cancel_time = cancelled_at});
    return sale;
}

// Has what the interface document says about a family, as small as it can be.
struct Documents {
    Family family;
    json::value sell;            // what a terminal sends
    json::value sent;            // what `solicitar` has of it, besides what that has of every sell
    Pointers required;           // what an empty sell misses
    Pointers texts_and_amounts;  // these fields accept no rubbish
    json::value answer;          // to a value query
    json::value instrucao;
};

inline const std::vector<Documents>& documents() {
    static const json::value endereco =
        json::parse(R"({"tipoEnderecoId":1,"cep":"01310100","uf":"SP","cidade":"C","bairro":"B","tipoLogradouroId":1,
                        "logradouro":"L","numeroLogradouro":1,"complemento":""})");
    static const json::value consumidor = json::parse(
        R"({"cpf":"52998224725","nome":"N","email":"a@b.c","nascimento":"29022000","telefone":11987654321})");
    static const std::vector<Documents> all{
        {Family::tv,
         json::parse(R"({"valor":1099,"cpf":"52998224725","fornecedor":"F"})"),
         json::parse(R"({"fornecedor":"F","tipoProduto":"ONLINE","valor":"1099","cpf":"529.982.247-25"})"),
         {"/valor", "/cpf"},
         {"/valor", "/cpf", "/fornecedor"},
         json::parse(R"({"tipoValor":"D","valores":[{"chave":"c","valor":"7;1990"},{"chave":"d","valor":"8;2990"}]})"),
         json::parse(R"({"recargaTV":{"nsuFornecedor":"1","mensagens":["a","b"],"mensagem_validade":"v"}})")},
        {Family::egift,
         json::parse(R"({"fornecedor":"F","valor":5000,"tipoNegocio":1,"chaveProduto":"C","configuracaoId":"G",
                         "nomeMenu":"M"})"),
         json::parse(R"({"fornecedor":"F","tipoProduto":"ONLINE","valor":"5000","tipoNegocio":1,"chaveProduto":"C",
                         "configuracaoId":"G"})"),
         {"/fornecedor", "/valor", "/tipoNegocio", "/chaveProduto", "/configuracaoId"},
         {"/fornecedor", "/valor", "/chaveProduto", "/configuracaoId", "/nomeMenu"},
         json::parse(
             R"({"dataHora":"x","token":"t","produtos":[{"id":1,"nome":"N","chaveProduto":"C","configuracaoId":"G",
                 "valorMinimo":1,"valorMaximo":9000,"termos":[{"texto":"t"}]}]})"),
         json::parse(R"({"token":"A","urlAtivacao":"https://a/%%ACCOUNTNUMBER%%","transacaoId":"1"})")},
        {Family::transit,
         json::parse(R"({"numeroCartao":"1","tipoCredito":"1","tipoProduto":"6","descricao":"D","valor":880,
                         "quantidade":2,"transit":"top"})"),
         json::parse(R"({"numeroCartao":"1","tipoCredito":"1","tipoProduto":"6","descricao":"D","valor":"880"})"),
         {"/numeroCartao", "/tipoCredito", "/tipoProduto", "/descricao", "/valor"},
         {"/numeroCartao", "/tipoCredito", "/tipoProduto", "/descricao", "/valor", "/quantidade", "/transit"},
         json::parse(
             R"({"valores":[{"numeroCartao":"1","tipoCredito":"1","tipoProduto":"6","descricao":"D","valorUnitario":"440",
                 "quantidadeMinima":"1","quantidadeMaxima":"9"},{"numeroCartao":"1","tipoCredito":"1","tipoProduto":"7",
                 "descricao":"E","valorMinimo":"100","valorMaximo":"900"}]})"),
         json::parse(R"({"nsuFornecedor":"1","nomeProduto":"N","mensagens":"m <b>n</b>","cartao":"1"})")},
        {Family::health,
         json::parse(R"({"produtoIdParceiro":"P","valor":4990,"health":"h"})"),
         json::parse(R"({"produtoIdParceiro":"P","valor":"4990"})"),
         {"/produtoIdParceiro", "/valor"},
         {"/produtoIdParceiro", "/valor", "/health"},
         json::parse(R"({"nomeProdutoParceiro":"N","valorProdutoParceiro":"49,90","produtoIdParceiro":"P"})"),
         json::parse(R"({"pin":"1","nsu":"2","text":"t","message":"m"})")},
        {Family::esim,
         json::object{{"consumidor", consumidor},
                      {"endereco", without(endereco, "/complemento")},
                      {"servicoId", "S"},
                      {"valorRecarga", 1},
                      {"valor", 4990}},
         json::object{{"consumidor", with(consumidor, "/endereco", endereco)},
                      {"endereco", endereco},
                      {"servicoId", "S"},
                      {"valorRecarga", 1},
                      {"valor", "4990"}},
         {"/consumidor", "/endereco", "/servicoId", "/valorRecarga", "/valor"},
         {"/consumidor/cpf", "/consumidor/nome", "/consumidor/email", "/consumidor/nascimento", "/consumidor/telefone",
          "/endereco/tipoEnderecoId", "/endereco/cep", "/endereco/uf", "/endereco/cidade", "/endereco/bairro",
          "/endereco/tipoLogradouroId", "/endereco/logradouro", "/endereco/numeroLogradouro", "/servicoId",
          "/valorRecarga", "/valor"},
         json::parse(R"({"tipoValor":1,"valores":[{"chave":"a - b - R$ 49,90","valor":"S;4990;10"}]})"),
         nullptr},
    };
    return all;
}

// Returns values that no text, number or object field accepts.
inline json::array rubbish() {
    return {nullptr,
            true,
            1.5,
            -1,
            1e300,
            json::array{},
            json::object{},
            "",
            "a\nb",
            std::string(300, 'x'),
            json::value(std::uint64_t(18'446'744'073'709'551'615ULL))};
}

}  // namespace gateway::test
