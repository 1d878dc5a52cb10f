#include "sandbox/orders.hpp"

#include "base/ascii.hpp"
#include "base/check.hpp"
#include "sandbox/dates.hpp"
#include "sandbox/family.hpp"

#include <algorithm>
#include <charconv>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

// An amount of so many digits certainly fits into Cents.
constexpr std::size_t most_digits = 12;

const json::object& no_object() {
    static const json::object empty;
    return empty;
}

// Returns as much of a stranger's field name as a line of a log should hold.
std::string shown(std::string_view name) {
    constexpr std::size_t most = 64;
    return std::string(name.substr(0, most));
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
    } else if (model_of(*route.family).zoneless_times) {
        fields.form(name, &is_zoneless, "ISO 8601 without a zone");
    } else {
        fields.form(name, &is_utc_milliseconds, "ISO 8601 in UTC with milliseconds and a Z");
    }
}

bool may_have(IdLetters allowed, char c) {
    switch (allowed) {
        case IdLetters::any: return true;
        case IdLetters::alphanumeric: return is_alphanumeric(c);
        case IdLetters::upper_digits: return is_digit(c) || is_upper(c);
        case IdLetters::digits: return is_digit(c);
    }
    return false;
}

// Reads the idExterno of a new sale; a confirm and a cancel only name one that was accepted before.
std::string read_new_id(Fields& fields, const Options& options) {
    auto idExterno = fields.text("idExterno");
    if (options.id_length > 0 && idExterno.size() > options.id_length) fields.depart("idExterno", "is too long");
    const auto fits = [&](char c) { return may_have(options.id_letters, c); };
    if (!std::all_of(idExterno.begin(), idExterno.end(), fits))
        fields.depart("idExterno", "has a character that it may not have");
    return idExterno;
}

template <class Body>
ReadBody<Body> finished(Body body, Fields& fields) {
    auto departure = fields.finish();
    return {std::move(body), std::move(departure), fields.wrong()};
}

}  // namespace

bool is_formatted_cpf(std::string_view text) {
    return has_shape(text, "000.000.000-00");
}

Fields::Fields(const json::object& object) : Fields(object, "", std::make_shared<Kept>()) {}

Fields::Fields(const json::object& object, std::string path, std::shared_ptr<Kept> departure)
    : object_(object), path_(std::move(path)), departure_(std::move(departure)) {}

void Fields::depart(std::string_view name, std::string_view what, Wrong wrong) {
    if (departure_->text.empty()) *departure_ = {path_ + std::string(name) + " " + std::string(what), wrong};
}

bool Fields::has(std::string_view name) const {
    return object_.contains(name);
}

const json::value* Fields::take(std::string_view name) {
    known_.push_back(name);
    const auto* value = object_.if_contains(name);
    if (value == nullptr) depart(name, "is missing");
    return value;
}

std::string Fields::text_or_empty(std::string_view name) {
    const auto* value = take(name);
    if (value == nullptr) return "";
    if (const auto* text = value->if_string()) return std::string(*text);
    depart(name, "must be a string");
    return "";
}

std::string Fields::text(std::string_view name) {
    auto text = text_or_empty(name);
    if (text.empty()) depart(name, "must not be empty");
    return text;
}

std::optional<std::string> Fields::optional_text(std::string_view name) {
    if (has(name)) return text(name);
    known_.push_back(name);
    return std::nullopt;
}

std::int64_t Fields::integer(std::string_view name) {
    const auto* value = take(name);
    if (value == nullptr) return 0;
    if (const auto* number = value->if_int64()) return *number;
    depart(name, "must be a whole number");
    return 0;
}

Cents Fields::cents(std::string_view name) {
    const auto digits = text(name);
    Cents cents = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), cents);
    const bool whole = error == std::errc{} && end == digits.data() + digits.size() && digits.size() <= most_digits;
    if (!whole || digits.front() < '1' || digits.front() > '9')
        depart(name, "must be a string of digits, a whole number of cents above 0", Wrong::amount);
    return cents;
}

std::string Fields::literal(std::string_view name, std::string_view wanted) {
    auto got = text(name);
    if (got != wanted) depart(name, "must be " + std::string(wanted));
    return got;
}

std::string Fields::form(std::string_view name, bool (*fits)(std::string_view), std::string_view form_in_words) {
    auto got = text(name);
    if (!fits(got)) depart(name, "must be " + std::string(form_in_words));
    return got;
}

Fields Fields::object(std::string_view name) {
    const auto* value = take(name);
    const auto* inner = value == nullptr ? nullptr : value->if_object();
    if (value != nullptr && inner == nullptr) depart(name, "must be an object");
    return Fields(inner == nullptr ? no_object() : *inner, path_ + std::string(name) + ".", departure_);
}

std::string Fields::finish() {
    for (const auto& pair : object_)
        if (std::find(known_.begin(), known_.end(), std::string_view(pair.key())) == known_.end())
            depart(shown(pair.key()), "is not a field of this request");
    return departure_->text;
}

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
