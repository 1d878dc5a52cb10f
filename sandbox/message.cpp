#include "sandbox/message.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/json/serialize.hpp>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view page = "<!doctype html><html><body><h1>Servico em manutencao</h1></body></html>";
constexpr std::string_view json_type = "application/json";
constexpr std::string_view retry_after_seconds = "2";
// Makes another idExterno out of the one that was sent.
constexpr std::string_view stray_suffix = "-0";

Reply sale_error(int status) {
    if (status == 401) return refusal(status, "token_invalido", "o token nao foi aceito");
    if (status == 404) return refusal(status, "transacao_desconhecida", "transacao nao encontrada");
    if (status == 429) return refusal(status, "muitas_requisicoes", "tente novamente mais tarde");
    if (status >= 500) return refusal(status, "erro_interno", "erro interno do servico");
    return refusal(status, "recusada", "operacao recusada");
}

Reply token_error(int status) {
    if (status == 401) return token_refusal(status, "invalid_client", "Unknown credentials");
    return token_refusal(status, status >= 500 ? "server_error" : "invalid_request", "The sandbox was told to say so");
}

Reply error(Step step, int status, const Options& options) {
    auto reply = step == Step::token ? token_error(status) : sale_error(status);
    if (status == 429 && options.retry_after) reply.headers.emplace_back("Retry-After", retry_after_seconds);
    return reply;
}

json::object* member(json::object& object, std::string_view name) {
    auto* value = object.if_contains(name);
    return value == nullptr ? nullptr : value->if_object();
}

// Bends the answer to a sale request, which holds `venda.transacao`.
void bend(json::object& body, ReplyKind kind) {
    auto* venda = member(body, "venda");
    auto* transacao = venda == nullptr ? nullptr : member(*venda, "transacao");
    if (transacao == nullptr) return;
    if (kind == ReplyKind::wrong_amount) (*transacao)["valor"] = transacao->at("valor").as_int64() + 1;
    if (kind == ReplyKind::no_id) transacao->erase("idTransacao");
    // eSIM answers echo no idExterno; a wrong one appears there all the same.
    if (kind == ReplyKind::wrong_id) {
        const auto* own = venda->if_contains("idExterno");
        (*venda)["idExterno"] = (own == nullptr ? "" : std::string(own->as_string())) + std::string(stray_suffix);
    }
}

Duration delay_of(const Treatment& treatment, const BehaviourFacts& what, const Options& options) {
    // The delay of these two puts off the processing and not the answer.
    const bool about_processing =
        what.effect == Effect::later || what.effect == Effect::behind || what.effect == Effect::twice;
    if (treatment.delay && !about_processing) return *treatment.delay;
    if (what.reply == ReplyKind::lost) return options.lost_after;
    return treatment.behaviour == Behaviour::slow ? options.slow : Duration(0);
}

// A header of the rule's replaces the answer's own header of that name.
void set_header(Headers& headers, const std::string& name, const std::string& value) {
    std::erase_if(headers, [&](const auto& header) { return boost::beast::iequals(header.first, name); });
    headers.emplace_back(name, value);
}

struct Text {
    std::string_view type;
    std::string body;
};

Text json_text(const json::object& body) {
    return {json_type, json::serialize(body)};
}

// Writes the error in the shape that the personality gives it. An error that names a sale's status stays JSON.
Text error_text(json::object body, ErrorBody shape) {
    if (shape == ErrorBody::erro) return json_text(body);
    const auto code = body.at("erro");
    const auto text = body.at("mensagem");
    body.erase("erro");
    body.erase("mensagem");
    switch (shape) {
        case ErrorBody::erro: break;
        case ErrorBody::erro_object: body["erro"] = json::object{{"codigo", code}, {"mensagem", text}}; break;
        case ErrorBody::oauth:
            body["error"] = code;
            body["error_description"] = text;
            break;
        case ErrorBody::message: body["message"] = text; break;
        case ErrorBody::html:
            if (body.empty()) return {"text/html", std::string(page)};
            break;
        case ErrorBody::empty:
            if (body.empty()) return {};
            break;
    }
    return json_text(body);
}

}  // namespace

std::optional<std::string_view> find_header(const Headers& headers, std::string_view name) {
    for (const auto& [key, value] : headers)
        if (boost::beast::iequals(key, name)) return value;
    return std::nullopt;
}

Reply refusal(int status, std::string_view erro, std::string_view mensagem) {
    Reply reply;
    reply.status = status;
    reply.body = {{"erro", erro}, {"mensagem", mensagem}};
    reply.refused = mensagem;
    return reply;
}

Reply departure(int status, std::string_view erro, std::string_view mensagem) {
    auto reply = refusal(status, erro, mensagem);
    reply.departure = true;
    return reply;
}

Reply token_refusal(int status, std::string_view code, std::string_view description) {
    Reply reply;
    reply.status = status;
    reply.body = {{"error", code}, {"error_description", description}};
    reply.refused = description;
    if (status == 401) reply.headers.emplace_back("WWW-Authenticate", "Basic");
    return reply;
}

Reply too_many_requests(Step step, const Options& options) {
    return error(step, 429, options);
}

Answer to_answer(Reply reply, const Treatment& treatment, Step step, const Options& options) {
    const auto& what = facts(treatment.behaviour);
    Answer answer;
    answer.delay = delay_of(treatment, what, options);
    answer.drop = what.reply == ReplyKind::lost;
    if (answer.drop) return answer;

    const bool refused = !reply.refused.empty();
    const int status = treatment.status != 0 ? treatment.status : what.status;
    if (!refused && what.reply == ReplyKind::error) reply = error(step, status, options);
    if (!refused) bend(reply.body, what.reply);
    answer.status = refused || status == 0 ? reply.status : status;
    answer.headers = std::move(reply.headers);
    const bool is_error = step != Step::token && reply.body.contains("erro");
    auto text = is_error ? error_text(std::move(reply.body), options.error_body) : json_text(reply.body);
    if (!text.type.empty()) answer.headers.emplace_back("Content-Type", text.type);
    answer.body = std::move(text.body);
    if (refused) return answer;

    if (what.reply == ReplyKind::given) answer.body.clear();
    if (what.reply == ReplyKind::rubbish) {
        answer.body = page;
        set_header(answer.headers, "Content-Type", "text/html");
    }
    if (treatment.body) answer.body = *treatment.body;
    for (const auto& [name, value] : treatment.headers)
        set_header(answer.headers, name, value);
    return answer;
}

}  // namespace gateway::sandbox
