#include "commands/days.hpp"

#include "base/ascii.hpp"
#include "commands/members.hpp"
#include "reconcile/book_words.hpp"

#include <fmt/format.h>

namespace gateway {
namespace {

constexpr std::string_view totals_path = "/v1/totals";

void add_parameter(std::string& query, std::string_view name, std::string_view value) {
    query += fmt::format("{}{}=", query.empty() ? '?' : '&', name);
    for (const char c : value) {
        if (is_unreserved(c))
            query += c;
        else
            append_percent_encoded(query, c);
    }
}

TotalsReply ask(const Desk& desk, const std::string& query) {
    auto told = desk.gateway.get(std::string(totals_path) + query, AdminClient::summing_patience);
    if (told.has_value() && told->good()) return {.body = std::move(told->body)};
    desk.err << "error: " << (told.has_error() ? told.error() : printable(told->problem())) << '\n';
    return {.exit = exit_failure};
}

bool is_relative(std::string_view text) {
    return text == "today" || text == "yesterday";
}

// Which day it is, only the gateway knows: the store's zone need not be this machine's.
std::string date_of(std::string_view text, Day today) {
    if (text == "today") return to_text(today);
    if (text == "yesterday") return to_text(Day(std::chrono::sys_days(today) - std::chrono::days(1)));
    return std::string(text);
}

}  // namespace

TotalsReply ask_for_totals(const Desk& desk, const TotalsQuestion& question) {
    std::optional<Day> today;
    std::string query;
    for (const auto& [name, text] :
         {std::pair("day", &question.day), std::pair("from", &question.from), std::pair("to", &question.to)}) {
        if (text->empty()) continue;
        if (!is_relative(*text) && !parse_day(*text)) {
            desk.err << fmt::format("error: --{} is a day, such as today, yesterday or 2026-11-20\n", name);
            return {.exit = exit_usage};
        }
        if (is_relative(*text) && !today) {
            const auto now = ask(desk, "");
            if (!now.body) return now;
            today = parse_day(text_in(*now.body, "to"));
        }
        add_parameter(query, name, today ? date_of(*text, *today) : *text);
    }
    if (!question.by.empty()) add_parameter(query, "by", question.by);
    if (!question.estabelecimento.empty()) add_parameter(query, "estabelecimento", question.estabelecimento);
    return ask(desk, query);
}

std::string days_of(const boost::json::object& totals, Language language) {
    const auto text = [&](std::string_view name) {
        const auto day = parse_day(text_in(totals, name));
        return day ? day_text(*day, language) : printable(text_in(totals, name));
    };
    const auto from = text("from");
    const auto to = text("to");
    return from == to ? from : fmt::format("{} {} {}", from, words::until.in(language), to);
}

}  // namespace gateway
