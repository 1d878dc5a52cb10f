#include "probe/points.hpp"

#include "base/ascii.hpp"
#include "config/keys.hpp"
#include "families/family.hpp"
#include "probe/ledger.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <fmt/format.h>
#include <fnmatch.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <functional>
#include <sstream>

namespace gateway::probe {
namespace {

constexpr std::array<std::string_view, 3> level_words{"look", "authorise", "sell"};
constexpr std::string_view points_table =
#include "probe_points.inc"
    ;
constexpr std::string_view judgements_table =
#include "probe_judgements.inc"
    ;

std::string text_of(const toml::table& row, std::string_view name) {
    return row[name].value_or(std::string());
}

// Calls `read` for each table of the list; of what is no list, there is none.
void for_each_row(const toml::node* list, const std::function<void(const toml::table&)>& read) {
    if (const auto* rows = list == nullptr ? nullptr : list->as_array())
        rows->for_each([&](const toml::table& row) { read(row); });
}

Rule read_rule(const toml::table& row) {
    Rule rule{.has = text_of(row, "has"),
              .differs = text_of(row, "differs"),
              .judgement = {row["contradicts"].value_or(false), text_of(row, "remark"), {}}};
    if (const auto* patterns = row["like"].as_array())
        patterns->for_each([&](const toml::value<std::string>& pattern) { rule.like.push_back(*pattern); });
    if (auto line = text_of(row, "line"); !line.empty()) rule.judgement.lines.push_back(std::move(line));
    return rule;
}

Point read_point(const toml::table& row, const toml::table& judgements) {
    Point point{.name = text_of(row, "name"),
                .level = parse_level(text_of(row, "level")).value_or(Level::authorise),
                .title = text_of(row, "title"),
                .ask = text_of(row, "ask"),
                .missing = text_of(row, "missing"),
                .number = {row["number"][0].value_or(std::string()), row["number"][1].value_or(std::string())}};
    for_each_row(judgements.get(row["judged"].value_or(point.name)),
                 [&](const toml::table& rule) { point.judged.push_back(read_rule(rule)); });
    if (const auto* words = row["words"].as_table())
        for (const auto& [value, said] : *words)
            point.words.emplace(value.str(), said.value_or(std::string()));
    return point;
}

// --- what answers mean, beside the configuration -------------------------------------------------------------------

// Reads the line as the configuration's own reader does, and compares what it says.
bool has_line(Config config, const std::string& line) {
    auto changed = config;
    Target own{config};
    Target other{changed};
    try {
        const auto document = toml::parse(line);
        return std::ranges::all_of(all_keys(), [&](const Key& key) {
            const auto said = document.at_path(key.name);
            if (!said) return true;
            store(*said.node(), key.slot(other), unbounded);
            return have_same_value(key.slot(other), key.slot(own));
        });
    } catch (const toml::parse_error&) {
        return false;
    }
}

bool meets(const Rule& rule, const std::string& value, const Config& config) {
    const auto is_like = [&](const std::string& pattern) { return ::fnmatch(pattern.c_str(), value.c_str(), 0) == 0; };
    return (rule.like.empty() || std::ranges::any_of(rule.like, is_like)) &&
           (rule.has.empty() || has_line(config, rule.has));
}

Judgement of_scopes(const std::string& value, const Config& config) {
    const auto granted = "+" + value + "+";
    std::vector<std::string> kept;
    for (const auto& scope : config.provider.scopes)
        if (value == "all" || granted.find("+" + scope + "+") != std::string::npos)
            kept.push_back(fmt::format("\"{}\"", scope));
    if (kept.size() == config.provider.scopes.size()) return {};
    if (kept.empty()) return {true, "nenhum dos escopos de provider.scopes é concedido", {}};
    return {true,
            "provider.scopes pede escopos que não são concedidos",
            {fmt::format("provider.scopes = [{}]", fmt::join(kept, ", "))}};
}

// What is asked 49 hours later says whether the end comes within them, and not when.
Judgement of_open_sales(const std::string& value, const Config& config) {
    const auto configured = config.provider.open_sales_end;
    const bool within = configured > Duration(0) && configured <= revisit_after;
    const bool ends = value != "never";
    if (ends == within) return {};
    if (!ends) return {true, "a configuração conta com um fim que não veio", {"provider.open_sales_end = \"0s\""}};
    return {true,
            "o provedor cancela automaticamente uma venda em aberto, em menos de 49 horas; pergunte depois de quanto "
            "tempo, e ponha isso em provider.open_sales_end",
            {}};
}

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
    if (name == "scopes") return boost::algorithm::replace_all_copy(std::string(value), "+", ", ");
    if (name == "sale-http") return fmt::format("HTTP {}", value);
    if (name == "token-errors" && plus != std::string_view::npos)
        return fmt::format("{} se as credenciais estão erradas, {} se o escopo está errado", value.substr(0, plus),
                           value.substr(plus + 1));
    if (name == "callback-retry" && value.ends_with('s')) return fmt::format("{} s", value.substr(0, value.size() - 1));
    auto words = number_in_words(*point, value);
    if (words.empty()) words = answered_with(name, value);
    return words.empty() ? std::string(value) : words;
}

std::vector<std::string> lines_not_in(const Config& config, std::string lines) {
    constexpr std::string_view between = " ; ";
    boost::algorithm::replace_all(lines, between, "\n");
    std::vector<std::string> others;
    std::istringstream text(lines);
    for (std::string line; std::getline(text, line);)
        if (!has_line(config, line)) others.push_back(line);
    return others;
}

Judgement judge(const Point& point, const Reading& reading, const Config& config) {
    const auto& value = reading.value;
    if (point.name == "scopes") return of_scopes(value, config);
    if (point.name.starts_with("open-sales-end")) return of_open_sales(value, config);
    const auto rule = std::ranges::find_if(point.judged, [&](const Rule& one) { return meets(one, value, config); });
    if (rule == point.judged.end()) return {};
    auto judgement = rule->judgement;
    if (rule->differs.empty()) return judgement;
    judgement.lines = lines_not_in(config, boost::algorithm::replace_all_copy(rule->differs, "{}", value));
    return judgement.lines.empty() ? Judgement{} : judgement;
}

std::string_view to_string(Level level) noexcept {
    return level_words.at(static_cast<std::size_t>(level));
}

std::optional<Level> parse_level(std::string_view text) noexcept {
    const auto* const found = std::ranges::find(level_words, text);
    if (found == level_words.end()) return std::nullopt;
    return static_cast<Level>(found - level_words.begin());
}

const std::vector<Point>& points() {
    static const auto all = [] {
        std::vector<Point> read;
        const auto judgements = toml::parse(judgements_table);
        const auto document = toml::parse(points_table);
        for_each_row(document.get("point"),
                     [&](const toml::table& row) { read.push_back(read_point(row, judgements)); });
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
