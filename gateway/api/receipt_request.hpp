// Reads what a till wants its receipt to be: the parameters of GET /v1/sales/{id}/receipt. Makes the answer that they
// call for.
#pragma once

#include "api/request_rules.hpp"
#include "families/receipt.hpp"
#include "paper/code_page.hpp"

#include <string>
#include <vector>

namespace gateway {

// text gives lines, json a list of the same lines, and escpos the bytes for a receipt printer.
enum class ReceiptFormat { text, json, escpos };

struct ReceiptRequest {
    ReceiptFormat format = ReceiptFormat::text;
    ReceiptPaper paper;
    bool cut = false;  // escpos
};

// Without parameters the receipt is text of 40 columns in UTF-8. Without a code page escpos has cp860, which has every
// letter of Portuguese. Refuses with 422 where a parameter is wrong or unknown, or where `cut` is asked of what is not
// escpos.
ResultOrResponse<ReceiptRequest> read_receipt_request(const http::Request& request);

// Answers 200 with the lines that receipt_of() made for the request's paper; a copy says so above them. `numbers` are
// those of the terminal's printer.
http::Response receipt_answer(const std::vector<std::string>& lines, bool is_copy, const ReceiptRequest& wanted,
                              const CodePageNumbers& numbers);

// This stands above every copy of a receipt but the first.
inline constexpr std::string_view second_copy = "2ª VIA";

}  // namespace gateway
