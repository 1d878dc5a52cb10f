#include "sandbox/orders.hpp"

#include "base/check.hpp"
#include "sandbox/dates.hpp"
#include "sandbox/family.hpp"

#include <algorithm>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

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
    } else if (model_of(*route.family).zoneless_times) {
        fields.form(name, &is_zoneless, "ISO 8601 without a zone");
    } else {
        fields.form(name, &is_utc_milliseconds, "ISO 8601 in UTC with milliseconds and a Z");
    }
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
    model_of(*route.family).read(fields, route, options, order);
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
