#include "sandbox/words.hpp"

namespace gateway::sandbox {
namespace {

template <class Word, std::size_t Size>
std::optional<Word> parse(const std::array<Word, Size>& all, std::string_view text) {
    for (const auto one : all)
        if (!text.empty() && to_string(one) == text) return one;
    return std::nullopt;
}

}  // namespace

std::string_view to_string(Family family) noexcept {
    return family_words[static_cast<std::size_t>(family)];
}

std::string_view to_string(Step step) noexcept {
    switch (step) {
        case Step::consulta: return "consulta";
        case Step::solicitar: return "solicitar";
        case Step::confirmar: return "confirmar";
        case Step::cancelar: return "cancelar";
        case Step::token: return "token";
        case Step::callback: return "callback";
        case Step::status: return "status";
    }
    return "";
}

std::string_view to_string(Status status) noexcept {
    switch (status) {
        case Status::none: return "";
        case Status::autorizada: return "AUTORIZADA";
        case Status::pendente: return "PENDENTE";
        case Status::efetivada: return "EFETIVADA";
        case Status::cancelada: return "CANCELADA";
        case Status::negada: return "NEGADA";
    }
    return "";
}

std::optional<Family> parse_family(std::string_view text) {
    return parse(families, text);
}

std::optional<Step> parse_step(std::string_view text) {
    return parse(steps, text);
}

std::optional<Status> parse_status(std::string_view text) {
    return parse(statuses, text);
}

bool is_final(Status status) noexcept {
    return status == Status::efetivada || status == Status::cancelada || status == Status::negada;
}

}  // namespace gateway::sandbox
