#include "api/list_request.hpp"

#include "api/sale_answer.hpp"
#include "base/field_error.hpp"
#include "base/wall_time.hpp"

#include <charconv>
#include <set>

namespace gateway {
namespace {

constexpr std::size_t longest_page = 200;

// Reads one parameter into the filter; what would be right, where it is wrong.
using Reader = std::string (*)(std::string_view text, SaleFilter& filter);

std::string read_key(std::string_view text, SaleFilter& filter) {
    filter.key = std::string(text);
    return {};
}

std::string read_id_externo(std::string_view text, SaleFilter& filter) {
    filter.id_externo = std::string(text);
    return {};
}

std::string read_status(std::string_view text, SaleFilter& filter) {
    filter.status = parse_status(text);
    return filter.status ? "" : "must be PENDENTE, AUTORIZADA, EFETIVADA, CANCELADA or NEGADA";
}

std::string read_attention(std::string_view text, SaleFilter& filter) {
    filter.attention = text == "true";
    return text == "true" || text == "false" ? "" : "must be true or false";
}

std::string read_from(std::string_view text, SaleFilter& filter) {
    filter.from = from_rfc3339(text);
    return filter.from ? "" : "must be a time such as 2024-05-02T13:00:00Z (a + in a query string is written %2B)";
}

std::string read_to(std::string_view text, SaleFilter& filter) {
    filter.to = from_rfc3339(text);
    return filter.to ? "" : "must be a time such as 2024-05-02T13:00:00Z (a + in a query string is written %2B)";
}

std::string read_limit(std::string_view text, SaleFilter& filter) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), filter.limit);
    const bool right =
        error == std::errc() && end == text.data() + text.size() && filter.limit >= 1 && filter.limit <= longest_page;
    return right ? "" : "must be a whole number from 1 to 200";
}

std::string read_cursor(std::string_view text, SaleFilter& filter) {
    filter.after = SaleId::parse(text);
    return filter.after ? "" : "must be the \"next\" of the page before";
}

struct Parameter {
    std::string_view name;
    Reader read;
};
constexpr std::array parameters{
    Parameter{"key", read_key},       Parameter{"idExterno", read_id_externo},
    Parameter{"status", read_status}, Parameter{"attention", read_attention},
    Parameter{"from", read_from},     Parameter{"to", read_to},
    Parameter{"limit", read_limit},   Parameter{"cursor", read_cursor},
};

}  // namespace

ResultOrResponse<SaleFilter> read_list_request(const http::Request& request) {
    SaleFilter filter;
    FieldErrors errors;
    std::set<std::string_view> seen;
    for (const auto& [name, value] : request.query) {
        const auto known =
            std::find_if(parameters.begin(), parameters.end(),
                         [&wanted = name](const Parameter& parameter) { return parameter.name == wanted; });
        std::string wrong;
        if (known == parameters.end())
            wrong = "is not a parameter of this list";
        else if (!seen.insert(known->name).second)
            wrong = "must stand only once";
        else
            wrong = known->read(value, filter);
        if (!wrong.empty()) errors.push_back({.pointer = "/" + name, .detail = std::move(wrong)});
    }
    if (errors.empty()) return filter;
    auto detail = errors.front().pointer.substr(1) + " " + errors.front().detail;
    return refuse(request, http::status::unprocessable_entity, "invalid_request", std::move(detail), std::move(errors));
}

}  // namespace gateway
