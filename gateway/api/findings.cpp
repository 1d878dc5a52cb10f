#include "api/findings.hpp"

#include "api/request_rules.hpp"
#include "api/sale_answer.hpp"
#include "base/wall_time.hpp"
#include "families/field_reader.hpp"
#include "families/plain_text.hpp"
#include "reconcile/finding.hpp"

#include <boost/json.hpp>

#include <array>
#include <charconv>
#include <set>

namespace gateway {
namespace {

namespace json = boost::json;
using http::status;
using http::verb;

// No name of a person is longer.
constexpr std::size_t longest_name = 64;
// Of a note. A page of text is a document, and belongs elsewhere.
constexpr std::size_t longest_note = 4000;
constexpr std::size_t longest_findings_page = 500;

json::value text_or_null(std::string_view text) {
    return text.empty() ? json::value(nullptr) : json::value(text);
}

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

// Reads one parameter into the filter; what would be right, where it is wrong.
using FindingParameterReader = std::string (*)(std::string_view text, FindingFilter& filter);

template <class Number>
bool read_whole(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && number >= 1;
}

std::string read_open(std::string_view text, FindingFilter& filter) {
    filter.open = text == "true";
    return text == "true" || text == "false" ? "" : "must be true or false";
}

std::string read_kind(std::string_view text, FindingFilter& filter) {
    filter.kind = parse_finding_kind(text);
    return filter.kind ? "" : "must be a kind of finding, such as sold_there or missing_there";
}

std::string read_day(std::string_view text, FindingFilter& filter) {
    filter.day = parse_day(text);
    return filter.day ? "" : "must be a day such as 2026-11-20";
}

std::string read_statement(std::string_view text, FindingFilter& filter) {
    filter.statement.emplace();
    return read_whole(text, *filter.statement) ? "" : "must be the id of a statement";
}

std::string read_findings_limit(std::string_view text, FindingFilter& filter) {
    return read_whole(text, filter.limit) && filter.limit <= longest_findings_page
               ? ""
               : "must be a whole number from 1 to 500";
}

std::string read_findings_cursor(std::string_view text, FindingFilter& filter) {
    filter.before.emplace();
    return read_whole(text, *filter.before) ? "" : "must be the \"next\" of the page before";
}

struct FindingParameter {
    std::string_view name;
    FindingParameterReader read;
};
constexpr std::array finding_parameters{
    FindingParameter{"open", read_open},
    FindingParameter{"kind", read_kind},
    FindingParameter{"day", read_day},
    FindingParameter{"statement", read_statement},
    FindingParameter{"limit", read_findings_limit},
    FindingParameter{"cursor", read_findings_cursor},
};

ResultOrResponse<FindingFilter> read_findings_request(const http::Request& request) {
    FindingFilter filter;
    FieldErrors errors;
    std::set<std::string_view> seen;
    for (const auto& [name, value] : request.query) {
        const auto* const known = std::ranges::find(finding_parameters, name, &FindingParameter::name);
        std::string wrong;
        if (known == finding_parameters.end())
            wrong = "is not a parameter of this list";
        else if (!seen.insert(known->name).second)
            wrong = "must stand only once";
        else
            wrong = known->read(value, filter);
        if (!wrong.empty()) errors.push_back({.pointer = "/" + name, .detail = std::move(wrong)});
    }
    if (errors.empty()) return filter;
    return field_errors(request, std::move(errors));
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
    const auto is_name = [](std::string_view text) noexcept { return is_plain_text(text, longest_name); };
    if (reader.has("by"))
        word.by = reader.text_that("by", is_name, "a text of 1 to 64 characters without control characters");
    for (const auto& field : *body)
        errors.push_back({.pointer = reader.pointer(field.key()), .detail = "is not a field of this call"});
    if (errors.empty()) return word;
    return field_errors(request, std::move(errors));
}

std::optional<std::int64_t> number_of(const http::Request& request) {
    std::int64_t number = 0;
    return read_whole(request.parameter("id"), number) ? std::optional(number) : std::nullopt;
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
    const auto finding = co_await reconciler_.resolve(*number, std::move(word->note), std::move(word->by));
    if (finding.has_error() && finding.error() == errc::not_found) co_return no_finding_answer(request);
    if (finding.has_error()) co_return journal_unavailable_answer(request);
    co_return json_answer(finding_json(*finding, language_asked(request)));
}

}  // namespace gateway
