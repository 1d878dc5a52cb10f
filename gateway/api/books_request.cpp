#include "api/books_request.hpp"

#include "api/query.hpp"
#include "api/sale_answer.hpp"
#include "base/error.hpp"
#include "base/field_error.hpp"
#include "families/field_reader.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway {
namespace {

// This is a year and its leap day; a longer range is no question about days any more.
constexpr std::chrono::days longest_range{366};
// The journal gives no more closes at once.
constexpr std::size_t most_closes = 500;

constexpr std::string_view wrong_day = "must be a day such as 2026-11-20";

void read_days(Query& query, Day today, TotalsRequest& wanted) {
    const auto day = query.day("day");
    const auto from = query.day("from");
    const auto to = query.day("to");
    const bool has_range = query.value("from") || query.value("to");
    wanted.from = day.value_or(from.value_or(today));
    wanted.to = day.value_or(to.value_or(today));
    if (query.value("day") && has_range) return query.fail("day", "is for one day, and from and to for several");
    if (has_range && !query.value("from")) return query.fail("from", "is missing: to is the last day");
    if (query.failed() || !has_range) return;
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
                              "must be family, terminal, cashier, estabelecimento, produto and hour, or some of them, "
                              "each once, with commas between them");
        wanted.by.push_back(*by);
        if (comma == std::string_view::npos) return;
        rest.remove_prefix(comma + 1);
    }
}

void read_day(FieldReader& reader, Day today, CloseOrder& order) {
    const auto value = reader.take("day");
    if (!value) return reader.fail("day", "is missing: say which day is closed, such as 2026-11-20");
    const auto* text = value->if_string();
    const auto day = text != nullptr ? parse_day(*text) : std::nullopt;
    if (!day) return reader.fail("day", std::string(wrong_day));
    order.day = *day;
    if (*day > today)
        reader.fail("day", "must have begun: by the gateway's clock it is " + to_text(today) + " in the store");
}

}  // namespace

ResultOrResponse<TotalsRequest> read_totals_request(const http::Request& request, Day today) {
    Query query(request, {"day", "from", "to", "by", "estabelecimento", "begunBefore"});
    TotalsRequest wanted{.from = today, .to = today};
    read_days(query, today, wanted);
    read_by(query, wanted);
    wanted.estabelecimento = query.name("estabelecimento");
    wanted.begun_before = query.time("begunBefore");
    if (query.failed()) return query.refusal();
    return wanted;
}

ResultOrResponse<CloseFilter> read_closes_request(const http::Request& request) {
    Query query(request, {"estabelecimento", "from", "to", "limit"});
    CloseFilter filter;
    filter.estabelecimento = query.name("estabelecimento");
    filter.from = query.day("from");
    filter.to = query.day("to");
    query.in_order(filter.from, filter.to);
    filter.limit = query.count("limit", most_closes).value_or(filter.limit);
    if (query.failed()) return query.refusal();
    return filter;
}

ResultOrResponse<CloseOrder> read_close_order(const http::Request& request, Day today) {
    auto body = json_object_body(request);
    if (body.has_error()) return body.error();
    FieldErrors errors;
    FieldReader reader(*body, errors);
    CloseOrder order;
    read_day(reader, today, order);
    if (reader.has("estabelecimento"))
        order.estabelecimento = reader.text_that("estabelecimento", is_name, name_in_words);
    if (reader.has("by")) order.by = reader.text_that("by", is_name, name_in_words);
    for (const auto& field : *body)
        errors.push_back({.pointer = reader.pointer(field.key()), .detail = "is not a field of this call"});
    if (!errors.empty()) return field_errors(request, std::move(errors));
    return order;
}

http::Response unknown_establishment_answer(const http::Request& request) {
    return field_errors(request, {{.pointer = "/estabelecimento",
                                   .detail = "is none of the configuration's, and no sale of the journal is of it"}});
}

http::Response books_refused_answer(const http::Request& request, const boost::system::error_code& why) {
    using http::status;
    if (why == errc::commit_unknown)
        return refuse(request, status::service_unavailable, "journal_unavailable",
                      "Whether the journal has the close is not known yet. Ask again: a day has one close only.")
            .with("Retry-After", "1");
    if (why == errc::close_unreadable)
        return refuse(request, status::service_unavailable, "close_unreadable",
                      "The day is closed, and the journal's record of that close is damaged or was altered and cannot "
                      "be read. The operator puts the record right, or restores the journal from its newest backup; "
                      "every other day goes on.")
            .with("Retry-After", "60");
    return journal_unavailable_answer(request);
}

std::optional<CloseName> parse_close_name(std::string_view text) noexcept {
    const auto dash = text.find('-');
    const auto number = whole_number<int>(text.substr(0, dash));
    if (!number) return std::nullopt;
    if (dash == std::string_view::npos) return CloseName{.number = *number};
    const auto series = whole_number<int>(text.substr(dash + 1));
    if (!series || *series == 1) return std::nullopt;
    return CloseName{.number = *number, .series = *series};
}

}  // namespace gateway
