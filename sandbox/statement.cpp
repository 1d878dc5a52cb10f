#include "sandbox/statement.hpp"

#include "base/ascii.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

constexpr std::chrono::days one_day{1};
// A text with more digits is taken for an idExterno.
constexpr std::size_t most_number_digits = 9;

using Rows = std::vector<StatementRow>;

void apply(const RowFault& fault, StatementRow& row) {
    switch (fault.kind) {
        case RowFault::Kind::missing: row.missing = true; break;
        case RowFault::Kind::doubled: row.doubled = true; break;
        case RowFault::Kind::amount: row.valor = fault.valor; break;
        case RowFault::Kind::status: row.status = fault.status; break;
        case RowFault::Kind::day_later: row.at += one_day; break;
        case RowFault::Kind::day_earlier: row.at -= one_day; break;
        case RowFault::Kind::swapped: row.swapped = true; break;
        case RowFault::Kind::three_decimals: row.three_decimals = true; break;
        case RowFault::Kind::cut: row.cut = true; break;
    }
}

// The other names of an unknown row cannot be anybody else's: no ULID begins with a Z, and an nsu is random.
StatementRow to_row(const UnknownRow& unknown, std::size_t place, Day day) {
    return {.idExterno = unknown.idExterno,
            .idTransacao = fmt::format("ZZ{:024}", place),
            .nsu = fmt::format("{:012}", place),
            .estabelecimento = unknown.estabelecimento,
            .valor = unknown.valor,
            .status = std::string(to_string(Status::efetivada)),
            .at = noon_of(day)};
}

std::optional<std::size_t> find_place(const std::string& idExterno, const Rows& all) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& row) { return row.idExterno == idExterno; });
    return found == all.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - all.begin()));
}

void sort_by_moment(Rows& rows) {
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
}

// Returns the places in `all` of what a fault names. `of_day` has the places of the day's rows.
boost::system::result<std::vector<std::size_t>, std::string> named(const std::string& name, const Rows& all,
                                                                   const std::vector<std::size_t>& of_day) {
    if (name == "all") return of_day;
    if (is_digits(name) && name.size() <= most_number_digits) {
        std::size_t number = 0;
        std::from_chars(name.data(), name.data() + name.size(), number);
        if (number < 1 || number > of_day.size())
            return fmt::format("there is no row {}: the day has {}", name, of_day.size());
        return std::vector{of_day[number - 1]};
    }
    const auto place = find_place(name, all);
    if (!place) return "there is no row of the idExterno " + name;
    return std::vector{*place};
}

// The name has a letter that the two encodings write differently.
constexpr std::string_view network_name = "Rede de Demonstração";
constexpr Cents commission_divisor = 25;  // four per cent

StatementRow to_row(const Transaction& sale) {
    return {.idExterno = sale.idExterno,
            .idTransacao = sale.idTransacao,
            .nsu = sale.nsu,
            .estabelecimento = sale.estabelecimento,
            .valor = sale.valor,
            .status = std::string(to_string(sale.status)),
            .at = is_final(sale.status) ? sale.finished : sale.accepted};
}

std::string money_text(Cents valor, Money money) {
    switch (money) {
        case Money::cents: return fmt::format("{}", valor);
        case Money::comma: return fmt::format("{},{:02}", valor / 100, valor % 100);
        case Money::point: return fmt::format("{}.{:02}", valor / 100, valor % 100);
    }
    return "";
}

// A fault can exchange these two fields.
struct Swappable {
    std::string idExterno;
    std::string valor;
};

Swappable swappable(const StatementRow& row, Money money) {
    auto valor = money_text(row.valor, money);
    if (row.three_decimals) valor += '5';
    if (row.swapped) return {std::move(valor), row.idExterno};
    return {row.idExterno, std::move(valor)};
}

// Writes the fields of a line. An idExterno may hold any character, and must not make new fields or lines.
std::string line_of(std::vector<std::string> fields, char separator) {
    std::string line;
    for (auto& field : fields) {
        std::replace_if(
            field.begin(), field.end(), [&](char c) { return c == separator || is_control(c); }, '?');
        line.append(field) += separator;
    }
    return line;
}

std::string header_line(const Statement& statement, const StatementForm& form) {
    const auto sold = [](const auto& row) { return row.status == to_string(Status::efetivada); };
    std::size_t count = 0;
    Cents total = 0;
    for (const auto& row : statement.rows)
        if (sold(row)) {
            ++count;
            total += row.valor;
        }
    total = statement.total.value_or(total);
    const auto commission = total / commission_divisor;
    return line_of(
        {"0", statement.network, std::string(network_name), "", to_short_date(statement.written),
         to_short_date(statement.day), std::to_string(statement.count.value_or(count)), money_text(total, form.money),
         money_text(commission, form.money), money_text(total - commission, form.money)},
        form.separator);
}

std::string row_line(const StatementRow& row, const StatementForm& form) {
    auto [idExterno, valor] = swappable(row, form.money);
    return line_of({"1", std::move(idExterno), row.idTransacao, row.nsu, row.estabelecimento, std::move(valor),
                    row.status, to_offset_time(row.at)},
                   form.separator);
}

std::string row_object(const StatementRow& row, Money money) {
    const auto [idExterno, valor] = swappable(row, money);
    const bool number = money == Money::cents && !row.swapped;
    return json::serialize(json::object{{"idExterno", idExterno},
                                        {"idTransacao", row.idTransacao},
                                        {"nsu", row.nsu},
                                        {"estabelecimento", row.estabelecimento},
                                        {"valor", number ? json::value(row.valor) : json::value(valor)},
                                        {"status", row.status},
                                        {"dataHora", to_offset_time(row.at)}});
}

// A character that ISO 8859-1 does not have becomes a question mark.
std::string latin1(std::string_view utf8) {
    std::string out;
    for (std::size_t i = 0; i < utf8.size(); ++i) {
        const auto byte = static_cast<unsigned char>(utf8[i]);
        const bool continues = (byte & 0xC0U) == 0x80U;
        const bool up_to_ff = (byte == 0xC2U || byte == 0xC3U) && i + 1 < utf8.size();
        if (byte < 0x80U) {
            out += utf8[i];
        } else if (up_to_ff) {
            out += static_cast<char>((byte << 6U) | (static_cast<unsigned char>(utf8[++i]) & 0x3FU));
        } else if (!continues) {
            out += '?';
        }
    }
    return out;
}

}  // namespace

boost::system::result<Statement, std::string> make_statement(Rows rows, Day day, Day written,
                                                             const StatementFaults& faults) {
    std::vector<std::size_t> of_day;
    for (std::size_t place = 0; place < rows.size(); ++place)
        if (day_of(rows[place].at) == day) of_day.push_back(place);
    for (std::size_t i = 0; i < faults.unknown.size(); ++i) {
        const auto& unknown = faults.unknown[i];
        if (find_place(unknown.idExterno, rows)) return "there is a row already of the idExterno " + unknown.idExterno;
        rows.push_back(to_row(unknown, i + 1, day));
    }
    for (const auto& fault : faults.rows) {
        const auto places = named(fault.row, rows, of_day);
        if (!places) return places.error();
        for (const auto place : *places)
            apply(fault, rows[place]);
    }
    Statement statement{
        .day = faults.day.value_or(day), .written = written, .count = faults.count, .total = faults.total};
    statement.network = faults.network.value_or(statement.network);
    for (auto& row : rows) {
        if (row.missing || day_of(row.at) != day) continue;
        if (row.doubled) statement.rows.push_back(row);
        statement.rows.push_back(std::move(row));
    }
    sort_by_moment(statement.rows);
    return statement;
}

Rows statement_rows(const Books& books, const std::vector<std::string>& estabelecimentos, bool only_sold) {
    const auto wanted = [&](const Transaction& sale) {
        const bool of_them = estabelecimentos.empty() || std::find(estabelecimentos.begin(), estabelecimentos.end(),
                                                                   sale.estabelecimento) != estabelecimentos.end();
        return sale.status != Status::none && of_them && (!only_sold || sale.status == Status::efetivada);
    };
    Rows rows;
    for (const auto& sale : books.all())
        if (wanted(sale)) rows.push_back(to_row(sale));
    sort_by_moment(rows);
    return rows;
}

std::string to_file(const Statement& statement, const StatementForm& form) {
    const std::string_view end = form.line_end == LineEnd::crlf ? "\r\n" : "\n";
    auto out = header_line(statement, form).append(end);
    for (const auto& row : statement.rows) {
        const auto line = row_line(row, form);
        if (row.cut) {
            out.append(line, 0, line.size() / 2);
            break;
        }
        out.append(line).append(end);
    }
    return form.encoding == Encoding::latin_1 ? latin1(out) : out;
}

std::string to_list(const Statement& statement, Money money) {
    std::string out = "[";
    for (const auto& row : statement.rows) {
        const auto object = row_object(row, money);
        out += out.size() == 1 ? "\n" : ",\n";
        if (row.cut) return out.append(object, 0, object.size() / 2);
        out += object;
    }
    return out + "\n]\n";
}

}  // namespace gateway::sandbox
