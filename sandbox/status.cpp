#include "sandbox/status.hpp"

#include "sandbox/routes.hpp"

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

json::object document(const Transaction& sale, StatusShape shape) {
    const auto status = to_string(sale.status);
    json::object transacao{{"status", status}, {"idTransacao", sale.idTransacao}, {"valor", sale.valor}};
    switch (shape) {
        case StatusShape::transacao: return {{"transacao", std::move(transacao)}};
        case StatusShape::venda:
            return {{"venda", {{"transacao", std::move(transacao)}, {"idExterno", sale.idExterno}}}};
        case StatusShape::top: transacao["idExterno"] = sale.idExterno; return transacao;
    }
    return {};
}

// The words of a status where there is no sale, in the shape of one.
json::object document(std::string_view status, StatusShape shape) {
    switch (shape) {
        case StatusShape::transacao: return {{"transacao", {{"status", status}}}};
        case StatusShape::venda: return {{"venda", {{"transacao", {{"status", status}}}}}};
        case StatusShape::top: return {{"status", status}};
    }
    return {};
}

}  // namespace

std::optional<StatusQuestion> status_question(const std::vector<std::string>& path, const Personality& personality) {
    if (personality.status_path.empty()) return std::nullopt;
    std::string_view rest = personality.status_path;
    StatusQuestion question;
    for (const auto& got : path) {
        if (rest.empty()) return std::nullopt;
        const auto wanted = next_segment(rest);
        if (wanted == "{idExterno}") {
            question.idExterno = got;
        } else if (wanted == "{idTransacao}") {
            question.idTransacao = got;
        } else if (wanted != got) {
            return std::nullopt;
        }
    }
    return rest.empty() ? std::optional(question) : std::nullopt;
}

Transaction* asked_for(const StatusQuestion& question, Books& books) {
    return question.idTransacao.empty() ? books.find(question.idExterno) : books.find_by_id(question.idTransacao);
}

Reply status_answer(const Transaction* sale, const Sales& sales, const Personality& personality, WallTime now) {
    const bool refused = sale != nullptr && sale->status == Status::negada;
    if (sale != nullptr && (refused || sales.is_known(*sale, now))) {
        Reply reply;
        reply.body = document(*sale, personality.status_shape);
        return reply;
    }
    const auto& said = personality.status_unknown;
    auto reply = refusal(said.http, "transacao_desconhecida", "the sale is not known here");
    if (said.http < 300) reply.body.clear();
    if (const auto word = word_of(said.word); !word.empty()) reply.body = document(word, personality.status_shape);
    return reply;
}

}  // namespace gateway::sandbox
