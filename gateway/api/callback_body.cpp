#include "api/callback_body.hpp"

#include "base/strict_json.hpp"
#include "base/utf8.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway {
namespace {

namespace json = boost::json;

// Returns the text of a string or of a whole number, because a telephone number may come as either; empty where there
// is none.
std::string text_at(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    if (value == nullptr) return {};
    if (const auto* text = value->if_string()) return std::string(*text);
    return value->is_int64() || value->is_uint64() ? json::serialize(*value) : std::string();
}

}  // namespace

boost::system::result<CalledBack, std::string> read_callback(std::string_view body) {
    const auto text = as_utf8(std::string(body));
    if (const auto fault = utf8_before_fault(text); fault < text.size())
        return fmt::format("is in no known encoding (byte 0x{:02X} at offset {})",
                           static_cast<unsigned>(static_cast<unsigned char>(text[fault])), fault);
    // The text is read strictly, because nobody knows which one counts of two outcomes under one name.
    const auto value = parse_strict_json(text, usual_json_depth, {}, LongNumbers::rounded, Zeros::replaced);
    if (!value) return "is not valid JSON: " + value.error();
    const auto* object = value->if_object();
    if (object == nullptr) return std::string("is no JSON object");
    for (const auto* name : {"uuid", "msisdn", "url", "situacaoTransacao"})
        if (text_at(*object, name).empty()) return fmt::format("lacks {}", name);
    const auto status = parse_status(text_at(*object, "situacaoTransacao"));
    if (!status || *status == Status::AUTORIZADA) return std::string("has a situacaoTransacao that decides nothing");
    CalledBack called{.status = *status};
    called.details.uuid = text_at(*object, "uuid");
    called.details.msisdn = Secret(text_at(*object, "msisdn"));
    called.details.url = Secret(text_at(*object, "url"));
    called.details.promocao_ativada = text_at(*object, "promocaoAtivada");
    called.details.situacao_recarga = text_at(*object, "situacaoRecarga");
    called.details.nsu_recarga = text_at(*object, "nsuRecarga");
    return called;
}

}  // namespace gateway
