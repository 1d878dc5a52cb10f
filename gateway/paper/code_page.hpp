// Spells text with the letters that receipt printers have. A printer of bytes has 256 signs at a time, its code page. A
// letter that the page lacks is spelled with other signs: "ş" is printed "s", and "€" is printed "EUR".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// The terminal API has these names. With UTF-8 a printer has every letter, and nothing is spelled differently.
enum class CodePage : std::uint8_t { utf_8, cp860, cp850, wpc1252 };

std::optional<CodePage> parse_code_page(std::string_view name) noexcept;
// Returns the name that IANA registers for the page, for a Content-Type.
std::string_view charset_of(CodePage page) noexcept;

// Holds the number that a printer has for each page, the n of ESC t n. The defaults are Epson's; other models have
// other numbers.
struct CodePageNumbers {
    std::uint8_t cp860 = 3;
    std::uint8_t cp850 = 2;
    std::uint8_t wpc1252 = 16;

    // Returns nothing for UTF-8, which is not a page: that is set at the printer itself.
    std::optional<std::uint8_t> of(CodePage page) const noexcept;
    friend bool operator==(const CodePageNumbers&, const CodePageNumbers&) = default;
};

// Returns the text in letters that the page has, as UTF-8. Accents are left off first, and a sign that cannot be
// spelled at all becomes a question mark. The result may be wider than the text was.
std::string spelled(std::string_view text, CodePage page);

// Returns the spelled text in the bytes of the page. The result never holds a byte that a printer obeys, whatever the
// text holds: no control character of ASCII and, in UTF-8, none of ISO 6429.
std::string encoded(std::string_view text, CodePage page);

}  // namespace gateway
