#include "reconcile/statement_format.hpp"

#include "base/digest.hpp"
#include "base/json_text.hpp"

#include <algorithm>

namespace gateway {

std::vector<NamedColumn> named_columns(const StatementColumns& columns) {
    std::vector<NamedColumn> named;
    const auto add = [&](std::string_view name, std::optional<std::int64_t> column) {
        if (column) named.push_back({name, *column});
    };
    add("idExterno", columns.id_externo);
    add("idTransacao", columns.id_transacao);
    add("nsu", columns.nsu);
    add("valor", columns.valor);
    add("status", columns.status);
    add("dataHora", columns.data_hora);
    add("estabelecimento", columns.estabelecimento);
    return named;
}

std::optional<Status> status_in(const StatementWords& words, std::string_view word) {
    const auto has = [&](const std::vector<std::string>& of_status) {
        return std::ranges::find(of_status, word) != of_status.end();
    };
    if (has(words.efetivada)) return Status::EFETIVADA;
    if (has(words.cancelada)) return Status::CANCELADA;
    if (has(words.negada)) return Status::NEGADA;
    if (has(words.autorizada)) return Status::AUTORIZADA;
    return std::nullopt;
}

std::string_view to_string(AmountUnit unit) noexcept {
    switch (unit) {
        case AmountUnit::cents: return "cents";
        case AmountUnit::comma: return "comma";
        case AmountUnit::point: return "point";
    }
    return "";
}

std::optional<StatementEncoding> parse_statement_encoding(std::string_view text) noexcept {
    if (text == "utf-8") return StatementEncoding::utf8;
    if (text == "latin1") return StatementEncoding::latin1;
    return std::nullopt;
}

std::optional<AmountUnit> parse_amount_unit(std::string_view text) noexcept {
    for (const auto unit : {AmountUnit::cents, AmountUnit::comma, AmountUnit::point})
        if (to_string(unit) == text) return unit;
    return std::nullopt;
}

std::optional<StatementCovers> parse_statement_covers(std::string_view text) noexcept {
    if (text == "network") return StatementCovers::network;
    if (text == "this") return StatementCovers::this_gateway;
    return std::nullopt;
}

std::optional<CountedRows> parse_counted_rows(std::string_view text) noexcept {
    if (text == "sold") return CountedRows::sold;
    if (text == "all") return CountedRows::all;
    return std::nullopt;
}

std::string reading_of(const StatementFormat& format) {
    std::string text;
    JsonWriter json(text);
    json.begin_array();
    for (const auto number : {static_cast<int>(format.encoding), static_cast<int>(format.money),
                              static_cast<int>(format.counts), static_cast<int>(format.covers), format.any_id ? 1 : 0,
                              format.header_money ? static_cast<int>(*format.header_money) : -1})
        json.number(number);
    json.number(format.detail_column.value_or(0));
    for (const auto& [name, column] : named_columns(format.columns)) {
        json.string(name);
        json.number(column);
    }
    for (const std::string_view one : {std::string_view(format.separator), std::string_view(format.detail_text),
                                       std::string_view(format.time), std::string_view(format.network)})
        json.string(one);
    for (const auto* list : {&format.ignored, &format.words.efetivada, &format.words.cancelada, &format.words.negada,
                             &format.words.autorizada}) {
        json.begin_array();
        for (const auto& one : *list)
            json.string(one);
        json.end_array();
    }
    json.end_array();
    return sha256_hex(text);
}

}  // namespace gateway
