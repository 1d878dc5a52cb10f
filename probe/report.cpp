#include "probe/report.hpp"

#include "base/in_words.hpp"
#include "base/wall_time.hpp"
#include "probe/answer_words.hpp"
#include "probe/mask.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace gateway::probe {
namespace {

namespace json = boost::json;

std::string_view standing_in_portuguese(Standing standing) {
    switch (standing) {
        case Standing::answered: return "respondido";
        case Standing::contradicts: return "contradiz a configuração da loja";
        case Standing::not_answered: return "não respondido";
        case Standing::not_applicable: return "não se aplica";
        case Standing::not_tried: return "não testado";
    }
    return "";
}

std::string_view standing_word(Standing standing) {
    switch (standing) {
        case Standing::answered: return "answered";
        case Standing::contradicts: return "contradicts";
        case Standing::not_answered: return "not_answered";
        case Standing::not_applicable: return "not_applicable";
        case Standing::not_tried: return "not_tried";
    }
    return "";
}

// Of one step, at its beginning and at its end. No step that asks for sales has so many: what is left out are reads
// that are alike by the hundred, and the transcript has them.
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

constexpr std::string_view not_reached = "o ensaio não chegou até aqui";

std::string why_not_tried(const Point& point, Level level) {
    if (point.level > level)
        return fmt::format("exige o nível `{}`; este ensaio usou `{}`", to_string(point.level), to_string(level));
    if (point.name.starts_with("open-sales-end"))
        return "nenhuma venda foi deixada em aberto (opção --leave-open não usada)";
    if (point.name.starts_with("statement")) return "nenhum arquivo de extrato foi informado (opção --statement)";
    if (point.name.starts_with("health")) return "nenhuma venda de saúde fez parte do ensaio";
    if (point.name.starts_with("egift")) return "nenhuma venda de e-gift fez parte do ensaio";
    for (const std::string_view of_esim : {"esim", "callback", "recharge"})
        if (point.name.starts_with(of_esim)) return "nenhuma venda de eSIM fez parte do ensaio";
    return std::string(not_reached);
}

// The families that a reading is of, for people.
std::string families_of(const std::vector<const Reading*>& readings) {
    std::string names;
    for (const auto* reading : readings) {
        if (!reading->family) continue;
        if (!names.empty()) names += ", ";
        names += family_in_portuguese(*reading->family);
    }
    return names;
}

void add_once(std::vector<std::string>& list, const std::string& text) {
    if (!text.empty() && std::ranges::find(list, text) == list.end()) list.push_back(text);
}

// "HTTP 404 sem status" of all, or "HTTP 404 sem status (TV, e-gift); HTTP 422 sem status (transporte)".
std::string answers_of(const std::vector<Reading>& readings) {
    std::map<std::string, std::vector<const Reading*>> by_value;
    for (const auto& reading : readings)
        if (reading.answered) by_value[reading.value].push_back(&reading);
    std::string text;
    for (const auto& [value, same] : by_value) {
        if (!text.empty()) text += "; ";
        const auto names = families_of(same);
        const auto words = answer_in_portuguese(same.front()->point, value);
        text += names.empty() ? words : fmt::format("{} ({})", words, names);
    }
    return text;
}

std::string details_of(const std::vector<Reading>& readings, bool answered) {
    std::vector<std::string> all;
    for (const auto& reading : readings) {
        // What says no more than the answer itself is left out.
        if (reading.answered != answered || reading.detail == answer_in_portuguese(reading.point, reading.value))
            continue;
        add_once(all, reading.family && !answered
                          ? fmt::format("{}: {}", family_in_portuguese(*reading.family), reading.detail)
                          : reading.detail);
    }
    return fmt::format("{}", fmt::join(all, "; "));
}

// A path by which a health sale is sold is no path that cancels: the configuration must not have it, whatever the
// answer is called.
Reading judged_as(Reading reading, bool path_sells) {
    if (path_sells && reading.point == "health-cancel-path") reading.value = "none";
    return reading;
}

PointReport report_of(const Point& point, const Notebook& book, const Config& config, Level level) {
    const auto readings = book.readings(point.name);
    const bool sells = book.value("health-cancel-does") == "sells";
    PointReport report{.point = &point};
    if (readings.empty()) {
        report.detail = why_not_tried(point, level);
        report.not_reached = report.detail == not_reached;
        return report;
    }
    const bool missing = std::ranges::any_of(readings, [](const Reading& one) { return !one.answered && one.applies; });
    const bool any = std::ranges::any_of(readings, &Reading::answered);
    std::vector<std::string> remarks;
    bool contradicts = false;
    for (const auto& reading : readings) {
        if (!reading.answered) continue;
        auto judgement = point.judge(judged_as(reading, sells), config);
        contradicts = contradicts || judgement.contradicts;
        add_once(remarks, judgement.remark);
        for (const auto& line : judgement.lines)
            add_once(report.lines, line);
    }
    report.remark = fmt::format("{}", fmt::join(remarks, "; "));
    report.answer = answers_of(readings);
    report.detail = details_of(readings, !missing && any);
    if (contradicts)
        report.standing = Standing::contradicts;
    else if (missing)
        report.standing = Standing::not_answered;
    else
        report.standing = any ? Standing::answered : Standing::not_applicable;
    return report;
}

// A cell of a table.
std::string cell(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c == '\n' || c == '\r' ? ' ' : c;
    }
    return out;
}

void write_head(std::string& out, const ReportHead& head, const Config& config) {
    auto to = std::back_inserter(out);
    fmt::format_to(to, "# Relatório de homologação\n\n");
    fmt::format_to(
        to,
        "Feito por sales-gateway {} em {} ({}), no ambiente de homologação do provedor que tem os endereços abaixo, "
        "com as credenciais configuradas e com o mesmo código que é usado em produção. Nível `{}`: {}.\n\n"
        "O documento da interface deixa pontos em aberto. Para cada um, este relatório diz o que o ambiente "
        "respondeu, ou por que não se sabe. Credenciais, tokens, produtos entregues e dados de clientes foram "
        "substituídos por `{}`.\n\n",
        head.version, to_local_text(head.at), local_offset(head.at), to_string(head.level), what_is_done(head.level),
        Mask::hidden);
    fmt::format_to(to, "| | |\n| --- | --- |\n");
    fmt::format_to(to, "| endereço de vendas | {} |\n", cell(config.provider.base_url.text));
    fmt::format_to(to, "| endereço do token | {} |\n", cell(config.provider.auth_url.text));
    fmt::format_to(to, "| estabelecimento | {} |\n", cell(config.provider.estabelecimento));
    fmt::format_to(to, "| transcrição | `transcript.jsonl`, {} linhas, SHA-256 da última: `{}` |\n",
                   head.transcript_lines, head.transcript_digest);
    if (!head.interrupted.empty()) fmt::format_to(to, "\n**O ensaio não chegou ao fim:** {}.\n", head.interrupted);
}

void write_points(std::string& out, const std::vector<PointReport>& reports) {
    auto to = std::back_inserter(out);
    std::map<Standing, int> counts;
    for (const auto& report : reports)
        ++counts[report.standing];
    fmt::format_to(to, "\n## Pontos em aberto do documento\n\n");
    for (const auto& [standing, count] : counts)
        fmt::format_to(to, "- {}: {}\n", standing_in_portuguese(standing), count);
    fmt::format_to(to, "\n| ponto | situação | resposta | consequência |\n| --- | --- | --- | --- |\n");
    for (const auto& report : reports) {
        if (report.standing == Standing::not_tried) continue;
        auto answer = report.answer;
        if (!report.detail.empty()) answer += (answer.empty() ? "" : ": ") + report.detail;
        const bool asks = report.standing == Standing::not_answered;
        const auto follows = asks                    ? "**perguntar:** " + std::string(report.point->ask)
                             : report.remark.empty() ? std::string("nenhuma")
                                                     : report.remark;
        fmt::format_to(to, "| {} (`{}`) | {} | {} | {} |\n", cell(report.point->title), report.point->name,
                       standing_in_portuguese(report.standing), cell(answer), cell(follows));
    }
}

void write_questions(std::string& out, const std::vector<PointReport>& reports) {
    auto to = std::back_inserter(out);
    fmt::format_to(to, "\n## Perguntas ao provedor\n\n");
    int number = 0;
    for (const auto& report : reports)
        if (report.standing == Standing::not_answered)
            fmt::format_to(to, "{}. {} (`{}`)\n", ++number, report.point->ask, report.point->name);
    if (number == 0)
        fmt::format_to(to, "Nenhuma: tudo o que foi testado foi respondido. O que não foi testado está abaixo.\n");
}

void write_not_tried(std::string& out, const std::vector<PointReport>& reports) {
    auto to = std::back_inserter(out);
    fmt::format_to(to, "\n## O que não foi testado, e por quê\n\n");
    bool any = false;
    for (const auto& report : reports) {
        if (report.standing != Standing::not_tried) continue;
        any = true;
        fmt::format_to(to, "- {} (`{}`): {}. A pergunta seria: {}\n", report.point->title, report.point->name,
                       report.detail, report.point->ask);
    }
    if (!any) fmt::format_to(to, "Tudo foi testado.\n");
}

void write_lines(std::string& out, const std::vector<std::string>& lines) {
    auto to = std::back_inserter(out);
    fmt::format_to(to, "\n## Configuração da loja: linhas que seguem das respostas\n\n");
    if (lines.empty()) {
        fmt::format_to(to, "Nada muda.\n");
        return;
    }
    fmt::format_to(to, "```toml\n{}\n```\n", fmt::join(lines, "\n"));
}

void write_open(std::string& out, const std::vector<Entry>& open) {
    auto to = std::back_inserter(out);
    fmt::format_to(to, "\n## Vendas que podem estar em aberto\n\n");
    const auto lines = open_lines(open);
    if (lines.empty()) fmt::format_to(to, "Nenhuma.\n");
    for (const auto& line : lines)
        fmt::format_to(to, "- {}\n", line);
}

void write_sold(std::string& out, const std::vector<Entry>& sold) {
    auto to = std::back_inserter(out);
    fmt::format_to(to, "\n## Vendas efetivadas\n\n");
    if (sold.empty()) fmt::format_to(to, "Nenhuma.\n");
    for (const auto& line : open_lines(sold))
        fmt::format_to(to, "- {}\n", line);
}

void write_log(std::string& out, const std::vector<std::string>& lines) {
    auto to = std::back_inserter(out);
    constexpr std::size_t half = most_lines_shown / 2;
    const bool whole = lines.size() <= most_lines_shown;
    fmt::format_to(to, "\n```\n");
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (whole || i < half || i >= lines.size() - half) fmt::format_to(to, "{}\n", lines[i]);
        if (!whole && i == half)
            fmt::format_to(to, "… {} linhas; todas as requisições estão em transcript.jsonl\n",
                           lines.size() - 2 * half);
    }
    fmt::format_to(to, "```\n");
}

void write_trials(std::string& out, const Notebook& book) {
    auto to = std::back_inserter(out);
    fmt::format_to(to, "\n## Conexões, consultas e extrato\n\n| | |\n| --- | --- |\n");
    for (const auto& fact : book.facts())
        fmt::format_to(to, "| {} | {} |\n", cell(fact.name), cell(fact.text));
    fmt::format_to(to, "\n## Passos, com o log da aplicação\n");
    int number = 0;
    for (const auto& trial : book.trials()) {
        fmt::format_to(to, "\n### {}. {}\n\nConcluído em {} ({}).\n", ++number, trial.title, to_local_text(trial.at),
                       local_offset(trial.at));
        if (!trial.result.empty()) fmt::format_to(to, "\nResultado: {}\n", trial.result);
        if (!trial.lines.empty()) write_log(out, trial.lines);
    }
}

json::array texts(const std::vector<std::string>& list) {
    json::array out;
    for (const auto& text : list)
        out.push_back(json::value(text));
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
    return {{"standing", standing_word(report.standing)},
            {"title", report.point->title},
            {"level", to_string(report.point->level)},
            {"readings", std::move(readings)},
            {"remark", report.remark},
            {"ask", report.point->ask},
            {"lines", texts(report.lines)}};
}

}  // namespace

std::vector<PointReport> point_reports(const Notebook& book, const Config& config, Level level) {
    std::vector<PointReport> reports;
    for (const auto& point : points())
        reports.push_back(report_of(point, book, config, level));
    return reports;
}

bool all_answered(const std::vector<PointReport>& reports) {
    return std::ranges::none_of(reports, [](const PointReport& report) {
        return report.standing == Standing::contradicts || report.standing == Standing::not_answered ||
               report.not_reached;
    });
}

std::vector<std::string> proposed_lines(const std::vector<PointReport>& reports) {
    std::vector<std::string> lines;
    for (const auto& report : reports)
        for (const auto& line : report.lines)
            add_once(lines, line);
    return lines;
}

std::vector<std::string> open_lines(const std::vector<Entry>& open) {
    std::vector<std::string> lines;
    lines.reserve(open.size());
    for (const auto& entry : open)
        lines.push_back(fmt::format("{} {} ({}), {}, pedida em {} ({}): {}{}", family_in_portuguese(entry.family),
                                    entry.id, entry.id_transacao.empty() ? "sem idTransacao" : entry.id_transacao,
                                    money_in_words(entry.valor.value), to_local_text(entry.asked),
                                    local_offset(entry.asked), entry.last,
                                    entry.left_open ? "; deixada em aberto de propósito" : ""));
    return lines;
}

std::string report_markdown(const ReportHead& head, const std::vector<PointReport>& reports, const Notebook& book,
                            const Config& config, const std::vector<Entry>& open) {
    std::string out;
    write_head(out, head, config);
    write_points(out, reports);
    write_questions(out, reports);
    write_not_tried(out, reports);
    write_lines(out, proposed_lines(reports));
    write_open(out, open);
    write_sold(out, head.sold);
    write_trials(out, book);
    return out;
}

json::object report_json(const ReportHead& head, const std::vector<PointReport>& reports, const Notebook& book,
                         const std::vector<Entry>& open) {
    json::object points;
    for (const auto& report : reports)
        points[report.point->name] = json_of(report, book);
    json::array may_be_open;
    for (const auto& entry : open)
        may_be_open.push_back({{"idExterno", entry.id},
                               {"idTransacao", entry.id_transacao},
                               {"family", to_string(entry.family)},
                               {"asked", to_rfc3339(entry.asked)},
                               {"leftOpen", entry.left_open},
                               {"last", entry.last}});
    json::array sold;
    for (const auto& entry : head.sold)
        sold.push_back({{"idExterno", entry.id},
                        {"idTransacao", entry.id_transacao},
                        {"family", to_string(entry.family)},
                        {"asked", to_rfc3339(entry.asked)}});
    json::object facts;
    for (const auto& fact : book.facts())
        facts[fact.name] = fact.text;
    return {{"version", head.version},
            {"level", to_string(head.level)},
            {"at", to_rfc3339(head.at)},
            {"interrupted", head.interrupted},
            {"transcript", {{"lines", head.transcript_lines}, {"lastDigest", head.transcript_digest}}},
            {"points", std::move(points)},
            {"facts", std::move(facts)},
            {"configuration", texts(proposed_lines(reports))},
            {"mayBeOpen", std::move(may_be_open)},
            {"sold", std::move(sold)}};
}

}  // namespace gateway::probe
