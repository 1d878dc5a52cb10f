#include "probe/reply_words.hpp"

#include "base/ascii.hpp"
#include "base/strict_json.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>

namespace gateway::probe {
namespace {

namespace json = boost::json;

const json::object* inner(const json::object* parent, std::string_view name) {
    const auto* value = parent == nullptr ? nullptr : parent->if_contains(name);
    return value == nullptr ? nullptr : value->if_object();
}

std::optional<std::string> word_at(const json::object* parent, std::string_view name) {
    const auto* value = parent == nullptr ? nullptr : parent->if_contains(name);
    const auto* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::nullopt : std::optional(std::string(*text));
}

struct Place {
    std::string_view name;
    std::string word;
};

Place find_status(const Reply& reply) {
    const auto value = parse_strict_json(reply.body);
    const auto* root = value ? value->if_object() : nullptr;
    if (const auto word = word_at(inner(inner(root, "venda"), "transacao"), "status")) return {"venda", *word};
    if (const auto word = word_at(inner(root, "transacao"), "status")) return {"transacao", *word};
    if (const auto word = word_at(root, "status")) return {"top", *word};
    return {};
}

// What a failure of an exchange is called; the program's own words of anything else.
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

bool is_success(const Reply& reply) {
    return reply.status >= 200 && reply.status <= 299;
}

}  // namespace

std::string status_word(const Reply& reply) {
    return find_status(reply).word;
}

std::string_view status_place(const Reply& reply) {
    return find_status(reply).name;
}

std::string transaction_text(const Reply& reply, std::string_view name) {
    const auto value = parse_strict_json(reply.body);
    const auto* root = value ? value->if_object() : nullptr;
    for (const auto* place : {inner(inner(root, "venda"), "transacao"), inner(root, "transacao"), root})
        if (word_at(place, "status")) return word_at(place, name).value_or("");
    return {};
}

std::string said(const Reply& reply, std::optional<Status> own) {
    if (reply.kind != Reply::Kind::answered) return "none";
    const auto word = status_word(reply);
    const auto http = std::to_string(reply.status);
    if (word.empty()) return is_success(reply) ? http + "-bare" : http;
    const auto status = parse_status(word);
    if (!status) return http + "-stranger";
    if (status == own) return http + "-status";
    return http + "-" + to_lower(to_string(*status));
}

bool is_about_the_sale(const Reply& reply) {
    return reply.kind == Reply::Kind::answered && reply.status != 401 && reply.status != 429;
}

std::string text_member(std::string_view body, std::string_view name) {
    boost::system::error_code malformed;
    const auto value = json::parse(body, malformed);
    const auto* object = malformed ? nullptr : value.if_object();
    return word_at(object, name).value_or("");
}

std::string_view error_shape(const Reply& reply) {
    const auto body = trim(reply.body);
    if (body.empty()) return "empty";
    if (body.front() == '<' || reply.content_type.starts_with("text/html")) return "html";
    const auto value = parse_strict_json(reply.body);
    const auto* root = value ? value->if_object() : nullptr;
    if (root == nullptr) return "other";
    if (inner(root, "erro") != nullptr) return "erro-object";
    if (root->contains("erro")) return "erro";
    if (root->contains("error")) return "oauth";
    if (root->contains("message")) return "message";
    return "other";
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
