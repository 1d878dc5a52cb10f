#include "probe/points.hpp"

#include "base/ascii.hpp"
#include "base/ulid.hpp"
#include "families/family.hpp"
#include "probe/ledger.hpp"
#include "probe/statement_look.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace gateway::probe {
namespace {

constexpr std::string_view table =
#include "probe_points.inc"
    ;

Point read_point(const toml::table& row) {
    const auto text = [&](std::string_view name) { return row[name].value_or(std::string()); };
    Point point{.name = text("name"),
                .level = parse_level(text("level")).value_or(Level::authorise),
                .title = text("title"),
                .ask = text("ask"),
                .missing = text("missing"),
                .fits = text("fits"),
                .unfit = text("unfit"),
                .compare = text("compare"),
                .otherwise = {row["contradicts"].value_or(false), text("remark"), {}}};
    if (const auto line = text("line"); !line.empty()) point.otherwise.lines.push_back(line);
    if (const auto* words = row["words"].as_table())
        for (const auto& [value, said] : *words)
            point.words.emplace(value.str(), said.value_or(std::string()));
    point.number = {row["number"][0].value_or(std::string()), row["number"][1].value_or(std::string())};
    return point;
}

// --- what answers mean, beside the configuration -------------------------------------------------------------------

Judgement contradiction(std::string_view remark, std::vector<std::string> lines = {}) {
    return {.contradicts = true, .remark = std::string(remark), .lines = std::move(lines)};
}

Judgement only_remark(std::string_view remark, std::vector<std::string> lines = {}) {
    return {.contradicts = false, .remark = std::string(remark), .lines = std::move(lines)};
}

std::string line_of(std::string_view key, std::string_view word) {
    return fmt::format("{} = \"{}\"", key, word);
}

// The law reads a final status in any 2xx and 4xx; without one a person may have to look.
Judgement of_status_named(const Reading& reading, const Config&) {
    if (reading.value.ends_with("-status")) return {};
    // The sale's own status is "-status", and these are others.
    for (const std::string_view other : {"-efetivada", "-cancelada", "-negada"})
        if (reading.value.ends_with(other))
            return contradiction(
                "a resposta diz um fim que não é o da venda: ou ela mudou depois de chegar ao fim, ou a resposta não é "
                "sobre ela; pergunte antes de vender");
    return only_remark(
        "a resposta não diz a situação da venda: se acontecer, o gateway pergunta de novo e, por fim, pede ajuda a uma "
        "pessoa");
}

Judgement of_unknown_cancel(const Reading& reading, const Config&) {
    const bool is_no = reading.value.size() == 3 && reading.value.starts_with('4') && reading.value != "409";
    if (is_no || reading.value == "200-negada" || reading.value.ends_with("-cancelada")) return {};
    return only_remark(
        "não se lê nela que a venda não existe: depois de uma resposta perdida, o gateway pede ajuda a uma pessoa");
}

Judgement of_scopes(const Reading& reading, const Config& config) {
    if (reading.value == "all") return {};
    const auto granted = "+" + reading.value + "+";
    std::vector<std::string> kept;
    for (const auto& scope : config.provider.scopes)
        if (granted.find("+" + scope + "+") != std::string::npos) kept.push_back(fmt::format("\"{}\"", scope));
    if (kept.size() == config.provider.scopes.size()) return {};
    if (kept.empty()) return contradiction("nenhum dos escopos de provider.scopes é concedido");
    return contradiction("provider.scopes pede escopos que não são concedidos",
                         {fmt::format("provider.scopes = [{}]", fmt::join(kept, ", "))});
}

Judgement of_id_length(const Reading& reading, const Config&) {
    std::size_t length = Ulid::length;
    std::from_chars(reading.value.data(), reading.value.data() + reading.value.size(), length);
    return length >= Ulid::length ? Judgement{} : contradiction("o idExterno do gateway tem 26 caracteres");
}

Judgement of_health_path(const Reading& reading, const Config& config) {
    const auto found = reading.value == "none" ? std::string() : reading.value;
    if (found == config.provider.health_cancel_path) return {};
    return contradiction(
        found.empty() ? "o caminho configurado não cancela" : "há um caminho, e a configuração não o tem",
        {line_of("provider.health_cancel_path", found)});
}

// That there is one more way to ask contradicts nothing; one that is configured and does not answer does.
Judgement of_status_path(const Reading& reading, const Config& config) {
    const auto found = reading.value == "none" ? std::string() : reading.value;
    if (found == config.provider.status_path) return {};
    std::vector<std::string> lines{line_of("provider.status_path", found)};
    if (config.provider.status_path.empty())
        return only_remark("a situação de uma venda pode ser consultada", std::move(lines));
    return contradiction("o caminho configurado não responde pela situação de uma venda", std::move(lines));
}

Judgement of_callback_field(const Reading& reading, const Config& config) {
    if (reading.value == config.provider.callback_field) return {};
    return contradiction("o endereço vai em outro campo", {line_of("provider.callback_field", reading.value)});
}

// What is asked 49 hours later says whether the end comes within them, and not when.
Judgement of_open_sales(const Reading& reading, const Config& config) {
    const auto configured = config.provider.open_sales_end;
    const bool within = configured > Duration(0) && configured <= revisit_after;
    const bool ends = reading.value != "never";
    if (ends == within) return {};
    if (!ends)
        return contradiction("a configuração conta com um fim que não veio", {"provider.open_sales_end = \"0s\""});
    return contradiction(
        "o provedor cancela automaticamente uma venda em aberto, em menos de 49 horas; pergunte depois de quanto "
        "tempo, "
        "e ponha isso em provider.open_sales_end");
}

Judgement of_after_cancel(const Reading& reading, const Config& config) {
    if (reading.value != "sells") return {};
    auto judgement = only_remark(
        "um solicitar atrasado ainda vende: o gateway cancela mais uma vez depois de esperar por ele "
        "(sale.late_arrival)");
    judgement.contradicts = config.sale.late_arrival <= Duration(0);
    return judgement;
}

Judgement of_rate(const Reading& reading, const Config&) {
    if (reading.value == "none" || reading.value.starts_with("over-")) return {};
    return only_remark("uma venda são dois pedidos: conte com isso no movimento da loja");
}

Judgement of_errors(const Reading& reading, const Config&) {
    const bool is_no = reading.value.starts_with('4') || reading.value.ends_with("-negada");
    if (is_no && reading.value != "401" && reading.value != "409") return {};
    if (reading.value.ends_with("-autorizada"))
        return only_remark("o provedor autoriza um pedido errado: não conte com ele para achar o erro");
    return only_remark("isto não se lê como um não: o gateway cancela por via das dúvidas");
}

// Compares a key of the configuration with the word that it ought to say.
Judgement of_statement(bool same, std::string_view key, std::string_view word) {
    if (same) return {};
    return contradiction("a configuração lê o extrato de outro modo", {line_of(key, word)});
}

Judgement of_statement_separator(const Reading& reading, const Config& config) {
    if (reading.value == "tab") return contradiction("o gateway não lê um extrato separado por tabulação");
    const std::string_view text = reading.value == "pipe" ? "|" : ";";
    return of_statement(config.statement.format.separator == text, "statement.separator", text);
}

Judgement of_statement_encoding(const Reading& reading, const Config& config) {
    const bool latin1 = config.statement.format.encoding == StatementEncoding::latin1;
    return of_statement(latin1 == (reading.value == "latin1"), "statement.encoding", reading.value);
}

Judgement of_statement_money(const Reading& reading, const Config& config) {
    return of_statement(to_string(config.statement.format.money) == reading.value, "statement.money", reading.value);
}

Judgement of_statement_count(const Reading& reading, const Config& config) {
    if (reading.value == "both") return {};
    if (reading.value == "neither")
        return contradiction("a contagem do cabeçalho não é a das linhas: o gateway diria que o extrato não confere");
    const bool sold = config.statement.format.counts == CountedRows::sold;
    return of_statement(sold == (reading.value == "sold"), "statement.counts", reading.value);
}

// The columns are guessed, and so no contradiction: a person who reads the file knows better.
Judgement of_statement_columns(const Reading& reading, const Config& config) {
    auto lines = lines_not_in(config, reading.value);
    if (lines.empty()) return {};
    return only_remark("colunas adivinhadas pelo que há nelas: confira antes de as usar", std::move(lines));
}

// What stays AUTORIZADA under a cancel that is answered with a 4xx would be taken for a sale that there is not.
Judgement of_cancel_effect(const Reading& reading, const Config& config) {
    if (reading.value == "cancels") return {};
    auto judgement = contradiction("uma venda cuja resposta se perdeu não pode ser desfeita: não venda assim");
    if (reading.value.starts_with('4') && config.provider.trust_cancel_4xx)
        judgement.lines = {"provider.trust_cancel_4xx = false"};
    return judgement;
}

using Compare = Judgement (*)(const Reading& reading, const Config& config);
const std::map<std::string_view, Compare> comparisons{{"after-cancel", of_after_cancel},
                                                      {"callback-field", of_callback_field},
                                                      {"cancel-effect", of_cancel_effect},
                                                      {"errors", of_errors},
                                                      {"health-path", of_health_path},
                                                      {"id-length", of_id_length},
                                                      {"open-sales", of_open_sales},
                                                      {"rate", of_rate},
                                                      {"scopes", of_scopes},
                                                      {"statement-columns", of_statement_columns},
                                                      {"statement-count", of_statement_count},
                                                      {"statement-encoding", of_statement_encoding},
                                                      {"statement-money", of_statement_money},
                                                      {"statement-separator", of_statement_separator},
                                                      {"status-named", of_status_named},
                                                      {"status-path", of_status_path},
                                                      {"unknown-cancel", of_unknown_cancel}};

// --- what values say -----------------------------------------------------------------------------------------------

// Says what "404", "200-status" and "422-cancelada" mean; empty where it is none of these.
std::string answered_with(std::string_view point, std::string_view value) {
    constexpr std::size_t length = 3;
    if (value.size() < length || !is_digits(value.substr(0, length))) return {};
    const auto http = value.substr(0, length);
    const auto word = value.substr(length);
    if (word.empty() || word == "-bare") return fmt::format("HTTP {} sem status", http);
    if (word == "-stranger") return fmt::format("HTTP {} com um status desconhecido", http);
    // The sale of these points is sold, and that of the others cancelled.
    const bool is_sold = point == "confirm-again" || point == "cancel-on-efetivada";
    if (word == "-status") return fmt::format("HTTP {} com {}", http, is_sold ? "EFETIVADA" : "CANCELADA");
    for (const auto* known : {"AUTORIZADA", "EFETIVADA", "CANCELADA", "NEGADA", "PENDENTE"})
        if (word == "-" + to_lower(known)) return fmt::format("HTTP {} com {}", http, known);
    return {};
}

std::string with_commas(std::string_view names) {
    std::string out;
    for (const char c : names)
        c == '+' ? out.append(", ") : out.append(1, c);
    return out;
}

// Says what a number means, or one that is only a bound.
std::string number_in_words(const Point& point, std::string_view value) {
    constexpr std::string_view over = "over-";
    const bool more = value.starts_with(over);
    const auto number = more ? value.substr(over.size()) : value;
    const auto& words = more ? point.number.second : point.number.first;
    return is_digits(number) ? fmt::format(fmt::runtime(words), number) : std::string();
}

}  // namespace

std::string answer_in_portuguese(std::string_view name, std::string_view value) {
    const auto* point = find_point(name);
    if (point == nullptr) return std::string(value);
    if (const auto said = point->words.find(value); said != point->words.end()) return said->second;
    const auto plus = value.find('+');
    if (name == "scopes") return with_commas(value);
    if (name == "sale-http") return fmt::format("HTTP {}", value);
    if (name == "token-errors" && plus != std::string_view::npos)
        return fmt::format("{} se as credenciais estão erradas, {} se o escopo está errado", value.substr(0, plus),
                           value.substr(plus + 1));
    if (name == "callback-retry" && value.ends_with('s')) return fmt::format("{} s", value.substr(0, value.size() - 1));
    auto words = number_in_words(*point, value);
    if (words.empty()) words = answered_with(name, value);
    return words.empty() ? std::string(value) : words;
}

Judgement judge(const Point& point, const Reading& reading, const Config& config) {
    if (const auto compare = comparisons.find(point.compare); compare != comparisons.end())
        return compare->second(reading, config);
    const bool is_fit = point.fits.empty() ? reading.value != point.unfit : reading.value == point.fits;
    return is_fit || (point.fits.empty() && point.unfit.empty()) ? Judgement{} : point.otherwise;
}

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

const std::vector<Point>& points() {
    static const auto all = [] {
        std::vector<Point> read;
        const auto document = toml::parse(table);
        if (const auto* rows = document["point"].as_array())
            for (const auto& row : *rows)
                if (const auto* one = row.as_table()) read.push_back(read_point(*one));
        return read;
    }();
    return all;
}

const Point* find_point(std::string_view name) {
    const auto found = std::ranges::find(points(), name, &Point::name);
    return found == points().end() ? nullptr : &*found;
}

std::string_view open_sales_end_point(Family family) {
    const auto* point = find_point(fmt::format("open-sales-end-{}", to_string(family)));
    return point == nullptr ? std::string_view() : point->name;
}

std::string_view family_in_portuguese(Family family) {
    return name_of(family, Language::portuguese);
}

}  // namespace gateway::probe
