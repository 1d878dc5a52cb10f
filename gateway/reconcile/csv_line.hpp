// Dates, amounts and CSV as each language writes them.
#pragma once

#include "base/calendar.hpp"
#include "base/language.hpp"
#include "sale/sale.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// "20/11/2026" and "2026-11-20".
std::string day_text(Day day, Language language);

// A line of a CSV file, cell by cell, as a spreadsheet of that language reads it: separated by semicolons and with a
// decimal comma in Portuguese, by commas and with a point in English (RFC 4180).
class CsvLine {
  public:
    explicit CsvLine(Language language) : language_(language) {}

    // In quotes, and no formula: what a spreadsheet could take for the beginning of one has an apostrophe before it.
    // That holds for a spreadsheet of the other language, too, to which a separator inside of the text may begin a
    // cell.
    void add_text(std::string_view text);
    // Numbers have no quotes. The cell is empty where there is none.
    void add_count(std::optional<std::int64_t> count);
    void add_amount(std::optional<Cents> amount);  // "2045,90"

    std::string text() const { return line_ + "\r\n"; }

  private:
    void begin_cell();

    Language language_;
    std::string line_;
    bool has_cells_ = false;
};

}  // namespace gateway
