// Makes the receipt of a sale: lines for a printer, from what the provider returned. They hold the goods.
#pragma once

#include "base/secret.hpp"
#include "paper/code_page.hpp"
#include "sale/sale.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Every receipt printer of a store has so many columns.
constexpr std::size_t receipt_columns = 40;

// Says what a receipt is made for: how wide the paper is, and which letters the printer has. A letter that the printer
// lacks is spelled with others, except in addresses.
struct ReceiptPaper {
    std::size_t columns = receipt_columns;
    CodePage page = CodePage::utf_8;
};

// Returns the lines of the receipt. None has a control character, because a printer would obey it. None is wider than
// the paper, with one exception: a line that is nothing but an address or an activation code (see find_address) would
// be of no use if it were cut, so the till decides how to print it. The receipt is empty unless the sale is EFETIVADA.
std::vector<std::string> receipt_of(const Sale& sale, const ReceiptPaper& paper = {});
// Does the same with an `instrucao` that is decoded already.
std::vector<std::string> receipt_of(const Sale& sale, const boost::json::value& instrucao, const ReceiptPaper& paper);

// Decodes `instrucao` or `complemento`. The result is null if none came, and the plain text if it is not a JSON
// document in a string. A number alone stays text too, so that a PIN keeps all its digits.
boost::json::value decoded_goods(const Secret& goods, boost::json::storage_ptr storage = {});

// Tells whether this is an NSU of the sale: a number that stands on the receipt and in the books of the provider's
// side. It is the NSU of a recharge, or any member of `instrucao` or `complemento` whose name contains "nsu"
// ("nsuFornecedor"): the interface names it for some families only, and under several names. By it the sale of a
// customer who brings a receipt is found.
bool has_nsu(const Sale& sale, std::string_view nsu);

// Returns `text` in lines that fit on the paper, broken at spaces. A longer word is cut. An address (see find_address)
// has a line to itself; it is never cut, however wide it is, and its spelling is never changed. Line breaks in `text`
// are kept; empty lines and control characters are not.
std::vector<std::string> wrapped(std::string_view text, const ReceiptPaper& paper);

}  // namespace gateway
