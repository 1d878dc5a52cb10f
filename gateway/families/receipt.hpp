// The receipt of a sale: lines for a printer, made from what the provider returned. Holds the goods.
#pragma once

#include "base/secret.hpp"
#include "paper/code_page.hpp"
#include "sale/sale.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// What receipt printers of stores are sure to have.
constexpr std::size_t receipt_columns = 40;

// What a receipt is made for: how wide the paper is, and which letters the printer has. Where the printer lacks one the
// lines are spelled without it, but for addresses.
struct ReceiptPaper {
    std::size_t columns = receipt_columns;
    CodePage page = CodePage::utf_8;
};

// The lines of the receipt, none with a control character, because a printer would obey it, and none wider than the
// paper but one that is an address or an activation code (see find_address) and nothing else: cut in two it
// would be of no use, so how it is put on paper is left to the till. Empty unless the sale is EFETIVADA:
// nothing else has anything to print.
std::vector<std::string> receipt_of(const Sale& sale, const ReceiptPaper& paper = {});
// Does the same where `instrucao` is decoded already.
std::vector<std::string> receipt_of(const Sale& sale, const boost::json::value& instrucao, const ReceiptPaper& paper);

// `instrucao` or `complemento` as JSON: null where none came, the plain text where it is not a JSON document in a
// string. A number alone stays text too, so that a PIN keeps its every digit.
boost::json::value decoded_goods(const Secret& goods, boost::json::storage_ptr storage = {});

// Whether it is an NSU of the sale's, the number that stands on a receipt and in the books of the provider's side: that
// of a recharge, or any member of `instrucao` or `complemento` in whose name "nsu" stands ("nsuFornecedor"). The
// interface names it for some families only, and under several names. A customer who comes with a receipt is found by
// it.
bool has_nsu(const Sale& sale, std::string_view nsu);

// `text` in lines that fit on the paper, broken at spaces; a longer word is cut. An address (see find_address) has a
// line to itself and is never cut, however wide it is, nor spelled otherwise. Line breaks in `text` are kept, empty
// lines and control characters are not.
std::vector<std::string> wrapped(std::string_view text, const ReceiptPaper& paper);

}  // namespace gateway
