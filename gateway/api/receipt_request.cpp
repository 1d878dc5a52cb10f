#include "api/receipt_request.hpp"

#include "api/query.hpp"
#include "api/sale_answer.hpp"
#include "base/json_text.hpp"
#include "paper/escpos.hpp"

#include <fmt/format.h>

namespace gateway {
namespace {

std::optional<ReceiptFormat> parse_format(std::string_view text) noexcept {
    if (text == "text") return ReceiptFormat::text;
    if (text == "json") return ReceiptFormat::json;
    if (text == "escpos") return ReceiptFormat::escpos;
    return std::nullopt;
}

// What fonts of receipt printers have: 32 on paper of 58 mm, 48 on paper of 80 mm.
std::optional<std::size_t> parse_columns(std::string_view text) noexcept {
    if (text == "32") return 32;
    if (text == "40") return 40;
    if (text == "48") return 48;
    return std::nullopt;
}

std::optional<bool> parse_cut(std::string_view text) noexcept {
    if (text == "1") return true;
    if (text == "0") return false;
    return std::nullopt;
}

http::Response json_receipt(const std::vector<std::string>& lines, bool is_copy) {
    std::string body;
    JsonWriter writer(body);
    writer.begin_object();
    writer.key("copy").boolean(is_copy);
    writer.key("lines").begin_array();
    if (is_copy) writer.string(second_copy);
    for (const auto& line : lines)
        writer.string(line);
    writer.end_array();
    writer.end_object();
    return json_text_answer(std::move(body));
}

http::Response text_receipt(const std::vector<std::string>& lines, bool is_copy, CodePage page) {
    http::Response answer{.content_type = fmt::format("text/plain; charset={}", charset_of(page))};
    if (is_copy) answer.body.append(encoded(second_copy, page)).append("\n");
    for (const auto& line : lines)
        answer.body.append(encoded(line, page)).append("\n");
    return answer;
}

}  // namespace

ResultOrResponse<ReceiptRequest> read_receipt_request(const http::Request& request) {
    Query query(request, {"format", "columns", "codepage", "cut"});
    ReceiptRequest wanted;
    wanted.format = query.parsed("format", parse_format, "must be text, json or escpos").value_or(wanted.format);
    wanted.paper.columns =
        query.parsed("columns", parse_columns, "must be 32, 40 or 48").value_or(wanted.paper.columns);
    const auto usual = wanted.format == ReceiptFormat::escpos ? CodePage::cp860 : CodePage::utf_8;
    wanted.paper.page =
        query.parsed("codepage", parse_code_page, "must be cp860, cp850, wpc1252 or utf-8").value_or(usual);
    wanted.cut = query.parsed("cut", parse_cut, "must be 1, or 0").value_or(false);
    if (wanted.cut && wanted.format != ReceiptFormat::escpos)
        query.fail("cut", "is for format=escpos: no other is a printer's");
    if (query.failed()) return query.refusal();
    return wanted;
}

http::Response receipt_answer(const std::vector<std::string>& lines, bool is_copy, const ReceiptRequest& wanted,
                              const CodePageNumbers& numbers) {
    const auto page = wanted.paper.page;
    switch (wanted.format) {
        case ReceiptFormat::text: return text_receipt(lines, is_copy, page);
        case ReceiptFormat::json: return json_receipt(lines, is_copy);
        case ReceiptFormat::escpos: break;
    }
    const EscposPaper paper{
        .columns = wanted.paper.columns, .page = page, .page_number = numbers.of(page), .cut = wanted.cut};
    return {.content_type = "application/octet-stream",
            .body = escpos(is_copy ? second_copy : std::string_view(), lines, paper)};
}

}  // namespace gateway
