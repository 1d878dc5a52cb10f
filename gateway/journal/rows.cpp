#include "journal/rows.hpp"

#include "base/check.hpp"
#include "base/json_text.hpp"
#include "base/utf8.hpp"
#include "base/wall_time.hpp"
#include "journal/attempts_text.hpp"
#include "journal/sealed_columns.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway::rows {
namespace {

namespace json = boost::json;

std::string string_at(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::int64_t number_at(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

// A column that is a JSON object. A text that is empty is left out; without any member there is no object at all.
class Column {
  public:
    Column() {
        text_.reserve(usual_bytes);
        writer_.begin_object();
    }

    void put(std::string_view name, std::string_view text) {
        if (text.empty()) return;
        writer_.key(name).string(text);
        empty_ = false;
    }
    void put(std::string_view name, std::int64_t number) {
        writer_.key(name).number(number);
        empty_ = false;
    }
    std::optional<std::string> text() && {
        if (empty_) return std::nullopt;
        writer_.end_object();
        return std::move(text_);
    }

  private:
    static constexpr std::size_t usual_bytes = 256;

    std::string text_;
    JsonWriter writer_{text_};
    bool empty_ = true;
};

json::object object_in(std::string_view text) {
    if (text.empty()) return {};
    boost::system::error_code ec;
    auto value = json::parse(text, ec);
    CHECK(!ec && value.is_object());
    return std::move(value.get_object());
}

std::optional<Reason> read_reason(std::string_view text, std::string_view words_text) {
    if (text.empty()) return std::nullopt;
    const auto object = object_in(text);
    const auto words = object_in(words_text);
    const auto code = parse_reason_code(string_at(object, "code"));
    CHECK(code.has_value());
    Reason reason{.code = *code, .detail = string_at(object, "detail")};
    if (reason.detail.empty()) reason.detail = string_at(words, "note");
    reason.provider_status = static_cast<unsigned>(number_at(object, "providerStatus"));
    reason.provider_body = Secret(string_at(words, "providerBody"));
    if (object.contains("retryAfter")) reason.retry_after = std::chrono::seconds(number_at(object, "retryAfter"));
    return reason;
}

TransactionDetails read_facts(std::string_view facts_text, std::string_view goods_text) {
    const auto details = object_in(facts_text);
    const auto goods = object_in(goods_text);
    return {.estabelecimento_nome = string_at(details, "estabelecimentoNome"),
            .cnpj_cpf = string_at(details, "cnpjCpf"),
            .fornecedor = string_at(details, "fornecedor"),
            .data_hora = string_at(details, "dataHora"),
            .instrucao = Secret(string_at(goods, "instrucao")),
            .complemento = Secret(string_at(goods, "complemento"))};
}

std::optional<EsimDetails> read_esim(std::string_view text) {
    if (text.empty()) return std::nullopt;
    const auto object = object_in(text);
    return EsimDetails{.uuid = string_at(object, "uuid"),
                       .msisdn = Secret(string_at(object, "msisdn")),
                       .url = Secret(string_at(object, "url")),
                       .promocao_ativada = string_at(object, "promocaoAtivada"),
                       .situacao_recarga = string_at(object, "situacaoRecarga"),
                       .nsu_recarga = string_at(object, "nsuRecarga")};
}

}  // namespace

std::int64_t milliseconds(WallTime at) noexcept {
    return at.time_since_epoch().count();
}

WallTime wall_time(std::int64_t milliseconds) noexcept {
    return WallTime(Duration(milliseconds));
}

std::optional<std::string> reason_text(const std::optional<Reason>& reason) {
    if (!reason) return std::nullopt;
    Column column;
    column.put("code", to_string(reason->code));
    if (reason->code != ReasonCode::by_operator) column.put("detail", reason->detail);
    if (reason->provider_status != 0) column.put("providerStatus", std::int64_t{reason->provider_status});
    if (reason->retry_after) column.put("retryAfter", std::int64_t{reason->retry_after->count()});
    return std::move(column).text();
}

std::optional<std::string> words_text(const std::optional<Reason>& reason) {
    if (!reason) return std::nullopt;
    Column column;
    column.put("providerBody", reason->provider_body.reveal());
    if (reason->code == ReasonCode::by_operator) column.put("note", reason->detail);
    return std::move(column).text();
}

std::optional<std::string> facts_text(const TransactionDetails& details) {
    Column column;
    column.put("estabelecimentoNome", details.estabelecimento_nome);
    column.put("cnpjCpf", details.cnpj_cpf);
    column.put("fornecedor", details.fornecedor);
    column.put("dataHora", details.data_hora);
    return std::move(column).text();
}

std::optional<std::string> goods_text(const TransactionDetails& details) {
    Column column;
    column.put("instrucao", details.instrucao.reveal());
    column.put("complemento", details.complemento.reveal());
    return std::move(column).text();
}

std::optional<std::string> esim_text(const std::optional<EsimDetails>& esim) {
    if (!esim) return std::nullopt;
    Column column;
    column.put("uuid", esim->uuid);
    column.put("msisdn", esim->msisdn.reveal());
    column.put("url", esim->url.reveal());
    column.put("promocaoAtivada", esim->promocao_ativada);
    column.put("situacaoRecarga", esim->situacao_recarga);
    column.put("nsuRecarga", esim->nsu_recarga);
    return std::move(column).text();
}

std::string Opening::text(const sqlite::Statement& row, int column, std::string_view name, std::string_view id) {
    std::string plain;
    if (!vault_.open({name, id}, row, column, plain)) ++unreadable_;
    return plain;
}

const std::string_view select_sale =
    "SELECT id, terminal, key, digest, family, mode, estabelecimento, produto, fornecedor, valor, segment, request,"
    " redemption, created_at, updated_at, status, settled, attention, reason, words, facts, goods, esim, attempts,"
    " recorded_at FROM sales";

Sale read_sale(const sqlite::Statement& row, Opening& opening, Instant now, WallTime wall) {
    const auto id = SaleId::parse(row.text(0));
    const auto family = parse_family(row.text(4));
    const auto mode = parse_confirm_mode(row.text(5));
    const auto status = parse_status(row.text(15));
    const auto attention = parse_attention(row.text(17));
    CHECK(id && family && mode && status && attention);
    Sale sale{.id = *id};
    const auto opened = [&](int column, std::string_view name) { return opening.text(row, column, name, id->text()); };
    sale.terminal = row.text(1);
    sale.key = row.text(2);
    sale.digest = opened(3, sealed::digest);
    sale.family = *family;
    sale.mode = *mode;
    sale.estabelecimento = row.text(6);
    sale.produto = row.text(7);
    sale.fornecedor = row.text(8);
    sale.valor = Cents{row.integer(9)};
    sale.segment = row.text(10);
    sale.request = Secret(opened(11, sealed::request));
    sale.redemption = opened(12, sealed::redemption);
    sale.created_at = wall_time(row.integer(13));
    sale.updated_at = wall_time(row.integer(14));
    sale.status = *status;
    sale.settled = row.integer(16) != 0;
    sale.attention = *attention;
    sale.reason = read_reason(row.text(18), opened(19, sealed::words));
    sale.details = read_facts(opened(20, sealed::details), opened(21, sealed::goods));
    sale.esim = read_esim(opened(22, sealed::esim));
    sale.attempts = read_attempts(row.text(23), wall_time(row.integer(24)), now, wall);
    return sale;
}

json::object read_callback(const sqlite::Statement& row, std::string_view sale, Opening& opening) {
    json::object callback;
    callback["at"] = to_rfc3339(wall_time(row.integer(0)));
    callback["kind"] = row.text(1);
    callback["valid"] = row.integer(2) != 0;
    auto body = opening.text(row, 3, sealed::callback_body, sale);
    if (!is_utf8(body))
        std::ranges::replace_if(
            body, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
    if (!body.empty()) callback["body"] = body;
    return callback;
}

}  // namespace gateway::rows
