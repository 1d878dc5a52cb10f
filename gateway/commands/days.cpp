#include "commands/days.hpp"

#include "commands/day_tables.hpp"
#include "commands/members.hpp"
#include "reconcile/book_words.hpp"

#include <fmt/format.h>

namespace gateway {
namespace {

// Of more open sales it is not asked what comes next: something is wrong with all of them.
constexpr std::size_t most_asked = 20;

constexpr std::string_view totals_path = "/v1/totals";

TotalsReply ask(const Desk& desk, const std::string& query) {
    auto told = desk.gateway.get(std::string(totals_path) + query, AdminClient::summing_patience);
    if (told.has_value() && told->good()) return {.body = std::move(told->body)};
    desk.err << "error: " << (told.has_error() ? told.error() : printable(told->problem())) << '\n';
    return {.exit = exit_failure};
}

}  // namespace

DayReply StoreDays::meant(std::string_view option, std::string_view text) {
    if (parse_day(text)) return {.day = std::string(text)};
    if (text != "today" && text != "yesterday") {
        desk_.err << fmt::format("error: {} is a day, such as today, yesterday or 2026-11-20\n", option);
        return {.exit = exit_usage};
    }
    if (!today_) {
        const auto now = ask(desk_, "");
        if (!now.body) return {.exit = now.exit};
        today_ = parse_day(text_in(*now.body, "to"));
    }
    if (!today_) {
        desk_.err << "error: the gateway does not say which day it is\n";
        return {.exit = exit_failure};
    }
    return {.day = to_text(text == "today" ? *today_ : day_before(*today_))};
}

TotalsReply ask_for_totals(const Desk& desk, const TotalsQuestion& question) {
    std::string query;
    StoreDays days(desk);
    for (const auto& [name, text] :
         {std::pair("day", &question.day), std::pair("from", &question.from), std::pair("to", &question.to)}) {
        if (text->empty()) continue;
        const auto meant = days.meant(fmt::format("--{}", name), *text);
        if (!meant.day) return {.exit = meant.exit};
        add_to_query(query, name, *meant.day);
    }
    if (!question.by.empty()) add_to_query(query, "by", question.by);
    if (!question.estabelecimento.empty()) add_to_query(query, "estabelecimento", question.estabelecimento);
    return ask(desk, query);
}

std::map<std::string, std::string> ask_what_comes_next(const Desk& desk, const boost::json::array& sales,
                                                       Language language) {
    std::map<std::string, std::string> next;
    for (const auto& one : sales) {
        const auto* sale = one.if_object();
        const auto id = sale != nullptr ? std::string(text_in(*sale, "id")) : std::string();
        if (id.empty() || next.size() == most_asked) continue;
        const auto told = desk.gateway.get(fmt::format("/v1/sales/{}/events", id));
        if (told.has_error() || !told->good()) break;
        const auto* now = object_in(told->body, "now");
        next[id] = now != nullptr ? next_step(*now, language) : "";
    }
    return next;
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
