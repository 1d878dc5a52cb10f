#include "families/request_body.hpp"

#include "base/check.hpp"
#include "base/json_text.hpp"
#include "families/family.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

// Every body needs less than this, except the request for an eSIM.
constexpr std::size_t usual_bytes = 512;

void write_time(JsonWriter& writer, const Sale& sale, WallTime at) {
    writer.key("dataHoraCliente").plain(rules_of(sale.family).client_time(at));
}

void write_solicitar(JsonWriter& writer, const Sale& sale, const Attempt& attempt) {
    writer.key("estabelecimento").string(sale.estabelecimento);
    writer.key("idExterno").plain(attempt.id_externo.text());
    writer.key("produto").string(sale.produto);
    if (!sale.fornecedor.empty()) writer.key("fornecedor").string(sale.fornecedor);
    write_time(writer, sale, attempt.created_at);

    const auto unsent = rules_of(sale.family).unsent_fields;
    if (std::empty(unsent)) return writer.members(sale.request.reveal());
    boost::system::error_code malformed;
    const auto fields = boost::json::parse(sale.request.reveal(), malformed);
    if (malformed || !fields.is_object()) return;
    for (const auto& field : fields.get_object())
        if (std::ranges::find(unsent, std::string_view(field.key())) == unsent.end())
            writer.escaped_key(field.key()).value(field.value());
}

void write_callbacks(JsonWriter& writer, const Sale& sale, std::string_view url, std::string_view field) {
    writer.escaped_key(field).string(callback_address(url, sale.callback_secret, Callback::sale).reveal());
    writer.key("urlRecarga").string(callback_address(url, sale.callback_secret, Callback::recharge).reveal());
}

void write_confirmar(JsonWriter& writer, const Sale& sale, const Attempt& attempt) {
    CHECK(attempt.confirm_time.has_value());
    writer.key("estabelecimento").string(sale.estabelecimento);
    writer.key("idTransacao").string(attempt.id_transacao);
    writer.key("produto").string(sale.produto);
    write_time(writer, sale, *attempt.confirm_time);
}

void write_cancelar(JsonWriter& writer, const Sale& sale, const Attempt& attempt) {
    CHECK(attempt.cancel_time.has_value());
    writer.key("estabelecimento").string(sale.estabelecimento);
    writer.key("idExterno").plain(attempt.id_externo.text());
    write_time(writer, sale, *attempt.cancel_time);
}

}  // namespace

std::string request_body(Step step, const Sale& sale, const Attempt& attempt, std::string_view callback_url,
                         std::string_view callback_field) {
    std::string body;
    body.reserve(usual_bytes);
    JsonWriter writer(body);
    writer.begin_object();
    switch (step) {
        case Step::solicitar:
            write_solicitar(writer, sale, attempt);
            if (is_by_callback(sale.family)) write_callbacks(writer, sale, callback_url, callback_field);
            break;
        case Step::confirmar: write_confirmar(writer, sale, attempt); break;
        case Step::cancelar: write_cancelar(writer, sale, attempt); break;
        case Step::consultar: CHECK(false);  // consultar is a GET and has no body
    }
    writer.end_object();
    return body;
}

Secret callback_address(std::string_view callback_url, const Secret& callback_secret, Callback which) {
    while (callback_url.ends_with('/'))
        callback_url.remove_suffix(1);
    return Secret(fmt::format("{}/callbacks/esim/{}/{}", callback_url, callback_secret.reveal(),
                              which == Callback::sale ? "sale" : "recharge"));
}

}  // namespace gateway
