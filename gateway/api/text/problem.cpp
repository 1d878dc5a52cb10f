// Renders problems, so that a person reads what went wrong and what to do, and the little that has no file of its own.
#include "api/text/renderers.hpp"
#include "base/json_members.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway::text {
namespace {

namespace json = boost::json;

// Lists the fields that a refusal names, each with what is wrong with it.
std::string fields_of(const Page& page, const json::object& problem) {
    std::string text;
    if (const auto* errors = array_in(problem, "errors"))
        for (const auto& one : *errors)
            if (const auto* error = one.if_object()) {
                auto field = text_in(*error, "pointer");
                if (field.starts_with('/')) field.remove_prefix(1);
                text += "  " +
                        page.say("text.field",
                                 {{"field", printable(field)}, {"detail", page.cause(text_in(*error, "detail"))}}) +
                        '\n';
            }
    return text;
}

std::string what_is_wrong(const Question& question, const json::object& problem, bool names_code) {
    const auto& page = question.page;
    const auto code = text_in(problem, "code");
    if (code == "not_found" && question.request.route.starts_with("/v1/sales/{id}"))
        return page.say("text.no_sale",
                        {{"address", question.address()}, {"id", printable(question.request.parameter("id"))}});
    if (question.status == http::status::accepted) return page.say("text.in_doubt");
    if (page.is_english()) {
        const auto detail = printable(text_in(problem, "detail"));
        return names_code ? page.say("text.with_code", {{"detail", detail}, {"code", printable(code)}}) : detail;
    }
    const auto key = fmt::format("problem.{}", code);
    const bool is_known = page.words.has(key);
    auto text = fmt::format("{} {}", page.say(is_known ? key : "problem.other"),
                            page.say(is_known ? key + ".do" : "problem.do"));
    if (!is_known) text += "\n  " + printable(text_in(problem, "detail"));
    return text;
}

}  // namespace

Rendered problem(const Question& question, const json::object& problem, const Rendering* rendering) {
    const auto& page = question.page;
    const bool names_code = rendering != nullptr && rendering->names_code;
    auto text = page.say("text.error", {{"what", what_is_wrong(question, problem, names_code)}}) + '\n';
    if (!page.is_english()) text += fields_of(page, problem);
    const auto hint =
        rendering != nullptr && rendering->hint != nullptr ? rendering->hint(question, problem) : std::string();
    if (!hint.empty()) text += "  " + hint + '\n';
    return {.text = std::move(text), .exit = 1};
}

// A browser keeps what stands behind the # to itself, so that the secret is in no request and in no log.
Rendered console_link(const Question&, const Answers& answers) {
    const auto& link = answers.front();
    return {.text = printable(text_in(link, "url")) + "#link=" + printable(text_in(link, "secret")) + '\n'};
}

std::string hint_of_console(const Question& question, const json::object&) {
    return question.status == http::status::not_found ? question.page.say("text.hint.console") : std::string();
}

}  // namespace gateway::text
