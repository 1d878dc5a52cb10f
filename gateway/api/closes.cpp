#include "api/closes.hpp"

#include "api/close_json.hpp"
#include "api/close_receipt.hpp"
#include "api/language.hpp"
#include "api/openapi/shared.hpp"
#include "api/sale_answer.hpp"
#include "books/close_cashiers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

using http::status;

constexpr std::string_view csv_ending = ".csv";

// A close hangs in the store, so it is in Portuguese unless the caller asks for English.
Language language_of(const http::Request& request) {
    return preferred_language(request.header("Accept-Language"), Language::portuguese);
}

http::Response text_answer(std::string type, std::string body, Language language) {
    http::Response response{.content_type = std::move(type), .body = std::move(body)};
    return response.with("Content-Language", std::string(to_string(language)));
}

}  // namespace

boost::asio::awaitable<http::Response> ClosesApi::make(http::Request& request) {
    const auto order = read_close_order(request, books_.today());
    if (order.has_error()) co_return order.error();
    auto wanted = co_await establishments(request, *order);
    if (wanted.has_error()) co_return wanted.error();
    wanted = co_await those_that_sold(request, std::move(*wanted), order->day);
    if (wanted.has_error()) co_return wanted.error();
    auto by = decided_by(request, order->by);
    if (by.empty()) by = Close::unnamed;
    std::vector<Close> closes;
    bool made = false;
    for (const auto& estabelecimento : *wanted) {
        const CloseKey key{.estabelecimento = estabelecimento, .day = order->day};
        auto closing = co_await books_.close(key, by);
        if (closing.has_error()) co_return books_refused_answer(request, closing.error());
        made = made || closing->made;
        closes.push_back(std::move(closing->close));
    }
    auto forgotten = co_await books_.forgotten(*wanted, order->day);
    if (forgotten.has_error()) co_return books_refused_answer(request, forgotten.error());
    const ToldCloses told{.closes = std::move(closes), .forgotten = std::move(*forgotten), .letterhead = letterhead_};
    co_return json_text_answer(closes_made_json(told), made ? status::created : status::ok);
}

boost::asio::awaitable<ClosesApi::Establishments> ClosesApi::establishments(const http::Request& request,
                                                                            const CloseOrder& order) {
    if (!order.estabelecimento) co_return books_.establishments();
    const auto known = co_await books_.knows(*order.estabelecimento);
    if (known.has_error()) co_return books_refused_answer(request, known.error());
    if (!*known) co_return unknown_establishment_answer(request);
    std::vector<std::string> one{*order.estabelecimento};
    co_return one;
}

// Before its first sale an establishment has nothing to close, and a close is never undone. But where it begins today,
// or has not sold yet, yesterday may be closed: its books begin with the day, and a timer that closes every night need
// not wait for the first sale. Where all of them are asked for, those that began later are left out.
boost::asio::awaitable<ClosesApi::Establishments> ClosesApi::those_that_sold(const http::Request& request,
                                                                             std::vector<std::string> wanted, Day day) {
    std::vector<std::string> closable;
    std::string why;
    for (auto& estabelecimento : wanted) {
        // To look for the first day goes through all days, so it is done only where the day may be before it.
        const auto yesterday = day_before(books_.today());
        if (day >= yesterday) {
            closable.push_back(std::move(estabelecimento));
            continue;
        }
        const auto first = co_await books_.first_day(estabelecimento);
        if (first.has_error()) co_return books_refused_answer(request, first.error());
        const CloseKey key{.estabelecimento = estabelecimento, .day = day};
        const auto closed = co_await books_.is_closed(key);
        if (closed.has_error()) co_return books_refused_answer(request, closed.error());
        const auto begins = std::min(first->value_or(yesterday), yesterday);
        if (!*closed && day < begins) {
            if (!why.empty()) why += ", and ";
            why += *first ? fmt::format("the first sale of {} is of {}", estabelecimento, to_text(**first))
                          : fmt::format("{} has no sale yet", estabelecimento);
            continue;
        }
        closable.push_back(std::move(estabelecimento));
    }
    if (!closable.empty()) co_return closable;
    co_return field_errors(request, {{.pointer = "/day", .detail = "is before there was anything to close: " + why}});
}

boost::asio::awaitable<http::Response> ClosesApi::list(http::Request& request) {
    const auto filter = read_closes_request(request);
    if (filter.has_error()) co_return filter.error();
    if (filter->estabelecimento) {
        const auto known = co_await books_.knows(*filter->estabelecimento);
        if (known.has_error()) co_return books_refused_answer(request, known.error());
        if (!*known) co_return unknown_establishment_answer(request);
    }
    auto closes = co_await books_.closes(*filter);
    if (closes.has_error()) co_return books_refused_answer(request, closes.error());
    auto establishments = books_.establishments();
    if (filter->estabelecimento) establishments.assign(1, *filter->estabelecimento);
    auto forgotten = co_await books_.forgotten(establishments, books_.first_open_day());
    if (forgotten.has_error()) co_return books_refused_answer(request, forgotten.error());
    auto unclosed = co_await books_.unclosed_yesterday();
    if (unclosed.has_error()) co_return books_refused_answer(request, unclosed.error());
    const auto next = co_await books_.next_due(establishments);
    if (next.has_error()) co_return books_refused_answer(request, next.error());
    const ToldCloses told{.closes = std::move(*closes),
                          .forgotten = std::move(*forgotten),
                          .unclosed = std::move(*unclosed),
                          .automatic = *next,
                          .letterhead = letterhead_};
    co_return json_text_answer(close_list_json(told));
}

boost::asio::awaitable<ResultOrResponse<Close>> ClosesApi::find(const http::Request& request, std::string_view name) {
    const auto wanted = parse_close_name(name);
    std::vector<Close> found;
    if (wanted) {
        const CloseFilter filter{.estabelecimento = std::string(request.parameter("estabelecimento")),
                                 .number = wanted->number,
                                 .series = wanted->series,
                                 .limit = 1};
        auto closes = co_await books_.closes(filter);
        if (closes.has_error()) co_return books_refused_answer(request, closes.error());
        found = std::move(*closes);
    }
    if (found.empty()) co_return refuse(request, status::not_found, "not_found", "There is no such close.");
    co_return std::move(found.front());
}

boost::asio::awaitable<http::Response> ClosesApi::one(http::Request& request) {
    auto name = request.parameter("name");
    const bool as_csv = name.ends_with(csv_ending);
    if (as_csv) name.remove_suffix(csv_ending.size());
    const auto close = co_await find(request, name);
    if (close.has_error()) co_return close.error();
    const CloseKey key{.estabelecimento = close->estabelecimento, .day = close->day};
    const auto cashiers = co_await sum_by_cashier(key, journal_);
    if (cashiers.has_error()) co_return books_refused_answer(request, cashiers.error());
    if (!as_csv) co_return json_text_answer(close_json(*close, &*cashiers));
    const auto language = language_of(request);
    co_return text_answer("text/csv; charset=utf-8", close_csv(*close, language, &*cashiers), language);
}

boost::asio::awaitable<http::Response> ClosesApi::receipt(http::Request& request) {
    const auto close = co_await find(request, request.parameter("name"));
    if (close.has_error()) co_return close.error();
    const CloseKey key{.estabelecimento = close->estabelecimento, .day = close->day};
    const auto cashiers = co_await sum_by_cashier(key, journal_);
    if (cashiers.has_error()) co_return books_refused_answer(request, cashiers.error());
    const auto language = language_of(request);
    std::string text;
    for (const auto& line : close_receipt(*close, letterhead_, language, books_.zone(), &*cashiers))
        text.append(line).append("\n");
    co_return text_answer("text/plain; charset=utf-8", std::move(text), language);
}

namespace openapi {
namespace {

constexpr Field close_order_fields[] = {
    {"day", a("Day")},
    maybe({"estabelecimento", short_text, "Without it every establishment of the configuration.", "12345678"}),
    maybe({"by", short_text, "Who closes.", "maria"}),
};

constexpr Parameter close_estabelecimento{"estabelecimento", short_text, "Whose close it is.", "12345678", In::path};

constexpr Parameter close_name{"name", Type{R"("type":"string","pattern":"^[1-9][0-9]*(-[1-9][0-9]*)?$")"},
                               "The number of the close, with its series where that is not the first.", "325",
                               In::path};

constexpr Parameter accept_language{"Accept-Language", text, "pt or en. Without it the answer is Portuguese.", "pt-BR",
                                    In::header};

Answer close_unavailable() {
    return shared(
        "CloseUnavailable",
        refuses(503,
                "The journal cannot be read or written now, does not say yet whether it has the close, or has one that "
                "cannot be read (`close_unreadable`). Asking again makes no second close.",
                {{"journal_unavailable", std::string(journal_not_written)}, {"close_unreadable"}}, retry_after));
}

Answer close_not_found() {
    return shared("CloseNotFound", refuses(404, "There is no such close.", {{"not_found", "There is no such close."}}));
}

constexpr Schema all_close_order_schemas[] = {
    {.name = "CloseOrder", .type = object(close_order_fields)},
};

}  // namespace

std::span<const Schema> close_order_schemas() {
    return all_close_order_schemas;
}

Description list_closes() {
    return {.id = "listCloses",
            .summary = "Closes, the newest day first",
            .tag = "Books",
            .text = "Closes that a stop left unfinished are finished first.",
            .parameters = {{"estabelecimento", short_text, "Only the closes of this establishment.", "12345678"},
                           {"from", day_text, "The first day whose closes are listed.", "2026-11-01"},
                           {"to", day_text, "The last day whose closes are listed.", "2026-11-30"},
                           {"limit", Type{R"("type":"integer","minimum":1,"maximum":500)"},
                            "How many at most; 50 without it.", "100"}},
            .answers = {gives(200, "The closes.", a("CloseList"), {{"answer"}}),
                        wrong_parameters("limit", "must be a whole number from 1 to 500"), close_unavailable()}};
}

Description make_close() {
    return {
        .id = "makeClose",
        .summary = "Close a day",
        .tag = "Books",
        .text =
            "The day gets a number, and its totals never change any more: what becomes final later is in the close of "
            "a later day. A second close of a day is answered with the first. It is never undone.",
        .body =
            takes(a("CloseOrder"), {whole("one", R"({"day":"2026-11-20","estabelecimento":"12345678","by":"maria"})")}),
        .answers = {
            gives(200, "All of them were closed already: the closes that there are.", a("ClosesMade"), {{"answer"}}),
            gives(201, "At least one was made.", a("ClosesMade"), {{"answer"}}), not_json(), not_declared_as_json(),
            refuses(422,
                    "A field is wrong, missing or unknown, the day has not begun, or nobody has sold for that "
                    "establishment; all of it is in `errors`.",
                    {invalid("day", "must have begun: by the gateway's clock it is 2026-11-20 in the store")}),
            close_unavailable()}};
}

Description get_close_csv() {
    return {
        .id = "getCloseCsv",
        .summary = "A close for a spreadsheet",
        .tag = "Books",
        .text =
            "A line for all sales, each family, each terminal and each cashier; separators and amounts as spreadsheets "
            "of the "
            "language read them. Every text is in quotes, and has an apostrophe where a spreadsheet of either language "
            "could take it for a formula.",
        .parameters = {close_estabelecimento, close_name, accept_language},
        .answers = {
            {.description = "The close.",
             .contents =
                 {{.media = "text/csv; charset=utf-8",
                   .type = text,
                   .examples =
                       {{"answer",
                         "\"fechamento\";\"loja\";\"dia\";\"grupo\";\"nome\";\"vendidas\";\"valor "
                         "vendido\";\"canceladas\";\"valor cancelado\";\"recusadas\";\"valor recusado\"\r\n"
                         "\"325\";\"12345678\";\"20/11/2026\";\"total\";\"\";41;2045,90;3;147,00;1;49,00\r\n"}}}},
             .headers = content_language},
            close_not_found(),
            close_unavailable()}};
}

Description get_close() {
    return {.id = "getClose",
            .summary = "A close",
            .tag = "Books",
            .text = "It is the same whenever it is asked for, but for the names of cashiers, which are erased one day.",
            .parameters = {close_estabelecimento, close_name},
            .answers = {gives(200, "The close.", a("Close"), {{"answer"}}), close_not_found(), close_unavailable()}};
}

Description get_close_receipt() {
    return {.id = "getCloseReceipt",
            .summary = "A close on paper",
            .tag = "Books",
            .text =
                "Lines of at most 40 columns, in the local time of the gateway's machine. `store.name` and "
                "`store.cnpj` stand at their head.",
            .parameters = {close_estabelecimento, close_name, accept_language},
            .answers = {{.description = "The lines.",
                         .contents = {{.media = "text/plain; charset=utf-8",
                                       .type = text,
                                       .examples = {{"answer",
                                                     "Mercadinho da Praça\nCNPJ 12.345.678/0001-95\nFechamento nº "
                                                     "325\nLoja 12345678\nDia 20/11/2026   07:58 a 22:41\n"}}}},
                         .headers = content_language},
                        close_not_found(),
                        close_unavailable()}};
}

}  // namespace openapi

}  // namespace gateway
