// Holds a statement for the database and the values of its parameters, and makes rows of the database's answer.
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

// In a column that may be encrypted, which is a bytea, the first byte tells what follows: a text in clear, or an
// encrypted one.
constexpr char text_mark = 't';
constexpr char blob_mark = 's';

// A statement is prepared once on each connection, under its name. Name and SQL must live as long as the program, and a
// name always has the same SQL. A statement without a name is prepared for one call, and its text must live until the
// call ends.
struct Statement {
    const char* name;
    const char* sql;
};

// Holds the parameters of one statement in their order, and owns their values. Where the server cannot tell the type of
// a parameter, the statement names it ($1::bigint).
class Parameters {
  public:
    Parameters() = default;
    explicit Parameters(std::span<const Value> values);
    Parameters(std::initializer_list<Value> values) : Parameters(std::span(values.begin(), values.size())) {}

    std::size_t size() const noexcept { return places_.size(); }
    // The result is valid until this object changes.
    Parameter at(std::size_t index) const;
    // Returns the number of the first text, from 1, that is no UTF-8 or contains a zero; 0: there is none.
    int unfit() const;
    // Returns the id of the sale that the parameters are about, where they name one; else an empty text.
    std::string sale() const;
    // Tells whether a text contains a zero. PostgreSQL has no such texts, and libpq would send only what stands before
    // the zero.
    bool has_zero() const noexcept { return has_zero_; }

  private:
    struct Place {
        std::size_t begin;
        std::size_t size;
        bool is_null;
        bool is_bytes;
    };

    std::string room_;  // all values, each followed by a zero
    std::vector<Place> places_;
    bool has_zero_ = false;
};

// Makes rows of a reply that is no error. A bytea column holds a text or a blob, because it may be encrypted; smallint,
// integer, bigint and boolean become integers, and everything else becomes text.
Rows rows_of(const Reply& reply);

}  // namespace gateway::postgres
