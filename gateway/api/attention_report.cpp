#include "api/attention_report.hpp"

#include "api/callback_body.hpp"
#include "api/sale_history.hpp"
#include "api/text/renderers.hpp"
#include "base/wall_time.hpp"
#include "sale/advice.hpp"

#include <boost/beast/core/string.hpp>

namespace gateway {
namespace {

// Holds what a callback said, as far as that can be told without the journal's key: from its body where that is not
// encrypted, else from what the history has of it.
struct Said {
    std::optional<Status> status;
    std::string recharge;  // one of the provider's words, which name nobody; empty: it said none
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

std::string attention_report(const std::vector<MarkedSale>& sales, const text::Page& page,
                             std::string_view provider_phone) {
    boost::json::array all;
    for (const auto& sale : sales) {
        auto told = attention_json(sale);
        auto& callbacks = told["callbacks"].get_array();
        for (std::size_t i = 0; i < callbacks.size(); ++i) {
            const auto& body = sale.callbacks[i].body;
            if (sale.callbacks[i].valid || !body) continue;
            if (const auto read = read_callback(body->reveal()); !read)
                callbacks[i].get_object()["why"] = "its body " + read.error();
        }
        all.push_back(std::move(told));
    }
    return text::attention_report(page, all, provider_phone);
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
