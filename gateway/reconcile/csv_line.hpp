// Writes dates, amounts and lines of CSV as each language writes them.
#pragma once

#include "base/calendar.hpp"
#include "base/language.hpp"
#include "sale/sale.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Returns "20/11/2026" in Portuguese and "2026-11-20" in English.
std::string day_text(Day day, Language language);

// Makes a line of a CSV file, cell by cell, as a spreadsheet of this language reads it: in Portuguese with semicolons
// and decimal commas, in English with commas and decimal points (RFC 4180).
class CsvLine {
  public:
    explicit CsvLine(Language language) : language_(language) {}

    // Adds a text in quotes that is not a formula: if a spreadsheet could take it for the beginning of one, an
    // apostrophe is put before it. The same is done inside of the text, because a spreadsheet of the other language may
    // begin a cell at a separator there.
    void add_text(std::string_view text);
    // Adds a number without quotes. The cell is empty if there is no number.
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
