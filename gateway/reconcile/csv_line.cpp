#include "reconcile/csv_line.hpp"

#include <fmt/format.h>

#include <utility>

namespace gateway {
namespace {

// A spreadsheet takes a cell that begins with one of these for a formula.
constexpr std::string_view formula_marks = "=+-@\t\r";
// A cell begins after one of these, for a spreadsheet of one language or the other. Quotes prevent that only if the
// spreadsheet has seen them at the beginning of a cell.
constexpr std::string_view cell_ends = ",;\t\r\n";

}  // namespace

std::string day_text(Day day, Language language) {
    if (language == Language::english) return to_text(day);
    return fmt::format("{:02}/{:02}/{:04}", static_cast<unsigned>(day.day()), static_cast<unsigned>(day.month()),
                       static_cast<int>(day.year()));
}

void CsvLine::begin_cell() {
    if (std::exchange(has_cells_, true)) line_ += language_ == Language::portuguese ? ';' : ',';
}

void CsvLine::add_text(std::string_view text) {
    begin_cell();
    line_ += '"';
    bool begins = true;  // true where a cell begins for one spreadsheet or another
    for (const char c : text) {
        if (begins && formula_marks.find(c) != formula_marks.npos) line_ += '\'';
        begins = cell_ends.find(c) != cell_ends.npos || (begins && c == '"');
        line_.append(c == '"' ? 2 : 1, c);
    }
    line_ += '"';
}

void CsvLine::add_count(std::optional<std::int64_t> count) {
    begin_cell();
    if (count) line_ += std::to_string(*count);
}

void CsvLine::add_amount(std::optional<Cents> amount) {
    constexpr std::int64_t cents = 100;
    begin_cell();
    if (amount)
        line_ += fmt::format("{}{}{:02}", amount->value / cents, language_ == Language::portuguese ? ',' : '.',
                             amount->value % cents);
}

}  // namespace gateway
