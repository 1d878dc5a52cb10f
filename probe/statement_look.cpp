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

using boost::asio::awaitable;

constexpr std::array<std::string_view, 3> separators_known{";", "\t", "|"};
// The header of the public document has eleven fields; what has fewer than this is none.
constexpr std::size_t least_header_fields = 10;
constexpr std::size_t count_field = 6;
// Of the lines of configuration in one reading.
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

bool is_status(std::string_view text) {
    return parse_status(text).has_value();
}

// The unit in which a text is an amount; empty where it is none.
std::string_view money_of(std::string_view text) {
    if (text.size() > 3 && is_digits(text.substr(0, text.size() - 3)) && is_digits(text.substr(text.size() - 2))) {
        const char mark = text[text.size() - 3];
        if (mark == ',') return "comma";
        if (mark == '.') return "point";
    }
    return !text.empty() && text.size() <= 9 && is_digits(text) && text.front() != '0' ? "cents" : "";
}

// The first column, from 1, all of whose fields are of the kind, but for those in `taken`.
std::optional<std::size_t> column_where(const Rows& rows, std::size_t columns, std::set<std::size_t>& taken,
                                        const std::function<bool(std::string_view)>& is) {
    for (std::size_t i = 0; i < columns; ++i) {
        if (taken.contains(i)) continue;
        const bool all = std::ranges::all_of(rows, [&](const Fields& row) { return is(row[i]); });
        if (!all) continue;
        taken.insert(i);
        return i + 1;
    }
    return std::nullopt;
}

// An amount with decimals is told by them; a whole number of cents is the column of digits whose sum is the header's
// total, or else the first whose numbers are not all alike.
void find_amounts(const Rows& rows, std::string_view total, std::set<std::size_t>& taken, StatementLook& look) {
    for (const std::string_view unit : {"comma", "point"}) {
        look.valor =
            column_where(rows, look.columns, taken, [&](std::string_view text) { return money_of(text) == unit; });
        if (!look.valor) continue;
        look.money = unit;
        return;
    }
    for (std::size_t i = 0; i < look.columns; ++i) {
        if (taken.contains(i)) continue;
        std::int64_t sum = 0;
        std::int64_t sold = 0;
        bool all = true;
        for (const auto& row : rows) {
            std::int64_t number = 0;
            all = all && money_of(row[i]) == "cents";
            if (!all) break;
            std::from_chars(row[i].data(), row[i].data() + row[i].size(), number);
            sum += number;
            if (!look.status || parse_status(row[*look.status - 1]) == Status::EFETIVADA) sold += number;
        }
        const auto digits = [&] {
            std::string only;
            for (const char c : total)
                if (c >= '0' && c <= '9') only += c;
            return only;
        }();
        if (!all || (std::to_string(sum) != digits && std::to_string(sold) != digits)) continue;
        taken.insert(i);
        look.valor = i + 1;
        look.money = "cents";
        return;
    }
}

void find_columns(const Rows& rows, const Fields& header, const std::string& estabelecimento, StatementLook& look) {
    // What stands in the first field of every detail line tells it from others.
    std::set<std::size_t> taken{0};
    look.id_externo =
        column_where(rows, look.columns, taken, [](std::string_view text) { return Ulid::parse(text).has_value(); });
    look.status = column_where(rows, look.columns, taken, is_status);
    look.data_hora = column_where(rows, look.columns, taken, is_time);
    look.estabelecimento =
        column_where(rows, look.columns, taken, [&](std::string_view text) { return text == estabelecimento; });
    find_amounts(rows, header.size() > count_field + 1 ? header[count_field + 1] : "", taken, look);
    look.id_transacao = column_where(rows, look.columns, taken, [](std::string_view text) { return text.size() >= 8; });
    look.sold = rows.size();
    if (!look.status) return;
    std::set<std::string> words;
    for (const auto& row : rows)
        words.emplace(row[*look.status - 1]);
    look.sold = static_cast<std::size_t>(std::ranges::count_if(
        rows, [&](const Fields& row) { return parse_status(row[*look.status - 1]) == Status::EFETIVADA; }));
    look.status_words.assign(words.begin(), words.end());
    look.only_sold = words.size() == 1 && parse_status(*words.begin()) == Status::EFETIVADA;
}

// Those that begin as most do, and have as many fields.
Rows detail_rows(const std::vector<std::string_view>& lines, StatementLook& look) {
    std::map<std::pair<std::string, std::size_t>, std::size_t> kinds;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const auto fields = split_line(lines[i], look.separator);
        ++kinds[{std::string(fields.front()), fields.size()}];
    }
    const auto most = std::ranges::max_element(kinds, {}, [](const auto& kind) { return kind.second; });
    if (most == kinds.end()) return {};
    look.detail_text = most->first.first;
    look.columns = most->first.second;
    Rows rows;
    for (std::size_t i = 1; i < lines.size(); ++i)
        if (auto fields = split_line(lines[i], look.separator);
            fields.size() == look.columns && fields.front() == look.detail_text)
            rows.push_back(std::move(fields));
    return rows;
}

std::string_view separator_word(std::string_view separator) {
    if (separator == "\t") return "tab";
    return separator == "|" ? "pipe" : "semicolon";
}

// Which rows the header's count is about.
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

std::vector<std::string> statement_lines(const StatementLook& look) {
    if (!look.trouble.empty()) return {};
    std::vector<std::string> lines;
    if (look.details > 0) {
        lines.emplace_back("statement.detail.column = 1");
        lines.push_back(fmt::format("statement.detail.text = \"{}\"", look.detail_text));
    }
    const auto column = [&](std::string_view name, const std::optional<std::size_t>& at) {
        if (at) lines.push_back(fmt::format("statement.columns.{} = {}", name, *at));
    };
    column("idExterno", look.id_externo);
    column("idTransacao", look.id_transacao);
    column("estabelecimento", look.estabelecimento);
    column("valor", look.valor);
    column("status", look.status);
    column("dataHora", look.data_hora);
    return lines;
}

std::vector<std::string> lines_not_in(const Config& config, std::string_view lines) {
    const auto& format = config.statement.format;
    std::set<std::string, std::less<>> own;
    if (format.detail_column) {
        own.insert(fmt::format("statement.detail.column = {}", *format.detail_column));
        own.insert(fmt::format("statement.detail.text = \"{}\"", format.detail_text));
    }
    for (const auto& [name, column] : named_columns(format.columns))
        own.insert(fmt::format("statement.columns.{} = {}", name, column));
    std::vector<std::string> others;
    for (const auto line : split_line(lines, between_lines))
        if (!line.empty() && !own.contains(line)) others.emplace_back(line);
    return others;
}

void read_statement(const StatementLook& look, Found& found) {
    if (!look.trouble.empty()) {
        found.leave_all({"statement-separator", "statement-encoding", "statement-money", "statement-count",
                         "statement-columns", "statement-eol", "statement-rows"},
                        look.trouble);
        return;
    }
    found.answer("statement-separator", separator_word(look.separator));
    found.answer("statement-encoding", look.latin1 ? "latin1" : "utf-8",
                 look.latin1 ? "há bytes que não são UTF-8" : "");
    found.answer("statement-eol", look.crlf ? "crlf" : "lf");
    read_count(look, found);
    if (look.id_externo || look.id_transacao)
        found.answer("statement-columns", fmt::format("{}", fmt::join(statement_lines(look), between_lines)));
    else
        found.leave("statement-columns", "nenhuma coluna de idExterno ou idTransacao foi reconhecida");
    if (look.money.empty())
        found.leave("statement-money", "nenhuma coluna de valores foi reconhecida");
    else
        found.answer("statement-money", look.money, fmt::format("coluna {}", *look.valor));
    if (!look.status)
        found.leave("statement-rows", "nenhuma coluna de situação foi reconhecida");
    else if (look.only_sold)
        found.leave("statement-rows", "só há vendas EFETIVADAS neste extrato: pode ser o acaso do dia");
    else
        found.answer("statement-rows", "all", fmt::format("{}", fmt::join(look.status_words, ", ")));
}

Trial statement_trial(std::string bytes, std::string estabelecimento) {
    return {"Extrato",
            Level::look,
            std::nullopt,
            {},
            [bytes = std::move(bytes), own = std::move(estabelecimento)](Setting&, Found& found) -> awaitable<void> {
                read_statement(look_at_statement(bytes, own), found);
                co_return;
            }};
}

}  // namespace gateway::probe
