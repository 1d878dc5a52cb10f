// Reads the rows of the books as values: the sales of days, closes, statements and findings. Nothing in a row is a
// fault: a row that this program cannot have written gives no value.
#pragma once

#include "base/json_text.hpp"
#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"
#include "journal/rows.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway::rows {

// Reads id, terminal, cashier, estabelecimento, produto, family, valor, status, day, late_day, attempts, n, reason.
std::optional<DaySale> read_day_sale(const Row& row, FieldReader& fields);
inline constexpr int estabelecimento_column = 3;
inline constexpr int number_column_of_day_sale = 11;

// A page of days goes on at this place: on this day, after this row of it.
struct DayPlace {
    Day day;
    std::string estabelecimento{};
    std::string id{};  // empty: at the beginning of the day
};

// Writes the day, the length of the id, and both texts, whatever they hold.
std::string written(const DayPlace& place);
std::optional<DayPlace> place_of(std::string_view text);

// Writes what a close keeps of the sales that were not final then, from rows of id, attempts, family, valor, status.
class OpenSalesText {
  public:
    OpenSalesText() { json_.begin_array(); }
    void add(const Row& row);
    std::string finish();

  private:
    std::string text_;
    JsonWriter json_{text_};
};

// Reads the columns estabelecimento, series, number, day, made_at, made_by, open, totals, digest.
std::optional<Close> read_close(const Row& row);
// Reads the number of a close, or of a series.
std::optional<int> readable_number(const Row& row, int column);

// Reads the columns of `statements` in their order, and then the id of the day's statement that counts now.
std::optional<KeptStatement> read_statement(const Row& row);

// Reads the columns number, statement, day, kind, sale, id_externo, id_transacao, nsu, estabelecimento, our_valor,
// our_status, their_valor, their_status, line, detail, asks, pending, effect, opened_at, closed_at, closed_as,
// closed_by, note. A finding, or a part of it, that cannot be read is counted.
std::optional<Finding> read_finding(const Row& row, FieldReader& fields);
// Returns what tells a finding from the others of its kind and day. Every establishment may count its NSUs anew.
std::string subject_of(const Finding& finding);
std::optional<std::int64_t> amount_of(const std::optional<Saying>& saying);
std::optional<std::string_view> status_of(const std::optional<Saying>& saying);

}  // namespace gateway::rows
