#include "sandbox/orders.hpp"

#include "base/ascii.hpp"
#include "base/check.hpp"
#include "sandbox/catalogue.hpp"
#include "sandbox/dates.hpp"

#include <algorithm>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

bool is_formatted_cpf(std::string_view text) {
    constexpr std::string_view shape = "000.000.000-00";
    if (text.size() != shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] == '0' ? !is_digits(text.substr(i, 1)) : text[i] != shape[i]) return false;
    return true;
}

// The document shows a format for TV only.
bool is_any_cpf(std::string_view text) {
    return is_formatted_cpf(text) || (text.size() == 11 && is_digits(text));
}

bool is_url(std::string_view text) {
    for (const std::string_view scheme : {"http://", "https://"})
        if (text.starts_with(scheme) && text.size() > scheme.size() && text.find_first_of(" \r\n") == text.npos)
            return true;
    return false;
}

std::string read_establishment(Fields& fields, const Options& options) {
    auto name = fields.text("estabelecimento");
    const auto& known = options.estabelecimentos;
    if (std::find(known.begin(), known.end(), name) == known.end())
        fields.depart("estabelecimento", "is not known", Wrong::establishment);
    return name;
}

// "Most requests use UTC with milliseconds and a trailing Z. Health requests use a form without time zone."
void read_client_time(Fields& fields, const Route& route) {
    constexpr std::string_view name = "dataHoraCliente";
    if (route.health_too) {
        fields.form(
            name, [](std::string_view text) { return is_zoneless(text) || is_utc_milliseconds(text); },
            "ISO 8601, without a zone or in UTC with milliseconds and a Z");
    } else if (route.family == Family::health) {
        fields.form(name, &is_zoneless, "ISO 8601 without a zone");
    } else {
        fields.form(name, &is_utc_milliseconds, "ISO 8601 in UTC with milliseconds and a Z");
    }
}

void read_tv(Fields& fields, Order& order) {
    fields.literal("tipoProduto", "ONLINE");
    fields.optional_text("fornecedor");  // a TV request can carry it; nothing says that it must
    const auto* product = catalogue::tv_product(order.produto);
    if (product == nullptr) return fields.depart("produto", "is not in the catalogue", Wrong::product);
    order.fornecedor = product->fornecedor;
    if (product->dynamic) {
        const auto valor = catalogue::tv_amount(fields.text("id_valor"));
        if (!valor) fields.depart("id_valor", "is not a value of the value query", Wrong::amount);
        order.valor = valor.value_or(0);
    } else {
        fields.form("cpf", &is_formatted_cpf, "formatted as 000.000.000-00");
        order.valor = fields.cents("valor");
    }
}

void read_egift(Fields& fields, Order& order) {
    fields.literal("tipoProduto", "ONLINE");
    fields.text("fornecedor");
    fields.integer("tipoNegocio");
    const auto chaveProduto = fields.text("chaveProduto");
    const auto configuracaoId = fields.text("configuracaoId");
    order.valor = fields.cents("valor");
    const auto* entry = catalogue::egift_entry(chaveProduto, configuracaoId);
    if (entry == nullptr)
        return fields.depart("chaveProduto", "and configuracaoId are not those of a catalogue entry", Wrong::product);
    order.fornecedor = entry->fornecedor;
    if (order.valor < entry->minimum || order.valor > entry->maximum)
        fields.depart("valor", "is not between valorMinimo and valorMaximo of the catalogue entry", Wrong::bound);
}

void read_transit(Fields& fields, const Route& route, Order& order) {
    const auto numeroCartao = fields.text("numeroCartao");
    const auto tipoCredito = fields.text("tipoCredito");
    const auto tipoProduto = fields.form("tipoProduto", &is_digits, "a string of digits");
    const auto descricao = fields.text("descricao");
    order.valor = fields.cents("valor");
    const auto entries = catalogue::card_entries();
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& one) {
        return one.numeroCartao == numeroCartao && one.tipoCredito == tipoCredito && one.tipoProduto == tipoProduto &&
               one.descricao == descricao;
    });
    if (entry == entries.end())
        return fields.depart("numeroCartao", "with tipoCredito, tipoProduto and descricao are not those of an entry",
                             Wrong::product);
    if (!entry->allows(order.valor)) fields.depart("valor", "is not one that the card's entry allows", Wrong::bound);
    order.fornecedor = catalogue::transit_operator(route.segment)->fornecedor;
}

void read_health(Fields& fields, const Route& route, Order& order) {
    order.produtoIdParceiro = fields.text("produtoIdParceiro");
    order.valor = fields.cents("valor");
    const auto product = catalogue::health_product(order.produto);
    if (!product || product->segment != route.segment)
        return fields.depart("produto", "is not one of this health partner", Wrong::product);
    order.fornecedor = product->nome;
    if (order.produtoIdParceiro != product->produtoIdParceiro)
        fields.depart("produtoIdParceiro", "is not the one of the value query", Wrong::product);
    if (order.valor != product->valor) fields.depart("valor", "is not the one of the value query", Wrong::bound);
}

// Strings may be empty here: the document asks for no more than a string.
void read_address(Fields fields) {
    for (const auto* name : {"cep", "uf", "cidade", "bairro", "logradouro", "complemento"})
        fields.text_or_empty(name);
    for (const auto* name : {"tipoEnderecoId", "tipoLogradouroId", "numeroLogradouro"})
        fields.integer(name);
    fields.finish();
}

void read_consumer(Fields fields) {
    fields.form("cpf", &is_any_cpf, "eleven digits, formatted or not");
    fields.text("nome");
    fields.text("email");
    fields.form("nascimento", &is_birth_date, "eight digits, day, month and year");
    fields.integer("telefone");
    read_address(fields.object("endereco"));
    fields.finish();
}

void read_esim(Fields& fields, const Options& options, Order& order) {
    read_consumer(fields.object("consumidor"));
    read_address(fields.object("endereco"));
    const auto servicoId = fields.text("servicoId");
    order.recharge = fields.integer("valorRecarga");
    order.valor = fields.cents("valor");
    order.sale_url = fields.form(options.callback_field, &is_url, "an http or https address");
    order.recharge_url =
        fields.has("urlRecarga") ? fields.form("urlRecarga", &is_url, "an http or https address") : order.sale_url;
    order.fornecedor = catalogue::esim_supplier;
    if (!catalogue::esim_product(order.produto)) fields.depart("produto", "is not in the catalogue", Wrong::product);
    const auto* plan = catalogue::esim_plan(servicoId);
    if (plan == nullptr) return fields.depart("servicoId", "is not one of the plan query", Wrong::product);
    if (order.recharge != plan->recharge)
        fields.depart("valorRecarga", "is not the one of the plan query", Wrong::bound);
}

bool has_letters(std::string_view idExterno, IdLetters allowed) {
    const auto fits = [allowed](char c) {
        const bool digit = c >= '0' && c <= '9';
        const bool upper = c >= 'A' && c <= 'Z';
        const bool lower = c >= 'a' && c <= 'z';
        switch (allowed) {
            case IdLetters::any: return true;
            case IdLetters::alphanumeric: return digit || upper || lower;
            case IdLetters::upper_digits: return digit || upper;
            case IdLetters::digits: return digit;
        }
        return false;
    };
    return std::all_of(idExterno.begin(), idExterno.end(), fits);
}

// Of a sale; a confirm and a cancel name only what was taken once.
std::string read_new_id(Fields& fields, const Options& options) {
    auto idExterno = fields.text("idExterno");
    if (options.id_length > 0 && idExterno.size() > options.id_length) fields.depart("idExterno", "is too long");
    if (!has_letters(idExterno, options.id_letters)) fields.depart("idExterno", "has a character that it may not have");
    return idExterno;
}

template <class Body>
ReadBody<Body> finished(Body body, Fields& fields) {
    auto departure = fields.finish();
    return {std::move(body), std::move(departure), fields.wrong()};
}

}  // namespace

ReadBody<Order> read_order(const Route& route, const json::object& body, const Options& options) {
    CHECK(route.family);
    Fields fields(body);
    Order order;
    order.estabelecimento = read_establishment(fields, options);
    order.idExterno = read_new_id(fields, options);
    order.produto = fields.text("produto");
    read_client_time(fields, route);
    switch (*route.family) {
        case Family::tv: read_tv(fields, order); break;
        case Family::egift: read_egift(fields, order); break;
        case Family::transit: read_transit(fields, route, order); break;
        case Family::health: read_health(fields, route, order); break;
        case Family::esim: read_esim(fields, options, order); break;
    }
    return finished(std::move(order), fields);
}

ReadBody<Confirm> read_confirm(const Route& route, const json::object& body, const Options& options) {
    CHECK(route.family);
    Fields fields(body);
    Confirm confirm;
    confirm.estabelecimento = read_establishment(fields, options);
    confirm.idTransacao = fields.text("idTransacao");
    confirm.produto = fields.text("produto");
    read_client_time(fields, route);
    return finished(std::move(confirm), fields);
}

ReadBody<Cancel> read_cancel(const Route& route, const json::object& body, const Options& options) {
    CHECK(route.family);
    Fields fields(body);
    Cancel cancel;
    cancel.estabelecimento = read_establishment(fields, options);
    cancel.idExterno = fields.text("idExterno");
    read_client_time(fields, route);
    return finished(std::move(cancel), fields);
}

}  // namespace gateway::sandbox
