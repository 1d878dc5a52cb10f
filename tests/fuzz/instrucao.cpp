// These are the goods as each family sends them, on their way to the printer: only an address may make a line wider
// than the paper, and no line holds a character that a printer would obey. The first byte is the family, and the second
// says which of the texts the rest is.
#include "base/utf8.hpp"
#include "families/receipt.hpp"
#include "fuzz/fuzz.hpp"
#include "paper/columns.hpp"

using namespace gateway;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    Order order;
    order.family = input.family();
    order.produto = "Produto";
    order.valor = Cents{1099};
    auto sale = fuzz::sale_of(order);
    sale.status = Status::EFETIVADA;
    const auto which = input.choice(4);
    const std::string text(input.rest());
    if (!is_utf8(text)) return 0;  // a text that is not UTF-8 is no JSON, and never gets this far
    if (which == 0) sale.details.instrucao = Secret(text);
    if (which == 1) sale.details.complemento = Secret(text);
    if (which == 2) {
        sale.redemption = text;
        sale.details.instrucao = Secret(R"({"token":"A"})");
    }
    if (which == 3) {
        sale.details.data_hora = text;
        sale.details.estabelecimento_nome = text;
        sale.esim = EsimDetails{.uuid = text};
        sale.esim->url = Secret(text);
    }
    for (const auto page : {CodePage::utf_8, CodePage::cp860, CodePage::cp850, CodePage::wpc1252}) {
        for (const auto& line : receipt_of(sale, {.page = page})) {
            CHECK(is_plain_text(line, line.size()) && (columns_of(line) <= receipt_columns || is_address(line)));
            for (const char c : encoded(line, page))
                CHECK(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
        }
    }
    return 0;
}
