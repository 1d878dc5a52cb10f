#include "journal/rows.hpp"

#include "base/json_text.hpp"
#include "base/utf8.hpp"
#include "base/wall_time.hpp"
#include "journal/attempts_text.hpp"
#include "journal/encrypted_fields.hpp"
#include "sale/machine.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway::rows {
namespace {

namespace json = boost::json;

// Times lie between 1970 and this one, so that the year always has four digits.
constexpr std::int64_t last_time = 253'370'764'800'000;
// This amount in cents is more than any product costs.
constexpr std::int64_t largest_amount = 1'000'000'000'000;

// Writes a column that is a JSON object. Empty texts are left out; an object without members is not written at all.
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

constexpr int day_column = 27;
constexpr std::int64_t largest_status = 999;
constexpr std::int64_t longest_retry_after = 1'000'000'000;  // seconds; the law never waits this long

// Fails with errc::sale_unreadable where the reason makes no sense. Words that make no sense are left out.
Result<std::optional<Reason>> read_reason(std::string_view text, std::string_view words_text, FieldReader& fields) {
    Members words(words_text);
    const auto note = words.text("note");
    const auto provider_body = words.text("providerBody");
    if (!words.good()) fields.add_unreadable(encrypted::words);
    if (text.empty()) return std::optional<Reason>();
    Members column(text);
    const auto code = parse_reason_code(column.text("code"));
    Reason reason{.detail = column.text("detail")};
    const auto provider_status = column.number("providerStatus", largest_status);
    const auto retry_after = column.number("retryAfter", longest_retry_after);
    if (!code || !column.good()) return errc::sale_unreadable;
    reason.code = *code;
    if (reason.detail.empty() && words.good()) reason.detail = note;
    reason.provider_status = static_cast<unsigned>(provider_status.value_or(0));
    if (words.good()) reason.provider_body = Secret(provider_body);
    if (retry_after) reason.retry_after = std::chrono::seconds(*retry_after);
    return std::optional(std::move(reason));
}

TransactionDetails read_facts(std::string_view facts_text, std::string_view goods_text, FieldReader& fields) {
    Members facts(facts_text);
    Members goods(goods_text);
    TransactionDetails details{.estabelecimento_nome = facts.text("estabelecimentoNome"),
                               .cnpj_cpf = facts.text("cnpjCpf"),
                               .fornecedor = facts.text("fornecedor"),
                               .data_hora = facts.text("dataHora"),
                               .instrucao = Secret(goods.text("instrucao")),
                               .complemento = Secret(goods.text("complemento"))};
    if (!facts.good()) fields.add_unreadable(encrypted::details);
    if (!goods.good()) fields.add_unreadable(encrypted::goods);
    return details;
}

std::optional<Day> read_day(const Row& row, int column, FieldReader& fields) {
    if (row.is_null(column)) return std::nullopt;
    const auto day = row.is_text(column) ? parse_day(row.text(column)) : std::nullopt;
    if (!day) fields.add_unreadable("sales.day/");
    return day;
}

// Reads the family's own fields: a JSON object, or an empty text where they were erased.
Secret read_request(std::string text, FieldReader& fields) {
    if (Members(text).good()) return Secret(std::move(text));
    fields.add_unreadable(encrypted::request);
    return {};
}

// Reads columns that hold only texts and numbers of this program's own, and remembers whether all of them did.
class Plain {
  public:
    explicit Plain(const Row& row) : row_(row) {}

    std::string_view text(int column) {
        const auto text = row_.is_text(column) ? row_.text(column) : std::string_view();
        good_ = good_ && row_.is_text(column) && is_utf8(text);
        return text;
    }
    std::string_view text_or_null(int column) { return row_.is_null(column) ? std::string_view() : text(column); }
    std::int64_t number(int column, std::int64_t most) {
        const auto number = row_.optional_integer(column).value_or(-1);
        good_ = good_ && number >= 0 && number <= most;
        return number;
    }
    WallTime time(int column) { return wall_time(number(column, last_time)); }
    template <class T>
    std::optional<T> word(int column, std::optional<T> (&parse)(std::string_view) noexcept) {
        auto value = parse(text(column));
        good_ = good_ && value;
        return value;
    }
    bool good() const { return good_; }

  private:
    const Row& row_;
    bool good_ = true;
};

}  // namespace

Members::Members(std::string_view text) {
    if (text.empty()) return;
    boost::system::error_code ec;
    auto value = json::parse(text, ec);
    good_ = !ec && value.is_object();
    if (good_) own_ = std::move(value.get_object());
}

std::string Members::text(std::string_view name) {
    const auto* value = object_->if_contains(name);
    if (value == nullptr) return {};
    if (value->is_string()) return std::string(value->get_string());
    good_ = false;
    return {};
}

std::optional<std::int64_t> Members::number(std::string_view name) {
    const auto* value = object_->if_contains(name);
    if (value == nullptr) return std::nullopt;
    if (value->is_int64()) return value->get_int64();
    good_ = false;
    return std::nullopt;
}

std::optional<std::int64_t> Members::number(std::string_view name, std::int64_t most) {
    const auto known = number(name);
    good_ = good_ && (!known || (*known >= 0 && *known <= most));
    return good_ ? known : std::nullopt;
}

std::optional<WallTime> Members::time(std::string_view name) {
    const auto at = number(name);
    if (!at) return std::nullopt;
    auto time = readable_time(*at);
    good_ = good_ && time;
    return time;
}

std::int64_t milliseconds(WallTime at) noexcept {
    return at.time_since_epoch().count();
}

WallTime wall_time(std::int64_t milliseconds) noexcept {
    return WallTime(Duration(milliseconds));
}

std::optional<WallTime> readable_time(std::int64_t milliseconds) noexcept {
    if (milliseconds < 0 || milliseconds > last_time) return std::nullopt;
    return wall_time(milliseconds);
}

std::optional<WallTime> readable_time(const Row& row, int column) {
    const auto number = row.optional_integer(column);
    return number ? readable_time(*number) : std::nullopt;
}

std::string shown(std::string text) {
    if (!is_utf8(text))
        std::ranges::replace_if(
            text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
    for (auto at = text.find('\0'); at != text.npos; at = text.find('\0', at))
        text[at] = '?';
    return text;
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

std::optional<EsimDetails> read_esim(std::string_view text, FieldReader& fields) {
    if (text.empty()) return std::nullopt;
    Members column(text);
    EsimDetails esim{.uuid = column.text("uuid"),
                     .msisdn = Secret(column.text("msisdn")),
                     .url = Secret(column.text("url")),
                     .promocao_ativada = column.text("promocaoAtivada"),
                     .situacao_recarga = column.text("situacaoRecarga"),
                     .nsu_recarga = column.text("nsuRecarga")};
    if (column.good()) return esim;
    fields.add_unreadable(encrypted::esim);
    return std::nullopt;
}

std::string value_name(std::string_view name, std::string_view id) {
    return std::string(name).append(id);
}

std::string FieldReader::text(const Row& row, int column, std::string_view name, std::string_view id) {
    std::string plain;
    id_ = id;
    if (!cipher_.decrypt({name, id}, row, column, plain)) add_unreadable(name);
    return plain;
}

Result<Sale> read_sale(const Row& row, FieldReader& fields, Moment at) {
    Plain plain(row);
    const auto id = SaleId::parse(plain.text(0));
    if (!id) return errc::sale_unreadable;
    const auto opened = [&](int column, std::string_view name) { return fields.text(row, column, name, id->text()); };
    Sale sale{.id = *id};
    sale.terminal = plain.text(1);
    sale.key = plain.text(2);
    sale.digest = opened(3, encrypted::digest);
    const auto family = plain.word(4, parse_family);
    const auto mode = plain.word(5, parse_confirm_mode);
    sale.estabelecimento = plain.text(6);
    sale.produto = plain.text(7);
    sale.fornecedor = plain.text(8);
    sale.valor = Cents{plain.number(9, largest_amount)};
    sale.segment = plain.text(10);
    sale.request = read_request(opened(11, encrypted::request), fields);
    sale.redemption = shown(opened(12, encrypted::redemption));
    sale.cashier = shown(opened(26, encrypted::cashier));
    sale.created_at = plain.time(13);
    sale.updated_at = plain.time(14);
    const auto status = plain.word(15, parse_status);
    sale.settled = plain.number(16, 1) != 0;
    sale.day = read_day(row, day_column, fields);
    // An unknown mark is a reason for a person to look at the sale.
    const auto attention = parse_attention(row.text(17));
    if (!attention) fields.add_unreadable("sales.attention/");
    sale.attention = attention.value_or(Attention::unreadable);
    auto reason = read_reason(plain.text_or_null(18), opened(19, encrypted::words), fields);
    const auto recorded_at = plain.time(24);
    const auto attempts_text = plain.text(23);
    if (!plain.good() || reason.has_error()) return errc::sale_unreadable;
    auto attempts = read_attempts(attempts_text, recorded_at, at);
    if (attempts.has_error()) return attempts.error();
    sale.family = *family;
    sale.mode = *mode;
    sale.status = *status;
    sale.reason = std::move(*reason);
    sale.details = read_facts(opened(20, encrypted::details), opened(21, encrypted::goods), fields);
    sale.esim = read_esim(opened(22, encrypted::esim), fields);
    sale.attempts = std::move(*attempts);
    if (!is_possible(sale)) return errc::sale_unreadable;
    return sale;
}

bool is_of_a_day(const Row& row) {
    return row.is_text(day_column) && parse_day(row.text(day_column));
}

std::optional<KeptCallback> read_callback(const Row& row, std::string_view sale, FieldReader& fields) {
    const auto at = readable_time(row, 0);
    const auto valid = row.optional_integer(2);
    auto body = shown(fields.text(row, 3, encrypted::callback_body, sale));
    if (!at || !valid || !row.is_text(1)) {
        fields.add_unreadable(encrypted::callback_body);
        return std::nullopt;
    }
    KeptCallback callback{.at = at, .kind = shown(std::string(row.text(1))), .valid = *valid != 0};
    if (!body.empty()) callback.body = Secret(std::move(body));
    return callback;
}

}  // namespace gateway::rows
