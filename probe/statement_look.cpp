#include "probe/statement_look.hpp"

#include "base/ascii.hpp"
#include "base/ulid.hpp"
#include "base/utf8.hpp"
#include "base/wall_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <set>

namespace gateway::probe {
namespace {

constexpr std::array<std::string_view, 3> separators_known{";", "\t", "|"};
// The header of the public document has eleven fields; what has fewer than this is none.
constexpr std::size_t least_header_fields = 10;
constexpr std::size_t count_field = 6;
// This stands between the lines of configuration in one reading.
constexpr std::string_view between_lines = " ; ";

using Fields = std::vector<std::string_view>;
using Rows = std::vector<Fields>;

Fields split_line(std::string_view line, std::string_view separator) {
    Fields fields;
    while (true) {
        const auto end = line.find(separator);
        fields.push_back(line.substr(0, end));
        if (end == std::string_view::npos) return fields;
        line.remove_prefix(end + separator.size());
    }
}

std::vector<std::string_view> lines_of(std::string_view bytes, bool& crlf) {
    std::vector<std::string_view> lines;
    while (!bytes.empty()) {
        auto line = bytes.substr(0, bytes.find('\n'));
        bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
        if (line.ends_with('\r')) {
            crlf = true;
            line.remove_suffix(1);
        }
        if (!line.empty()) lines.push_back(line);
    }
    return lines;
}

bool is_time(std::string_view text) {
    return text.size() >= 10 && from_rfc3339(text).has_value();
}

// Returns the unit in which a text is an amount; empty where it is none.
std::string_view money_of(std::string_view text) {
    if (text.size() > 3 && is_digits(text.substr(0, text.size() - 3)) && is_digits(text.substr(text.size() - 2))) {
        const char mark = text[text.size() - 3];
        if (mark == ',') return "comma";
        if (mark == '.') return "point";
    }
    return !text.empty() && text.size() <= 9 && is_digits(text) && text.front() != '0' ? "cents" : "";
}

// Reads off columns what stands in them. A column is found once.
class Columns {
  public:
    Columns(const Rows& rows, std::size_t count) : rows_(rows), count_(count) {}

    // Returns the first column, from 1, all of whose fields are of the kind.
    std::optional<std::int64_t> where(const std::function<bool(std::string_view)>& is) {
        const auto all = [&](std::size_t column) {
            return std::ranges::all_of(rows_, [&](const Fields& row) { return is(row[column]); });
        };
        return where_all(all);
    }
    // Returns the first one of amounts in cents whose sum is the total, of all rows or of those that were sold.
    std::optional<std::int64_t> with_sum(std::string_view total, const std::function<bool(const Fields&)>& is_sold) {
        return where_all([&](std::size_t column) {
            std::int64_t sum = 0;
            std::int64_t sold = 0;
            for (const auto& row : rows_) {
                if (money_of(row[column]) != "cents") return false;
                std::int64_t number = 0;
                std::from_chars(row[column].data(), row[column].data() + row[column].size(), number);
                sum += number;
                if (is_sold(row)) sold += number;
            }
            return std::to_string(sum) == total || std::to_string(sold) == total;
        });
    }

  private:
    std::optional<std::int64_t> where_all(const std::function<bool(std::size_t)>& fits) {
        for (std::size_t i = 0; i < count_; ++i) {
            if (taken_.contains(i) || !fits(i)) continue;
            taken_.insert(i);
            return static_cast<std::int64_t>(i + 1);
        }
        return std::nullopt;
    }

    const Rows& rows_;
    const std::size_t count_;
    // What stands in the first field of every detail line tells it from others.
    std::set<std::size_t> taken_{0};
};

std::string digits_of(std::string_view text) {
    std::string digits;
    std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return c >= '0' && c <= '9'; });
    return digits;
}

void find_columns(const Rows& rows, const Fields& header, const std::string& estabelecimento, StatementLook& look) {
    Columns columns(rows, look.width);
    auto& found = look.columns;
    found.id_externo = columns.where([](std::string_view text) { return Ulid::parse(text).has_value(); });
    found.status = columns.where([](std::string_view text) { return parse_status(text).has_value(); });
    found.data_hora = columns.where(is_time);
    found.estabelecimento = columns.where([&](std::string_view text) { return text == estabelecimento; });
    const auto status_in = [&](const Fields& row) { return row[static_cast<std::size_t>(*found.status - 1)]; };
    const auto is_sold = [&](const Fields& row) {
        return !found.status || parse_status(status_in(row)) == Status::EFETIVADA;
    };
    // An amount with decimals is told by them, and a whole number of cents by its sum, which the header has.
    for (const std::string_view unit : {"comma", "point", "cents"}) {
        if (found.valor) continue;
        const auto total = header.size() > count_field + 1 ? digits_of(header[count_field + 1]) : std::string();
        found.valor = unit == "cents" ? columns.with_sum(total, is_sold)
                                      : columns.where([&](std::string_view text) { return money_of(text) == unit; });
        if (found.valor) look.money = unit;
    }
    found.id_transacao = columns.where([](std::string_view text) { return text.size() >= 8; });
    look.sold = static_cast<std::size_t>(std::ranges::count_if(rows, is_sold));
    if (!found.status) return;
    std::set<std::string> words;
    for (const auto& row : rows)
        words.emplace(status_in(row));
    look.status_words.assign(words.begin(), words.end());
    look.only_sold = words.size() == 1 && parse_status(*words.begin()) == Status::EFETIVADA;
}

// Returns those that begin as most do, and have as many fields.
Rows detail_rows(const std::vector<std::string_view>& lines, StatementLook& look) {
    std::map<std::pair<std::string, std::size_t>, std::size_t> kinds;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const auto fields = split_line(lines[i], look.separator);
        ++kinds[{std::string(fields.front()), fields.size()}];
    }
    const auto most = std::ranges::max_element(kinds, {}, [](const auto& kind) { return kind.second; });
    if (most == kinds.end()) return {};
    look.detail_text = most->first.first;
    look.width = most->first.second;
    Rows rows;
    for (std::size_t i = 1; i < lines.size(); ++i)
        if (auto fields = split_line(lines[i], look.separator);
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
        const auto fields = split_line(lines.front(), separator);
        return fields.size() >= least_header_fields && fields.front() == "0";
    };
    const auto found = std::ranges::find_if(separators_known, fits);
    if (found == separators_known.end()) {
        look.trouble = "a primeira linha não é o cabeçalho do documento (0;rede;nome;;…)";
        return look;
    }
    look.separator = *found;
    look.latin1 = !is_utf8(bytes);
    const auto header = split_line(lines.front(), look.separator);
    const auto count = header[count_field];
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), look.header_count);
    (void)end;
    if (error != std::errc{}) look.header_count = -1;
    const auto rows = detail_rows(lines, look);
    look.details = rows.size();
    if (!rows.empty()) find_columns(rows, header, estabelecimento, look);
    return look;
}

std::vector<std::string> statement_lines(const StatementColumns& columns,
                                         const std::optional<std::int64_t>& detail_column,
                                         std::string_view detail_text) {
    std::vector<std::string> lines;
    if (detail_column) {
        lines.push_back(fmt::format("statement.detail.column = {}", *detail_column));
        lines.push_back(fmt::format("statement.detail.text = \"{}\"", detail_text));
    }
    for (const auto& [name, column] : named_columns(columns))
        lines.push_back(fmt::format("statement.columns.{} = {}", name, column));
    return lines;
}

std::vector<std::string> statement_lines(const StatementLook& look) {
    return statement_lines(look.columns, look.details > 0 ? std::optional<std::int64_t>(1) : std::nullopt,
                           look.detail_text);
}

std::vector<std::string> lines_not_in(const Config& config, std::string_view lines) {
    const auto& format = config.statement.format;
    const auto own = statement_lines(format.columns, format.detail_column, format.detail_text);
    std::vector<std::string> others;
    for (const auto line : split_line(lines, between_lines))
        if (!line.empty() && std::ranges::find(own, line) == own.end()) others.emplace_back(line);
    return others;
}

void read_statement(const StatementLook& look, Found& found) {
    if (!look.trouble.empty()) throw Untold{look.trouble};
    found.answer("statement-separator", separator_word(look.separator));
    found.answer("statement-encoding", look.latin1 ? "latin1" : "utf-8",
                 look.latin1 ? "há bytes que não são UTF-8" : "");
    found.answer("statement-eol", look.crlf ? "crlf" : "lf");
    read_count(look, found);
    if (look.columns.id_externo || look.columns.id_transacao)
        found.answer("statement-columns", fmt::format("{}", fmt::join(statement_lines(look), between_lines)));
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
