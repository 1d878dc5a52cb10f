#include "api/receipt_request.hpp"

#include "api/openapi/shared.hpp"
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

// The fonts of receipt printers have such numbers of columns: 32 on paper of 58 mm, 48 on paper of 80 mm.
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

namespace openapi {
namespace {

constexpr Field get_receipt_answer_fields[] = {
    {"copy", boolean, "Whether there was one before; the first line says so too."},
    {"lines", list_of(text, R"("minItems":1)")},
};

}  // namespace

Description get_receipt() {
    return {
        .id = "getReceipt",
        .summary = "The receipt of a sold sale, to be printed",
        .tag = "Sales",
        .text =
            "A terminal sees its own establishment's sales only. Every GET but the first says above the lines that "
            "this is a copy, `2ª VIA`. Where `codepage` lacks a letter, it is spelled without its accent. An address "
            "is never broken in text and json; in escpos it is a QR code, and as text below that on as many lines as "
            "it needs. Nothing that the provider or a terminal sent is ever a command to the printer.",
        .parameters =
            {sale_id_of_terminal,
             {"format", Type{R"("type":"string","enum":["text","json","escpos"],"default":"text")"},
              "text: lines; json: the same as a list; escpos: the bytes for a receipt printer, to be handed to it as "
              "they are."},
             {"columns", Type{R"("type":"integer","enum":[32,40,48],"default":40)"},
              "How wide the paper is: 32 on paper of 58 mm, 48 on paper of 80 mm."},
             {"codepage", Type{R"("enum":["cp860","cp850","wpc1252","utf-8"])"},
              "The letters that the printer has, and in text and escpos their bytes. Without it cp860 in escpos, and "
              "else utf-8. The number under which the printer knows the page is in the gateway's configuration; utf-8 "
              "has none, so a printer that is asked for it must be set to it."},
             {"cut", Type{R"("type":"integer","enum":[0,1],"default":0)"},
              "escpos only: 1 cuts the paper after the last line; otherwise it is fed until it can be torn off."}},
        .answers = {
            {.description = "Lines of at most as many columns as were asked for, addresses apart: see ReceiptLine.",
             .contents =
                 {{.type = object(get_receipt_answer_fields),
                   .examples = {whole("copy",
                                      R"({"copy":true,"lines":["2ª VIA","Banca da Praça","TV Mensal","R$ 10,99"]})")}},
                  {.media = "application/octet-stream"},
                  {.media = "text/plain; charset=IBM860", .type = text},
                  {.media = "text/plain; charset=IBM850", .type = text},
                  {.media = "text/plain; charset=windows-1252", .type = text},
                  {.media = "text/plain; charset=utf-8",
                   .type =
                       Type{
                           R"("type":"string","pattern":"^(([^\\n]{0,48}|([hH][tT][tT][pP][sS]?://|[lL][pP][aA]:)[^\\n ]+|[^\\n]*[^\\n -\\u02FF][^\\n]*)\\n)+$")"},
                   .examples = {{"copy", "2ª VIA\nBanca da Praça\nTV Mensal\nR$ 10,99\n"}}}}},
            refuses(404,
                    "There is no such sale, or it is another establishment's; or there is no receipt of it: then it "
                    "comes with the problem.",
                    {{"not_found", "There is no receipt: the sale is not sold.", perhaps_with_sale}}, sale_headers),
            refuses(422, "A parameter is wrong, unknown or repeated; all of them are in `errors`. No copy was made.",
                    {invalid("columns", "must be 32, 40 or 48")}),
            sale_unavailable()}};
}

}  // namespace openapi

}  // namespace gateway
