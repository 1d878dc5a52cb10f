// Renders lists of sales, newest first.
#include "api/query.hpp"
#include "api/text/renderers.hpp"
#include "api/text/table.hpp"
#include "base/json_members.hpp"
#include "base/wall_time.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace gateway::text {
namespace {

namespace json = boost::json;

// The call puts no more than this into one page.
constexpr std::size_t longest_page = 200;
constexpr std::size_t usual_page = 20;
// A person is shown no more than this, because a table is laid out in one piece, between two sales. More is for
// programs.
constexpr std::size_t longest_table = 2000;

std::size_t limit_of(const http::Request& request) {
    const auto limit = whole_number<std::size_t>(request.query_value("limit").value_or(""));
    return std::min(limit.value_or(usual_page), longest_table);
}

std::vector<const json::object*> sales_in(const Answers& answers) {
    std::vector<const json::object*> all;
    for (const auto& page : answers)
        if (const auto* sales = array_in(page, "sales"))
            for (const auto& sale : *sales)
                if (const auto* object = sale.if_object()) all.push_back(object);
    return all;
}

// Where there is no room for all columns, the family is left out first, then the terminal, then the product.
std::vector<Column> columns_for(const Page& page, WallTime newest) {
    return {{.head = page.say("text.column.time", {{"offset", local_offset(newest)}})},
            {.head = "id"},
            {.head = page.say("text.column.family"), .leaves = 1},
            {.head = "produto", .least = 10, .leaves = 3},
            {.head = page.say("text.column.amount"), .right = true},
            {.head = "terminal", .leaves = 2},
            {.head = page.say("text.column.outcome")},
            {.head = page.say("text.column.attention"), .least = 11, .alarming = true}};
}

std::string table_of(const Page& page, const std::vector<const json::object*>& sales) {
    auto columns = columns_for(page, time_in(*sales.front(), "createdAt").value_or(page.now));
    for (const auto* sale : sales) {
        const auto mark = text_in(*sale, "mark");
        const std::array cells{page.time(*sale, "createdAt"),
                               printable(text_in(*sale, "id")),
                               printable(text_in(*sale, "family")),
                               printable(text_in(*sale, "produto")),
                               amount_of(*sale),
                               printable(text_in(*sale, "terminal")),
                               printable(page.words.word("text.outcome", text_in(*sale, "outcome"))),
                               mark.empty() ? std::string() : page.mark(mark)};
        for (std::size_t i = 0; i < cells.size(); ++i)
            columns[i].cells.push_back(cells.at(i));
    }
    return table(page, columns);
}

bool wants_all(const http::Request& request) {
    return std::ranges::all_of(request.query, [](const auto& one) { return one.first == "limit"; });
}

}  // namespace

void take_pages_of_sales(http::Request& request) {
    for (auto& [name, value] : request.query)
        if (const auto limit = whole_number<std::size_t>(value); name == "limit" && limit)
            value = std::to_string(std::min(*limit, longest_page));
}

std::optional<std::string> next_page_of_sales(const Question& question, const Answers& answers) {
    const auto found = sales_in(answers).size();
    const auto limit = limit_of(question.request);
    const auto cursor = text_in(answers.back(), "next");
    if (cursor.empty() || found >= limit) return std::nullopt;
    std::string query;
    for (const auto& [name, value] : question.request.query)
        if (name != "limit" && name != "cursor") add_to_query(query, name, value);
    add_to_query(query, "limit", std::to_string(std::min(limit - found, longest_page)));
    add_to_query(query, "cursor", cursor);
    return "/v1/sales" + query;
}

Rendered sales(const Question& question, const Answers& answers) {
    const auto& page = question.page;
    const auto found = sales_in(answers);
    std::vector<std::string> unreadable;
    for (const auto& one : answers)
        if (const auto* ids = array_in(one, "unreadable"))
            for (const auto& id : *ids)
                if (const auto* text = id.if_string()) unreadable.push_back(printable(*text));
    std::string text;
    if (found.empty() && unreadable.empty())
        text = page.say(wants_all(question.request) ? "text.sales.none" : "text.sales.none_like_that") + "\n";
    else if (!found.empty())
        text = table_of(page, found);
    if (!text_in(answers.back(), "next").empty()) text += page.faint(page.say("text.sales.more")) + '\n';
    for (const auto& id : unreadable)
        text += page.say("text.sales.unreadable", {{"id", id}}) + '\n';
    return {.text = std::move(text)};
}

}  // namespace gateway::text
