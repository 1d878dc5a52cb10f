// One row, column by column, from whichever engine a journal is on, so that rows are decoded in one place. No content
// of a row makes these functions fail.
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
    // Tells, for a column that may be encrypted, whether the value is encrypted.
    virtual bool is_blob(int column) const = 0;

    // Returns a text that is valid as long as the row is; it is "" for NULL.
    virtual std::string_view text(int column) const = 0;
    virtual std::string_view blob(int column) const = 0;
    virtual std::int64_t integer(int column) const = 0;
    // Returns nothing where the column holds anything but an integer.
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

// This is a value for a column that may be encrypted: a text in clear, or the bytes of an encrypted value. `bytes` must
// outlive the writing.
struct ColumnValue {
    enum class Kind { null, text, blob };
    Kind kind = Kind::null;
    std::string_view bytes{};
};

}  // namespace gateway
