// What the database answered to one statement.
#pragma once

#include "journal/postgres/client.hpp"
#include "journal/row.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::postgres {

// How the bytes of a column that may be encrypted begin: a text in clear follows, or an encrypted one.
constexpr char sealed_text = 't';
constexpr char sealed_blob = 's';

class Rows;

// One row; valid as long as its Rows. A column of type bytea is one that may be encrypted, and is shown as the text or
// as the blob that it holds; smallint, integer, bigint and boolean are integers, and all else is text.
class ResultRow final : public Row {
  public:
    ResultRow(const Rows& rows, int row) : rows_(&rows), row_(row) {}

    bool is_null(int column) const override;
    bool is_text(int column) const override;
    bool is_integer(int column) const override;
    bool is_blob(int column) const override;
    std::string_view text(int column) const override;
    std::string_view blob(int column) const override;
    std::int64_t integer(int column) const override;

  private:
    bool is_sealed(int column) const;
    std::string_view value(int column) const;

    const Rows* rows_;
    int row_;
};

class Rows {
  public:
    Rows() = default;
    // The reply must be one without an error.
    explicit Rows(std::unique_ptr<const Reply> reply);

    std::size_t size() const noexcept { return reply_ ? static_cast<std::size_t>(reply_->rows()) : 0; }
    bool empty() const noexcept { return size() == 0; }
    int columns() const noexcept { return reply_ ? reply_->columns() : 0; }
    // By INSERT, UPDATE or DELETE: how many rows.
    std::int64_t affected() const noexcept { return reply_ ? reply_->affected() : 0; }
    // What the server calls what it did: "COMMIT", "INSERT 0 1", …
    std::string_view command() const noexcept { return reply_ ? reply_->command() : std::string_view(); }
    ResultRow operator[](std::size_t row) const { return {*this, static_cast<int>(row)}; }

  private:
    friend class ResultRow;

    std::shared_ptr<const Reply> reply_;
    // The values of the columns of type bytea, row by row, without the form that they travel in; empty where there is
    // no such column.
    std::shared_ptr<const std::vector<std::string>> bytes_;
};

}  // namespace gateway::postgres
