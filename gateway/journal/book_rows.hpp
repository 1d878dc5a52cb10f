// Reads rows of the books as values: the sales of days, closes, statements and findings. No content of a row makes
// these functions fail: a row that this program cannot have written gives no value.
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

// Reads a row of id, terminal, cashier, estabelecimento, produto, family, valor, status, day, late_day, attempts, n,
// reason.
std::optional<DaySale> read_day_sale(const Row& row, FieldReader& fields);
inline constexpr int estabelecimento_column = 3;
inline constexpr int number_column_of_day_sale = 11;

// Tells where the next page of days begins: on this day, after the row of this establishment and id.
struct DayPlace {
    Day day;
    std::string estabelecimento{};
    std::string id{};  // empty: the page begins with the first row of the day
};

// Writes the place as a text, from which place_of() reads it again whatever the establishment and the id contain.
std::string written(const DayPlace& place);
std::optional<DayPlace> place_of(std::string_view text);

// Writes the list that a close keeps of the sales that were not final when the day was closed, from rows of id,
// attempts, family, valor, status.
class OpenSalesText {
  public:
    OpenSalesText() { json_.begin_array(); }
    void add(const Row& row);
    std::string finish();

  private:
    std::string text_;
    JsonWriter json_{text_};
};

// Reads a row of estabelecimento, series, number, day, made_at, made_by, open, totals, digest.
std::optional<Close> read_close(const Row& row);
// Reads the number of a close, or of a series.
std::optional<int> readable_number(const Row& row, int column);

// Reads a row that has the columns of `statements` in their order, followed by the id of the day's statement that
// counts now.
std::optional<KeptStatement> read_statement(const Row& row);

// Reads a row of number, statement, day, kind, sale, id_externo, id_transacao, nsu, estabelecimento, our_valor,
// our_status, their_valor, their_status, line, detail, asks, pending, effect, opened_at, closed_at, closed_as,
// closed_by, note. A finding that cannot be read, or a part of one, is counted.
std::optional<Finding> read_finding(const Row& row, FieldReader& fields);
// Returns the text that distinguishes a finding from the others of the same kind and day. It names the establishment,
// because each establishment may count its NSUs from the beginning.
std::string subject_of(const Finding& finding);
std::optional<std::int64_t> amount_of(const std::optional<Saying>& saying);
std::optional<std::string_view> status_of(const std::optional<Saying>& saying);

}  // namespace gateway::rows
