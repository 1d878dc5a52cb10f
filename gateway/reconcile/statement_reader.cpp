#include "reconcile/statement_reader.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "base/wall_time.hpp"
#include "reconcile/amount_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gateway {
namespace {

constexpr std::string_view header_mark = "0";
// Programs that come from DOS put this after the last line, once or up to the end of a block.
constexpr char end_of_file = '\x1A';
// The separator also ends the header, so that one more field, an empty one, may follow.
constexpr std::size_t header_fields = 10;

// Returns as much of a field as a person needs to find it.
std::string in_quotes(std::string_view text) {
    constexpr std::size_t shown = 40;
    if (text.size() <= shown) return fmt::format("\"{}\"", text);
    const auto cut = text.substr(0, shown);
    return fmt::format("\"{}…\"", cut.substr(0, utf8_before_fault(cut)));
}

// Says what kind of file begins like this if it is not a statement. Returns an empty text if nobody can say.
std::string_view kind_of_file(std::string_view beginning) {
    const auto text = trim(beginning);
    if (text.starts_with('{') || text.starts_with('[')) return "; it looks like JSON";
    if (text.starts_with('<')) return "; it looks like HTML or XML";
    if (text.starts_with("PK\x03\x04")) return "; it looks like a ZIP archive: unpack it first";
    if (text.starts_with("\x1F\x8B")) return "; it looks like gzip: unpack it first";
    if (text.starts_with("%PDF")) return "; it looks like PDF";
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return "; it looks like UTF-16";
    return "";
}

bool is_high(char c) {
    return static_cast<unsigned char>(c) >= 0x80;
}

// Tells whether the text is an amount in any of the units.
bool is_amount(std::string_view text) {
    return std::ranges::any_of(std::array{AmountUnit::cents, AmountUnit::comma, AmountUnit::point}, [&](auto unit) {
        return statement_amount(text, unit, Decimals::up_to_two).has_value();
    });
}

std::string_view example_of(std::string_view pattern) {
    return pattern == rfc3339_pattern ? "2026-11-20T13:11:12-03:00" : pattern;
}

}  // namespace

ZoneRule zone_rule(const TimeZone& zone) {
    return [zone](LocalTime time) {
        const auto midnight = std::chrono::floor<std::chrono::days>(time);
        return zone.begin_of(Day(midnight)) + (time - midnight);
    };
}

StatementReader::StatementReader(const StatementFormat& format, ZoneRule zone)
    : format_(format), zone_(std::move(zone)) {}

std::optional<StatementError> StatementReader::take(std::string_view bytes, std::vector<StatementRow>& rows) {
    while (!failure_ && !bytes.empty()) {
        const auto end = bytes.find('\n');
        const auto part = bytes.substr(0, end);
        if (begun_.size() + part.size() > max_statement_line + 1) {  // a carriage return may belong to the line's end
            begun_.append(part.substr(0, max_statement_line));
            ++line_;
            failure_ = too_long(begun_);
        } else if (end == std::string_view::npos) {
            begun_.append(part);
            break;
        } else if (begun_.empty()) {
            failure_ = take_line(part, rows);
            bytes.remove_prefix(end + 1);
        } else {
            begun_.append(part);
            failure_ = take_line(begun_, rows);
            begun_.clear();
            bytes.remove_prefix(end + 1);
        }
    }
    return failure_;
}

std::optional<StatementError> StatementReader::finish(std::vector<StatementRow>& rows) {
    begun_.erase(begun_.find_last_not_of(end_of_file) + 1);
    if (!failure_ && !begun_.empty()) {
        failure_ = take_line(begun_, rows);
        begun_.clear();
    }
    if (!failure_ && !header_) failure_ = StatementError{.line = 0, .message = "the file is empty"};
    return failure_;
}

StatementReader::Failure StatementReader::take_line(std::string_view line, std::vector<StatementRow>& rows) {
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > max_statement_line) return too_long(line);
    if (line_ == 1 && line.starts_with(byte_order_mark)) {
        if (format_.encoding != StatementEncoding::utf8)
            return line_error("begins with the mark of UTF-8, and statement.encoding says otherwise");
        line.remove_prefix(byte_order_mark.size());
    }
    if (line.find_first_not_of(end_of_file) == std::string_view::npos) {
        if (empty_line_ == 0) empty_line_ = line_;
        return {};
    }
    if (empty_line_ != 0) {
        line_ = empty_line_;
        return line_error("is empty, and others follow");
    }
    if (auto failure = split(line)) return failure;
    if (!header_) return take_header();
    if (!format_.reads_rows()) return {};
    if (is_detail()) return take_row(rows);
    if (is_ignored()) return {};
    return text_error(1, "", fields_.front(),
                      fmt::format("begins neither a detail line, which has {} in field {}, nor a line that "
                                  "statement.ignore lists",
                                  in_quotes(format_.detail_text), *format_.detail_column));
}

StatementError StatementReader::too_long(std::string_view line) const {
    const auto kind = line_ == 1 ? kind_of_file(line) : std::string_view();
    return line_error(fmt::format("is longer than {} bytes{}", max_statement_line, kind));
}

StatementReader::Failure StatementReader::split(std::string_view line) {
    const auto kind = line_ == 1 ? kind_of_file(line) : std::string_view();
    const std::string_view separator = format_.separator;
    const auto is_no_text = [&](char c) { return is_control(c) && c != separator.front(); };
    const auto* const control = std::ranges::find_if(line, is_no_text);
    if (control != line.end())
        return line_error(fmt::format("holds the byte 0x{:02X}, which is no text{}",
                                      static_cast<unsigned>(static_cast<unsigned char>(*control)), kind));
    if (format_.encoding == StatementEncoding::utf8) {
        if (!is_utf8(line)) return line_error(fmt::format("is not UTF-8; statement.encoding can be latin1{}", kind));
    } else if (std::ranges::any_of(line, is_high)) {
        auto converted = utf8_from_windows_1252(line);
        if (!converted) return line_error(fmt::format("holds a character that latin1 does not have{}", kind));
        converted_ = *std::move(converted);
        line = converted_;
    }
    fields_.clear();
    while (fields_.size() < max_statement_columns) {
        const auto end = line.find(separator);
        fields_.push_back(trim(line.substr(0, end)));
        if (end == std::string_view::npos) return {};
        line.remove_prefix(end + separator.size());
    }
    return line_error(fmt::format("has more than {} fields", max_statement_columns));
}

StatementReader::Failure StatementReader::take_header() {
    const auto kind = kind_of_file(fields_.front());
    if (fields_.front() != header_mark)
        return text_error(1, "", fields_.front(), fmt::format("stands where a header begins with 0{}", kind));
    const bool ends_in_separator = fields_.size() == header_fields + 1 && fields_.back().empty();
    if (fields_.size() != header_fields && !ends_in_separator)
        return line_error(fmt::format("has {} fields, and a header has {}", fields_.size(), header_fields));
    if (!fields_[3].empty()) return text_error(4, "", fields_[3], "stands where a header has nothing");
    const auto written = header_day_in(fields_[4]);
    if (!written) return text_error(5, "written", fields_[4], "is no date such as 20112026");
    const auto movement = header_day_in(fields_[5]);
    if (!movement) return text_error(6, "movement day", fields_[5], "is no date such as 20112026");
    const auto count = statement_amount(fields_[6], AmountUnit::cents, Decimals::two);
    if (!count) return text_error(7, "count", fields_[6], "is no whole number");
    if (!is_amount(fields_[7])) return text_error(8, "total", fields_[7], "is no amount");
    const auto text = [&](std::size_t i) { return std::string(fields_[i]); };
    header_ = StatementHeader{.network = text(1),
                              .name = text(2),
                              .written = *written,
                              .movement = *movement,
                              .count = count->value,
                              .total = text(7),
                              .commission = text(8),
                              .payable = text(9)};
    return {};
}

StatementReader::Failure StatementReader::take_row(std::vector<StatementRow>& rows) {
    if (rows_ == 0) {
        row_fields_ = fields_.size();
        for (const auto& [name, column] : named_columns(format_.columns))
            if (static_cast<std::size_t>(column) > row_fields_)
                return line_error(fmt::format("has {} fields, and {} is field {}", row_fields_, name, column));
    }
    if (fields_.size() != row_fields_)
        return line_error(
            fmt::format("has {} fields, and the detail lines before it have {}", fields_.size(), row_fields_));
    if (++rows_ > max_statement_rows)
        return line_error(fmt::format("is one of more than {} detail lines", max_statement_rows));
    StatementRow row;
    row.line = line_;
    if (auto failure = take_ids(row)) return failure;
    const auto& columns = format_.columns;
    const auto valor = statement_amount(field(columns.valor), format_.money, Decimals::two);
    if (!valor) {
        const auto text = field(columns.valor);
        const auto column = columns.valor.value_or(0);
        return text.empty() ? field_error(column, "valor", valor.error())
                            : text_error(column, "valor", text, valor.error());
    }
    row.valor = *valor;
    if (auto failure = take_status(row)) return failure;
    if (auto failure = take_time(row)) return failure;
    row.estabelecimento = field(columns.estabelecimento);
    rows.push_back(std::move(row));
    return {};
}

StatementReader::Failure StatementReader::take_ids(StatementRow& row) const {
    const auto& columns = format_.columns;
    for (const auto& [name, column] : named_columns(columns)) {
        const bool is_id = name == "idExterno" || name == "idTransacao" || name == "nsu";
        if (is_id && field(column).size() > max_statement_id)
            return field_error(column, name, fmt::format("is longer than {} bytes", max_statement_id));
    }
    row.id_externo = field(columns.id_externo);
    row.id_transacao = field(columns.id_transacao);
    row.nsu = field(columns.nsu);
    if (!row.id_externo.empty() && !format_.any_id && !IdExterno::parse(row.id_externo))
        return text_error(columns.id_externo.value_or(0), "idExterno", row.id_externo,
                          "is none of this program's making: 26 digits and capital letters; where the statement has "
                          "others' too, statement.any_id lets them pass");
    if (row.id_externo.empty() && row.id_transacao.empty() && row.nsu.empty())
        return line_error("names no attempt: every id in it is empty");
    return {};
}

StatementReader::Failure StatementReader::take_status(StatementRow& row) const {
    const auto column = format_.columns.status;
    if (!column) return {};
    const auto word = field(column);
    const auto status = status_in(format_.words, word);
    if (!status) return text_error(*column, "status", word, "is none of statement.words");
    row.status = *status;
    return {};
}

StatementReader::Failure StatementReader::take_time(StatementRow& row) const {
    const auto column = format_.columns.data_hora;
    const auto text = field(column);
    if (text.empty()) return {};
    if (format_.time == rfc3339_pattern) {
        row.at = from_rfc3339(text);
    } else if (const auto local = local_time_in(text, format_.time)) {
        row.at = zone_(*local);
    }
    if (row.at) return {};
    return text_error(column.value_or(0), "dataHora", text,
                      fmt::format("is no time such as {}", example_of(format_.time)));
}

bool StatementReader::is_detail() const {
    const auto column = format_.detail_column;
    return column && static_cast<std::size_t>(*column) <= fields_.size() && field(column) == format_.detail_text;
}

bool StatementReader::is_ignored() const {
    return std::ranges::find(format_.ignored, fields_.front()) != format_.ignored.end();
}

std::string_view StatementReader::field(std::optional<std::int64_t> column) const {
    return column ? fields_.at(static_cast<std::size_t>(*column - 1)) : std::string_view();
}

StatementError StatementReader::line_error(std::string_view wrong) const {
    return {.line = line_, .message = fmt::format("line {} {}", line_, wrong)};
}

StatementError StatementReader::field_error(std::int64_t column, std::string_view name, std::string_view wrong) const {
    const auto named = name.empty() ? std::string() : fmt::format(" ({})", name);
    return {.line = line_, .message = fmt::format("line {}, field {}{}: {}", line_, column, named, wrong)};
}

StatementError StatementReader::text_error(std::int64_t column, std::string_view name, std::string_view text,
                                           std::string_view wrong) const {
    auto error = field_error(column, name, fmt::format("{} {}", in_quotes(text), wrong));
    error.unquoted = field_error(column, name, fmt::format("its text {}", wrong)).message;
    return error;
}

}  // namespace gateway
