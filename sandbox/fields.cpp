#include "sandbox/fields.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <charconv>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

// As many digits as fit an amount with certainty.
constexpr std::size_t most_digits = 12;

const json::object& no_object() {
    static const json::object empty;
    return empty;
}

// As much of a stranger's field name as belongs into a line of a log.
std::string shown(std::string_view name) {
    constexpr std::size_t most = 64;
    return std::string(name.substr(0, most));
}

}  // namespace

bool is_formatted_cpf(std::string_view text) {
    constexpr std::string_view shape = "000.000.000-00";
    if (text.size() != shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] == '0' ? !is_digits(text.substr(i, 1)) : text[i] != shape[i]) return false;
    return true;
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

}  // namespace gateway::sandbox
