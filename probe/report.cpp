#include "probe/report.hpp"

#include "base/in_words.hpp"
#include "base/wall_time.hpp"
#include "probe/mask.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace gateway::probe {
namespace {

namespace json = boost::json;

struct StandingWords {
    std::string_view for_programs;
    std::string_view in_portuguese;
};

StandingWords words_of(Standing standing) {
    switch (standing) {
        case Standing::answered: return {"answered", "respondido"};
        case Standing::contradicts: return {"contradicts", "contradiz a configuração da loja"};
        case Standing::not_answered: return {"not_answered", "não respondido"};
        case Standing::not_applicable: return {"not_applicable", "não se aplica"};
        case Standing::not_tried: return {"not_tried", "não testado"};
    }
    return {};
}

// So many lines of one step are shown, at its beginning and at its end. No step that asks for sales has more: what is
// left out are reads that are alike by the hundred, and the transcript has them.
constexpr std::size_t most_lines_shown = 120;

std::string_view what_is_done(Level level) {
    switch (level) {
        case Level::look: return "nenhuma venda é pedida";
        case Level::authorise: return "vendas são pedidas e canceladas; nenhum dinheiro se move";
        case Level::sell:
            return "vendas são pedidas e canceladas, e de cada família é feita a menor venda que os produtos "
                   "configurados têm (de "
                   "eSIM, a menor com recarga)";
    }
    return "";
}

void add_once(std::vector<std::string>& list, const std::string& text) {
    if (!text.empty() && std::ranges::find(list, text) == list.end()) list.push_back(text);
}

// Says "HTTP 404 sem status" for all, or "HTTP 404 sem status (TV, e-gift); HTTP 422 sem status (transporte)".
std::string answers_of(const std::vector<Reading>& readings) {
    std::map<std::string, std::vector<std::string_view>> families;  // by the values that they answer
    for (const auto& reading : readings) {
        if (!reading.answered) continue;
        auto& same = families[reading.value];
        if (reading.family) same.push_back(family_in_portuguese(*reading.family));
    }
    std::vector<std::string> answers;
    for (const auto& [value, names] : families) {
        auto words = answer_in_portuguese(readings.front().point, value);
        if (!names.empty()) words += fmt::format(" ({})", fmt::join(names, ", "));
        answers.push_back(std::move(words));
    }
    return fmt::format("{}", fmt::join(answers, "; "));
}

std::string details_of(const std::vector<Reading>& readings, bool answered) {
    std::vector<std::string> all;
    for (const auto& reading : readings) {
        // A detail that says no more than the answer itself is left out.
        if (reading.answered != answered || reading.detail == answer_in_portuguese(reading.point, reading.value))
            continue;
        const bool of_family = reading.family && !answered;
        add_once(all, of_family ? fmt::format("{}: {}", family_in_portuguese(*reading.family), reading.detail)
                                : reading.detail);
    }
    return fmt::format("{}", fmt::join(all, "; "));
}

std::string why_not_tried(const Point& point, Level level) {
    if (point.level > level)
        return fmt::format("exige o nível `{}`; este ensaio usou `{}`", to_string(point.level), to_string(level));
    return point.missing.empty() ? "o ensaio não chegou até aqui" : point.missing;
}

PointReport report_of(const Point& point, const Notebook& book, const Config& config, Level level) {
    const auto readings = book.readings(point.name);
    PointReport report{.point = &point};
    if (readings.empty()) {
        report.detail = why_not_tried(point, level);
        report.not_reached = point.level <= level && point.missing.empty();
        return report;
    }
    const bool sells = book.value("health-cancel-does") == "sells";
    const bool missing = std::ranges::any_of(readings, [](const Reading& one) { return !one.answered && one.applies; });
    const bool any = std::ranges::any_of(readings, &Reading::answered);
    std::vector<std::string> remarks;
    bool contradicts = false;
    for (auto reading : readings) {
        if (!reading.answered) continue;
        // A path by which a health sale is sold is no path that cancels, so that the configuration must not have it.
        if (sells && point.name == "health-cancel-path") reading.value = "none";
        auto judgement = judge(point, reading, config);
        contradicts = contradicts || judgement.contradicts;
        add_once(remarks, judgement.remark);
        for (const auto& line : judgement.lines)
            add_once(report.lines, line);
    }
    report.remark = fmt::format("{}", fmt::join(remarks, "; "));
    report.answer = answers_of(readings);
    report.detail = details_of(readings, !missing && any);
    report.standing = contradicts ? Standing::contradicts
                      : missing   ? Standing::not_answered
                      : any       ? Standing::answered
                                  : Standing::not_applicable;
    return report;
}

// Makes the text a cell of a table.
std::string cell(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c == '\n' || c == '\r' ? ' ' : c;
    }
    return out;
}

std::string head_of(const Report& report, const Config& config) {
    auto out = fmt::format(
        "# Relatório de homologação\n\n"
        "Feito por sales-gateway {} em {} ({}), no ambiente de homologação do provedor que tem os endereços abaixo, "
        "com as credenciais configuradas e com o mesmo código que é usado em produção. Nível `{}`: {}.\n\n"
        "O documento da interface deixa pontos em aberto. Para cada um, este relatório diz o que o ambiente "
        "respondeu, ou por que não se sabe. Credenciais, tokens, produtos entregues e dados de clientes foram "
        "substituídos por `{}`.\n\n"
        "| | |\n| --- | --- |\n"
        "| endereço de vendas | {} |\n| endereço do token | {} |\n| estabelecimento | {} |\n"
        "| transcrição | `transcript.jsonl`, {} linhas, SHA-256 da última: `{}` |\n",
        report.version, to_local_text(report.at), local_offset(report.at), to_string(report.level),
        what_is_done(report.level), Mask::hidden, cell(config.provider.base_url.text),
        cell(config.provider.auth_url.text), cell(config.provider.estabelecimento), report.transcript_lines,
        report.transcript_digest);
    if (!report.interrupted.empty()) out += fmt::format("\n**O ensaio não chegou ao fim:** {}.\n", report.interrupted);
    return out;
}

std::string row_of(const PointReport& report) {
    auto answer = report.answer;
    if (!report.detail.empty()) answer += (answer.empty() ? "" : ": ") + report.detail;
    const auto follows = report.standing == Standing::not_answered ? "**perguntar:** " + report.point->ask
                         : report.remark.empty()                   ? "nenhuma"
                                                                   : report.remark;
    return fmt::format("| {} (`{}`) | {} | {} | {} |\n", cell(report.point->title), report.point->name,
                       words_of(report.standing).in_portuguese, cell(answer), cell(follows));
}

// Writes the points with their answers, the questions that follow, and what was not tried.
std::string points_of(const std::vector<PointReport>& points) {
    std::map<Standing, int> counts;
    std::string rows;
    std::string questions;
    std::string not_tried;
    for (const auto& report : points) {
        const auto& point = *report.point;
        ++counts[report.standing];
        if (report.standing == Standing::not_answered)
            questions += fmt::format("{}. {} (`{}`)\n", counts[report.standing], point.ask, point.name);
        if (report.standing == Standing::not_tried)
            not_tried += fmt::format("- {} (`{}`): {}. A pergunta seria: {}\n", point.title, point.name, report.detail,
                                     point.ask);
        else
            rows += row_of(report);
    }
    if (questions.empty())
        questions = "Nenhuma: tudo o que foi testado foi respondido. O que não foi testado está abaixo.\n";
    if (not_tried.empty()) not_tried = "Tudo foi testado.\n";
    std::string out = "\n## Pontos em aberto do documento\n\n";
    for (const auto& [standing, count] : counts)
        out += fmt::format("- {}: {}\n", words_of(standing).in_portuguese, count);
    return out + fmt::format(
                     "\n| ponto | situação | resposta | consequência |\n| --- | --- | --- | --- |\n{}"
                     "\n## Perguntas ao provedor\n\n{}\n## O que não foi testado, e por quê\n\n{}",
                     rows, questions, not_tried);
}

std::string configuration_of(const std::vector<std::string>& lines) {
    const auto text =
        lines.empty() ? std::string("Nada muda.\n") : fmt::format("```toml\n{}\n```\n", fmt::join(lines, "\n"));
    return "\n## Configuração da loja: linhas que seguem das respostas\n\n" + text;
}

std::string list_of(std::string_view title, const std::vector<Entry>& sales) {
    auto out = fmt::format("\n## {}\n\n", title);
    if (sales.empty()) out += "Nenhuma.\n";
    for (const auto& line : lines_of(sales))
        out += fmt::format("- {}\n", line);
    return out;
}

std::string log_of(std::vector<std::string> lines) {
    constexpr std::size_t half = most_lines_shown / 2;
    if (lines.size() > most_lines_shown) {
        const auto left_out = lines.size() - 2 * half;
        const auto first = lines.begin() + half;
        *first = fmt::format("… {} linhas; todas as requisições estão em transcript.jsonl", left_out);
        lines.erase(first + 1, lines.end() - half);
    }
    return fmt::format("\n```\n{}\n```\n", fmt::join(lines, "\n"));
}

std::string steps_of(const Notebook& book) {
    std::string out = "\n## Conexões, consultas e extrato\n\n| | |\n| --- | --- |\n";
    for (const auto& fact : book.facts())
        out += fmt::format("| {} | {} |\n", cell(fact.name), cell(fact.text));
    out += "\n## Passos, com o log da aplicação\n";
    int number = 0;
    for (const auto& trial : book.trials()) {
        out += fmt::format("\n### {}. {}\n\nConcluído em {} ({}).\n", ++number, trial.title, to_local_text(trial.at),
                           local_offset(trial.at));
        if (!trial.result.empty()) out += fmt::format("\nResultado: {}\n", trial.result);
        if (!trial.lines.empty()) out += log_of(trial.lines);
    }
    return out;
}

json::object json_of(const PointReport& report, const Notebook& book) {
    json::array readings;
    for (const auto& reading : book.readings(report.point->name))
        readings.push_back({{"family", reading.family ? json::value(to_string(*reading.family)) : json::value()},
                            {"answered", reading.answered},
                            {"applies", reading.applies},
                            {"value", reading.value},
                            {"detail", reading.detail}});
    return {{"standing", words_of(report.standing).for_programs},
            {"title", report.point->title},
            {"level", to_string(report.point->level)},
            {"readings", std::move(readings)},
            {"remark", report.remark},
            {"ask", report.point->ask},
            {"lines", json::value_from(report.lines)}};
}

json::array json_of(const std::vector<Entry>& sales, bool may_be_open) {
    json::array listed;
    for (const auto& entry : sales) {
        json::object object{{"idExterno", entry.id},
                            {"idTransacao", entry.id_transacao},
                            {"family", to_string(entry.family)},
                            {"asked", to_rfc3339(entry.asked)}};
        if (may_be_open) object["leftOpen"] = entry.left_open;
        if (may_be_open) object["last"] = entry.last;
        listed.push_back(std::move(object));
    }
    return listed;
}

}  // namespace

std::vector<PointReport> point_reports(const Notebook& book, const Config& config, Level level) {
    std::vector<PointReport> reports;
    for (const auto& point : points())
        reports.push_back(report_of(point, book, config, level));
    return reports;
}

bool all_answered(const std::vector<PointReport>& points) {
    return std::ranges::none_of(points, [](const PointReport& report) {
        return report.standing == Standing::contradicts || report.standing == Standing::not_answered ||
               report.not_reached;
    });
}

std::vector<std::string> proposed_lines(const std::vector<PointReport>& points) {
    std::vector<std::string> lines;
    for (const auto& report : points)
        for (const auto& line : report.lines)
            add_once(lines, line);
    return lines;
}

std::vector<std::string> lines_of(const std::vector<Entry>& sales) {
    std::vector<std::string> lines;
    lines.reserve(sales.size());
    for (const auto& entry : sales)
        lines.push_back(fmt::format("{} {} ({}), {}, pedida em {} ({}): {}{}", family_in_portuguese(entry.family),
                                    entry.id, entry.id_transacao.empty() ? "sem idTransacao" : entry.id_transacao,
                                    money_in_words(entry.valor.value), to_local_text(entry.asked),
                                    local_offset(entry.asked), entry.last,
                                    entry.left_open ? "; deixada em aberto de propósito" : ""));
    return lines;
}

std::string report_markdown(const Report& report, const Notebook& book, const Config& config) {
    return head_of(report, config) + points_of(report.points) + configuration_of(proposed_lines(report.points)) +
           list_of("Vendas que podem estar em aberto", report.open) + list_of("Vendas efetivadas", report.sold) +
           steps_of(book);
}

json::object report_json(const Report& report, const Notebook& book) {
    json::object points;
    for (const auto& one : report.points)
        points[one.point->name] = json_of(one, book);
    json::object facts;
    for (const auto& fact : book.facts())
        facts[fact.name] = fact.text;
    return {{"version", report.version},
            {"level", to_string(report.level)},
            {"at", to_rfc3339(report.at)},
            {"interrupted", report.interrupted},
            {"transcript", {{"lines", report.transcript_lines}, {"lastDigest", report.transcript_digest}}},
            {"points", std::move(points)},
            {"facts", std::move(facts)},
            {"configuration", json::value_from(proposed_lines(report.points))},
            {"mayBeOpen", json_of(report.open, true)},
            {"sold", json_of(report.sold, false)}};
}

}  // namespace gateway::probe
