// One row that a journal's engine gives, column by column, whichever engine that is: so that what stands in it is
// decoded in one place. It is read without a fault, whatever stands in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gateway {

class Row {
  public:
    virtual bool is_null(int column) const = 0;
    virtual bool is_text(int column) const = 0;
    virtual bool is_integer(int column) const = 0;
    // Of a column that may be encrypted: whether it is.
    virtual bool is_blob(int column) const = 0;

    // Valid as long as the row is; "" for NULL.
    virtual std::string_view text(int column) const = 0;
    virtual std::string_view blob(int column) const = 0;
    virtual std::int64_t integer(int column) const = 0;
    // Nothing where the column holds anything but an integer.
    std::optional<std::int64_t> optional_integer(int column) const {
        return is_integer(column) ? std::optional(integer(column)) : std::nullopt;
    }

  protected:
    Row() = default;
    Row(const Row&) = default;
    Row& operator=(const Row&) = default;
    Row(Row&&) = default;
    Row& operator=(Row&&) = default;
    ~Row() = default;
};

// What is written into a column that may be encrypted: a text in clear, or the bytes of an encrypted one. `bytes` must
// outlive the writing.
struct ColumnValue {
    enum class Kind { null, text, blob };
    Kind kind = Kind::null;
    std::string_view bytes{};
};

}  // namespace gateway
