#include "api/callback_body.hpp"

#include "base/strict_json.hpp"

#include <boost/json.hpp>

namespace gateway {
namespace {

namespace json = boost::json;

// The text of a string or a whole number (a telephone number may come as either); empty where there is none.
std::string text_at(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    if (value == nullptr) return {};
    if (const auto* text = value->if_string()) return std::string(*text);
    return value->is_int64() || value->is_uint64() ? json::serialize(*value) : std::string();
}

}  // namespace

std::optional<CalledBack> read_callback(std::string_view body) {
    // Strictly: of two outcomes under one name, nobody knows which one counts.
    const auto value = parse_strict_json(body);
    const auto* object = value ? value->if_object() : nullptr;
    if (object == nullptr) return std::nullopt;
    const auto status = parse_status(text_at(*object, "situacaoTransacao"));
    if (!status || *status == Status::AUTORIZADA) return std::nullopt;
    CalledBack called{.status = *status};
    called.details.uuid = text_at(*object, "uuid");
    called.details.msisdn = Secret(text_at(*object, "msisdn"));
    called.details.url = Secret(text_at(*object, "url"));
    called.details.promocao_ativada = text_at(*object, "promocaoAtivada");
    called.details.situacao_recarga = text_at(*object, "situacaoRecarga");
    called.details.nsu_recarga = text_at(*object, "nsuRecarga");
    if (called.details.uuid.empty() || called.details.msisdn.empty() || called.details.url.empty()) return std::nullopt;
    return called;
}

}  // namespace gateway
