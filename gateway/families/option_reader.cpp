#include "families/option_reader.hpp"

#include "base/ascii.hpp"
#include "families/money.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

namespace json = boost::json;

class Departure {
  public:
    Departure(Cents valor, std::int64_t quantity) : valor_(valor), quantity_(quantity) {}

    FieldErrors operator()(const Option::Fixed& fixed) const {
        FieldErrors errors = only_one();
        if (valor_ != fixed.valor) errors.push_back({"/valor", fmt::format("must be {}", fixed.valor.value)});
        return errors;
    }
    FieldErrors operator()(const Option::Range& range) const {
        FieldErrors errors = only_one();
        if (valor_ < range.min || valor_ > range.max)
            errors.push_back({"/valor", fmt::format("must be from {} to {}", range.min.value, range.max.value)});
        return errors;
    }
    FieldErrors operator()(const Option::Unit& unit) const {
        FieldErrors errors;
        if (quantity_ < unit.min_quantity || quantity_ > unit.max_quantity)
            errors.push_back(
                {"/quantidade", fmt::format("must be from {} to {}", unit.min_quantity, unit.max_quantity)});
        if (valor_.value != unit.unit.value * quantity_)
            errors.push_back({"/valor", fmt::format("must be {} times quantidade", unit.unit.value)});
        return errors;
    }

  private:
    FieldErrors only_one() const {
        if (quantity_ == 1) return {};
        return {{"/quantidade", "must be 1 or absent: this product is not sold by quantity"}};
    }

    const Cents valor_;
    const std::int64_t quantity_;
};

}  // namespace

bool is_absent(const json::object& entry, std::string_view name) {
    const auto* value = entry.if_contains(name);
    return value == nullptr || value->is_null();
}

std::string lenient_text(const json::object& entry, std::string_view name) {
    const auto* value = entry.if_contains(name);
    if (value == nullptr) return {};
    if (const auto* text = value->if_string()) return {text->data(), text->size()};
    return value->is_int64() || value->is_uint64() ? json::serialize(*value) : std::string();
}

std::optional<std::string> sellable_text(const json::object& entry, std::string_view name) {
    auto text = lenient_text(entry, name);
    return is_plain_text(text) ? std::optional(std::move(text)) : std::nullopt;
}

std::optional<std::int64_t> whole_number(const json::object& entry, std::string_view name) {
    return number_from_digits(lenient_text(entry, name));
}

std::optional<OptionPrice> range_price(std::optional<std::int64_t> min, std::optional<std::int64_t> max) {
    if (!min || !max) return std::nullopt;
    const Option::Range range{std::max(Cents{*min}, Cents{1}), std::min(Cents{*max}, max_valor)};
    if (range.min > range.max) return std::nullopt;
    if (range.min == range.max) return Option::Fixed{range.min};
    return range;
}

json::object sell_of(const OptionsQuestion& question) {
    json::object sell{{"produto", question.produto}};
    if (!question.segment.empty() && question.segment != to_lower(question.produto))
        sell[to_string(question.family)] = question.segment;
    return sell;
}

Option make_option(std::string label, OptionPrice price, json::object sell) {
    if (const auto* fixed = std::get_if<Option::Fixed>(&price)) {
        if (label.empty()) label = money_text(fixed->valor);
        sell["valor"] = fixed->valor.value;
    }
    return {std::move(label), price, std::move(sell)};
}

bool same_fields(const json::object& sell, const json::object& fields, FieldNames names) {
    return std::ranges::all_of(names, [&](std::string_view name) {
        const auto* here = sell.if_contains(name);
        const auto* there = fields.if_contains(name);
        return here != nullptr && there != nullptr && *here == *there;
    });
}

FieldErrors departures(const Option& option, Cents valor, std::int64_t quantity) {
    return std::visit(Departure(valor, quantity), option.valor);
}

}  // namespace gateway
