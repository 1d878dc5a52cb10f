// Sales and attempts as rows: the columns that are JSON, and times on the steady clock as wall-clock times and back.
#pragma once

#include "journal/sqlite.hpp"
#include "journal/vault.hpp"
#include "sale/sale.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>

namespace gateway::rows {

std::int64_t milliseconds(WallTime at) noexcept;
WallTime wall_time(std::int64_t milliseconds) noexcept;

// A reason, facts, goods or callback facts as the JSON text of their column; nothing (NULL) where there are none. A
// reason's words (the provider's own, or a person's note) may name the customer and stand in a column of their own.
std::optional<std::string> reason_text(const std::optional<Reason>& reason);
std::optional<std::string> words_text(const std::optional<Reason>& reason);
std::optional<std::string> facts_text(const Facts& facts);
std::optional<std::string> goods_text(const Facts& facts);
std::optional<std::string> esim_text(const std::optional<EsimFacts>& esim);

// An attempt's row. Deadlines live on the steady clock, which means nothing after a restart: they are written as
// wall-clock times beside the time of writing. Read back, what has passed meanwhile is taken off what was left, and
// never more than that nor less than nothing, so a clock that was set can shorten a wait to none, or leave it whole,
// but never stretch it.
struct AttemptRow {
    const Attempt* attempt;
    int number;
    std::int64_t recorded_at;
    std::optional<std::int64_t> deadline;
    std::optional<std::int64_t> attention_at;
};
AttemptRow row_of(const Attempt& attempt, int number, Instant now, WallTime wall);

// Opens the values of one row after another, and counts those that do not open: each of these is read as if there were
// nothing in its column.
class Opening {
  public:
    explicit Opening(Vault& vault) : vault_(vault) {}

    std::string text(const sqlite::Statement& row, int column, std::string_view name, std::string_view id);
    std::size_t unreadable() const noexcept { return unreadable_; }

  private:
    Vault& vault_;
    std::size_t unreadable_ = 0;
};

// The columns of `SELECT * FROM sales` / `FROM attempts` in the order of the table. Throws nothing; a row that this
// program cannot have written is a bug or a damaged file, and stops it (CHECK).
Sale read_sale(const sqlite::Statement& row, Opening& opening);
Attempt read_attempt(const sqlite::Statement& row, Instant now, WallTime wall);
// A line of a story as {at, idExterno, event, …}; `sale` is whose story it is.
boost::json::object read_event(const sqlite::Statement& row, std::string_view sale, Opening& opening);
// A callback as {at, kind, valid, body}; without a body where that was erased. What is no UTF-8 in it is shown as "?".
boost::json::object read_callback(const sqlite::Statement& row, std::string_view sale, Opening& opening);

}  // namespace gateway::rows
