#include "api/attention_report.hpp"

#include "api/callback_body.hpp"
#include "api/sale_story.hpp"
#include "base/wall_time.hpp"
#include "families/money.hpp"
#include "sale/advice.hpp"

#include <boost/beast/core/string.hpp>
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

// Nobody has looked at what was damaged since a gateway ran, or since it read the sale last.
constexpr std::string_view how_damage_is_found =
    "A sale that is damaged in the journal is marked when a gateway reads it, and a gateway reads\n"
    "every sale after its start.\n";

// A terminal obeys control characters, and a person who altered the journal may have put them there.
std::string without_controls(std::string text) {
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

// By this machine's clock.
std::string local(const std::optional<WallTime>& at) {
    return at ? to_local_text(*at) : std::string(cannot_be_read);
}

// "egift Moedas, R$ 20,00, EFETIVADA, of caixa-01 at 2024-… (12345678)".
std::string sentence(const MarkedSale& sale) {
    const auto valor = sale.valor ? money_text(*sale.valor) : std::string(cannot_be_read);
    return fmt::format("{} {}, {}, {}, of {} at {} ({})", sale.family ? to_string(*sale.family) : cannot_be_read,
                       sale.produto, valor, sale.status ? to_string(*sale.status) : cannot_be_read, sale.terminal,
                       local(sale.created_at), sale.estabelecimento);
}

// What a callback said, as far as that can be told without the journal's key: its body where that is not encrypted,
// else what the history has of it.
struct Said {
    std::optional<Status> status;
    std::string recharge;  // one of the provider's words, which name nobody; empty: none
};

Said said_by(const KeptCallback& callback) {
    Said said{.status = callback.said};
    if (!callback.body) return said;
    const auto body = read_callback(callback.body->reveal());
    if (!body) return said;
    said.status = body->status;
    for (const std::string_view word : {"SEM RECARGA", "SUCESSO", "FALHA"})
        if (boost::beast::iequals(body->details.situacao_recarga, word)) said.recharge = word;
    return said;
}

std::string why_unusable(const KeptCallback& callback) {
    const auto body = read_callback(callback.body ? callback.body->reveal() : std::string());
    const bool is_known = callback.body && !body;
    return "it could not be used" + (is_known ? ": its body " + body.error() : std::string());
}

// "2024-05-02 10:11:12 (sale): EFETIVADA, recharge FALHA".
std::string sentence(const KeptCallback& callback) {
    const auto said = said_by(callback);
    auto text = fmt::format("{} ({}): ", local(callback.at), callback.kind);
    if (!callback.valid) return text + why_unusable(callback);
    text += said.status ? to_string(*said.status) : "what it said is encrypted";
    return said.recharge.empty() ? text : text + ", recharge " + said.recharge;
}

std::string since_when(const MarkedSale& sale) {
    const auto since = sale.history.marked_since;
    return since ? to_local_text(*since) : std::string("not known: an older version marked it");
}

constexpr std::string_view older_error =
    "; a long history leaves repeats out: sales-gateway show tells the last one while the gateway runs";

std::string paragraphs(const MarkedSale& sale) {
    const auto [known, not_known, to_do] = advice(sale.attention);
    auto text = fmt::format("{}  {}\n", without_controls(sale.id), to_string(sale.attention));
    text += paragraph("sale", without_controls(sentence(sale)));
    text += paragraph("idExterno", sale.id_externo.empty() ? cannot_be_read : std::string_view(sale.id_externo));
    if (!sale.id_transacao.empty()) text += paragraph("idTransacao", without_controls(sale.id_transacao));
    text += paragraph("since", since_when(sale));
    if (sale.history.tries > 0)
        text += paragraph("tries", fmt::format("{}{}", sale.history.more_tries ? "at least " : "", sale.history.tries));
    if (const auto& error = sale.history.last_error)
        text +=
            paragraph("last error", without_controls(fmt::format("{} at {}: {}{}", error->step, local(error->at),
                                                                 error->text, error->may_be_older ? older_error : "")));
    for (const auto& callback : sale.callbacks)
        text += paragraph("callback", without_controls(sentence(callback)));
    return text + paragraph("known", known) + paragraph("not known", not_known) + paragraph("to do", to_do);
}

boost::json::object callback_json(const KeptCallback& callback) {
    boost::json::object object;
    if (callback.at) object["at"] = to_rfc3339(*callback.at);
    object["kind"] = callback.kind;
    object["valid"] = callback.valid;
    const auto said = said_by(callback);
    if (said.status) object["situacaoTransacao"] = to_string(*said.status);
    if (!said.recharge.empty()) object["situacaoRecarga"] = said.recharge;
    return object;
}

boost::json::array callbacks_json(const std::vector<KeptCallback>& callbacks) {
    boost::json::array array;
    for (const auto& callback : callbacks)
        array.push_back(callback_json(callback));
    return array;
}

}  // namespace

std::string attention_report(const std::vector<MarkedSale>& sales) {
    if (sales.empty()) return fmt::format("No sale is marked for a person.\n{}", how_damage_is_found);
    std::string text;
    for (const auto& sale : sales)
        text += paragraphs(sale) + '\n';
    return fmt::format("{}Sales that need a person: {}\nTimes are the store's, UTC{}.\n{}{}", text, sales.size(),
                       local_offset(sales.back().created_at.value_or(WallTime())), how_to_close, how_damage_is_found);
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
    if (sale.history.marked_since) object["since"] = to_rfc3339(*sale.history.marked_since);
    object["tries"] = sale.history.tries;
    if (sale.history.more_tries) object["moreTries"] = true;
    if (sale.history.last_error) object["lastError"] = error_json(*sale.history.last_error);
    object["callbacks"] = callbacks_json(sale.callbacks);
    object["known"] = known;
    object["notKnown"] = not_known;
    object["toDo"] = to_do;
    return object;
}

}  // namespace gateway
