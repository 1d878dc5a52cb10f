// A statement of the provider's shows its format: its header is read, its lines are counted, and its columns are
// guessed from what stands in them. Pure.
#pragma once

#include "config/config.hpp"
#include "probe/trials.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::probe {

// Holds what was seen of the file. `trouble` is in Portuguese; where it is not empty the rest says nothing.
struct StatementLook {
    std::string trouble;
    std::string separator;  // the character itself
    bool latin1 = false;
    bool crlf = false;
    std::int64_t header_count = 0;
    std::size_t details = 0;  // lines that are neither the header nor a single trailer
    std::string detail_text;  // what they begin with
    std::size_t sold = 0;     // of those, as their column of statuses says; all of them where there is none
    std::size_t width = 0;    // columns of a detail line
    StatementColumns columns;
    std::string money;  // "cents", "comma", "point"; empty: no column of amounts
    std::vector<std::string> status_words;
    bool only_sold = false;
};

StatementLook look_at_statement(std::string_view bytes, const std::string& estabelecimento);

// Returns the lines of configuration that read such a file.
std::vector<std::string> statement_lines(const StatementLook& look);

// Adds what the look says about the points of a statement.
void read_statement(const StatementLook& look, Found& found);

}  // namespace gateway::probe
