#include "journal/book_rows.hpp"

#include "base/utf8.hpp"
#include "journal/encrypted_fields.hpp"
#include "sale/machine.hpp"

#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace gateway::rows {
namespace {

constexpr int note_column = 22;
constexpr int reason_column_of_day_sale = 12;

bool is_plain_text(const Row& row, int column) {
    return row.is_text(column) && is_utf8(row.text(column));
}

bool is_json(std::string_view text, boost::json::kind kind) {
    boost::system::error_code ec;
    const auto value = boost::json::parse(text, ec);
    return !ec && value.kind() == kind;
}

bool is_digest(std::string_view text) {
    constexpr std::size_t digits = 64;
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Tells whether the two columns, which stay empty until a close is finished, make sense: both are empty, or neither is.
bool is_result(const Row& row, int totals, int digest) {
    if (row.is_null(totals) && row.is_null(digest)) return true;
    return is_plain_text(row, totals) && is_json(row.text(totals), boost::json::kind::object) && row.is_text(digest) &&
           is_digest(row.text(digest));
}

constexpr std::array ends{FindingEnd::resolved, FindingEnd::corrected, FindingEnd::settled, FindingEnd::other_day};

std::optional<FindingEnd> parse_finding_end(std::string_view text) {
    const auto* const found = std::ranges::find(ends, text, [](FindingEnd end) { return to_string(end); });
    return found == ends.end() ? std::nullopt : std::optional(*found);
}

// Reads two columns that have to be either both present or both absent. Returns false where they make no sense.
bool read_saying(const Row& row, int column, std::optional<Saying>& saying) {
    if (row.is_null(column) && row.is_null(column + 1)) return true;
    const auto valor = row.optional_integer(column);
    const auto status = parse_status(row.text(column + 1));
    if (!valor || *valor < 0 || !status) return false;
    saying = Saying{.valor = Cents{*valor}, .status = *status};
    return true;
}

bool read_closed(const Row& row, int column, std::optional<Finding::Closed>& closed) {
    if (row.is_null(column) && row.is_null(column + 1)) return true;
    const auto at = readable_time(row, column);
    const auto as = parse_finding_end(row.text(column + 1));
    if (!at || !as || !is_plain_text(row, column + 2)) return false;
    closed = Finding::Closed{.at = *at, .as = *as, .by = std::string(row.text(column + 2))};
    return true;
}

}  // namespace

std::optional<DaySale> read_day_sale(const Row& row, FieldReader& fields) {
    const auto id = SaleId::parse(row.text(0));
    const auto family = parse_family(row.text(5));
    const auto valor = row.optional_integer(6);
    const auto status = parse_status(row.text(7));
    const auto day = parse_day(row.text(8));
    const bool texts = is_plain_text(row, 1) && is_plain_text(row, estabelecimento_column) && is_plain_text(row, 4);
    auto latest = latest_attempt(row.text(10));
    const auto id_externo = IdExterno::parse(latest.id_externo);
    if (!id || !family || !valor || *valor < 0 || !status || !is_final(*status) || !day || !texts || !id_externo)
        return std::nullopt;
    if (!latest.state || !is_possible_end(*status, *latest.state, !row.is_null(reason_column_of_day_sale)))
        return std::nullopt;
    DaySale sale{.id = *id, .terminal = std::string(row.text(1))};
    sale.cashier = shown(fields.text(row, 2, encrypted::cashier, id->text()));
    sale.estabelecimento = row.text(estabelecimento_column);
    sale.produto = row.text(4);
    sale.family = *family;
    sale.valor = Cents{*valor};
    sale.status = *status;
    sale.day = *day;
    sale.late = !row.is_null(9);
    sale.id_externo = id_externo->text();
    sale.id_transacao = shown(std::move(latest.id_transacao));
    sale.retried = latest.retried;
    return sale;
}

std::optional<int> readable_number(const Row& row, int column) {
    const auto number = row.optional_integer(column);
    if (!number || *number < 1 || *number > std::numeric_limits<int>::max()) return std::nullopt;
    return static_cast<int>(*number);
}

std::optional<Close> read_close(const Row& row) {
    const auto series = readable_number(row, 1);
    const auto number = readable_number(row, 2);
    const auto day = row.is_text(3) ? parse_day(row.text(3)) : std::nullopt;
    const auto made_at = readable_time(row, 4);
    const bool texts = is_plain_text(row, 0) && is_plain_text(row, 5) && is_plain_text(row, 6);
    if (!series || !number || !day || !made_at || !texts) return std::nullopt;
    if (!is_json(row.text(6), boost::json::kind::array) || !is_result(row, 7, 8)) return std::nullopt;
    Close close{.estabelecimento = std::string(row.text(0)), .series = *series, .number = *number, .day = *day};
    close.made_at = *made_at;
    close.made_by = row.text(5);
    close.open = row.text(6);
    if (row.is_null(8)) return close;
    close.totals = row.text(7);
    close.digest = row.text(8);
    return close;
}

std::optional<KeptStatement> read_statement(const Row& row) {
    const auto day = row.is_text(1) ? parse_day(row.text(1)) : std::nullopt;
    const auto read_at = readable_time(row, 6);
    const auto is_text = [&](int column) { return is_plain_text(row, column); };
    const auto is_count = [&](int column) { return row.is_integer(column) && row.integer(column) >= 0; };
    const bool texts = std::ranges::all_of(std::array{2, 3, 4, 5, 7, 8}, is_text);
    const bool counts = std::ranges::all_of(std::array{9, 10, 11, 12}, is_count);
    if (!day || !read_at || !texts || !counts) return std::nullopt;
    KeptStatement statement{.id = row.integer(0), .day = *day};
    statement.source = row.text(2);
    statement.network = row.text(3);
    statement.digest = row.text(4);
    statement.reading = row.text(5);
    statement.read_at = *read_at;
    statement.by = row.text(7);
    statement.header_money = row.text(8);
    statement.rows = row.integer(9);
    statement.matched = row.integer(10);
    statement.others = row.integer(11);
    statement.findings = row.integer(12);
    statement.replaced = row.optional_integer(13);
    if (const auto counts_now = row.optional_integer(14); counts_now && *counts_now != statement.id)
        statement.superseded = counts_now;
    return statement;
}

std::optional<Finding> read_finding(const Row& row, FieldReader& fields) {
    Finding finding{.number = row.integer(0), .statement = row.integer(1)};
    const auto day = row.is_text(2) ? parse_day(row.text(2)) : std::nullopt;
    const auto kind = parse_finding_kind(row.text(3));
    const auto asks = parse_finding_asks(row.text(15));
    const auto opened_at = readable_time(row, 18);
    if (!row.is_null(4)) finding.sale = SaleId::parse(row.text(4));
    const bool texts =
        std::ranges::all_of(std::array{5, 6, 7, 8, 14, 17}, [&](int column) { return is_plain_text(row, column); });
    const bool numbers = row.is_integer(1) && row.is_integer(13) && row.integer(13) >= 0 && row.is_integer(16);
    const bool makes_sense = day && kind && asks && opened_at && texts && numbers && (row.is_null(4) || finding.sale) &&
                             read_saying(row, 9, finding.ours) && read_saying(row, 11, finding.theirs) &&
                             read_closed(row, 19, finding.closed);
    if (!makes_sense) {
        fields.add_unreadable("findings/", std::to_string(finding.number));
        return std::nullopt;
    }
    finding.day = *day;
    finding.kind = *kind;
    finding.id_externo = row.text(5);
    finding.id_transacao = row.text(6);
    finding.nsu = row.text(7);
    finding.estabelecimento = row.text(8);
    finding.line = static_cast<std::size_t>(row.integer(13));
    finding.detail = row.text(14);
    finding.asks = *asks;
    finding.pending = row.integer(16) != 0;
    finding.effect = row.text(17);
    finding.opened_at = *opened_at;
    auto& note = finding.closed ? finding.closed->note : finding.note;
    note = shown(fields.text(row, note_column, encrypted::finding_note, std::to_string(finding.number)));
    return finding;
}

std::string subject_of(const Finding& finding) {
    if (!finding.id_externo.empty()) return finding.id_externo;
    if (!finding.id_transacao.empty()) return "idTransacao " + finding.id_transacao;
    if (!finding.nsu.empty()) return fmt::format("nsu {} {}", finding.nsu, finding.estabelecimento);
    return {};
}

std::optional<std::int64_t> amount_of(const std::optional<Saying>& saying) {
    return saying ? std::optional(saying->valor.value) : std::nullopt;
}

std::optional<std::string_view> status_of(const std::optional<Saying>& saying) {
    return saying ? std::optional(to_string(saying->status)) : std::nullopt;
}

std::string written(const DayPlace& place) {
    return fmt::format("{}{}:{}{}", to_text(place.day), place.id.size(), place.id, place.estabelecimento);
}

std::optional<DayPlace> place_of(std::string_view text) {
    constexpr std::size_t day_length = 10;
    const auto day = parse_day(text.substr(0, day_length));
    if (!day) return std::nullopt;
    text.remove_prefix(day_length);
    std::size_t length = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), length);
    if (failure != std::errc{} || end == text.data() + text.size() || *end != ':') return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
    if (length > text.size()) return std::nullopt;
    return DayPlace{
        .day = *day, .estabelecimento = std::string(text.substr(length)), .id = std::string(text.substr(0, length))};
}

void OpenSalesText::add(const Row& row) {
    const auto put = [&](std::string_view name, std::string_view text) {
        json_.key(name).string(shown(std::string(text)));
    };
    json_.begin_object();
    put("id", row.text(0));
    put("idExterno", latest_attempt(row.text(1)).id_externo);
    put("family", row.text(2));
    json_.key("valor").number(row.optional_integer(3).value_or(0));
    put("status", row.text(4));
    json_.end_object();
}

std::string OpenSalesText::finish() {
    json_.end_array();
    return std::move(text_);
}

}  // namespace gateway::rows
