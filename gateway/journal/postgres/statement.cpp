#include "journal/postgres/statement.hpp"

#include "base/utf8.hpp"
#include "sale/sale.hpp"

#include <charconv>

namespace gateway::postgres {
namespace {

// These numbers of the table pg_type never change.
constexpr unsigned type_bool = 16;
constexpr unsigned type_bytea = 17;
constexpr unsigned type_int8 = 20;
constexpr unsigned type_int2 = 21;
constexpr unsigned type_int4 = 23;

int hex_digit(char c) {
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

// Reads the server's form of bytes: \x and two small hexadecimal digits for each byte.
std::string from_hex(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 2; i + 1 < text.size(); i += 2)
        bytes += static_cast<char>(hex_digit(text[i]) * 16 + hex_digit(text[i + 1]));
    return bytes;
}

void add_value(Rows& rows, unsigned type, std::string_view value) {
    using Kind = Rows::Kind;
    if (type == type_bytea) {
        const auto whole = from_hex(value);
        const auto kind = whole.starts_with(text_mark) ? Kind::text : Kind::blob;
        rows.add(kind, 0, std::string_view(whole).substr(whole.empty() ? 0 : 1));
    } else if (type == type_bool) {
        rows.add(Kind::integer, value == "t" ? 1 : 0, value);
    } else if (type == type_int8 || type == type_int4 || type == type_int2) {
        std::int64_t number = 0;
        (void)std::from_chars(value.data(), value.data() + value.size(), number);
        rows.add(Kind::integer, number, value);
    } else {
        rows.add(Kind::text, 0, value);
    }
}

}  // namespace

Parameters::Parameters(std::span<const Value> values) {
    using Kind = Value::Kind;
    for (const auto& value : values) {
        const auto kind = value.kind();
        const auto begin = room_.size();
        if (value.may_be_encrypted() && kind != Kind::null) room_ += kind == Kind::text ? text_mark : blob_mark;
        room_ += kind == Kind::integer ? std::to_string(value.integer()) : value.bytes();
        places_.push_back({begin, room_.size() - begin, kind == Kind::null, value.may_be_encrypted()});
        room_ += '\0';
        has_zero_ = has_zero_ || (!value.may_be_encrypted() && value.bytes().find('\0') != std::string_view::npos);
    }
}

Parameter Parameters::at(std::size_t index) const {
    const auto& place = places_.at(index);
    if (place.is_null) return {nullptr, 0, false};
    return {room_.data() + place.begin, static_cast<int>(place.size), place.is_bytes};
}

int Parameters::unfit() const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const auto& place = places_[i];
        const auto text = std::string_view(room_).substr(place.begin, place.size);
        if (!place.is_bytes && (!is_utf8(text) || text.find('\0') != text.npos)) return static_cast<int>(i) + 1;
    }
    return 0;
}

std::string Parameters::sale() const {
    for (const auto& place : places_)
        if (const auto id = SaleId::parse(std::string_view(room_).substr(place.begin, place.size))) return id->str();
    return {};
}

Rows rows_of(const Reply& reply) {
    Rows rows;
    rows.expect(static_cast<std::size_t>(reply.columns()));
    rows.set_changed(reply.affected());
    for (int row = 0; row < reply.rows(); ++row)
        for (int column = 0; column < reply.columns(); ++column)
            if (reply.is_null(row, column))
                rows.add(Rows::Kind::null, 0, {});
            else
                add_value(rows, reply.type(column), reply.value(row, column));
    return rows;
}

}  // namespace gateway::postgres
