#include "probe/reply_words.hpp"

#include "base/ascii.hpp"
#include "base/json_members.hpp"
#include "base/strict_json.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway::probe {
namespace {

namespace json = boost::json;

// This object of an answer names a status.
struct Place {
    std::string_view name;
    json::object object;
};

Place place_of_status(const Reply& reply) {
    const auto value = parse_strict_json(reply.body);
    const auto root = value && value->is_object() ? value->get_object() : json::object();
    const auto within = [](const json::object& object, std::string_view name) {
        const auto* inner = object_in(object, name);
        return inner == nullptr ? json::object() : *inner;
    };
    for (const auto& place : {Place{"venda", within(within(root, "venda"), "transacao")},
                              Place{"transacao", within(root, "transacao")}, Place{"top", root}})
        if (!text_in(place.object, "status").empty()) return place;
    return {};
}

// Says what a failure of an exchange is called, and anything else in the program's own words.
std::string failure_in_portuguese(const boost::system::error_code& failure) {
    if (failure == errc::no_token) return "não há token";
    if (failure == errc::unreachable) return "o provedor não pode ser alcançado";
    if (failure == errc::timed_out) return "não veio uma resposta a tempo";
    if (failure == errc::connection_lost) return "a conexão caiu";
    if (failure == errc::answer_too_large) return "a resposta é grande demais";
    if (failure == errc::malformed) return "a resposta não é HTTP";
    if (failure == errc::shutting_down) return "o ensaio foi interrompido";
    if (failure == errc::journal_unavailable) return "a transcrição não pôde ser escrita";
    return failure.message();
}

}  // namespace

std::string status_word(const Reply& reply) {
    return transaction_text(reply, "status");
}

std::string_view status_place(const Reply& reply) {
    return place_of_status(reply).name;
}

std::string transaction_text(const Reply& reply, std::string_view name) {
    const auto place = place_of_status(reply);
    return std::string(text_in(place.object, name));
}

std::string said(const Reply& reply, std::optional<Status> own) {
    if (!is_answered(reply)) return "none";
    const auto word = status_word(reply);
    const auto http = std::to_string(reply.status);
    if (word.empty()) return is_success(reply) ? http + "-bare" : http;
    const auto status = parse_status(word);
    if (!status) return http + "-stranger";
    if (status == own) return http + "-status";
    return http + "-" + to_lower(to_string(*status));
}

std::string_view error_shape(const Reply& reply) {
    const auto body = trim(reply.body);
    if (body.empty()) return "empty";
    if (body.front() == '<' || reply.content_type.starts_with("text/html")) return "html";
    const auto value = parse_strict_json(reply.body);
    const auto* root = value ? value->if_object() : nullptr;
    if (root == nullptr) return "other";
    if (object_in(*root, "erro") != nullptr) return "erro-object";
    if (root->contains("erro")) return "erro";
    if (root->contains("error")) return "oauth";
    return root->contains("message") ? "message" : "other";
}

std::string in_portuguese(const Reply& reply) {
    if (reply.kind == Reply::Kind::nothing_sent) return "nada foi enviado: " + failure_in_portuguese(reply.failure);
    if (reply.kind == Reply::Kind::lost) return "a resposta se perdeu: " + failure_in_portuguese(reply.failure);
    const auto word = status_word(reply);
    if (word.empty()) return fmt::format("HTTP {} sem status", reply.status);
    // Words of the interface alone are repeated: what else stands there could be anything.
    return fmt::format("HTTP {} com {}", reply.status, parse_status(word) ? word : "um status desconhecido");
}

}  // namespace gateway::probe
