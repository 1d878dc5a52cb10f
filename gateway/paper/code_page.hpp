// The letters that receipt printers have. A printer of bytes knows 256 signs at a time, its code page; what a page
// lacks is spelled with what it has: "ş" is printed "s", "€" is printed "EUR".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// By their names in the terminal API. With UTF-8 a printer has every letter, and nothing is spelled otherwise.
enum class CodePage : std::uint8_t { utf_8, cp860, cp850, wpc1252 };

std::optional<CodePage> parse_code_page(std::string_view name) noexcept;
// As IANA registers it, for a Content-Type.
std::string_view charset_of(CodePage page) noexcept;

// The number under which a printer knows each page, the n of ESC t n: these are Epson's, other models have others.
struct CodePageNumbers {
    std::uint8_t cp860 = 3;
    std::uint8_t cp850 = 2;
    std::uint8_t wpc1252 = 16;

    // Nothing for UTF-8, which is no page: a printer is set to it at the printer.
    std::optional<std::uint8_t> of(CodePage page) const noexcept;
    friend bool operator==(const CodePageNumbers&, const CodePageNumbers&) = default;
};

// The same text in letters that the page has, as UTF-8: accents are left off first, and what cannot be spelled at all
// is a question mark. May be wider than the text was.
std::string spelled(std::string_view text, CodePage page);

// The text, spelled, in the bytes of the page. Never holds a byte that a printer obeys, whatever the text holds: no
// control character of ASCII, nor in UTF-8 one of the others.
std::string encoded(std::string_view text, CodePage page);

}  // namespace gateway
