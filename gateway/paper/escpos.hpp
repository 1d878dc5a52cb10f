// A receipt in the language of receipt printers, ESC/POS: the bytes that a till hands to its printer as they are. Uses
// what every model has that calls itself compatible, in font A at its usual size: initialise, character set, code page,
// emphasis, alignment, the QR code of model 2, feed and cut.
#pragma once

#include "paper/code_page.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

struct EscposPaper {
    std::size_t columns = 40;  // of font A, 12 dots each
    CodePage page = CodePage::cp860;
    std::optional<std::uint8_t> page_number;  // the printer's own; nothing: it is not told which page
    bool cut = false;                         // otherwise the paper is fed until it can be torn off
};

// The title, which may be empty, in bold letters; below it the lines, which have no line breaks. A line that is an
// address (see is_address) is a QR code with the address below it, every character of it, on as many lines as it needs;
// without the code where that would not fit on the paper. Nothing in title or lines is obeyed by the printer.
std::string escpos(std::string_view title, const std::vector<std::string>& lines, const EscposPaper& paper);

}  // namespace gateway
