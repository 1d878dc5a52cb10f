// Calls a model as a client that behaves: it has a token, knows the catalogue, and sends what the interface asks for.
// A test changes one thing, and checks how the provider reacts.
#pragma once

#include "sandbox/dates.hpp"
#include "sandbox/model.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/seeded_random.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gateway::sandbox {

namespace json = boost::json;
using namespace std::chrono_literals;

inline constexpr std::string_view client_time = "2024-05-02T13:11:12.020Z";
inline constexpr std::string_view health_time = "2024-05-02T10:11:12";

inline json::object parse_object(const std::string& text) {
    return json::parse(text).as_object();
}

class Caller {
  public:
    explicit Caller(Options options = {}) : model(std::move(options), random, log) { token = new_token(); }

    test::SeededRandom random;
    test::MemoryLog log;
    Model model;
    WallTime now{std::chrono::sys_days(std::chrono::year(2024) / 5 / 2) + 13h};
    std::string token;

    Answer token_request(std::string body, std::optional<std::string> authorization = basic) {
        Call call{"POST", "/authorization/token", {{"Content-Type", "application/x-www-form-urlencoded"}}, {}};
        call.body = std::move(body);
        if (authorization) call.headers.emplace_back("Authorization", *authorization);
        return model.handle(call, now);
    }
    std::string new_token() {
        const auto answer = token_request("grant_type=client_credentials&scope=Venda_TvPrePaga+Venda_Egift");
        if (answer.status != 200) return "none";  // credentials are separated in another way
        return std::string(parse_object(answer.body).at("access_token").as_string());
    }

    Headers headers() const {
        return {
            {"Accept", "application/json"}, {"Content-Type", "application/json"}, {"Authorization", "Bearer " + token}};
    }
    Answer get(std::string target) { return model.handle({"GET", std::move(target), headers(), ""}, now); }
    Answer post(std::string target, const json::object& body) {
        return model.handle({"POST", std::move(target), headers(), json::serialize(body)}, now);
    }

    static std::string path(Family family, Step step) {
        const auto what = std::string(to_string(step));
        switch (family) {
            case Family::tv: return "/venda/tv/" + what;
            case Family::egift: return step == Step::cancelar ? "/venda/voucher/cancelar" : "/venda/egift/" + what;
            case Family::transit: return "/venda/transporte/bilhete/" + what;
            case Family::health: return "/venda/consulta/" + what;
            case Family::esim: return "/venda/esim/" + what;
        }
        return "";
    }

    // Makes a sale request that is in order, over 50 plus `cents` (for health: over the catalogue's amount).
    json::object order(Family family, const std::string& idExterno, int cents = 0) const {
        const auto valor = std::to_string(5000 + cents);
        json::object body{{"estabelecimento", "12345678"}, {"idExterno", idExterno}, {"dataHoraCliente", client_time}};
        switch (family) {
            case Family::tv: merge(body, tv_part(valor)); break;
            case Family::egift: merge(body, egift_part(valor)); break;
            case Family::transit: merge(body, transit_part(valor)); break;
            case Family::health: merge(body, health_part(cents)); break;
            case Family::esim: merge(body, esim_part(valor)); break;
        }
        return body;
    }
    static json::object address() {
        return {{"tipoEnderecoId", 1},   {"cep", "01001000"},     {"uf", "SP"},
                {"cidade", "Sao Paulo"}, {"bairro", "Centro"},    {"tipoLogradouroId", 2},
                {"logradouro", "Rua A"}, {"numeroLogradouro", 7}, {"complemento", ""}};
    }

    Answer ask(Family family, const std::string& idExterno, int cents = 0) {
        return post(order_path(family, cents), order(family, idExterno, cents));
    }
    Answer confirm(const std::string& idExterno) {
        const auto& sale = entry(idExterno);
        return post(step_path(sale, Step::confirmar), confirm_body(idExterno));
    }
    Answer cancel(const std::string& idExterno, Family family = Family::tv) {
        const auto* sale = model.books().find(idExterno);
        const bool known = sale != nullptr && sale->status != Status::none;
        return post(
            known ? step_path(*sale, Step::cancelar) : path(family, Step::cancelar),
            {{"estabelecimento", "12345678"},
             {"idExterno", idExterno},
             {"dataHoraCliente", (known ? sale->family : family) == Family::health ? health_time : client_time}});
    }
    json::object confirm_body(const std::string& idExterno) const {
        const auto& sale = entry(idExterno);
        return {{"estabelecimento", sale.estabelecimento},
                {"idTransacao", sale.idTransacao},
                {"produto", sale.produto},
                {"dataHoraCliente", sale.family == Family::health ? health_time : client_time}};
    }

    // Replaces all fault rules by one, which has these members.
    void rule(const std::string& members) {
        const auto taken = model.faults().replace("[{" + members + "}]");
        ASSERT_TRUE(taken) << taken.error();
    }
    std::uint64_t departures() const { return model.metrics().departures(); }

    const Transaction& entry(const std::string& idExterno) const {
        const auto* found = model.books().find(idExterno);
        if (found == nullptr) throw std::logic_error("no entry for " + idExterno);
        return *found;
    }
    Status status(const std::string& idExterno) const {
        const auto* found = model.books().find(idExterno);
        return found == nullptr ? Status::none : found->status;
    }
    // Lets time pass at once, and answers every callback that comes due with `answer`.
    std::vector<Delivery> pass(Duration length, std::optional<int> answer = 200) {
        std::vector<Delivery> all;
        const auto end = now + length;
        while (model.next_due() && *model.next_due() <= end) {
            now = std::max(now, *model.next_due());
            for (auto& delivery : model.advance(now)) {
                model.callback_answered(delivery.id, answer, now);
                all.push_back(std::move(delivery));
            }
        }
        now = end;
        return all;
    }

    // This is base64 of "app-key:app-secret".
    static constexpr const char* basic = "Basic YXBwLWtleTphcHAtc2VjcmV0";

  private:
    static void merge(json::object& body, json::object part) {
        for (auto& pair : part)
            body[pair.key()] = std::move(pair.value());
    }
    static json::object tv_part(const std::string& valor) {
        return {{"produto", "TV Mensal"},
                {"fornecedor", "Operadora Norte"},
                {"tipoProduto", "ONLINE"},
                {"cpf", "123.456.789-09"},
                {"valor", valor}};
    }
    static json::object egift_part(const std::string& valor) {
        return {{"produto", "Moedas do Jogo"},
                {"fornecedor", "Estudio Um"},
                {"tipoProduto", "ONLINE"},
                {"tipoNegocio", 1},
                {"chaveProduto", "EG-MOEDAS"},
                {"configuracaoId", "cfg-moedas-01"},
                {"valor", valor}};
    }
    static json::object transit_part(const std::string& valor) {
        return {{"produto", "Bilhete"}, {"numeroCartao", "1000000002"}, {"tipoCredito", "2"},
                {"tipoProduto", "502"}, {"descricao", "Recarga livre"}, {"valor", valor}};
    }
    static std::string two_digits(int cents) { return (cents < 10 ? "0" : "") + std::to_string(cents); }
    static json::object health_part(int cents) {
        const bool plain = cents == 0;
        return {{"produto", plain ? "Consulta" : "Consulta-" + two_digits(cents)},
                {"produtoIdParceiro", plain ? "7001" : std::to_string(7100 + cents)},
                {"valor", plain ? "5990" : std::to_string(6000 + cents)},
                {"dataHoraCliente", health_time}};
    }
    static json::object esim_part(const std::string& valor) {
        return {{"produto", "Chip Virtual"},
                {"consumidor",
                 {{"cpf", "12345678909"},
                  {"nome", "Maria"},
                  {"email", "maria@example.com"},
                  {"nascimento", "29021996"},
                  {"telefone", 11999990000},
                  {"endereco", address()}}},
                {"endereco", address()},
                {"servicoId", "302"},
                {"valorRecarga", 3000},
                {"the service", "http://127.0.0.1:1/sale"},
                {"urlRecarga", "http://127.0.0.1:1/recharge"},
                {"valor", valor}};
    }
    static std::string order_path(Family family, int cents) {
        if (family != Family::health || cents == 0) return path(family, Step::solicitar);
        return "/venda/consulta-" + two_digits(cents) + "/solicitar";
    }
    static std::string step_path(const Transaction& sale, Step step) {
        return sale.family == Family::health ? "/venda/" + sale.segment + "/" + std::string(to_string(step))
                                             : path(sale.family, step);
    }
};

inline json::object sale_part(const Answer& answer) {
    return parse_object(answer.body).at("venda").as_object();
}
// Returns transacao.status, wherever the answer has it; empty where it has none.
inline std::string answered_status(const Answer& answer) {
    boost::system::error_code no_json;
    const auto parsed = json::parse(answer.body, no_json);
    const auto* top = parsed.if_object();
    if (no_json || top == nullptr) return "";
    if (const auto* venda = top->if_contains("venda")) top = &venda->as_object();
    const auto* transacao = top->if_contains("transacao");
    return transacao == nullptr ? "" : std::string(transacao->as_object().at("status").as_string());
}
inline std::string reason_of(const Answer& answer) {
    return std::string(parse_object(answer.body).at("mensagem").as_string());
}
inline const auto name_of = [](const auto& family) { return std::string(to_string(family.param)); };

}  // namespace gateway::sandbox
