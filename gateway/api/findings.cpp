#include "api/findings.hpp"

#include "api/json_values.hpp"
#include "api/openapi/shared.hpp"
#include "api/query.hpp"
#include "api/request_rules.hpp"
#include "api/sale_answer.hpp"
#include "base/wall_time.hpp"
#include "families/field_reader.hpp"
#include "families/plain_text.hpp"
#include "reconcile/finding.hpp"
#include "words/words.hpp"

#include <boost/json.hpp>

namespace gateway {

namespace openapi {
namespace {

namespace json = boost::json;

constexpr Written<Saying> saying_members[] = {
    {{"valor", count, "Cents.", "1099"}, [](const Saying& saying) { return json::value(saying.valor.value); }},
    {{"status", a("Status"), "", "CANCELADA"},
     [](const Saying& saying) { return json::value(to_string(saying.status)); }},
};
constexpr auto saying_fields = fields_of(saying_members);

json::value saying_json(const std::optional<Saying>& saying) {
    return saying ? json::value(write(saying_members, *saying)) : nullptr;
}

constexpr Written<Finding::Closed> finding_end_members[] = {
    {{"at", a("Time"), "", "2024-05-03T12:00:00.000Z"},
     [](const Finding::Closed& end) { return json::value(to_rfc3339(end.at)); }},
    {{"as", Type{R"("enum":["resolved","corrected","settled","other_day"])"},
      "`resolved`: a person looked into it. `corrected`: a later statement of the day does not say it any more. "
      "`settled`: the statement decided the sale. `other_day`: what was missing stands in another day's statement.",
      "resolved"},
     [](const Finding::Closed& end) { return json::value(to_string(end.as)); }},
    {{"by", or_null(text), "", "maria"}, [](const Finding::Closed& end) { return text_or_null(end.by); }},
    {{"note", or_null(text), "", "Taken back, says the provider."},
     [](const Finding::Closed& end) { return text_or_null(end.note); }},
};
constexpr auto finding_end_fields = fields_of(finding_end_members);

json::value closed_json(const std::optional<Finding::Closed>& closed) {
    return closed ? json::value(write(finding_end_members, *closed)) : nullptr;
}

// A finding, and the language of the sentence about it.
struct SaidFinding {
    const Finding& finding;
    Language language;
};

std::string sentence_of(const SaidFinding& said) {
    return Words::in(said.language).word("finding_means", to_string(said.finding.kind));
}

constexpr Written<SaidFinding> finding_members[] = {
    {{"id", count_from_one, "", "7"}, [](const SaidFinding& said) { return json::value(said.finding.number); }},
    {{"kind", a("FindingKind"), "", "sold_there"},
     [](const SaidFinding& said) { return json::value(to_string(said.finding.kind)); }},
    {{"severity", Type{R"("enum":["note","warning","alarm"])"}, "", "alarm"},
     [](const SaidFinding& said) { return json::value(to_string(severity_of(said.finding.kind))); }},
    {{"detail", text, "What it means and what to do.",
      "It is not sold here and nobody paid, but the provider has it as sold: have the provider take it back at once, "
      "with the sale's history as evidence."},
     [](const SaidFinding& said) { return json::value(sentence_of(said)); }},
    {{"found", or_null(text),
      "What the other fields do not say. Of a finding about a day as a whole: what stands there and what should. Of a "
      "row that nobody here knows: the sales that are missing there with the same amount and about the same time, "
      "which are the likeliest; no id says so.",
      "null"},
     [](const SaidFinding& said) { return text_or_null(said.finding.detail); }},
    {{"day", a("Day"), "", "2024-05-02"},
     [](const SaidFinding& said) { return json::value(to_text(said.finding.day)); }},
    {{"statement", integer, "The last statement that says it.", "3"},
     [](const SaidFinding& said) { return json::value(said.finding.statement); }},
    {{"line", or_null(integer), "Of that statement.", "12"},
     [](const SaidFinding& said) { return said.finding.line > 0 ? json::value(said.finding.line) : json::value(); }},
    {{"sale", or_null(a("SaleId"))},
     [](const SaidFinding& said) {
         return said.finding.sale ? json::value(said.finding.sale->text()) : json::value();
     }},
    {{"idExterno", or_null(text), "", "01JD3W4Q90C4D8E1F5G7H9J2KM"},
     [](const SaidFinding& said) { return text_or_null(said.finding.id_externo); }},
    {{"idTransacao", or_null(text), "", "7781200"},
     [](const SaidFinding& said) { return text_or_null(said.finding.id_transacao); }},
    {{"nsu", or_null(text), "", "null"}, [](const SaidFinding& said) { return text_or_null(said.finding.nsu); }},
    {{"estabelecimento", or_null(text), "", "12345678"},
     [](const SaidFinding& said) { return text_or_null(said.finding.estabelecimento); }},
    {{"ours", or_null(a("Saying"))}, [](const SaidFinding& said) { return saying_json(said.finding.ours); }},
    {{"theirs", or_null(a("Saying")), "", R"({"valor":1099,"status":"EFETIVADA"})"},
     [](const SaidFinding& said) { return saying_json(said.finding.theirs); }},
    {{"asks", Type{R"("enum":["nothing","repeat_confirm","repeat_cancel","settle","person"])"},
      "What should be done. `settle`: the row may decide the open sale; `sales-gateway resolve` with its id does, or "
      "the gateway with `statement.settle`.",
      "person"},
     [](const SaidFinding& said) { return json::value(to_string(said.finding.asks)); }},
    {{"pending", boolean, "Whether the gateway does it by itself, and has not yet.", "false"},
     [](const SaidFinding& said) { return json::value(said.finding.pending); }},
    {{"effect", or_null(Type{R"("enum":["nothing","settled","repeated","contradiction"])"}), "What came of that.",
      "contradiction"},
     [](const SaidFinding& said) { return text_or_null(said.finding.effect); }},
    {{"open", boolean, "", "true"}, [](const SaidFinding& said) { return json::value(!said.finding.closed); }},
    {{"openedAt", a("Time"), "", "2024-05-03T09:11:12.020Z"},
     [](const SaidFinding& said) { return json::value(to_rfc3339(said.finding.opened_at)); }},
    {{"closed", or_null(a("FindingEnd")), "", "null"},
     [](const SaidFinding& said) { return closed_json(said.finding.closed); }},
    {{"note", or_null(text), "Of an open one: what a person said of it before it opened once more.", "null"},
     [](const SaidFinding& said) { return text_or_null(said.finding.note); }},
};
constexpr auto finding_fields = fields_of(finding_members);

}  // namespace
}  // namespace openapi

namespace {

namespace json = boost::json;
using http::status;

// Of a note. A page of text is a document, and belongs elsewhere.
constexpr std::size_t longest_note = 4000;
constexpr std::size_t longest_findings_page = 500;

ResultOrResponse<FindingFilter> read_findings_request(const http::Request& request) {
    Query query(request, {"open", "kind", "day", "statement", "limit", "cursor"});
    FindingFilter filter;
    filter.open = query.flag("open");
    filter.kind =
        query.parsed("kind", parse_finding_kind, "must be a kind of finding, such as sold_there or missing_there");
    filter.day = query.day("day");
    filter.statement = query.parsed("statement", whole_number<std::int64_t>, "must be the id of a statement");
    filter.limit = query.count("limit", longest_findings_page).value_or(filter.limit);
    filter.before = query.parsed("cursor", whole_number<std::int64_t>, "must be the \"next\" of the page before");
    if (query.failed()) return query.refusal();
    return filter;
}

struct FindingWord {
    std::string note;
    std::string by;
};

ResultOrResponse<FindingWord> read_word(const http::Request& request) {
    auto body = json_object_body(request);
    if (body.has_error()) return body.error();
    FieldErrors errors;
    FieldReader reader(*body, errors);
    FindingWord word;
    const auto note = reader.take("note");
    if (!note)
        reader.fail("note", "is missing: say what was found out");
    else if (!note->is_string() || note->get_string().empty() || note->get_string().size() > longest_note)
        reader.fail("note", "must be a text of 1 to 4000 bytes");
    else
        word.note = std::string(note->get_string());
    if (reader.has("by")) word.by = reader.text_that("by", is_name, name_in_words);
    for (const auto& field : *body)
        errors.push_back({.pointer = reader.pointer(field.key()), .detail = "is not a field of this call"});
    if (errors.empty()) return word;
    return field_errors(request, std::move(errors));
}

std::optional<std::int64_t> number_of(const http::Request& request) {
    return whole_number<std::int64_t>(request.parameter("id"));
}

http::Response no_finding_answer(const http::Request& request) {
    return refuse(request, status::not_found, "not_found", "There is no such finding.");
}

Language language_asked(const http::Request& request) {
    return preferred_language(request.header("Accept-Language"));
}

}  // namespace

json::object finding_json(const Finding& finding, Language language) {
    const openapi::SaidFinding said{finding, language};
    return openapi::write(openapi::finding_members, said);
}

// Those that nobody opens are left out: what is about a file as a whole refuses the file, but for count and total.
void expose_findings(Exposition& out, const std::map<FindingKind, std::int64_t>& open) {
    out.metric("gateway_findings_open", "gauge",
               "What does not agree with the provider's statements, and nobody has closed, by kind.");
    for (const auto kind : all_finding_kinds) {
        const bool is_total = kind == FindingKind::count_differs || kind == FindingKind::total_differs;
        if (severity_of(kind) == FindingSeverity::none || (is_of_a_file(kind) && !is_total)) continue;
        const auto found = open.find(kind);
        out.sample(found == open.end() ? 0 : static_cast<double>(found->second), {{"kind", to_string(kind)}});
    }
}

boost::asio::awaitable<http::Response> FindingsApi::list(http::Request& request) {
    const auto filter = read_findings_request(request);
    if (filter.has_error()) co_return filter.error();
    const auto findings = co_await journal_.findings(*filter);
    if (findings.has_error()) co_return journal_unavailable_answer(request);
    json::array all;
    for (const auto& finding : *findings)
        all.emplace_back(finding_json(finding, language_asked(request)));
    json::value next = nullptr;
    if (findings->size() == filter->limit) next = std::to_string(findings->back().number);
    const json::object body{{"findings", std::move(all)}, {"next", std::move(next)}};
    co_return json_answer(body);
}

boost::asio::awaitable<http::Response> FindingsApi::one(http::Request& request) {
    const FindingFilter filter{.number = number_of(request).value_or(0), .limit = 1};
    const auto found = co_await journal_.findings(filter);
    if (found.has_error()) co_return journal_unavailable_answer(request);
    if (found->empty()) co_return no_finding_answer(request);
    co_return json_answer(finding_json(found->front(), language_asked(request)));
}

boost::asio::awaitable<http::Response> FindingsApi::resolve(http::Request& request) {
    auto word = read_word(request);
    if (word.has_error()) co_return word.error();
    const auto number = number_of(request);
    if (!number) co_return no_finding_answer(request);
    const auto finding =
        co_await reconciler_.resolve(*number, std::move(word->note), decided_by(request, std::move(word->by)));
    if (finding.has_error() && finding.error() == errc::not_found) co_return no_finding_answer(request);
    if (finding.has_error()) co_return journal_unavailable_answer(request);
    co_return json_answer(finding_json(*finding, language_asked(request)));
}

namespace openapi {
namespace {

constexpr Word finding_kind_words[] = {
    {"matched"},           {"amount_differs"},   {"store_differs"},    {"sold_twice"},    {"reversed_there"},
    {"unconfirmed_there"}, {"other_day"},        {"missing_there"},    {"sold_there"},    {"open_there"},
    {"settles_sold"},      {"settles_not_sold"}, {"still_open"},       {"unknown_here"},  {"counted_only"},
    {"wrong_day"},         {"wrong_network"},    {"already_imported"}, {"count_differs"}, {"total_differs"},
    {"unreadable_line"},
};

constexpr Field finding_list_fields[] = {
    {"findings", list_of(a("Finding"))},
    {"next", or_null(text), "`cursor` of the page that follows.", "null"},
};

constexpr Field finding_word_fields[] = {
    {"note", Type{R"("type":"string","minLength":1,"maxLength":4000)"}, "", "Taken back, says the provider."},
    maybe({"by", short_text, "", "maria"}),
};

constexpr Parameter finding_id{"id", text, "The finding's number.", "", In::path};

Answer finding_not_found() {
    auto answer = refuses(404, "There is no such finding.", {{"not_found", "There is no such finding."}});
    answer.component = "FindingNotFound";
    return answer;
}

constexpr Schema all_finding_schemas[] = {
    {.name = "FindingKind",
     .description =
         R"(What was found. "There" is the provider's side, "here" ours; the detail of a finding says what to do.)",
     .type = one_of(finding_kind_words)},
    {.name = "Saying", .description = "What one side says of an attempt.", .type = object(saying_fields)},
    {.name = "Finding",
     .description = "What does not agree with a statement. The same disagreement of a day keeps its number.",
     .type = object(finding_fields)},
    {.name = "FindingEnd", .type = object(finding_end_fields)},
    {.name = "FindingList", .type = object(finding_list_fields)},
    {.name = "FindingWord", .type = object(finding_word_fields)},
};

}  // namespace

std::span<const Schema> finding_schemas() {
    return all_finding_schemas;
}

Description list_findings() {
    return {.id = "listFindings",
            .summary = "What does not agree with the provider's statements, newest first",
            .tag = "Books",
            .text =
                "A parameter that is not here is an error. `detail` is in Portuguese or English, as `Accept-Language` "
                "asks.",
            .parameters = {{"open", yes_or_no, "Whether nobody has closed it."},
                           {"kind", a("FindingKind"), "Of this kind."},
                           {"day", a("Day"), "Of a statement of this day."},
                           {"statement", count_from_one, "That this statement says."},
                           {"limit", Type{R"("type":"integer","minimum":1,"maximum":500,"default":100)"},
                            "How many at most."},
                           {"cursor", text, "`next` of the page before."}},
            .answers = {gives(200, "A page of findings.", a("FindingList"), {{"page"}}),
                        wrong_parameters("limit", "must be a whole number from 1 to 500"),
                        journal_unavailable_for_operators()}};
}

Description get_finding() {
    return {.id = "getFinding",
            .summary = "One finding",
            .tag = "Books",
            .text = "What both sides say, what it asks for and what was done about it.",
            .parameters = {finding_id},
            .answers = {gives(200, "The finding.", a("Finding"), {{"usual"}}), finding_not_found(),
                        journal_unavailable_for_operators()}};
}

Description resolve_finding() {
    return {
        .id = "resolveFinding",
        .summary = "What a person found out about a finding: it is closed",
        .tag = "Books",
        .text = "One that is closed already stays as it is, and is the answer.",
        .parameters = {finding_id},
        .body = takes(a("FindingWord"), {whole("seen", R"({"note":"Taken back, says the provider.","by":"maria"})")}),
        .answers = {
            gives(200, "The finding as it is now.", a("Finding"),
                  {{"closed", R"({"open":false,"closed":{"at":"2024-05-03T12:00:00.000Z","as":"resolved","by":"maria",
        "note":"Taken back, says the provider."}})"}}),
            not_json(), finding_not_found(), not_declared_as_json(),
            refuses(422, "What is wrong with which field.", {invalid("note", "is missing: say what was found out")}),
            journal_unavailable_for_operators()}};
}

}  // namespace openapi

}  // namespace gateway
