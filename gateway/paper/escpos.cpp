#include "paper/escpos.hpp"

#include "paper/columns.hpp"

#include <algorithm>
#include <array>

namespace gateway {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view initialise = "\x1B@"sv;
// Prints the signs of ASCII unchanged, "$" and "#" among them, whatever country the printer was made for.
constexpr std::string_view character_set_of_usa = "\x1BR\0"sv;
constexpr std::string_view select_code_page = "\x1Bt"sv;
constexpr std::string_view bold_on =
    "\x1B"
    "E\1"sv;
constexpr std::string_view bold_off =
    "\x1B"
    "E\0"sv;
constexpr std::string_view to_the_left =
    "\x1B"
    "a\0"sv;
constexpr std::string_view to_the_middle =
    "\x1B"
    "a\1"sv;
// Feeds the last line above the edge where paper is torn off.
constexpr std::string_view feed_to_the_edge =
    "\x1B"
    "d\4"sv;
// Feeds the last line past the blade, and leaves a corner uncut, so that the receipt does not fall.
constexpr std::string_view feed_and_cut = "\x1DVB\0"sv;

// These are the functions of GS ( k that make a QR code of model 2. Error correction of level M repairs a seventh of
// it.
constexpr std::string_view qr_model_2 = "\x1D(k\4\0001A2\0"sv;
constexpr std::string_view qr_module_dots = "\x1D(k\3\0001C"sv;
constexpr std::string_view qr_level_m = "\x1D(k\3\0001E1"sv;
constexpr std::string_view qr_store = "\x1D(k"sv;
constexpr std::string_view qr_store_function = "1P0"sv;
constexpr std::string_view qr_print = "\x1D(k\3\0001Q0"sv;

constexpr std::size_t dots_of_a_column = 12;
// Eight dots are a millimetre. Telephones read modules of three dots, and six are large enough.
constexpr std::size_t least_module_dots = 3;
constexpr std::size_t most_module_dots = 6;
constexpr std::size_t quiet_modules = 8;  // there are four on either side

// At level M, a QR code of each version holds so many bytes, from version 1 on. Version 25 has 117 modules, which fit
// on 32 columns together with the quiet ones.
constexpr std::array<std::size_t, 25> qr_capacity{14,  26,  42,  62,  84,  106, 122, 152, 180, 213, 251, 287, 331,
                                                  362, 412, 450, 504, 560, 624, 666, 711, 779, 857, 911, 997};

// Returns the number of dots of a module in the code that holds so many bytes, and nothing if no such code fits on the
// paper.
std::optional<std::size_t> module_dots(std::size_t bytes, std::size_t columns) noexcept {
    const auto* const version = std::ranges::lower_bound(qr_capacity, bytes);
    if (version == qr_capacity.end()) return std::nullopt;
    const auto modules = 21 + 4 * static_cast<std::size_t>(version - qr_capacity.begin());
    const auto dots = columns * dots_of_a_column / (modules + quiet_modules);
    if (dots < least_module_dots) return std::nullopt;
    return std::min(dots, most_module_dots);
}

void append_qr(std::string& bytes, std::string_view address, std::size_t module) {
    const auto length = qr_store_function.size() + address.size();
    bytes.append(to_the_middle).append("\n");
    bytes.append(qr_model_2).append(qr_module_dots).append(1, static_cast<char>(module)).append(qr_level_m);
    bytes.append(qr_store).append(1, static_cast<char>(length % 256)).append(1, static_cast<char>(length / 256));
    bytes.append(qr_store_function).append(address).append(qr_print);
    bytes.append("\n").append(to_the_left);
}

void append_address(std::string& bytes, std::string_view address, const EscposPaper& paper) {
    if (const auto module = module_dots(address.size(), paper.columns)) append_qr(bytes, address, *module);
    const auto text = spelled(address, paper.page);
    for (std::string_view rest = text; !rest.empty();) {
        const auto fitting = fitting_length(rest, paper.columns);
        bytes.append(encoded(rest.substr(0, fitting), paper.page)).append("\n");
        rest.remove_prefix(fitting);
    }
}

}  // namespace

std::string escpos(std::string_view title, const std::vector<std::string>& lines, const EscposPaper& paper) {
    std::string bytes;
    bytes.append(initialise).append(character_set_of_usa);
    if (paper.page_number) bytes.append(select_code_page).append(1, static_cast<char>(*paper.page_number));
    if (!title.empty()) {
        bytes.append(bold_on).append(to_the_middle).append(encoded(title, paper.page)).append("\n");
        bytes.append(to_the_left).append(bold_off);
    }
    for (const auto& line : lines) {
        if (is_address(line))
            append_address(bytes, line, paper);
        else
            bytes.append(encoded(line, paper.page)).append("\n");
    }
    bytes.append(paper.cut ? feed_and_cut : feed_to_the_edge);
    return bytes;
}

}  // namespace gateway
