#include "api/findings.hpp"

#include "api/json_values.hpp"
#include "api/query.hpp"
#include "api/request_rules.hpp"
#include "api/sale_answer.hpp"
#include "base/wall_time.hpp"
#include "families/field_reader.hpp"
#include "families/plain_text.hpp"
#include "reconcile/finding.hpp"

#include <boost/json.hpp>

namespace gateway {
namespace {

namespace json = boost::json;
using http::status;
using http::verb;

// Of a note. A page of text is a document, and belongs elsewhere.
constexpr std::size_t longest_note = 4000;
constexpr std::size_t longest_findings_page = 500;

json::value saying_json(const std::optional<Saying>& saying) {
    if (!saying) return nullptr;
    return json::object{{"valor", saying->valor.value}, {"status", to_string(saying->status)}};
}

json::value closed_json(const std::optional<Finding::Closed>& closed) {
    if (!closed) return nullptr;
    return json::object{{"at", to_rfc3339(closed->at)},
                        {"as", to_string(closed->as)},
                        {"by", text_or_null(closed->by)},
                        {"note", text_or_null(closed->note)}};
}

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
    const auto words = in_words(finding.kind);
    const auto sentence = language == Language::portuguese ? words.portuguese : words.english;
    return {{"id", finding.number},
            {"kind", to_string(finding.kind)},
            {"severity", to_string(severity_of(finding.kind))},
            {"detail", sentence},
            {"found", text_or_null(finding.detail)},
            {"day", to_text(finding.day)},
            {"statement", finding.statement},
            {"line", finding.line > 0 ? json::value(finding.line) : json::value(nullptr)},
            {"sale", finding.sale ? json::value(finding.sale->text()) : json::value(nullptr)},
            {"idExterno", text_or_null(finding.id_externo)},
            {"idTransacao", text_or_null(finding.id_transacao)},
            {"nsu", text_or_null(finding.nsu)},
            {"estabelecimento", text_or_null(finding.estabelecimento)},
            {"ours", saying_json(finding.ours)},
            {"theirs", saying_json(finding.theirs)},
            {"asks", to_string(finding.asks)},
            {"pending", finding.pending},
            {"effect", text_or_null(finding.effect)},
            {"open", !finding.closed},
            {"openedAt", to_rfc3339(finding.opened_at)},
            {"closed", closed_json(finding.closed)},
            {"note", text_or_null(finding.note)}};
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

void FindingsApi::add_to(http::Router& router) {
    router.add(verb::get, "/v1/findings", [this](http::Request& request) { return list(request); });
    router.add(verb::get, "/v1/findings/{id}", [this](http::Request& request) { return one(request); });
    router.add(verb::post, "/v1/findings/{id}/resolve", [this](http::Request& request) { return resolve(request); });
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

}  // namespace gateway
