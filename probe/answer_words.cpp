#include "probe/answer_words.hpp"

#include "base/ascii.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace gateway::probe {
namespace {

struct Words {
    std::string_view point;
    std::string_view value;
    std::string_view text;
};

constexpr std::array table_of_words{
    Words{"basic-separator", "colon", "dois-pontos (app-key:app-secret)"},
    Words{"basic-separator", "semicolon", "ponto e vírgula (app-key;app-secret)"},
    Words{"basic-separator", "pipe", "barra vertical (app-key|app-secret)"},
    Words{"basic-separator", "slash", "barra (app-key/app-secret)"},
    Words{"basic-separator", "nothing", "nenhum (app-keyapp-secret)"},
    Words{"scopes", "all", "todos os que o documento nomeia"},
    Words{"scopes", "none", "nenhum"},
    Words{"scope-separator", "comma", "vírgula"},
    Words{"scope-separator", "space", "espaço"},
    Words{"token-errors", "rfc", "401 se as credenciais estão erradas, 400 se o escopo está errado"},
    Words{"token-errors", "400", "400 nos dois casos"},
    Words{"token-errors", "401", "401 nos dois casos"},
    Words{"expires-in", "ms", "o instante do vencimento, em milissegundos desde 1970"},
    Words{"expires-in", "s", "o instante do vencimento, em segundos desde 1970"},
    Words{"expires-in", "duration", "por quanto tempo o token vale, em segundos"},
    Words{"refresh-token", "rotates", "vem outro, e o antigo deixa de valer"},
    Words{"refresh-token", "rotates-old-lives", "vem outro, e o antigo continua valendo"},
    Words{"refresh-token", "stays", "vem o mesmo, e continua valendo"},
    Words{"refresh-token", "once", "vem o mesmo, e não vale mais"},
    Words{"refresh-token", "none", "não há refresh_token"},
    Words{"refresh-old-access", "good", "continua valendo"},
    Words{"refresh-old-access", "revoked", "deixa de valer"},
    Words{"rate-limit", "none", "nenhum limite foi visto"},
    Words{"rate-limit-answer", "429-retry-after", "HTTP 429 com Retry-After"},
    Words{"rate-limit-answer", "429", "HTTP 429 sem Retry-After"},
    Words{"keep-alive-requests", "unlimited", "nenhum limite foi visto"},
    Words{"keep-alive-idle", "under-2s", "menos de 2 s"},
    Words{"keep-alive-idle", "2s-6s", "entre 2 s e 6 s"},
    Words{"keep-alive-idle", "6s-20s", "entre 6 s e 20 s"},
    Words{"keep-alive-idle", "over-20s", "mais de 20 s"},
    Words{"cancel-effect", "cancels", "a venda fica CANCELADA"},
    Words{"cancel-effect", "stays-autorizada", "a venda continua AUTORIZADA"},
    Words{"request-after-cancel", "sells", "a venda fica AUTORIZADA"},
    Words{"id-again-same-body", "same", "a mesma transação é respondida"},
    Words{"id-again-same-body", "second", "outra transação é feita"},
    Words{"id-again-other-body", "same", "a mesma transação é respondida"},
    Words{"id-again-other-body", "second", "outra transação é feita"},
    Words{"id-length", "unlimited", "nenhum limite foi visto até o maior testado"},
    Words{"id-letters", "any", "letras maiúsculas e minúsculas, dígitos e hífen"},
    Words{"id-letters", "alphanumeric", "letras maiúsculas e minúsculas, e dígitos"},
    Words{"id-letters", "upper-digits", "só letras maiúsculas e dígitos"},
    Words{"id-letters", "digits", "só dígitos"},
    Words{"error-body", "erro", "um JSON com o campo erro, do tipo texto"},
    Words{"error-body", "erro-object", "um JSON com o campo erro, do tipo objeto"},
    Words{"error-body", "oauth", "um JSON com o campo error, como no serviço de token"},
    Words{"error-body", "message", "um JSON com o campo message"},
    Words{"error-body", "html", "uma página HTML"},
    Words{"error-body", "empty", "sem corpo"},
    Words{"error-body", "other", "outra forma"},
    Words{"health-cancel-path", "none", "nenhum dos candidatos"},
    Words{"health-cancel-does", "cancels", "a venda fica CANCELADA"},
    Words{"health-cancel-does", "sells", "a venda fica EFETIVADA"},
    Words{"status-path", "none", "nenhum dos candidatos"},
    Words{"status-shape", "transacao", "em transacao.status"},
    Words{"status-shape", "venda", "em venda.transacao.status"},
    Words{"status-shape", "top", "em status"},
    Words{"egift-instrucao-again", "again", "traz instrucao"},
    Words{"egift-instrucao-again", "missing", "não traz instrucao"},
    Words{"egift-instrucao-again", "null", "traz instrucao nula"},
    Words{"egift-confirm-token", "required", "o cabeçalho é exigido"},
    Words{"egift-confirm-token", "optional", "o cabeçalho não é exigido"},
    Words{"esim-uuid", "own-number", "um número próprio"},
    Words{"esim-uuid", "id-transacao", "o idTransacao"},
    Words{"esim-uuid", "id-externo", "o idExterno"},
    Words{"recharge-callback", "own-address", "vai para urlRecarga"},
    Words{"recharge-callback", "same-address", "vai para o endereço da venda"},
    Words{"recharge-callback", "none", "não vem"},
    Words{"callback-repeat", "doubling", "as esperas crescem"},
    Words{"callback-repeat", "fixed", "as esperas são iguais"},
    Words{"callback-until", "200", "um 200; um 204 não"},
    Words{"callback-until", "2xx", "também um 204"},
    Words{"statement-separator", "semicolon", "ponto e vírgula"},
    Words{"statement-separator", "tab", "tabulação"},
    Words{"statement-separator", "pipe", "barra vertical"},
    Words{"statement-encoding", "utf-8", "UTF-8"},
    Words{"statement-encoding", "latin1", "ISO 8859-1"},
    Words{"statement-money", "cents", "em centavos"},
    Words{"statement-money", "comma", "com vírgula decimal"},
    Words{"statement-money", "point", "com ponto decimal"},
    Words{"statement-count", "sold", "as vendas EFETIVADAS"},
    Words{"statement-count", "all", "todas as linhas"},
    Words{"statement-count", "both", "todas as linhas, que são todas EFETIVADAS"},
    Words{"statement-count", "neither", "nem as vendas EFETIVADAS, nem todas as linhas"},
    Words{"statement-eol", "lf", "LF"},
    Words{"statement-eol", "crlf", "CR LF"},
    Words{"statement-rows", "all", "também as que não são EFETIVADAS"},
};

// Points whose value is a number, in what it is put; {} stands for it.
struct Measure {
    std::string_view point;
    std::string_view exactly;
    std::string_view more_than;
};
constexpr std::array measures{
    Measure{"rate-limit", "{} por segundo", "mais de {} por segundo"},
    Measure{"keep-alive-requests", "{}", "mais de {}"},
    Measure{"id-length", "até {} caracteres", "mais de {} caracteres"},
    Measure{"callback-tries", "{}", "mais de {}"},
};

std::string put_number(std::string_view words, std::string_view number) {
    return fmt::format(fmt::runtime(words), number);
}

std::optional<std::string> measured(std::string_view point, std::string_view value) {
    const auto found = std::ranges::find(measures, point, &Measure::point);
    if (found == measures.end()) return std::nullopt;
    constexpr std::string_view over = "over-";
    const bool more = value.starts_with(over);
    const auto number = more ? value.substr(over.size()) : value;
    if (!is_digits(number)) return std::nullopt;
    return put_number(more ? found->more_than : found->exactly, number);
}

// The status that the sale of the point has.
std::string_view own_status(std::string_view point) {
    return point == "confirm-again" || point == "cancel-on-efetivada" ? "EFETIVADA" : "CANCELADA";
}

// "404", "200-status", "422-cancelada".
std::optional<std::string> answered_with(std::string_view point, std::string_view value) {
    constexpr std::size_t length = 3;
    if (value.size() < length || !is_digits(value.substr(0, length))) return std::nullopt;
    const auto http = value.substr(0, length);
    auto word = value.substr(length);
    if (word.empty() || word == "-bare") return fmt::format("HTTP {} sem status", http);
    if (word == "-status") return fmt::format("HTTP {} com {}", http, own_status(point));
    if (word == "-stranger") return fmt::format("HTTP {} com um status desconhecido", http);
    for (const auto* known : {"AUTORIZADA", "EFETIVADA", "CANCELADA", "NEGADA", "PENDENTE"})
        if (word == "-" + to_lower(known)) return fmt::format("HTTP {} com {}", http, known);
    return std::nullopt;
}

std::string with_commas(std::string_view names) {
    std::string out;
    for (const char c : names)
        c == '+' ? out.append(", ") : out.append(1, c);
    return out;
}

}  // namespace

std::string answer_in_portuguese(std::string_view point, std::string_view value) {
    for (const auto& words : table_of_words)
        if (words.point == point && words.value == value) return std::string(words.text);
    if (point == "scopes") return with_commas(value);
    if (point == "sale-http") return fmt::format("HTTP {}", value);
    if (point == "token-errors" && value.find('+') != std::string_view::npos)
        return fmt::format("{} se as credenciais estão erradas, {} se o escopo está errado",
                           value.substr(0, value.find('+')), value.substr(value.find('+') + 1));
    if (point == "callback-retry" && value.ends_with('s'))
        return fmt::format("{} s", value.substr(0, value.size() - 1));
    if (point.starts_with("open-sales-end-")) {
        if (value == "never") return "depois de 49 horas ainda está AUTORIZADA";
        if (value == "within-49h") return "em menos de 49 horas fica CANCELADA";
    }
    if (auto words = measured(point, value)) return *words;
    return answered_with(point, value).value_or(std::string(value));
}

std::string_view family_in_portuguese(Family family) {
    switch (family) {
        case Family::tv: return "TV";
        case Family::egift: return "e-gift";
        case Family::transit: return "transporte";
        case Family::health: return "saúde";
        case Family::esim: return "eSIM";
    }
    return "";
}

}  // namespace gateway::probe
