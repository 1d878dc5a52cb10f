// Holds what is asked of the database, a statement and the values of its parameters, and what the database answers.
#pragma once

#include "journal/engine.hpp"
#include "journal/postgres/client.hpp"

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::postgres {

// The bytes of a column that may be encrypted, which is a bytea, begin so: a text in clear follows, or an encrypted
// one.
constexpr char text_mark = 't';
constexpr char blob_mark = 's';

// This is prepared once on each connection, under its name. Both must live as long as the program, and one name has one
// SQL. A statement without a name is prepared for this call, until whose end its text must live.
struct Statement {
    const char* name;
    const char* sql;
};

// Holds the parameters of one statement, in order, and owns what they hold. The statement says which type each has
// ($1::bigint) where the server cannot tell.
class Parameters {
  public:
    Parameters() = default;
    explicit Parameters(std::span<const Value> values);
    Parameters(std::initializer_list<Value> values) : Parameters(std::span(values.begin(), values.size())) {}

    std::size_t size() const noexcept { return places_.size(); }
    // The parameter is valid until this object changes.
    Parameter at(std::size_t index) const;
    // Returns the number of the first text, from 1, that is no UTF-8 or has a zero in it; 0: none is.
    int unfit() const;
    // Returns the sale that they are about, as far as they name one; else empty.
    std::string sale() const;
    // PostgreSQL has no text with a zero in it, and libpq would send what stands before the zero.
    bool has_zero() const noexcept { return has_zero_; }

  private:
    struct Place {
        std::size_t begin;
        std::size_t size;
        bool is_null;
        bool is_bytes;
    };

    std::string room_;  // all of them, each with a zero behind it
    std::vector<Place> places_;
    bool has_zero_ = false;
};

// Makes the rows of a reply without an error. A column of type bytea holds the text or the blob that may be encrypted
// there; smallint, integer, bigint and boolean are integers, and all else is text.
Rows rows_of(const Reply& reply);

}  // namespace gateway::postgres
