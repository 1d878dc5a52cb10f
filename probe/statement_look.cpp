#include "probe/statement_look.hpp"

#include "base/ascii.hpp"
#include "base/ulid.hpp"
#include "base/utf8.hpp"
#include "base/wall_time.hpp"
#include "reconcile/amount_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

namespace gateway::probe {
namespace {

constexpr std::array<std::string_view, 3> separators_known{";", "\t", "|"};
// The header of the public document has eleven fields; what has fewer than this is none.
constexpr std::size_t least_header_fields = 10;
constexpr std::size_t count_field = 6;

// An idTransacao has no fewer characters.
constexpr std::size_t least_id = 8;

using Fields = std::vector<std::string_view>;
using Rows = std::vector<Fields>;

std::string digits_of(std::string_view text) {
    std::string digits;
    std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return is_digit(c); });
    return digits;
}

Fields split_at(std::string_view text, std::string_view separator) {
    Fields fields;
    while (true) {
        const auto end = text.find(separator);
        fields.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return fields;
        text.remove_prefix(end + separator.size());
    }
}

Fields lines_of(std::string_view bytes, bool& crlf) {
    auto lines = split_at(bytes, "\n");
    for (auto& line : lines)
        if (line.ends_with('\r')) {
            crlf = true;
            line.remove_suffix(1);
        }
    std::erase(lines, "");
    return lines;
}

void find_columns(const Rows& rows, const Fields& header, const std::string& estabelecimento, StatementLook& look) {
    // What stands in the first field of every detail line tells it from others. Every other column is found once.
    std::set<std::size_t> taken{0};
    const auto first_that = [&](const std::function<bool(std::size_t)>& fits) -> std::optional<std::int64_t> {
        for (std::size_t column = 0; column < look.width; ++column)
            if (!taken.contains(column) && fits(column)) {
                taken.insert(column);
                return static_cast<std::int64_t>(column + 1);
            }
        return std::nullopt;
    };
    const auto first_of = [&](const std::function<bool(std::string_view)>& is) {
        return first_that([&](std::size_t column) {
            return std::ranges::all_of(rows, [&](const Fields& row) { return is(row[column]); });
        });
    };
    auto& found = look.columns;
    found.id_externo = first_of([](std::string_view text) { return Ulid::parse(text).has_value(); });
    found.status = first_of([](std::string_view text) { return parse_status(text).has_value(); });
    found.data_hora = first_of([](std::string_view text) { return from_rfc3339(text).has_value(); });
    found.estabelecimento = first_of([&](std::string_view text) { return text == estabelecimento; });
    const auto status_in = [&](const Fields& row) { return row[static_cast<std::size_t>(*found.status - 1)]; };
    const auto is_sold = [&](const Fields& row) {
        return !found.status || parse_status(status_in(row)) == Status::EFETIVADA;
    };
    // An amount with decimals is told by them, and a whole number of cents by its sum over all rows, or over those that
    // were sold, which the header has.
    const auto total = header.size() > count_field + 1 ? digits_of(header[count_field + 1]) : std::string();
    const auto is_total = [&](std::size_t column) {
        Cents sum;
        Cents sold;
        for (const auto& row : rows) {
            const auto amount = statement_amount(row[column], AmountUnit::cents, Decimals::two);
            if (!amount) return false;
            sum.value += amount->value;
            if (is_sold(row)) sold.value += amount->value;
        }
        return std::to_string(sum.value) == total || std::to_string(sold.value) == total;
    };
    for (const auto unit : {AmountUnit::comma, AmountUnit::point, AmountUnit::cents}) {
        found.valor = unit == AmountUnit::cents ? first_that(is_total) : first_of([&](std::string_view text) {
            return statement_amount(text, unit, Decimals::two).has_value();
        });
        if (!found.valor) continue;
        look.money = to_string(unit);
        break;
    }
    found.id_transacao = first_of([](std::string_view text) { return text.size() >= least_id; });
    look.sold = static_cast<std::size_t>(std::ranges::count_if(rows, is_sold));
    if (!found.status) return;
    std::set<std::string> words;
    for (const auto& row : rows)
        words.emplace(status_in(row));
    look.status_words.assign(words.begin(), words.end());
    look.only_sold = words.size() == 1 && parse_status(*words.begin()) == Status::EFETIVADA;
}

// Returns those that begin as most do, and have as many fields.
Rows detail_rows(const Fields& lines, StatementLook& look) {
    std::map<std::pair<std::string, std::size_t>, std::size_t> kinds;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const auto fields = split_at(lines[i], look.separator);
        ++kinds[{std::string(fields.front()), fields.size()}];
    }
    const auto most = std::ranges::max_element(kinds, {}, [](const auto& kind) { return kind.second; });
    if (most == kinds.end()) return {};
    look.detail_text = most->first.first;
    look.width = most->first.second;
    Rows rows;
    for (std::size_t i = 1; i < lines.size(); ++i)
        if (auto fields = split_at(lines[i], look.separator);
            fields.size() == look.width && fields.front() == look.detail_text)
            rows.push_back(std::move(fields));
    return rows;
}

std::string_view separator_word(std::string_view separator) {
    if (separator == "\t") return "tab";
    return separator == "|" ? "pipe" : "semicolon";
}

// Reads which rows the header's count is about.
void read_count(const StatementLook& look, Found& found) {
    constexpr std::string_view point = "statement-count";
    const auto words = fmt::format("o cabeçalho conta {}; há {} linhas de detalhe, {} delas EFETIVADAS",
                                   look.header_count, look.details, look.sold);
    const bool all = look.header_count == static_cast<std::int64_t>(look.details);
    const bool sold = look.header_count == static_cast<std::int64_t>(look.sold);
    if (look.header_count < 0)
        found.leave(point, "a quantidade do cabeçalho não é um número");
    else if (look.details == 0)
        found.leave(point, "não há linhas de detalhe");
    else
        found.answer(point, all && sold ? "both" : all ? "all" : sold ? "sold" : "neither", words);
}

}  // namespace

StatementLook look_at_statement(std::string_view bytes, const std::string& estabelecimento) {
    StatementLook look;
    const auto lines = lines_of(bytes, look.crlf);
    if (lines.empty()) {
        look.trouble = "o arquivo está vazio";
        return look;
    }
    const auto fits = [&](std::string_view separator) {
        const auto fields = split_at(lines.front(), separator);
        return fields.size() >= least_header_fields && fields.front() == "0";
    };
    const auto found = std::ranges::find_if(separators_known, fits);
    if (found == separators_known.end()) {
        look.trouble = "a primeira linha não é o cabeçalho do documento (0;rede;nome;;…)";
        return look;
    }
    look.separator = *found;
    look.latin1 = !is_utf8(bytes);
    const auto header = split_at(lines.front(), look.separator);
    look.header_count = parse_number<std::int64_t>(header[count_field]).value_or(-1);
    const auto rows = detail_rows(lines, look);
    look.details = rows.size();
    if (!rows.empty()) find_columns(rows, header, estabelecimento, look);
    return look;
}

std::vector<std::string> statement_lines(const StatementLook& look) {
    std::vector<std::string> lines;
    if (look.details > 0)
        lines = {"statement.detail.column = 1", fmt::format("statement.detail.text = \"{}\"", look.detail_text)};
    for (const auto& [name, column] : named_columns(look.columns))
        lines.push_back(fmt::format("statement.columns.{} = {}", name, column));
    return lines;
}

void read_statement(const StatementLook& look, Found& found) {
    if (!look.trouble.empty()) throw Untold{look.trouble};
    found.answer("statement-separator", separator_word(look.separator));
    found.answer("statement-encoding", look.latin1 ? "latin1" : "utf-8",
                 look.latin1 ? "há bytes que não são UTF-8" : "");
    found.answer("statement-eol", look.crlf ? "crlf" : "lf");
    read_count(look, found);
    if (look.columns.id_externo || look.columns.id_transacao)
        found.answer("statement-columns", fmt::format("{}", fmt::join(statement_lines(look), " ; ")));
    else
        found.leave("statement-columns", "nenhuma coluna de idExterno ou idTransacao foi reconhecida");
    if (look.money.empty())
        found.leave("statement-money", "nenhuma coluna de valores foi reconhecida");
    else
        found.answer("statement-money", look.money, fmt::format("coluna {}", *look.columns.valor));
    if (!look.columns.status)
        found.leave("statement-rows", "nenhuma coluna de situação foi reconhecida");
    else if (look.only_sold)
        found.leave("statement-rows", "só há vendas EFETIVADAS neste extrato: pode ser o acaso do dia");
    else
        found.answer("statement-rows", "all", fmt::format("{}", fmt::join(look.status_words, ", ")));
}

}  // namespace gateway::probe
