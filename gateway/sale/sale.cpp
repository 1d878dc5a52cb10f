#include "sale/sale.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <cctype>
#include <span>

namespace gateway {
namespace {

template <class Enum>
struct Word {
    Enum value;
    std::string_view text;
};
template <class Enum>
Word(Enum, std::string_view) -> Word<Enum>;

constexpr std::array statuses{
    Word{Status::PENDENTE, "PENDENTE"},   Word{Status::AUTORIZADA, "AUTORIZADA"}, Word{Status::EFETIVADA, "EFETIVADA"},
    Word{Status::CANCELADA, "CANCELADA"}, Word{Status::NEGADA, "NEGADA"},
};
constexpr std::array outcomes{
    Word{Outcome::sold, "sold"},
    Word{Outcome::not_sold, "not_sold"},
    Word{Outcome::held, "held"},
    Word{Outcome::pending, "pending"},
};
constexpr std::array steps{
    Word{Step::solicitar, "solicitar"},
    Word{Step::confirmar, "confirmar"},
    Word{Step::cancelar, "cancelar"},
    Word{Step::consultar, "consultar"},
};
constexpr std::array confirm_modes{Word{ConfirmMode::automatic, "auto"}, Word{ConfirmMode::manual, "manual"}};
constexpr std::array attempt_states{
    Word{AttemptState::requesting, "requesting"}, Word{AttemptState::held, "held"},
    Word{AttemptState::confirming, "confirming"}, Word{AttemptState::collecting, "collecting"},
    Word{AttemptState::disputing, "disputing"},   Word{AttemptState::retracting, "retracting"},
    Word{AttemptState::cancelling, "cancelling"}, Word{AttemptState::lingering, "lingering"},
    Word{AttemptState::awaiting, "awaiting"},     Word{AttemptState::sold, "sold"},
    Word{AttemptState::cancelled, "cancelled"},   Word{AttemptState::refused, "refused"},
    Word{AttemptState::unsent, "unsent"},         Word{AttemptState::unauthorised, "unauthorised"},
    Word{AttemptState::throttled, "throttled"},
};
constexpr std::array reason_codes{
    Word{ReasonCode::response_lost, "response_lost"}, Word{ReasonCode::provider_error, "provider_error"},
    Word{ReasonCode::never_sent, "never_sent"},       Word{ReasonCode::refused, "refused"},
    Word{ReasonCode::hold_expired, "hold_expired"},   Word{ReasonCode::terminal_cancelled, "terminal_cancelled"},
    Word{ReasonCode::by_operator, "operator"},        Word{ReasonCode::by_statement, "statement"},
};
constexpr std::array attentions{
    Word{Attention::none, "none"},
    Word{Attention::unsettled, "unsettled"},
    Word{Attention::no_callback, "no_callback"},
    Word{Attention::no_cancel_path, "no_cancel_path"},
    Word{Attention::contradiction, "contradiction"},
    Word{Attention::undeliverable, "undeliverable"},
    Word{Attention::recharge_failed, "recharge_failed"},
    Word{Attention::unreadable, "unreadable"},
    Word{Attention::restored, "restored"},
};

// Every table lists its enumerators in their order, so that the word of a value stands at its number.
template <class Enum, std::size_t N>
consteval bool in_order(const std::array<Word<Enum>, N>& table) {
    for (std::size_t i = 0; i < N; ++i)
        if (static_cast<std::size_t>(table.at(i).value) != i) return false;
    return true;
}
static_assert(in_order(statuses) && in_order(outcomes) && in_order(steps));
static_assert(steps.size() == all_steps.size() && attentions.size() == all_attentions.size());
static_assert(in_order(confirm_modes) && in_order(attempt_states) && in_order(reason_codes) && in_order(attentions));

template <class Enum, std::size_t N>
std::string_view text_of(const std::array<Word<Enum>, N>& table, Enum value) noexcept {
    return table[static_cast<std::size_t>(value)].text;
}

template <class Enum, std::size_t N>
std::optional<Enum> value_of(const std::array<Word<Enum>, N>& table, std::string_view text) noexcept {
    for (const auto& entry : table)
        if (entry.text == text) return entry.value;
    return std::nullopt;
}

bool equal_in_any_case(std::string_view a, std::string_view upper) noexcept {
    return std::equal(a.begin(), a.end(), upper.begin(), upper.end(),
                      [](unsigned char x, unsigned char y) { return std::toupper(x) == y; });
}

void take_if_there(std::string& mine, const std::string& theirs) {
    if (!theirs.empty()) mine = theirs;
}

void take_if_there(Secret& mine, const Secret& theirs) {
    if (!theirs.empty()) mine = theirs;
}

}  // namespace

TransactionDetails merged(TransactionDetails known, const TransactionDetails& learned) {
    take_if_there(known.estabelecimento_nome, learned.estabelecimento_nome);
    take_if_there(known.cnpj_cpf, learned.cnpj_cpf);
    take_if_there(known.fornecedor, learned.fornecedor);
    take_if_there(known.data_hora, learned.data_hora);
    take_if_there(known.instrucao, learned.instrucao);
    take_if_there(known.complemento, learned.complemento);
    return known;
}

EsimDetails merged(EsimDetails known, const EsimDetails& learned) {
    take_if_there(known.uuid, learned.uuid);
    take_if_there(known.msisdn, learned.msisdn);
    take_if_there(known.url, learned.url);
    take_if_there(known.promocao_ativada, learned.promocao_ativada);
    take_if_there(known.situacao_recarga, learned.situacao_recarga);
    take_if_there(known.nsu_recarga, learned.nsu_recarga);
    return known;
}

bool is_final(Status status) noexcept {
    switch (status) {
        case Status::PENDENTE:
        case Status::AUTORIZADA: return false;
        case Status::EFETIVADA:
        case Status::CANCELADA:
        case Status::NEGADA: return true;
    }
    CHECK(false);
}

bool recharge_failed(const EsimDetails& details) noexcept {
    return equal_in_any_case(details.situacao_recarga, "FALHA");
}

bool is_passing(Attention attention) noexcept {
    return attention == Attention::unsettled || attention == Attention::no_callback ||
           attention == Attention::no_cancel_path;
}

bool is_settled(AttemptState state) noexcept {
    switch (state) {
        case AttemptState::requesting:
        case AttemptState::held:
        case AttemptState::confirming:
        case AttemptState::collecting:
        case AttemptState::disputing:
        case AttemptState::retracting:
        case AttemptState::cancelling:
        case AttemptState::lingering:
        case AttemptState::awaiting: return false;
        case AttemptState::sold:
        case AttemptState::cancelled:
        case AttemptState::refused:
        case AttemptState::unsent:
        case AttemptState::unauthorised:
        case AttemptState::throttled: return true;
    }
    CHECK(false);
}

Outcome outcome_of(const Sale& sale) noexcept {
    switch (sale.status) {
        case Status::EFETIVADA: return Outcome::sold;
        case Status::CANCELADA:
        case Status::NEGADA: return Outcome::not_sold;
        case Status::AUTORIZADA: return sale.current().state == AttemptState::held ? Outcome::held : Outcome::pending;
        case Status::PENDENTE: return Outcome::pending;
    }
    CHECK(false);
}

std::string_view to_string(Status status) noexcept {
    return text_of(statuses, status);
}
std::string_view to_string(Outcome outcome) noexcept {
    return text_of(outcomes, outcome);
}
std::string_view to_string(Step step) noexcept {
    return text_of(steps, step);
}
std::string_view to_string(ConfirmMode mode) noexcept {
    return text_of(confirm_modes, mode);
}
std::string_view to_string(AttemptState state) noexcept {
    return text_of(attempt_states, state);
}
std::string_view to_string(ReasonCode code) noexcept {
    return text_of(reason_codes, code);
}
std::string_view to_string(Attention attention) noexcept {
    return text_of(attentions, attention);
}

std::optional<Family> parse_family(std::string_view text) noexcept {
    for (const auto& traits : family_traits)
        if (traits.name == text) return traits.family;
    return std::nullopt;
}

std::string family_names(std::string_view before_last) {
    std::string names(family_traits.front().name);
    for (const auto& traits : std::span(family_traits).subspan(1)) {
        names += &traits == &family_traits.back() ? before_last : ", ";
        names += traits.name;
    }
    return names;
}

std::optional<ConfirmMode> parse_confirm_mode(std::string_view text) noexcept {
    return value_of(confirm_modes, text);
}
std::optional<AttemptState> parse_attempt_state(std::string_view text) noexcept {
    return value_of(attempt_states, text);
}
std::optional<ReasonCode> parse_reason_code(std::string_view text) noexcept {
    return value_of(reason_codes, text);
}
std::optional<Attention> parse_attention(std::string_view text) noexcept {
    return value_of(attentions, text);
}

std::optional<Status> parse_status(std::string_view text) noexcept {
    for (const auto& entry : statuses)
        if (equal_in_any_case(text, entry.text)) return entry.value;
    return std::nullopt;
}

}  // namespace gateway
