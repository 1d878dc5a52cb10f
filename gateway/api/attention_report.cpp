#include "api/attention_report.hpp"

#include "base/wall_time.hpp"
#include "sale/advice.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

constexpr std::size_t columns = 100;

constexpr std::string_view how_to_close =
    "To resolve a sale, or to clear its mark, call the admin listener of the gateway that runs on the journal:\n"
    "  POST /v1/sales/{id}/resolve with {\"status\":\"EFETIVADA|CANCELADA\",\"note\":\"what was found out\"},\n"
    "  or, where the status is EFETIVADA, CANCELADA or NEGADA already, with {\"note\":\"what was done\"}.\n"
    "GET /v1/sales/{id}/events tells what happened to it, step by step.\n";

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

std::string paragraphs(const MarkedSale& sale) {
    const auto [known, not_known, to_do] = advice(sale.attention);
    auto text = fmt::format("{}  {}\n", sale.id.text(), to_string(sale.attention));
    text += paragraph("sale", printable(fmt::format("{} {}, {} cents, {}, of {} at {} ({})", to_string(sale.family),
                                                    sale.produto, sale.valor.value, to_string(sale.status),
                                                    sale.terminal, to_rfc3339(sale.created_at), sale.estabelecimento)));
    text += paragraph("idExterno", sale.id_externo.text());
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
    object["id"] = sale.id.text();
    object["createdAt"] = to_rfc3339(sale.created_at);
    object["terminal"] = sale.terminal;
    object["estabelecimento"] = sale.estabelecimento;
    object["family"] = to_string(sale.family);
    object["produto"] = sale.produto;
    object["valor"] = sale.valor.value;
    object["status"] = to_string(sale.status);
    object["idExterno"] = sale.id_externo.text();
    object["idTransacao"] =
        sale.id_transacao.empty() ? boost::json::value(nullptr) : boost::json::value(sale.id_transacao);
    object["attention"] = to_string(sale.attention);
    object["known"] = known;
    object["notKnown"] = not_known;
    object["toDo"] = to_do;
    return object;
}

}  // namespace gateway
