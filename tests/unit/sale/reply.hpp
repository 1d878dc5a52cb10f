// Makes the provider's answers for tests of what they mean.
#pragma once

#include "sale/answer.hpp"
#include "unit/sale/law.hpp"

#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace gateway::test {

namespace json = boost::json;

inline Reply http(unsigned status, std::string body) {
    Reply reply;
    reply.kind = Reply::Kind::answered;
    reply.status = status;
    reply.content_type = "application/json";
    reply.body = std::move(body);
    return reply;
}

inline Reply http(unsigned status, const json::object& body) {
    return http(status, json::serialize(body));
}

inline Reply no_answer(Reply::Kind kind, errc why) {
    Reply reply;
    reply.kind = kind;
    reply.failure = why;
    return reply;
}

// This is a sale whose request is answered; `id_transacao` is what is known of its transaction before that.
struct Asked {
    Sale sale;
    explicit Asked(Family family = Family::tv, std::string id_transacao = "") : sale(new_sale(family)) {
        sale.attempts.back().id_transacao = std::move(id_transacao);
    }

    const Attempt& attempt() const { return sale.current(); }
    // Returns the documented answer to the request, which a test then spoils.
    json::object authorised() const {
        return {{"venda",
                 {{"estabelecimento", {{"cnpjCpf", "11.222.333/0001-44"}, {"nome", "Loja"}}},
                  {"produto", {{"fornecedor", {{"nome", "Operadora"}}}}},
                  {"transacao",
                   {{"valor", sale.valor.value},
                    {"status", "AUTORIZADA"},
                    {"instrucao", R"({"recargaTV":{"nsuFornecedor":"42"}})"},
                    {"idTransacao", "T1"},
                    {"dataHora", "2024-05-02T10:11:12.000-03:00"}}},
                  {"idExterno", attempt().id_externo.text()}}}};
    }
    Answer solicitar(const Reply& reply) const { return interpret(Step::solicitar, sale, attempt(), reply); }
    Answer confirmar(const Reply& reply) const { return interpret(Step::confirmar, sale, attempt(), reply); }
    Answer cancelar(const Reply& reply) const { return interpret(Step::cancelar, sale, attempt(), reply); }
    Answer settle(Step step, const Reply& reply) const { return interpret(step, sale, attempt(), reply); }
};

inline json::object& venda(json::object& body) {
    return body.at("venda").as_object();
}
inline json::object& transacao(json::object& body) {
    return venda(body).at("transacao").as_object();
}
inline json::object with_status(std::string_view status) {
    return {{"transacao", {{"status", status}, {"idTransacao", "T1"}}}};
}

// Returns the idExterno of another attempt.
inline std::string other_id_externo() {
    return new_sale(Family::tv).current().id_externo.str();
}

inline constexpr std::array settling_steps{Step::confirmar, Step::cancelar};

// Returns bodies that say nothing, whatever the HTTP status is.
inline std::vector<std::string> senseless_bodies() {
    const std::string status_twice = R"({"transacao":{"status":"EFETIVADA","status":"CANCELADA"}})";
    const std::string deep = std::string(40, '[') + std::string(40, ']');
    return {"",
            "null",
            "true",
            "42",
            "\"EFETIVADA\"",
            "[]",
            R"([{"transacao":{"status":"EFETIVADA"}}])",
            "{}",
            R"({"transacao":null})",
            R"({"transacao":[]})",
            R"({"transacao":"EFETIVADA"})",
            R"({"transacao":{"status":null}})",
            R"({"transacao":{"status":7}})",
            R"({"transacao":{"status":["EFETIVADA"]}})",
            R"({"transacao":{"status":""}})",
            R"({"transacao":{"status":"EFETIVADA "}})",
            R"({"transacao":{"status":"SUCESSO"}})",
            R"({"transacao":{"Status":"EFETIVADA"}})",
            R"({"status":"EFETIVADA"})",
            R"({"resultado":{"transacao":{"status":"EFETIVADA"}}})",
            R"({"transacao":{"status":"EFETIVADA")",
            R"({"transacao":{"status":"EFETIVADA"}}})",
            R"({"transacao":{"status":"EFETIVADA"}} trailing)",
            R"({"transacao":{"status":"EFETIVADA"},})",
            R"({"transacao":{"status":"EFETIVADA"},"fundo":)" + deep + "}",
            "{\"transacao\":{\"status\":\"EFETIVADA\",\"nome\":\"S\xE3o Paulo\"}}",
            "{\"transacao\":{\"status\":\"EFETIVADA\",\"nome\":\"\xC3\"}}",
            status_twice,
            "<html><body>EFETIVADA</body></html>",
            std::string(3, '\0')};
}

}  // namespace gateway::test
