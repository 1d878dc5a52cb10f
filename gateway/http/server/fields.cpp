#include "http/server/fields.hpp"

#include <boost/beast/core/string.hpp>

#include <algorithm>

namespace gateway::http {
namespace {

// A terminal sends about so many.
constexpr std::size_t usual_fields = 8;

auto is_named(std::string_view name) noexcept {
    return [name](const Fields::Field& field) { return boost::beast::iequals(field.first, name); };
}

}  // namespace

void Fields::insert(std::string_view name, std::string_view value) {
    if (all_.empty()) all_.reserve(usual_fields);
    all_.emplace_back(name, value);
}

std::optional<std::string_view> Fields::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find_if(all_, is_named(name));
    return found == all_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

std::size_t Fields::count(std::string_view name) const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(all_, is_named(name)));
}

}  // namespace gateway::http
