#include "probe/points.hpp"

#include "base/ulid.hpp"
#include "probe/open_sales.hpp"
#include "probe/statement_look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace gateway::probe {
namespace {

// --- what answers mean ---------------------------------------------------------------------------------------------

Judgement fits(const Reading&, const Config&) {
    return {};
}

Judgement only(const Reading& reading, std::string_view wanted, std::string_view otherwise) {
    if (reading.value == wanted) return {};
    return {.contradicts = true, .remark = std::string(otherwise), .lines = {}};
}

bool names_a_status(std::string_view value) {
    return value.ends_with("-status");
}

// The law reads a final status in any 2xx and 4xx; without one a person may have to look.
Judgement names_its_status(const Reading& reading, const Config&) {
    if (names_a_status(reading.value)) return {};
    // The sale's own status is "-status": these are others.
    for (const std::string_view other : {"-efetivada", "-cancelada", "-negada"})
        if (reading.value.ends_with(other))
            return {.contradicts = true,
                    .remark =
                        "a resposta diz um fim que não é o da venda: ou ela mudou depois de chegar ao fim, ou "
                        "a resposta não é sobre ela; pergunte antes de vender",
                    .lines = {}};
    return {.contradicts = false,
            .remark =
                "a resposta não diz a situação da venda: se acontecer, o gateway pergunta de novo e, por fim, pede "
                "ajuda a uma pessoa",
            .lines = {}};
}

Judgement of_unknown_cancel(const Reading& reading, const Config&) {
    const bool is_no = reading.value.size() == 3 && reading.value.starts_with('4') && reading.value != "409";
    if (is_no || reading.value == "200-negada" || reading.value.ends_with("-cancelada")) return {};
    return {.contradicts = false,
            .remark =
                "não se lê nela que a venda não existe: depois de uma resposta perdida, o gateway pede ajuda a uma "
                "pessoa",
            .lines = {}};
}

// What stays AUTORIZADA under a cancel that is answered with a 4xx would be taken for a sale that there is not.
Judgement of_cancel_effect(const Reading& reading, const Config& config) {
    constexpr std::string_view why = "uma venda cuja resposta se perdeu não pode ser desfeita: não venda assim";
    auto judgement = only(reading, "cancels", why);
    if (reading.value.starts_with('4') && config.provider.trust_cancel_4xx)
        judgement.lines = {"provider.trust_cancel_4xx = false"};
    return judgement;
}

Judgement of_separator(const Reading& reading, const Config&) {
    return only(reading, "colon", "o gateway só envia app-key:app-secret; é preciso uma versão que envie outro");
}

Judgement of_scopes(const Reading& reading, const Config& config) {
    if (reading.value == "all") return {};
    const auto granted = "+" + reading.value + "+";
    std::vector<std::string> kept;
    for (const auto& scope : config.provider.scopes)
        if (granted.find("+" + scope + "+") != std::string::npos) kept.push_back(fmt::format("\"{}\"", scope));
    if (kept.size() == config.provider.scopes.size()) return {};
    if (kept.empty())
        return {.contradicts = true, .remark = "nenhum dos escopos de provider.scopes é concedido", .lines = {}};
    return {.contradicts = true,
            .remark = "provider.scopes pede escopos que não são concedidos",
            .lines = {fmt::format("provider.scopes = [{}]", fmt::join(kept, ", "))}};
}

Judgement of_id_length(const Reading& reading, const Config&) {
    std::size_t length = 0;
    const auto [end, error] =
        std::from_chars(reading.value.data(), reading.value.data() + reading.value.size(), length);
    (void)end;
    if (error != std::errc{} || length >= Ulid::length) return {};
    return {.contradicts = true, .remark = "o idExterno do gateway tem 26 caracteres", .lines = {}};
}

Judgement of_id_letters(const Reading& reading, const Config&) {
    if (reading.value != "digits") return {};
    return {.contradicts = true,
            .remark = "o idExterno do gateway tem letras maiúsculas: nenhuma venda seria aceita",
            .lines = {}};
}

Judgement of_health_path(const Reading& reading, const Config& config) {
    const auto& configured = config.provider.health_cancel_path;
    const auto found = reading.value == "none" ? std::string() : reading.value;
    if (found == configured) return {};
    return {.contradicts = true,
            .remark = found.empty() ? "o caminho configurado não cancela" : "há um caminho, e a configuração não o tem",
            .lines = {fmt::format("provider.health_cancel_path = \"{}\"", found)}};
}

Judgement of_health_effect(const Reading& reading, const Config&) {
    if (reading.value == "cancels") return {};
    return {.contradicts = true,
            .remark = "este caminho VENDE: nunca o use para cancelar",
            .lines = {"provider.health_cancel_path = \"\""}};
}

Judgement of_callback_field(const Reading& reading, const Config& config) {
    if (reading.value == config.provider.callback_field) return {};
    return {.contradicts = true,
            .remark = "o endereço vai em outro campo",
            .lines = {fmt::format("provider.callback_field = \"{}\"", reading.value)}};
}

// That there is one more way to ask contradicts nothing; one that is configured and does not answer does.
Judgement of_status_path(const Reading& reading, const Config& config) {
    const auto& configured = config.provider.status_path;
    const auto found = reading.value == "none" ? std::string() : reading.value;
    if (found == configured) return {};
    return {.contradicts = !configured.empty(),
            .remark = configured.empty() ? "a situação de uma venda pode ser consultada"
                                         : "o caminho configurado não responde pela situação de uma venda",
            .lines = {fmt::format("provider.status_path = \"{}\"", found)}};
}

Judgement of_status_shape(const Reading& reading, const Config&) {
    if (reading.value != "top") return {};
    return {.contradicts = false,
            .remark = "o gateway não lê o status nesse lugar: com a consulta, tudo continuaria como sem ela",
            .lines = {}};
}

// What is asked 49 hours later says whether the end comes within them, and not when.
Judgement of_open_sales(const Reading& reading, const Config& config) {
    const bool ends = reading.value != "never";
    const auto configured = config.provider.open_sales_end;
    const bool within = configured > Duration(0) && configured <= revisit_after;
    if (ends == within) return {};
    if (!ends)
        return {.contradicts = true,
                .remark = "a configuração conta com um fim que não veio",
                .lines = {"provider.open_sales_end = \"0s\""}};
    return {.contradicts = true,
            .remark =
                "o provedor cancela automaticamente uma venda em aberto, em menos de 49 horas; pergunte depois de "
                "quanto tempo, e ponha isso em provider.open_sales_end",
            .lines = {}};
}

Judgement of_after_cancel(const Reading& reading, const Config& config) {
    if (reading.value != "sells") return {};
    return {.contradicts = config.sale.late_arrival <= Duration(0),
            .remark =
                "um solicitar atrasado ainda vende: o gateway cancela mais uma vez depois de esperar por ele "
                "(sale.late_arrival)",
            .lines = {}};
}

Judgement of_id_again(const Reading& reading, const Config&) {
    if (reading.value != "second") return {};
    return {.contradicts = false,
            .remark = "um pedido duplicado pela rede faz uma segunda venda, e um cancelar encerra só uma delas",
            .lines = {}};
}

Judgement of_instrucao(const Reading& reading, const Config&) {
    if (reading.value == "again") return {};
    return {.contradicts = false,
            .remark =
                "se a resposta do confirmar se perde, o código do e-gift não vem de novo: uma pessoa o pede ao "
                "provedor",
            .lines = {}};
}

Judgement of_rate(const Reading& reading, const Config&) {
    if (reading.value == "none" || reading.value.starts_with("over-")) return {};
    return {
        .contradicts = false, .remark = "uma venda são dois pedidos: conte com isso no movimento da loja", .lines = {}};
}

Judgement of_errors(const Reading& reading, const Config&) {
    const bool is_no = reading.value.starts_with('4') || reading.value.ends_with("-negada");
    if (is_no && reading.value != "401" && reading.value != "409") return {};
    if (reading.value.ends_with("-autorizada"))
        return {.contradicts = false,
                .remark = "o provedor autoriza um pedido errado: não conte com ele para achar o erro",
                .lines = {}};
    return {.contradicts = false,
            .remark = "isto não se lê como um não: o gateway cancela por via das dúvidas",
            .lines = {}};
}

// A key of the configuration that ought to say another word.
Judgement line_for(bool same, std::string_view key, std::string_view word) {
    if (same) return {};
    return {.contradicts = true,
            .remark = "a configuração lê o extrato de outro modo",
            .lines = {fmt::format("statement.{} = \"{}\"", key, word)}};
}

Judgement of_statement_separator(const Reading& reading, const Config& config) {
    const auto& own = config.statement.format.separator;
    if (reading.value == "tab")
        return {.contradicts = true, .remark = "o gateway não lê um extrato separado por tabulação", .lines = {}};
    const std::string_view text = reading.value == "pipe" ? "|" : ";";
    return line_for(own == text, "separator", text);
}

Judgement of_statement_encoding(const Reading& reading, const Config& config) {
    const bool latin1 = config.statement.format.encoding == StatementEncoding::latin1;
    return line_for(latin1 == (reading.value == "latin1"), "encoding", reading.value);
}

Judgement of_statement_money(const Reading& reading, const Config& config) {
    return line_for(to_string(config.statement.format.money) == reading.value, "money", reading.value);
}

Judgement of_statement_count(const Reading& reading, const Config& config) {
    if (reading.value == "both") return {};
    if (reading.value == "neither")
        return {.contradicts = true,
                .remark = "a contagem do cabeçalho não é a das linhas: o gateway diria que o extrato não confere",
                .lines = {}};
    const bool sold = config.statement.format.counts == CountedRows::sold;
    return line_for(sold == (reading.value == "sold"), "counts", reading.value);
}

// Guessed, and so no contradiction: who reads the file knows better.
Judgement of_statement_columns(const Reading& reading, const Config& config) {
    auto lines = lines_not_in(config, reading.value);
    if (lines.empty()) return {};
    return {.contradicts = false,
            .remark = "colunas adivinhadas pelo que há nelas: confira antes de as usar",
            .lines = std::move(lines)};
}

// --- the table -----------------------------------------------------------------------------------------------------

constexpr std::array table{
    Point{"basic-separator", Level::look, "Separador entre app-key e app-secret",
          "Que caractere separa app-key e app-secret no cabeçalho Authorization: Basic?", of_separator},
    Point{"scopes", Level::look, "Escopos concedidos a estas credenciais",
          "Quais escopos estão habilitados para as nossas credenciais?", of_scopes},
    Point{"scope-separator", Level::look, "Separador dos escopos na resposta do token",
          "Na resposta do token, os escopos vêm separados por vírgula ou por espaço?", fits},
    Point{"token-errors", Level::look, "Códigos HTTP dos erros de token",
          "Com que código HTTP são respondidos invalid_client, invalid_request e invalid_scope?", fits},
    Point{"expires-in", Level::look, "Unidade de expires_in",
          "expires_in é o instante do vencimento, em milissegundos ou em segundos, ou por quanto tempo o token vale?",
          fits},
    Point{"refresh-token", Level::look, "O refresh_token depois de usado",
          "Depois de um refresh, o refresh_token antigo ainda vale? Vem outro?", fits},
    Point{"refresh-old-access", Level::look, "O access_token de antes do refresh",
          "Depois de um refresh, o access_token anterior continua valendo até o seu fim?", fits},
    Point{"rate-limit", Level::look, "Limite de requisições por segundo",
          "Quantas requisições por segundo são aceitas por estabelecimento ou credencial?", of_rate},
    Point{"rate-limit-answer", Level::look, "Como o excesso é recusado",
          "O excesso é respondido com 429? Com o cabeçalho Retry-After?", fits},
    Point{"keep-alive-requests", Level::look, "Requisições por conexão",
          "Depois de quantas requisições uma conexão é encerrada?", fits},
    Point{"keep-alive-idle", Level::look, "Tempo de uma conexão ociosa",
          "Depois de quanto tempo sem uso uma conexão é encerrada?", fits},
    Point{"sale-http", Level::authorise, "Código HTTP de uma venda autorizada",
          "Com que código HTTP é respondido um solicitar autorizado?", fits},
    Point{"cancel-effect", Level::authorise, "O cancelar de uma venda em aberto",
          "O cancelar, no caminho do documento, deixa uma venda AUTORIZADA em CANCELADA?", of_cancel_effect},
    Point{"cancel-again", Level::authorise, "Segundo cancelar da mesma venda",
          "O que responde o cancelar de uma venda já CANCELADA? A resposta nomeia o status?", names_its_status},
    Point{"confirm-on-cancelada", Level::authorise, "Confirmar uma venda CANCELADA",
          "O que responde o confirmar de uma venda CANCELADA? A resposta nomeia o status?", names_its_status},
    Point{"cancel-unknown", Level::authorise, "Cancelar um idExterno desconhecido",
          "O que responde o cancelar de um idExterno que nunca chegou? Código HTTP e corpo, por favor.",
          of_unknown_cancel},
    Point{"request-after-cancel", Level::authorise, "Um solicitar que chega depois do próprio cancelar",
          "Se o cancelar chega antes do solicitar do mesmo idExterno, o que acontece com o solicitar?",
          of_after_cancel},
    Point{"id-again-same-body", Level::authorise, "idExterno repetido, com o mesmo corpo",
          "O que responde um segundo solicitar idêntico ao primeiro?", of_id_again},
    Point{"id-again-other-body", Level::authorise, "idExterno repetido, com outra dataHoraCliente",
          "O que responde um segundo solicitar com o mesmo idExterno e outra dataHoraCliente?", of_id_again},
    Point{"id-length", Level::authorise, "Tamanho do idExterno", "Quantos caracteres pode ter o idExterno?",
          of_id_length},
    Point{"id-letters", Level::authorise, "Caracteres do idExterno", "Que caracteres pode ter o idExterno?",
          of_id_letters},
    Point{"error-missing-field", Level::authorise, "Erro: campo ausente",
          "O que responde um solicitar sem um campo obrigatório?", of_errors},
    Point{"error-bad-amount", Level::authorise, "Erro: valor inválido",
          "O que responde um solicitar cujo valor não é um número?", of_errors},
    Point{"error-unknown-product", Level::authorise, "Erro: produto desconhecido",
          "O que responde um solicitar de um produto que não existe?", of_errors},
    Point{"error-beyond-bound", Level::authorise, "Erro: valor acima do limite",
          "O que responde um solicitar com valor acima do máximo da consulta?", of_errors},
    Point{"error-wrong-establishment", Level::authorise, "Erro: um estabelecimento que não é o nosso",
          "O que responde um solicitar com um estabelecimento que não é o nosso?", of_errors},
    Point{"error-body", Level::authorise, "Forma do corpo de um erro", "Que campos tem o corpo de um erro?", fits},
    Point{"health-cancel-path", Level::authorise, "Caminho do cancelar de saúde ({health}: o segmento do parceiro)",
          "Em que caminho se cancela uma venda de saúde? O documento mostra o do confirmar.", of_health_path},
    Point{"health-cancel-does", Level::authorise, "Efeito do cancelar nesse caminho",
          "Esse caminho deixa a venda em CANCELADA?", of_health_effect},
    Point{"status-path", Level::authorise, "Consulta da situação de uma venda",
          "Há um caminho que consulte a situação de uma venda por idExterno ou idTransacao?", of_status_path},
    Point{"status-shape", Level::authorise, "Onde a consulta traz o status",
          "Em que campo a consulta da situação traz o status?", of_status_shape},
    Point{"status-unknown", Level::authorise, "Consulta de uma venda desconhecida",
          "O que responde a consulta da situação de uma venda que não existe?", fits},
    Point{"open-sales-end-tv", Level::authorise, "Cancelamento automático de uma venda em aberto: TV",
          "Uma venda de TV que fica AUTORIZADA é cancelada automaticamente? Depois de quanto tempo?", of_open_sales},
    Point{"open-sales-end-egift", Level::authorise, "Cancelamento automático de uma venda em aberto: e-gift",
          "Uma venda de e-gift que fica AUTORIZADA é cancelada automaticamente? Depois de quanto tempo?",
          of_open_sales},
    Point{"open-sales-end-transit", Level::authorise, "Cancelamento automático de uma venda em aberto: transporte",
          "Uma venda de transporte que fica AUTORIZADA é cancelada automaticamente? Depois de quanto tempo?",
          of_open_sales},
    Point{"open-sales-end-health", Level::authorise, "Cancelamento automático de uma venda em aberto: saúde",
          "Uma venda de saúde que fica AUTORIZADA é cancelada automaticamente? Depois de quanto tempo?", of_open_sales},
    Point{"confirm-again", Level::sell, "Segundo confirmar da mesma venda",
          "O que responde o confirmar de uma venda já EFETIVADA? A resposta nomeia o status?", names_its_status},
    Point{"cancel-on-efetivada", Level::sell, "Cancelar uma venda EFETIVADA",
          "O que responde o cancelar de uma venda EFETIVADA? A resposta nomeia o status?", names_its_status},
    Point{"egift-instrucao-again", Level::sell, "O segundo confirmar de e-gift traz instrucao",
          "Um segundo confirmar de e-gift traz a mesma instrucao, com a url de ativação?", of_instrucao},
    Point{"egift-confirm-token", Level::sell, "Confirmar de e-gift sem Authorization",
          "O confirmar de e-gift exige o cabeçalho Authorization? O exemplo do documento não o tem.", fits},
    Point{"callback-field", Level::sell, "Campo do endereço de notificação do eSIM",
          "Que nome tem, no solicitar de eSIM, o campo com o endereço de notificação?", of_callback_field},
    Point{"esim-uuid", Level::sell, "O uuid de um callback", "O uuid do callback é o idTransacao, ou outro número?",
          fits},
    Point{"recharge-callback", Level::sell, "Callback da recarga",
          "O segundo callback, da recarga, vai sempre para urlRecarga?", fits},
    Point{"callback-tries", Level::sell, "Tentativas de um callback", "Quantas vezes um callback é tentado?", fits},
    Point{"callback-retry", Level::sell, "Espera até a segunda tentativa",
          "Quanto tempo passa até a segunda tentativa de um callback?", fits},
    Point{"callback-repeat", Level::sell, "Esperas seguintes",
          "As esperas entre as tentativas de um callback são iguais ou crescem?", fits},
    Point{"callback-until", Level::sell, "Resposta que encerra as tentativas",
          "Só um 200 encerra as tentativas de um callback, ou qualquer 2xx?", fits},
    Point{"statement-separator", Level::look, "Extrato: separador", "Que caractere separa os campos do extrato?",
          of_statement_separator},
    Point{"statement-encoding", Level::look, "Extrato: codificação", "O extrato vem em UTF-8 ou em ISO 8859-1?",
          of_statement_encoding},
    Point{"statement-money", Level::look, "Extrato: valores",
          "No extrato, os valores vêm em centavos ou com vírgula ou ponto?", of_statement_money},
    Point{"statement-count", Level::look, "Extrato: o que o cabeçalho conta",
          "A quantidade e o total do cabeçalho do extrato são das vendas EFETIVADAS ou de todas as linhas?",
          of_statement_count},
    Point{"statement-columns", Level::look, "Extrato: colunas",
          "Que campo está em cada coluna das linhas de detalhe do extrato?", of_statement_columns},
    Point{"statement-eol", Level::look, "Extrato: fim de linha", "As linhas do extrato terminam em LF ou em CRLF?",
          fits},
    Point{"statement-rows", Level::look, "Extrato: quais vendas",
          "O extrato lista todas as transações ou só as EFETIVADAS?", fits},
};

}  // namespace

std::string_view to_string(Level level) noexcept {
    switch (level) {
        case Level::look: return "look";
        case Level::authorise: return "authorise";
        case Level::sell: return "sell";
    }
    return "";
}

std::optional<Level> parse_level(std::string_view text) noexcept {
    for (const auto level : {Level::look, Level::authorise, Level::sell})
        if (to_string(level) == text) return level;
    return std::nullopt;
}

std::span<const Point> points() noexcept {
    return table;
}

const Point* find_point(std::string_view name) noexcept {
    const auto found = std::ranges::find(table, name, &Point::name);
    return found == table.end() ? nullptr : &*found;
}

}  // namespace gateway::probe
