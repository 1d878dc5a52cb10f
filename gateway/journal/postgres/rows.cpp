#include "journal/postgres/rows.hpp"

#include <charconv>

namespace gateway::postgres {
namespace {

// Of pg_type, which never changes.
constexpr unsigned type_bool = 16;
constexpr unsigned type_bytea = 17;
constexpr unsigned type_int8 = 20;
constexpr unsigned type_int2 = 21;
constexpr unsigned type_int4 = 23;

int hex_digit(char c) {
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

// From the form that the server writes: \x and two small hexadecimal digits for each byte.
std::string from_hex(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 2; i + 1 < text.size(); i += 2)
        bytes += static_cast<char>(hex_digit(text[i]) * 16 + hex_digit(text[i + 1]));
    return bytes;
}

}  // namespace

Rows::Rows(std::unique_ptr<const Reply> reply) : reply_(std::move(reply)) {
    const int columns = reply_->columns();
    bool has_bytes = false;
    for (int column = 0; column < columns; ++column)
        has_bytes = has_bytes || reply_->type(column) == type_bytea;
    if (!has_bytes) return;
    auto bytes = std::make_shared<std::vector<std::string>>(size() * static_cast<std::size_t>(columns));
    auto next = bytes->begin();
    for (int row = 0; row < reply_->rows(); ++row)
        for (int column = 0; column < columns; ++column, ++next)
            if (reply_->type(column) == type_bytea) *next = from_hex(reply_->value(row, column));
    bytes_ = std::move(bytes);
}

bool ResultRow::is_null(int column) const {
    return rows_->reply_->is_null(row_, column);
}

bool ResultRow::is_text(int column) const {
    if (is_null(column) || is_integer(column)) return false;
    return !is_sealed(column) || value(column).starts_with(sealed_text);
}

bool ResultRow::is_integer(int column) const {
    const auto type = rows_->reply_->type(column);
    return !is_null(column) && (type == type_int8 || type == type_int4 || type == type_int2 || type == type_bool);
}

bool ResultRow::is_blob(int column) const {
    return !is_null(column) && is_sealed(column) && !is_text(column);
}

std::string_view ResultRow::text(int column) const {
    const auto whole = value(column);
    return is_sealed(column) && !whole.empty() ? whole.substr(1) : whole;
}

std::string_view ResultRow::blob(int column) const {
    return text(column);
}

std::int64_t ResultRow::integer(int column) const {
    const auto digits = value(column);
    if (rows_->reply_->type(column) == type_bool) return digits == "t" ? 1 : 0;
    std::int64_t number = 0;
    (void)std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

bool ResultRow::is_sealed(int column) const {
    return rows_->reply_->type(column) == type_bytea;
}

std::string_view ResultRow::value(int column) const {
    if (!is_sealed(column)) return rows_->reply_->value(row_, column);
    const auto place = row_ * rows_->reply_->columns() + column;
    return rows_->bytes_->at(static_cast<std::size_t>(place));
}

}  // namespace gateway::postgres
