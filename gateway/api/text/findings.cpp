// Renders what does not agree with the provider's statements: a table, and under it what each kind of finding means and
// what to do about it.
#include "api/text/renderers.hpp"
#include "api/text/table.hpp"
#include "base/in_words.hpp"
#include "base/json_members.hpp"
#include "base/strict_json.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <set>

namespace gateway::text {
namespace {

namespace json = boost::json;

// Returns "R$ 49,90 EFETIVADA", or a dash where that side has nothing.
std::string saying_of(const json::object& finding, std::string_view side) {
    const auto* saying = object_in(finding, side);
    if (saying == nullptr) return "-";
    return fmt::format("{} {}", money_in_words(number_in(*saying, "valor").value_or(0)),
                       printable(text_in(*saying, "status")));
}

std::string number_text(const json::object& object, std::string_view name) {
    const auto number = number_in(object, name);
    return number ? std::to_string(*number) : std::string();
}

std::string end_of(const Page& page, const json::object& finding) {
    const auto* closed = object_in(finding, "closed");
    if (closed == nullptr) return {};
    return printable(page.is_english() ? std::string(text_in(*closed, "as"))
                                       : page.words.word("finding_end", text_in(*closed, "as")));
}

// The longest kind is unconfirmed_there. The Portuguese words for a kind have a line of their own.
constexpr std::size_t kind_indent = 21;

// Returns what a person said of it, as in "rita: claimed"; empty where nobody said anything.
std::string last_word(const json::object& finding) {
    const auto* closed = object_in(finding, "closed");
    if (closed == nullptr) return printable(text_in(finding, "note"));
    const auto by = printable(text_in(*closed, "by"));
    const auto note = printable(text_in(*closed, "note"));
    return by.empty() || note.empty() ? by + note : by + ": " + note;
}

std::string findings_table(const Page& page, const json::array& findings) {
    if (findings.empty()) return {};
    std::vector<Column> columns{{.head = page.say("text.finding.number"), .right = true},
                                {.head = page.say("text.finding.day")},
                                {.head = page.say("text.finding.kind"), .alarming = true},
                                {.head = "idExterno"},
                                {.head = page.say("text.finding.here"), .leaves = 2},
                                {.head = page.say("text.finding.there"), .leaves = 2},
                                {.head = page.say("text.finding.line"), .right = true, .leaves = 1},
                                {.head = page.say("text.finding.closed")}};
    std::string sentences;
    std::set<std::string> said;
    for (const auto& one : findings) {
        const auto* finding = one.if_object();
        if (finding == nullptr) continue;
        const auto kind = page.is_english() ? printable(text_in(*finding, "kind"))
                                            : page.words.word("finding_kind", text_in(*finding, "kind"));
        const std::array cells{number_text(*finding, "id"),
                               page.day(text_in(*finding, "day")),
                               kind,
                               printable(text_in(*finding, "idExterno")),
                               saying_of(*finding, "ours"),
                               saying_of(*finding, "theirs"),
                               number_text(*finding, "line"),
                               end_of(page, *finding)};
        for (std::size_t i = 0; i < cells.size(); ++i)
            columns[i].cells.push_back(cells.at(i));
        if (said.insert(kind).second) {
            const auto sentence = printable(text_in(*finding, "detail"));
            sentences += page.is_english() ? page.paragraph(kind, sentence, kind_indent)
                                           : "  " + page.faint(kind) + '\n' + page.paragraph("", sentence, kind_indent);
        }
        // The table's columns do not say what is about a day as a whole, or about a row that no id tells.
        for (const auto& more : {page.cause(text_in(*finding, "found")), last_word(*finding)})
            if (!more.empty())
                sentences += page.paragraph("", fmt::format("{}: {}", number_text(*finding, "id"), more), kind_indent);
    }
    return table(page, columns) + "\n" + sentences;
}

const json::array& findings_in(const json::object& body) {
    static const json::array none;
    const auto* all = array_in(body, "findings");
    return all != nullptr ? *all : none;
}

// Renders some findings of a statement, and says whether there are more of them.
std::string findings_of(const Page& page, const json::array& shown, bool has_more) {
    auto text = shown.empty() ? std::string() : '\n' + findings_table(page, shown);
    if (has_more) text += page.say("text.statement.more") + '\n';
    return text;
}

bool has_more(const json::object& body, std::int64_t all) {
    return array_in(body, "findings") != nullptr && static_cast<std::int64_t>(findings_in(body).size()) < all;
}

// Returns the findings without the sales that are missing there.
json::array others_than_missing(const json::array& findings) {
    json::array others;
    for (const auto& one : findings)
        if (const auto* finding = one.if_object(); finding != nullptr && text_in(*finding, "kind") != "missing_there")
            others.push_back(one);
    return others;
}

}  // namespace

Rendered findings(const Question& question, const Answers& answers) {
    const auto& page = question.page;
    const auto& all = findings_in(answers.front());
    auto text = all.empty() ? page.say("text.finding.none") + '\n' : findings_table(page, all);
    if (!text_in(answers.front(), "next").empty()) text += page.faint(page.say("text.sales.more")) + '\n';
    return {.text = std::move(text)};
}

Rendered resolved_finding(const Question& question, const Answers& answers) {
    const auto& page = question.page;
    const auto& finding = answers.front();
    auto text = findings_table(page, json::array{finding});
    const auto asked = parse_strict_json(question.request.body);
    const auto note = asked.has_value() && asked->is_object() ? text_in(asked->get_object(), "note") : "";
    const auto* closed = object_in(finding, "closed");
    if (closed != nullptr && text_in(*closed, "note") == note) return {.text = std::move(text)};
    const auto why = page.say("text.finding.closed_before", {{"number", number_text(finding, "id")}});
    return {.text = text + page.say("text.error", {{"what", why}}) + '\n', .exit = 1};
}

Rendered statement(const Question& question, const Answers& answers) {
    const auto& page = question.page;
    const auto& body = answers.front();
    const auto* read = object_in(body, "statement");
    if (read == nullptr) return {};
    const auto count = [&](std::string_view name) { return number_in(*read, name).value_or(0); };
    const bool is_known = flag_in(body, "alreadyImported").value_or(false);
    auto text = page.say(is_known ? "text.statement.known" : "text.statement.summary",
                         {{"day", page.day(text_in(*read, "day"))},
                          {"rows", count("rows")},
                          {"matched", count("matched")},
                          {"others", count("others")},
                          {"findings", count("findings")}}) +
                '\n';
    if (const auto now = number_in(*read, "supersededBy"))
        text += page.say("text.statement.superseded", {{"number", *now}}) + '\n';
    const auto& shown = findings_in(body);
    const bool more = has_more(body, count("findings"));
    const auto others = others_than_missing(shown);
    if (count("rows") > count("others") || others.size() == shown.size())
        return {.text = text + findings_of(page, shown, more)};
    // None of its rows is the store's, so that all of the store's sales are missing there. That is one fact.
    const auto missing =
        (more ? count("findings") : static_cast<std::int64_t>(shown.size())) - static_cast<std::int64_t>(others.size());
    text += page.say("text.statement.empty", {{"day", page.day(text_in(*read, "day"))}, {"number", missing}}) + '\n';
    return {.text = text + findings_of(page, others, more)};
}

// Renders what came of asking for single sales.
Rendered inquiry(const Question& question, const Answers& answers) {
    const auto& page = question.page;
    const auto& body = answers.front();
    const auto count = [&](std::string_view name) { return number_in(body, name).value_or(0); };
    const auto* read = object_in(body, "statement");
    const auto differing = read == nullptr ? 0 : number_in(*read, "findings").value_or(0);
    auto text = count("asked") == 0
                    ? page.say("text.inquiry.none")
                    : page.say("text.inquiry.summary",
                               {{"asked", count("asked")}, {"answered", count("answered")}, {"findings", differing}});
    text += '\n';
    if (count("asked") > 0 && count("left") > 0)
        text += page.say("text.inquiry.left", {{"number", count("left")}}) + '\n';
    if (const auto why = text_in(body, "ended"); count("asked") > 0 && !why.empty())
        text += page.say("text.inquiry.ended", {{"why", page.cause(why)}}) + '\n';
    return {.text = text + findings_of(page, findings_in(body), has_more(body, differing))};
}

}  // namespace gateway::text
