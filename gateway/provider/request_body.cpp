#include "provider/request_body.hpp"

#include "base/check.hpp"
#include "provider/families/family.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway {
namespace {

namespace json = boost::json;

json::object solicitar(const Sale& sale, const Attempt& attempt) {
    json::object body{
        {"estabelecimento", sale.estabelecimento}, {"idExterno", attempt.id_externo.str()}, {"produto", sale.produto}};
    if (!sale.fornecedor.empty()) body["fornecedor"] = sale.fornecedor;
    body["dataHoraCliente"] = rules_of(sale.family).client_time(attempt.created_at);

    // Written by this program from an order that was read strictly; anything else must never reach the provider.
    boost::system::error_code ec;
    const auto fields = json::parse(sale.request.reveal(), ec);
    CHECK(!ec && fields.is_object());
    for (const auto& field : fields.get_object())
        body.insert(field);
    return body;
}

json::object confirmar(const Sale& sale, const Attempt& attempt) {
    CHECK(attempt.confirm_time.has_value());
    return {{"estabelecimento", sale.estabelecimento},
            {"idTransacao", attempt.id_transacao},
            {"produto", sale.produto},
            {"dataHoraCliente", rules_of(sale.family).client_time(*attempt.confirm_time)}};
}

json::object cancelar(const Sale& sale, const Attempt& attempt) {
    CHECK(attempt.cancel_time.has_value());
    return {{"estabelecimento", sale.estabelecimento},
            {"idExterno", attempt.id_externo.str()},
            {"dataHoraCliente", rules_of(sale.family).client_time(*attempt.cancel_time)}};
}

}  // namespace

std::string request_body(Step step, const Sale& sale, const Attempt& attempt, std::string_view callback_url,
                         std::string_view callback_field) {
    json::object body;
    switch (step) {
        case Step::solicitar:
            body = solicitar(sale, attempt);
            if (sale.family == Family::esim) {
                body[callback_field] = callback_address(callback_url, sale.callback_secret, Callback::sale).reveal();
                body["urlRecarga"] = callback_address(callback_url, sale.callback_secret, Callback::recharge).reveal();
            }
            break;
        case Step::confirmar: body = confirmar(sale, attempt); break;
        case Step::cancelar: body = cancelar(sale, attempt); break;
    }
    return json::serialize(body);
}

Secret callback_address(std::string_view callback_url, const Secret& callback_secret, Callback which) {
    while (callback_url.ends_with('/'))
        callback_url.remove_suffix(1);
    return Secret(fmt::format("{}/callbacks/esim/{}/{}", callback_url, callback_secret.reveal(),
                              which == Callback::sale ? "sale" : "recharge"));
}

}  // namespace gateway
