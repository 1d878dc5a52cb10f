#include "api/attention_report.hpp"

#include "base/wall_time.hpp"
#include "sale/advice.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

constexpr std::size_t columns = 100;

constexpr std::string_view how_to_close =
    "sales-gateway show ID tells what happened to a sale, and what is done about it now.\n"
    "To resolve one, or to clear its mark, while the gateway runs on the journal:\n"
    "  sales-gateway resolve ID --sold --note TEXT        it was sold, as was found out\n"
    "  sales-gateway resolve ID --not-sold --note TEXT    it was not\n"
    "  sales-gateway resolve ID --noted --note TEXT       its status is final, and what was to do is done\n";

// A terminal obeys control characters, and whoever altered the journal may have put them there.
std::string printable(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
    return text;
}

// "  known      The eSIM is …" with the words that do not fit on lines of their own below the first one.
std::string paragraph(std::string_view title, std::string_view text) {
    constexpr std::size_t indent = 15;
    auto lines = fmt::format("  {:<{}}", title, indent - 2);
    std::size_t column = indent;
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        if (column > indent && column + 1 + word.size() > columns) {
            lines += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            lines += ' ';
            ++column;
        }
        lines += word;
        column += word.size();
    }
    return lines + '\n';
}

constexpr std::string_view cannot_be_read = "(cannot be read)";

// "egift Moedas, 2000 cents, EFETIVADA, of caixa-01 at 2024-… (12345678)".
std::string sentence(const MarkedSale& sale) {
    const auto valor = sale.valor ? fmt::format("{} cents", sale.valor->value) : std::string(cannot_be_read);
    return fmt::format("{} {}, {}, {}, of {} at {} ({})", sale.family ? to_string(*sale.family) : cannot_be_read,
                       sale.produto, valor, sale.status ? to_string(*sale.status) : cannot_be_read, sale.terminal,
                       sale.created_at ? to_rfc3339(*sale.created_at) : std::string(cannot_be_read),
                       sale.estabelecimento);
}

std::string paragraphs(const MarkedSale& sale) {
    const auto [known, not_known, to_do] = advice(sale.attention);
    auto text = fmt::format("{}  {}\n", printable(sale.id), to_string(sale.attention));
    text += paragraph("sale", printable(sentence(sale)));
    text += paragraph("idExterno", sale.id_externo.empty() ? cannot_be_read : std::string_view(sale.id_externo));
    if (!sale.id_transacao.empty()) text += paragraph("idTransacao", printable(sale.id_transacao));
    return text + paragraph("known", known) + paragraph("not known", not_known) + paragraph("to do", to_do);
}

}  // namespace

std::string attention_report(const std::vector<MarkedSale>& sales) {
    if (sales.empty()) return "Nothing needs attention.\n";
    std::string text;
    for (const auto& sale : sales)
        text += paragraphs(sale) + '\n';
    return fmt::format("{}Sales that need a person: {}\n{}", text, sales.size(), how_to_close);
}

boost::json::object attention_json(const MarkedSale& sale) {
    const auto [known, not_known, to_do] = advice(sale.attention);
    boost::json::object object;
    const auto text_or_null = [](std::string_view text) {
        return text.empty() ? boost::json::value(nullptr) : boost::json::value(text);
    };
    object["id"] = sale.id;
    object["createdAt"] = text_or_null(sale.created_at ? to_rfc3339(*sale.created_at) : std::string());
    object["terminal"] = sale.terminal;
    object["estabelecimento"] = sale.estabelecimento;
    object["family"] = text_or_null(sale.family ? to_string(*sale.family) : std::string_view());
    object["produto"] = sale.produto;
    object["valor"] = sale.valor ? boost::json::value(sale.valor->value) : boost::json::value(nullptr);
    object["status"] = text_or_null(sale.status ? to_string(*sale.status) : std::string_view());
    object["idExterno"] = text_or_null(sale.id_externo);
    object["idTransacao"] = text_or_null(sale.id_transacao);
    object["attention"] = to_string(sale.attention);
    object["known"] = known;
    object["notKnown"] = not_known;
    object["toDo"] = to_do;
    return object;
}

}  // namespace gateway
