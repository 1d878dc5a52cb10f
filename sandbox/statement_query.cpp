#include "sandbox/statement_query.hpp"

#include "base/ascii.hpp"
#include "sandbox/open_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace gateway::sandbox {
namespace {

// A portal answers with such a page when a session has ended.
constexpr std::string_view web_page =
    "<!doctype html>\n<html><body>Sua sessao expirou. Entre novamente.</body></html>\n";
// If no amount has more digits than this, the sum over the largest books still fits into Cents.
constexpr std::size_t most_cents_digits = 10;
constexpr std::size_t most_count_digits = 9;

// Each of these puts the value where it belongs and returns "", or returns what the parameter must be.
using Take = std::string (*)(const std::string& value, StatementQuery& query);

std::optional<Cents> parse_whole(std::string_view text, std::size_t most_digits) {
    if (!is_digits(text) || text.size() > most_digits) return std::nullopt;
    Cents number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

// Returns what stands before the last colon and after it; nothing where either is missing.
std::optional<std::pair<std::string, std::string>> split(const std::string& text) {
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) return std::nullopt;
    return std::pair(text.substr(0, colon), text.substr(colon + 1));
}

std::string take_day(const std::string& value, Day& target) {
    const auto day = parse_day(value);
    if (day) target = *day;
    return day ? "" : "must be a day, such as 2026-11-20 or 20112026";
}

template <RowFault::Kind Kind>
std::string take_row(const std::string& value, StatementQuery& query) {
    if (value.empty()) return "must name a row";
    query.faults.rows.push_back({.kind = Kind, .row = value});
    return "";
}

std::string take_amount(const std::string& value, StatementQuery& query) {
    const auto parts = split(value);
    const auto valor = parts ? parse_whole(parts->second, most_cents_digits) : std::nullopt;
    if (!valor) return "must be a row, a colon and an amount in cents, such as 2:4999";
    query.faults.rows.push_back({.kind = RowFault::Kind::amount, .row = parts->first, .valor = *valor});
    return "";
}

std::string take_status(const std::string& value, StatementQuery& query) {
    const auto parts = split(value);
    if (!parts) return "must be a row, a colon and a status, such as 2:CANCELADA";
    query.faults.rows.push_back({.kind = RowFault::Kind::status, .row = parts->first, .status = parts->second});
    return "";
}

std::string take_unknown(const std::string& value, StatementQuery& query) {
    if (value.empty()) return "must be an idExterno";
    const auto parts = split(value);
    const auto valor = parts ? parse_whole(parts->second, most_cents_digits) : std::nullopt;
    UnknownRow row{.idExterno = valor ? parts->first : value};
    if (valor) row.valor = *valor;
    query.faults.unknown.push_back(std::move(row));
    return "";
}

std::string take_count(const std::string& value, StatementQuery& query) {
    const auto count = parse_whole(value, most_count_digits);
    if (!count) return "must be a whole number";
    query.faults.count = static_cast<std::size_t>(*count);
    return "";
}

std::string take_total(const std::string& value, StatementQuery& query) {
    query.faults.total = parse_whole(value, most_cents_digits);
    return query.faults.total ? "" : "must be an amount in cents";
}

// Takes one of the alternatives of an open point, which then holds for this answer.
template <const std::string_view& Name>
std::string take_form(const std::string& value, StatementQuery& query) {
    const auto& point = *find_point(Name);
    if (point.set(query.personality, value)) return "";
    std::string list;
    for (const auto& alternative : point.alternatives)
        list.append(list.empty() ? "must be " : " or ").append(alternative.value);
    return list;
}
constexpr std::string_view money_point = "statement-money";
constexpr std::string_view encoding_point = "statement-encoding";
constexpr std::string_view line_end_point = "statement-eol";

struct Parameter {
    std::string_view name;
    std::string_view value;  // what stands for the value in the table
    std::string_view text;
    bool of_list;  // GET /sandbox/list takes it too
    bool repeats;
    Take take;
};

constexpr std::array parameters_known{
    Parameter{"day", "DAY", "2026-11-20 or 20112026 (today)", true, false,
              [](const std::string& value, StatementQuery& query) { return take_day(value, query.day); }},
    Parameter{"estabelecimento", "TEXT", "of this establishment only (all)", true, true,
              [](const std::string& value, StatementQuery& query) {
                  query.estabelecimentos.push_back(value);
                  return std::string();
              }},
    Parameter{"only", "sold", "EFETIVADA ones only (as --statement-rows says)", true, false,
              [](const std::string& value, StatementQuery& query) {
                  query.personality.statement_only_sold = value == "sold";
                  return std::string(value == "sold" ? "" : "must be sold");
              }},
    Parameter{"money", "WORD", "cents, comma or point: 4900, 49,00 or 49.00 (as --statement-money says)", true, false,
              &take_form<money_point>},
    Parameter{"encoding", "WORD", "utf-8 or latin1 (as --statement-encoding says)", false, false,
              &take_form<encoding_point>},
    Parameter{"eol", "WORD", "lf or crlf (as --statement-eol says)", false, false, &take_form<line_end_point>},
    Parameter{"written", "DAY", "the first line's day of writing (today)", false, false,
              [](const std::string& value, StatementQuery& query) { return take_day(value, query.written); }},
    Parameter{"missing", "ROW", "is left out", true, true, &take_row<RowFault::Kind::missing>},
    Parameter{"doubled", "ROW", "is there twice", true, true, &take_row<RowFault::Kind::doubled>},
    Parameter{"amount", "ROW:CENTS", "has another amount", true, true, &take_amount},
    Parameter{"status", "ROW:WORD", "has another status, or a word that is none", true, true, &take_status},
    Parameter{"day_later", "ROW", "is of the next day: named by idExterno, it is in that statement", true, true,
              &take_row<RowFault::Kind::day_later>},
    Parameter{"day_earlier", "ROW", "is of the day before, likewise", true, true,
              &take_row<RowFault::Kind::day_earlier>},
    Parameter{"swapped", "ROW", "has its idExterno and its amount in each other's place", true, true,
              &take_row<RowFault::Kind::swapped>},
    Parameter{"three_decimals", "ROW", "has an amount such as 49,005; with money=comma or point", true, true,
              &take_row<RowFault::Kind::three_decimals>},
    Parameter{"unknown", "IDEXTERNO[:CENTS]", "adds an EFETIVADA one that nobody asked for (1000)", true, true,
              &take_unknown},
    Parameter{"cut", "ROW", "everything ends in the middle of it", true, true, &take_row<RowFault::Kind::cut>},
    Parameter{"count", "NUMBER", "what the first line says, whatever the rows are", false, false, &take_count},
    Parameter{"total", "CENTS", "likewise", false, false, &take_total},
    Parameter{"network", "TEXT", "the first line is of another network", false, false,
              [](const std::string& value, StatementQuery& query) {
                  query.faults.network = value;
                  return std::string();
              }},
    Parameter{
        "header_day", "DAY", "the first line is of another day", false, false,
        [](const std::string& value, StatementQuery& query) { return take_day(value, query.faults.day.emplace()); }},
    Parameter{"html", "yes", "a web page comes instead", true, false,
              [](const std::string& value, StatementQuery& query) {
                  query.faults.html = value == "yes";
                  return std::string(query.faults.html ? "" : "must be yes");
              }},
};

const Parameter* find_parameter(std::string_view name, StatementKind kind) {
    const auto* const found = std::find_if(parameters_known.begin(), parameters_known.end(), [&](const auto& one) {
        return one.name == name && (kind == StatementKind::file || one.of_list);
    });
    return found == parameters_known.end() ? nullptr : found;
}

std::string unknown_parameter(const std::string& name, StatementKind kind) {
    std::string list;
    for (const auto& one : parameters_known)
        if (kind == StatementKind::file || one.of_list) list.append(list.empty() ? "" : ", ").append(one.name);
    return "unknown parameter \"" + name + "\": there are " + list;
}

// Says what is wrong between several parameters; empty where all is well.
std::string check(const StatementQuery& query, const Options& options) {
    const auto& known = options.estabelecimentos;
    for (const auto& one : query.estabelecimentos)
        if (std::find(known.begin(), known.end(), one) == known.end()) return "estabelecimento is not known: " + one;
    const bool three_decimals = std::any_of(query.faults.rows.begin(), query.faults.rows.end(), [](const auto& fault) {
        return fault.kind == RowFault::Kind::three_decimals;
    });
    if (three_decimals && query.personality.statement_money == Money::cents)
        return "three_decimals needs money=comma or money=point";
    return "";
}

}  // namespace

boost::system::result<StatementQuery, std::string> read_statement_query(const Parameters& parameters,
                                                                        StatementKind kind, const Options& options,
                                                                        WallTime now) {
    StatementQuery query{.kind = kind,
                         .day = day_of(now),
                         .written = day_of(now),
                         .personality = static_cast<const Personality&>(options)};
    std::set<std::string> given;
    for (const auto& [name, value] : parameters) {
        const auto* const parameter = find_parameter(name, kind);
        if (parameter == nullptr) return unknown_parameter(name, kind);
        if (!given.insert(name).second && !parameter->repeats) return name + " is given twice";
        if (auto problem = parameter->take(value, query); !problem.empty()) return fmt::format("{} {}", name, problem);
    }
    if (auto problem = check(query, options); !problem.empty()) return problem;
    const auto& sellers = query.estabelecimentos.empty() ? options.estabelecimentos : query.estabelecimentos;
    for (auto& unknown : query.faults.unknown)
        if (!sellers.empty()) unknown.estabelecimento = sellers.front();
    return query;
}

boost::system::result<Statement, std::string> make_statement(const Books& books, const StatementQuery& query) {
    auto rows = statement_rows(books, query.estabelecimentos, query.personality.statement_only_sold);
    return make_statement(std::move(rows), query.day, query.written, query.faults);
}

std::string statement_text(const Statement& statement, const StatementQuery& query) {
    if (query.faults.html) return std::string(web_page);
    const auto& asked = query.personality;
    if (query.kind == StatementKind::list) return to_list(statement, asked.statement_money);
    return to_file(statement, {.encoding = asked.statement_encoding,
                               .money = asked.statement_money,
                               .line_end = asked.statement_line_end,
                               .separator = asked.statement_separator});
}

std::string_view content_type(const StatementQuery& query) {
    if (query.faults.html) return "text/html";
    if (query.kind == StatementKind::list) return "application/json";
    const bool utf_8 = query.personality.statement_encoding == Encoding::utf_8;
    return utf_8 ? "text/plain; charset=utf-8" : "text/plain; charset=iso-8859-1";
}

std::string statement_help() {
    std::string text =
        "What the provider says of a day: GET /sandbox/statement, a file, or GET /sandbox/list, a JSON array. An "
        "attempt is\n"
        "of the day, by clocks three hours behind UTC, on which it became EFETIVADA, CANCELADA or NEGADA; while it is "
        "open,\n"
        "of the day on which it was accepted. Count and total in the file's first line are of those that are "
        "EFETIVADA. All\n"
        "parameters go together; ROW is a number, from 1, among the day's before any fault, an idExterno, or all:\n";
    for (const auto& one : parameters_known)
        fmt::format_to(std::back_inserter(text), "  {:<27} {}{}\n", fmt::format("{}={}", one.name, one.value), one.text,
                       one.of_list ? "" : "; not of the list");
    return text;
}

}  // namespace gateway::sandbox
