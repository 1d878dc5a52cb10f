// Writes a receipt in ESC/POS, the language of receipt printers: the bytes that a till passes to its printer unchanged.
// It uses only what every model has that calls itself compatible, in font A at its usual size: initialise, character
// set, code page, emphasis, alignment, the QR code of model 2, feed and cut.
#pragma once

#include "paper/code_page.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

struct EscposPaper {
    std::size_t columns = 40;  // the columns of font A, 12 dots each
    CodePage page = CodePage::cp860;
    // This is the printer's own number of the page; nothing if the printer is not told which page to use.
    std::optional<std::uint8_t> page_number;
    bool cut = false;  // otherwise the paper is fed until it can be torn off
};

// Returns the title, which may be empty, in bold letters, and below it the lines, which have no line breaks. A line
// that is an address (see is_address) becomes a QR code. All characters of the address stand below it, on as many lines
// as they need. If the code would not fit on the paper, it is left out. The printer obeys nothing in title and lines.
std::string escpos(std::string_view title, const std::vector<std::string>& lines, const EscposPaper& paper);

}  // namespace gateway
