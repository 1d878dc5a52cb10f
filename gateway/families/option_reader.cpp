#include "families/option_reader.hpp"

#include "families/money.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway {
namespace {

namespace json = boost::json;

// A catalogue of rubbish is told of in this many sentences and a count.
constexpr std::size_t max_left_out = 20;

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

Result<json::object> parse_answer(std::string_view body) {
    boost::system::error_code ec;
    auto value = json::parse({body.data(), body.size()}, ec);
    if (ec || !value.is_object()) return errc::malformed;
    return std::move(value.get_object());
}

Result<Options> read_list(const json::object& answer, std::string_view list, const EntryReader& read) {
    const auto* found = answer.if_contains(list);
    const auto* entries = found != nullptr ? found->if_array() : nullptr;
    if (entries == nullptr) return errc::malformed;

    Options options;
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < entries->size(); ++i) {
        const auto* entry = (*entries)[i].if_object();
        auto option = entry != nullptr ? read(*entry) : OptionOrWhy(NotAnOption{"is not an object"});
        if (option)
            options.options.push_back(std::move(*option));
        else if (++left_out <= max_left_out)
            options.left_out.push_back(fmt::format("{}[{}]: {}", list, i, option.error().why));
    }
    if (left_out > max_left_out)
        options.left_out.push_back(fmt::format("{}: {} more entries", list, left_out - max_left_out));
    return options;
}

Result<Options> read_valores(std::string_view body, const EntryReader& read) {
    auto answer = parse_answer(body);
    if (!answer) return answer.error();
    auto options = read_list(*answer, "valores", read);
    if (!options) return options;
    answer->stable_erase("valores");
    options->details = std::move(*answer);
    return options;
}

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

Option make_option(std::string label, OptionPrice price, json::object sell) {
    if (const auto* fixed = std::get_if<Option::Fixed>(&price)) {
        if (label.empty()) label = money_text(fixed->valor);
        sell["valor"] = fixed->valor.value;
    }
    return {std::move(label), price, std::move(sell)};
}

bool same_fields(const json::object& sell, const json::object& fields, std::initializer_list<std::string_view> names) {
    return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
        const auto* here = sell.if_contains(name);
        const auto* there = fields.if_contains(name);
        return here != nullptr && there != nullptr && *here == *there;
    });
}

FieldErrors departures(const Option& option, Cents valor, std::int64_t quantity) {
    return std::visit(Departure(valor, quantity), option.valor);
}

FieldErrors departures_from_all(const std::vector<const Option*>& options, Cents valor, std::int64_t quantity) {
    FieldErrors first;
    for (const auto* option : options) {
        auto errors = departures(*option, valor, quantity);
        if (errors.empty()) return {};
        if (first.empty()) first = std::move(errors);
    }
    return first;
}

}  // namespace gateway
