// What is asked of the database: a statement, and what stands in the places of its parameters.
#pragma once

#include "journal/postgres/client.hpp"
#include "journal/row.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::postgres {

// Prepared once on each connection, under its name. Both must live as long as the program, and one name has one SQL.
// One without a name is prepared for this call, until whose end its text must live.
struct Statement {
    const char* name;
    const char* sql;
};

// The parameters of one statement, in order; they own what they hold. Which type each has is for the statement to say
// ($1::bigint) where the server cannot tell.
class Parameters {
  public:
    Parameters& add(std::string_view text);
    Parameters& add(const char* text) { return add(std::string_view(text)); }
    Parameters& add(std::nullopt_t);
    template <std::integral T>
    Parameters& add(T number) {
        return add(std::string_view(std::to_string(number)));
    }
    // As bytea.
    Parameters& add_bytes(std::string_view bytes);
    // As bytea, for a column that may be encrypted: ResultRow tells the two apart again.
    Parameters& add_sealed(const ColumnValue& value);

    std::size_t size() const noexcept { return values_.size(); }
    // Valid until the parameters change.
    Parameter at(std::size_t index) const;
    // The number of the first text, from 1, that is no UTF-8 or has a zero in it; 0: none is.
    int unfit() const;
    // The sale that they are about, as far as they name one; else empty.
    std::string sale() const;
    // PostgreSQL has no text with a zero in it, and libpq would send what stands before it.
    bool has_zero() const noexcept { return has_zero_; }

  private:
    struct Value {
        std::size_t begin;
        std::size_t size;
        bool is_null;
        bool is_bytes;
    };
    Parameters& keep(std::string_view bytes, bool is_bytes);

    std::string room_;  // all of them, each with a zero behind it
    std::vector<Value> values_;
    bool has_zero_ = false;
};

}  // namespace gateway::postgres
