#include "api/books_request.hpp"

#include "api/sale_answer.hpp"
#include "base/field_error.hpp"
#include "families/field_reader.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <set>
#include <span>

namespace gateway {
namespace {

// A year and its leap day: more is no question of a day's.
constexpr std::chrono::days longest_range{366};
// As many closes as the journal gives at once.
constexpr std::size_t most_closes = 500;
// No name of a person is longer.
constexpr std::size_t longest_name = 64;

constexpr std::string_view wrong_day = "must be a day such as 2026-11-20";

bool is_name(std::string_view text) noexcept {
    return is_plain_text(text, longest_name);
}

// The parameters of a query, each once and none that is not known; collects what is wrong.
class Query {
  public:
    Query(const http::Request& request, std::span<const std::string_view> known) : request_(request) {
        std::set<std::string_view> seen;
        for (const auto& [name, value] : request.query) {
            if (std::ranges::find(known, name) == known.end())
                fail(name, "is not a parameter of this call");
            else if (!seen.insert(name).second)
                fail(name, "must stand only once");
        }
    }

    std::optional<std::string_view> value(std::string_view name) const { return request_.query_value(name); }
    std::optional<Day> day(std::string_view name) {
        const auto text = value(name);
        if (!text) return std::nullopt;
        const auto day = parse_day(*text);
        if (!day) fail(name, std::string(wrong_day));
        return day;
    }
    std::optional<std::string> estabelecimento() {
        const auto text = value("estabelecimento");
        if (!text) return std::nullopt;
        if (!is_name(*text)) fail("estabelecimento", "must be an establishment's number");
        return std::string(*text);
    }
    void fail(std::string_view name, std::string detail) {
        errors.push_back({.pointer = pointer_to("", name), .detail = std::move(detail)});
    }

    FieldErrors errors;

  private:
    const http::Request& request_;
};

void read_days(Query& query, Day today, TotalsRequest& wanted) {
    const auto day = query.day("day");
    const auto from = query.day("from");
    const auto to = query.day("to");
    const bool has_range = query.value("from") || query.value("to");
    wanted.from = day.value_or(from.value_or(today));
    wanted.to = day.value_or(to.value_or(today));
    if (query.value("day") && has_range) return query.fail("day", "is for one day, and from and to for several");
    if (has_range && !query.value("from")) return query.fail("from", "is missing: to is the last day");
    if (!query.errors.empty() || !has_range) return;
    if (wanted.from > wanted.to) return query.fail("to", "must not be before from");
    const auto length = std::chrono::sys_days(wanted.to) - std::chrono::sys_days(wanted.from);
    if (length >= longest_range) query.fail("to", "must be within 366 days");
}

void read_by(Query& query, TotalsRequest& wanted) {
    const auto text = query.value("by");
    if (!text) return;
    auto rest = *text;
    while (true) {
        const auto comma = rest.find(',');
        const auto by = parse_totals_by(rest.substr(0, comma));
        if (!by || std::ranges::count(wanted.by, *by) > 0)
            return query.fail("by",
                              "must be family, terminal, cashier, estabelecimento and produto, or some of them, "
                              "each once, with commas between them");
        wanted.by.push_back(*by);
        if (comma == std::string_view::npos) return;
        rest.remove_prefix(comma + 1);
    }
}

void read_limit(Query& query, CloseFilter& filter) {
    const auto text = query.value("limit");
    if (!text) return;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), filter.limit);
    const bool right =
        error == std::errc() && end == text->data() + text->size() && filter.limit >= 1 && filter.limit <= most_closes;
    if (!right) query.fail("limit", "must be a whole number from 1 to 500");
}

void read_day(FieldReader& reader, Day today, CloseOrder& order) {
    const auto value = reader.take("day");
    if (!value) return reader.fail("day", "is missing: say which day is closed, such as 2026-11-20");
    const auto* text = value->if_string();
    const auto day = text != nullptr ? parse_day(*text) : std::nullopt;
    if (!day) return reader.fail("day", std::string(wrong_day));
    order.day = *day;
    if (*day > today) reader.fail("day", "must have begun: it is " + to_text(today) + " in the store");
}

std::optional<int> number_in_name(std::string_view text) noexcept {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool right = error == std::errc() && end == text.data() + text.size() && number >= 1 && text.front() != '0';
    return right ? std::optional(number) : std::nullopt;
}

}  // namespace

ResultOrResponse<TotalsRequest> read_totals_request(const http::Request& request, Day today) {
    static constexpr std::array<std::string_view, 5> known{"day", "from", "to", "by", "estabelecimento"};
    Query query(request, known);
    TotalsRequest wanted{.from = today, .to = today};
    read_days(query, today, wanted);
    read_by(query, wanted);
    wanted.estabelecimento = query.estabelecimento();
    if (!query.errors.empty()) return field_errors(request, std::move(query.errors));
    return wanted;
}

ResultOrResponse<CloseFilter> read_closes_request(const http::Request& request) {
    static constexpr std::array<std::string_view, 4> known{"estabelecimento", "from", "to", "limit"};
    Query query(request, known);
    CloseFilter filter;
    filter.estabelecimento = query.estabelecimento();
    filter.from = query.day("from");
    filter.to = query.day("to");
    read_limit(query, filter);
    if (!query.errors.empty()) return field_errors(request, std::move(query.errors));
    return filter;
}

ResultOrResponse<CloseOrder> read_close_order(const http::Request& request, Day today) {
    auto body = json_object_body(request);
    if (body.has_error()) return body.error();
    FieldErrors errors;
    FieldReader reader(*body, errors);
    CloseOrder order;
    read_day(reader, today, order);
    constexpr std::string_view wanted = "a text of 1 to 64 characters without control characters";
    if (reader.has("estabelecimento")) order.estabelecimento = reader.text_that("estabelecimento", is_name, wanted);
    if (reader.has("by")) order.by = reader.text_that("by", is_name, wanted);
    for (const auto& field : *body)
        errors.push_back({.pointer = reader.pointer(field.key()), .detail = "is not a field of this call"});
    if (!errors.empty()) return field_errors(request, std::move(errors));
    return order;
}

http::Response unknown_establishment_answer(const http::Request& request) {
    return field_errors(request, {{.pointer = "/estabelecimento",
                                   .detail = "is none of the configuration's, and no sale of the journal is of it"}});
}

std::optional<CloseName> parse_close_name(std::string_view text) noexcept {
    const auto dash = text.find('-');
    const auto number = number_in_name(text.substr(0, dash));
    if (!number) return std::nullopt;
    if (dash == std::string_view::npos) return CloseName{.number = *number};
    const auto series = number_in_name(text.substr(dash + 1));
    if (!series || *series == 1) return std::nullopt;
    return CloseName{.number = *number, .series = *series};
}

}  // namespace gateway
