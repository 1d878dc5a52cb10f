// eSIM mobile plan ("eSIM family"). A sale is one request and has no second step: the outcome comes by callback, to
// addresses that request_body adds. The request carries all data of the customer, so most checks of what a terminal
// types are here.
#include "base/ascii.hpp"
#include "families/cpf.hpp"
#include "families/family.hpp"
#include "families/field_reader.hpp"
#include "families/money.hpp"
#include "families/option_reader.hpp"
#include "families/plain_text.hpp"
#include "families/printed.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <limits>

namespace gateway {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 27> states{"AC", "AL", "AM", "AP", "BA", "CE", "DF", "ES", "GO",
                                                  "MA", "MG", "MS", "MT", "PA", "PB", "PE", "PI", "PR",
                                                  "RJ", "RN", "RO", "RR", "RS", "SC", "SE", "SP", "TO"};

// These are identifiers and house numbers: not negative, and not more than an "integer" of the document can be.
constexpr std::int64_t max_integer = std::numeric_limits<std::int32_t>::max();
// A telephone number has between eight digits, as a local one, and the fifteen of E.164. It does not fit into 32 bits.
constexpr std::int64_t min_telephone = 10'000'000;
constexpr std::int64_t max_telephone = 999'999'999'999'999;
// RFC 5321, section 4.5.3.1, sets these limits.
constexpr std::size_t max_mailbox_length = 64;
constexpr std::size_t max_email_length = 254;
// Nobody who buys was born earlier. A date of birth with a year of two digits, filled up to eight digits, comes out far
// below.
constexpr std::int64_t first_birth_year = 1900;
constexpr std::int64_t last_birth_year = 2100;

bool is_right_cpf(std::string_view text) noexcept {
    const auto digits = cpf_digits(text);
    return digits && has_right_check_digits(*digits);
}

// This is a sanity check and not RFC 5322: whether mail arrives is between the customer and the provider.
bool is_email(std::string_view text) noexcept {
    const auto at = text.find('@');
    if (at == std::string_view::npos || at == 0 || at > max_mailbox_length || text.size() > max_email_length)
        return false;
    const auto domain = text.substr(at + 1);
    const auto dot = domain.rfind('.');
    return text.find(' ') == std::string_view::npos && domain.find('@') == std::string_view::npos &&
           dot != std::string_view::npos && dot > 0 && dot + 1 < domain.size() &&
           domain.find("..") == std::string_view::npos && domain.front() != '.';
}

// Tells whether the text is DDMMYYYY and a day that the calendar has.
bool is_birth_date(std::string_view text) noexcept {
    if (text.size() != 8 || !is_digits(text)) return false;
    const auto d = number_from_digits(text.substr(0, 2)).value_or(0);
    const auto m = number_from_digits(text.substr(2, 2)).value_or(0);
    const auto y = number_from_digits(text.substr(4)).value_or(0);
    using namespace std::chrono;
    const year_month_day date{year(static_cast<int>(y)), month(static_cast<unsigned>(m)),
                              day(static_cast<unsigned>(d))};
    return date.ok() && y >= first_birth_year && y <= last_birth_year;
}

bool is_cep(std::string_view text) noexcept {
    if (text.size() == 8) return is_digits(text);
    return text.size() == 9 && text[5] == '-' && is_digits(text.substr(0, 5)) && is_digits(text.substr(6));
}

bool is_state(std::string_view text) noexcept {
    return std::find(states.begin(), states.end(), text) != states.end();
}

json::object read_endereco(FieldReader reader) {
    json::object endereco;
    endereco["tipoEnderecoId"] = reader.integer("tipoEnderecoId", 0, max_integer);
    endereco["cep"] = reader.text_that("cep", is_cep, "eight digits, either plain or as 00000-000");
    endereco["uf"] = reader.text_that("uf", is_state, "one of Brazil's 27 states in two capital letters");
    endereco["cidade"] = reader.text("cidade");
    endereco["bairro"] = reader.text("bairro");
    endereco["tipoLogradouroId"] = reader.integer("tipoLogradouroId", 0, max_integer);
    endereco["logradouro"] = reader.text("logradouro");
    endereco["numeroLogradouro"] = reader.integer("numeroLogradouro", 0, max_integer);
    // Most addresses have no complemento, but the provider always gets the field.
    endereco["complemento"] = reader.text_or_empty("complemento");
    reader.refuse_the_rest();
    return endereco;
}

// Reads the customer. The customer's address is the one of the sale, unless the customer has one of their own.
json::object read_consumidor(FieldReader reader, const json::object& endereco) {
    json::object consumidor;
    consumidor["cpf"] = reader.text_that("cpf", is_right_cpf,
                                         "eleven digits with right check digits, either plain or as 000.000.000-00");
    consumidor["nome"] = reader.text("nome");
    consumidor["email"] = reader.text_that("email", is_email, "an e-mail address");
    consumidor["nascimento"] =
        reader.text_that("nascimento", is_birth_date, "a date of birth in eight digits: day, month, year");
    consumidor["telefone"] = reader.integer("telefone", min_telephone, max_telephone);
    consumidor["endereco"] = endereco;
    if (auto own = reader.optional_object("endereco", "an object like the sale's endereco"))
        consumidor["endereco"] = read_endereco(reader.within("endereco", *own));
    reader.refuse_the_rest();
    return consumidor;
}

struct PlanAmounts {
    Cents price;
    Cents recharge;
};

bool is_decimal(std::string_view text) noexcept {
    return text.find(',') != std::string_view::npos;
}

// Reads "<price>;<recharge>". The document does not say how the two amounts are written. An amount with a comma is a
// decimal. Digits alone are cents, as everywhere in this interface, with two exceptions: the other amount is a decimal,
// or the label shows the same digits as whole units of money. In both cases nobody can tell which is meant, and the
// plan is not offered.
std::optional<PlanAmounts> plan_amounts(std::string_view price, std::string_view recharge, std::optional<Cents> shown) {
    const bool decimal = is_decimal(price);
    const auto read = [&](std::string_view text) {
        return decimal ? cents_from_decimal(text) : cents_from_digits(text);
    };
    const auto paid = read(price);
    const auto loaded = read(recharge);
    if (!paid || !is_sellable(*paid) || !loaded) return std::nullopt;
    if (decimal != is_decimal(recharge) && *loaded != Cents{0}) return std::nullopt;
    if (!decimal && shown && paid->value * 100 == shown->value) return std::nullopt;
    return PlanAmounts{*paid, *loaded};
}

// Returns the amount in "<name> - <data allowance> - <price label>", if the price label is an amount.
std::optional<Cents> shown_price(std::string_view label) {
    const auto dash = label.rfind(" - ");
    if (dash == std::string_view::npos) return std::nullopt;
    label.remove_prefix(dash + 3);
    if (label.starts_with("R$")) label.remove_prefix(2);
    while (label.starts_with(' '))
        label.remove_prefix(1);
    return cents_from_decimal(label);
}

OptionOrWhy read_esim_entry(const OptionsQuestion& question, const json::object& entry) {
    const NotAnOption not_a_plan{"valor is not <servicoId>;<price>;<recharge>"};
    const std::string valor = lenient_text(entry, "valor");
    const std::string label = lenient_text(entry, "chave");
    const auto first = valor.find(';');
    const auto second = first == std::string::npos ? first : valor.find(';', first + 1);
    if (second == std::string::npos) return not_a_plan;
    const auto servico = valor.substr(0, first);
    if (!is_plain_text(servico)) return not_a_plan;
    const auto amounts =
        plan_amounts(valor.substr(first + 1, second - first - 1), valor.substr(second + 1), shown_price(label));
    if (!amounts) return NotAnOption{"the price or the recharge in valor is not plainly an amount"};
    auto sell = sell_of(question);
    sell["servicoId"] = servico;
    sell["valorRecarga"] = amounts->recharge.value;
    return make_option(label, Option::Fixed{amounts->price}, std::move(sell));
}

void read_esim(FieldReader& reader, Order& order) {
    auto consumidor = reader.object("consumidor", "an object with cpf, nome, email, nascimento and telefone");
    auto given = reader.object("endereco",
                               "an object with tipoEnderecoId, cep, uf, cidade, bairro, "
                               "tipoLogradouroId, logradouro, numeroLogradouro and complemento");
    json::object endereco;
    if (given) endereco = read_endereco(reader.within("endereco", *given));
    if (consumidor) order.fields["consumidor"] = read_consumidor(reader.within("consumidor", *consumidor), endereco);
    order.fields["endereco"] = std::move(endereco);
    order.fields["servicoId"] = reader.text("servicoId");
    // A plan may come without a recharge (situacaoRecarga is SEM RECARGA).
    order.fields["valorRecarga"] = reader.integer("valorRecarga", 0, max_valor.value);
    order.valor = reader.valor();
    order.fields["valor"] = digits_of(order.valor);
}

// What the customer gets comes with the callback. The answer to the request has no instrucao.
void append_plan(std::vector<std::string>& lines, const Sale& sale, const json::value& instrucao) {
    if (sale.esim) {
        append_labelled(lines, "Número", sale.esim->msisdn.reveal());
        append_labelled(lines, "NSU", sale.esim->uuid);
        append_labelled(lines, "Recarga", sale.esim->situacao_recarga);
        append_labelled(lines, "NSU da recarga", sale.esim->nsu_recarga);
        if (!sale.esim->url.empty()) lines.insert(lines.end(), {"Comprovante:", sale.esim->url.reveal()});
    }
    append_messages(lines, instrucao);
}

constexpr SellField endereco_fields[] = {
    {"tipoEnderecoId", sell_natural32},
    {"cep", R"("type":"string","pattern":"^[0-9]{5}-?[0-9]{3}$")"},
    {"uf", R"("enum":["AC","AL","AM","AP","BA","CE","DF","ES","GO","MA","MG","MS","MT","PA","PB",)"
           R"("PE","PI","PR","RJ","RN","RO","RR","RS","SC","SE","SP","TO"])"},
    {"cidade", sell_text, "City."},
    {"bairro", sell_text, "Quarter."},
    {"tipoLogradouroId", sell_natural32},
    {"logradouro", sell_text, "Street."},
    {"numeroLogradouro", sell_natural32},
    maybe({"complemento", R"("type":"string","maxLength":250,"pattern":"^[^\\u0000-\\u001F\\u007F-\\u009F]*$")",
           "May be empty or absent."}),
};
constexpr SellField consumidor_fields[] = {
    {"cpf", sell_cpf, "With right check digits, formatted or not."},
    {"nome", sell_text, "Name."},
    {"email", R"("type":"string","maxLength":254,"pattern":"^[^@ ]{1,64}@[^@ .][^@ ]*\\.[^@ ]+$")"},
    {"nascimento",
     R"("type":"string","pattern":"^(0[1-9]|[12][0-9]|3[01])(0[1-9]|1[0-2])(19[0-9]{2}|20[0-9]{2}|2100)$")",
     "Date of birth as DDMMYYYY."},
    {"telefone", R"("type":"integer","minimum":10000000,"maximum":999999999999999)",
     "Eight to fifteen digits: does not fit in 32 bits."},
    maybe({"endereco", R"("$ref":"#/components/schemas/Endereco")", "Where it is not the sale's."}),
};
constexpr SellPart esim_parts[] = {
    {"Endereco", "", endereco_fields},
    {"Consumidor", "The customer.", consumidor_fields},
};
constexpr SellField esim_fields[] = {
    {"consumidor", R"("$ref":"#/components/schemas/Consumidor")"},
    {"endereco", R"("$ref":"#/components/schemas/Endereco")"},
    {"servicoId", sell_text, "From the options."},
    {"valorRecarga", sell_cents_or_none, "Cents that are recharged with the plan; 0 for none."},
    {"valor", sell_cents},
};
constexpr SellKind esim_kinds[] = {
    {esim_fields,
     R"({"family":"esim","produto":"Chip Virtual","consumidor":{"cpf":"529.982.247-25","nome":"Zuleica Quaresma",
        "email":"zuleica.quaresma@correio.example","nascimento":"21041985","telefone":11987654321},
        "endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista",
        "tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,
        "complemento":"conjunto 11"},"servicoId":"301","valorRecarga":1500,"valor":2990})"},
};

}  // namespace

// The option determines the price of a plan, and the document sets no bounds.
extern const FamilyRules esim_rules{
    .family = Family::esim,
    .paths = {.options = "/venda/esim/consulta-planos/{estabelecimento}/{produto}",
              .solicitar = "/venda/esim/solicitar"},
    .read_fields = read_esim,
    .sell_description = "eSIM mobile plan. Its outcome comes by callback: 202 until then.",
    .sell_kinds = esim_kinds,
    .sell_parts = esim_parts,
    .punctuated_fields = {"endereco/cep", "consumidor/cpf", "consumidor/endereco/cep"},
    .likeness_fields = {"servicoId", "consumidor/cpf"},
    .parameters = {{"produto", QuestionPart::produto, "The name of the product, as the provider spells it."}},
    .option_list = "valores",
    .hidden_details = {"valores"},
    .read_entry = read_esim_entry,
    .append_receipt = append_plan,
};

}  // namespace gateway
