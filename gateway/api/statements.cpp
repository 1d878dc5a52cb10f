#include "api/statements.hpp"

#include "api/findings.hpp"
#include "api/json_values.hpp"
#include "api/query.hpp"
#include "api/request_rules.hpp"
#include "api/sale_answer.hpp"
#include "base/wall_time.hpp"

#include <boost/json.hpp>

namespace gateway {
namespace {

namespace json = boost::json;
using http::status;
using http::verb;

// As of findings.
constexpr std::size_t longest_statements_page = 500;
constexpr std::size_t usual_statements_page = 50;

struct StatementQuestion {
    std::optional<Day> day;
    std::string by;
    bool again = false;
};

ResultOrResponse<StatementQuestion> read_question(Query query) {
    StatementQuestion question{
        .day = query.day("day"), .by = query.name("by").value_or(""), .again = query.flag("again").value_or(false)};
    if (query.failed()) return query.refusal();
    return question;
}

// A text in whatever encoding: how it is to be read is configured.
bool is_statement_type(const http::Request& request) {
    const auto type = http::parse_media_type(request.header("Content-Type"));
    return type && (type->name == "text/plain" || type->name == "text/csv" || type->name == "application/octet-stream");
}

json::object statement_json(const KeptStatement& statement) {
    return {{"id", statement.id},
            {"day", to_text(statement.day)},
            {"source", statement.source},
            {"network", text_or_null(statement.network)},
            {"digest", statement.digest},
            {"readAt", to_rfc3339(statement.read_at)},
            {"by", text_or_null(statement.by)},
            {"headerMoney", text_or_null(statement.header_money)},
            {"rows", statement.rows},
            {"matched", statement.matched},
            {"others", statement.others},
            {"findings", statement.findings},
            {"replaced", statement.replaced ? json::value(*statement.replaced) : json::value(nullptr)},
            {"supersededBy", statement.superseded ? json::value(*statement.superseded) : json::value(nullptr)}};
}

json::array findings_json(const StatementReport& report, const http::Request& request) {
    const auto language = preferred_language(request.header("Accept-Language"));
    json::array findings;
    for (const auto& finding : report.findings)
        findings.emplace_back(finding_json(finding, language));
    return findings;
}

// Where nothing was answered, there is no statement.
http::Response inquiry_answer(const InquiryReport& report, const http::Request& request) {
    const auto& statement = report.statement.statement;
    const json::object body{{"asked", report.asked},
                            {"answered", report.answered},
                            {"left", report.left},
                            {"ended", text_or_null(report.ended)},
                            {"statement", statement.id > 0 ? json::value(statement_json(statement)) : nullptr},
                            {"findings", findings_json(report.statement, request)}};
    return json_answer(body, status::ok);
}

http::Response report_answer(const StatementReport& report, const http::Request& request) {
    const json::object body{{"alreadyImported", report.already_imported},
                            {"statement", statement_json(report.statement)},
                            {"findings", findings_json(report, request)}};
    return json_answer(body, report.already_imported ? status::ok : status::created);
}

http::Response refusal_answer(const StatementRefusal& refusal, const http::Request& request) {
    if (refusal.failure) return journal_unavailable_answer(request);
    const bool is_the_providers = refusal.code == provider_unreachable;
    http::Problem problem{.status = is_the_providers ? status::bad_gateway : status::unprocessable_entity,
                          .code = refusal.code,
                          .detail = refusal.detail};
    if (refusal.line > 0) problem.extensions["line"] = refusal.line;
    return http::to_response(problem, request);
}

}  // namespace

void StatementsApi::add_to(http::Router& router) {
    router.add(verb::get, "/v1/statements", [this](http::Request& request) { return list(request); });
    router.add(verb::post, "/v1/statements", [this](http::Request& request) { return read_file(request); });
    router.set_body_limit(verb::post, "/v1/statements", max_statement_bytes);
    router.add(verb::post, "/v1/statements/from-provider",
               [this](http::Request& request) { return read_list(request); });
    router.add(verb::post, "/v1/statements/from-status",
               [this](http::Request& request) { return ask_for_sales(request); });
}

boost::asio::awaitable<http::Response> StatementsApi::list(http::Request& request) {
    Query query(request, {"limit", "cursor"});
    const auto limit = query.count("limit", longest_statements_page).value_or(usual_statements_page);
    const auto before = query.parsed("cursor", whole_number<std::int64_t>, "must be the \"next\" of the page before");
    if (query.failed()) co_return query.refusal();
    const StatementFilter filter{.before = before, .limit = limit};
    const auto statements = co_await journal_.statements(filter);
    if (statements.has_error()) co_return journal_unavailable_answer(request);
    json::array all;
    for (const auto& statement : *statements)
        all.emplace_back(statement_json(statement));
    json::value next = nullptr;
    if (statements->size() == limit) next = std::to_string(statements->back().id);
    const json::object body{{"statements", std::move(all)}, {"next", std::move(next)}};
    co_return json_answer(body);
}

boost::asio::awaitable<http::Response> StatementsApi::read_file(http::Request& request) {
    if (auto page = no_web_page(request); page.has_error()) co_return page.error();
    auto question = read_question({request, {"day", "by", "again"}});
    if (question.has_error()) co_return question.error();
    if (!is_statement_type(request))
        co_return refuse(request, status::unsupported_media_type, "unsupported_media_type",
                         "Content-Type must be text/plain, text/csv or application/octet-stream");
    StatementText text{.bytes = std::move(request.body),
                       .source = "file",
                       .day = question->day,
                       .by = decided_by(request, std::move(question->by))};
    text.again = question->again;
    const auto told = co_await reconciler_.read(std::move(text));
    co_return told.has_value() ? report_answer(*told, request) : refusal_answer(told.error(), request);
}

// The last one that is over.
Day StatementsApi::yesterday() const {
    return day_before(reconciler_.zone().day_of(clock_.wall()));
}

// Without a day it is yesterday's.
boost::asio::awaitable<http::Response> StatementsApi::read_list(http::Request& request) {
    if (auto page = no_web_page(request); page.has_error()) co_return page.error();
    if (auto empty = no_body(request); empty.has_error()) co_return empty.error();
    auto question = read_question({request, {"day", "by"}});
    if (question.has_error()) co_return question.error();
    if (!list_of_day_)
        co_return refuse(request, status::not_found, "not_configured",
                         "provider.list_path is not configured: the provider gives no list of a day");
    const auto told =
        co_await list_of_day_(question->day.value_or(yesterday()), decided_by(request, std::move(question->by)));
    co_return told.has_value() ? report_answer(*told, request) : refusal_answer(told.error(), request);
}

// The same.
boost::asio::awaitable<http::Response> StatementsApi::ask_for_sales(http::Request& request) {
    if (auto page = no_web_page(request); page.has_error()) co_return page.error();
    if (auto empty = no_body(request); empty.has_error()) co_return empty.error();
    auto question = read_question({request, {"day", "by"}});
    if (question.has_error()) co_return question.error();
    if (!inquire_)
        co_return refuse(request, status::not_found, "not_configured",
                         "provider.status_path is not configured: the provider does not say how single sales stand");
    const auto told =
        co_await inquire_(question->day.value_or(yesterday()), decided_by(request, std::move(question->by)));
    co_return told.has_value() ? inquiry_answer(*told, request) : refusal_answer(told.error(), request);
}

}  // namespace gateway
