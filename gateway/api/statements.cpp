#include "api/statements.hpp"

#include "api/findings.hpp"
#include "api/language.hpp"
#include "api/openapi/shared.hpp"
#include "api/query.hpp"
#include "api/request_rules.hpp"
#include "api/sale_answer.hpp"
#include "words/sentences.hpp"

namespace gateway {

namespace openapi {
namespace {

constexpr Written<KeptStatement> statement_members[] = {
    {{"id", count_from_one, "", "3"}, its<&KeptStatement::id>},
    {{"day", a("Day"), "", "2024-05-02"}, its<&KeptStatement::day>},
    {{"source", Type{R"("enum":["file","folder","list","status"])"},
      "`status`: the provider was asked for single sales.", "file"},
     its<&KeptStatement::source>},
    {{"network", or_null(text), "The network that the header of the statement names.", "4711"},
     its<&KeptStatement::network>},
    {{"digest", sha256_text, "SHA-256 of its bytes.",
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
     its<&KeptStatement::digest>},
    {{"readAt", a("Time"), "", "2024-05-03T09:11:12.020Z"}, its<&KeptStatement::read_at>},
    {{"by", or_null(text), "", "maria"}, its<&KeptStatement::by>},
    {{"headerMoney", or_null(Type{R"("enum":["cents","comma","point"])"}), "The unit of its header's total.", "cents"},
     its<&KeptStatement::header_money>},
    {{"rows", integer, "", "129"}, its<&KeptStatement::rows>},
    {{"matched", integer, "Rows on which both sides agree.", "127"}, its<&KeptStatement::matched>},
    {{"others", integer, "Rows that are not this gateway's, or not sold.", "1"}, its<&KeptStatement::others>},
    {{"findings", integer, "", "1"}, its<&KeptStatement::findings>},
    {{"replaced", or_null(integer), "The statement of the day that counted until then.", "null"},
     its<&KeptStatement::replaced>},
    {{"supersededBy", or_null(integer), "The statement that counts for the day now, where that is another one.",
      "null"},
     its<&KeptStatement::superseded>},
};

struct StatementPage {
    std::vector<KeptStatement> statements;
    std::optional<std::string> next;
};
constexpr Written<StatementPage> statement_list_members[] = {
    {{"statements", list_of(a("Statement"))},
     [](const StatementPage& page) { return parts(statement_members, page.statements); }},
    {{"next", or_null(text), "The `cursor` of the page that follows.", "null"}, its<&StatementPage::next>},
};

struct ToldReport {
    const StatementReport& report;
    std::vector<SaidFinding> findings;
};
constexpr Written<ToldReport> statement_report_members[] = {
    {{"alreadyImported", boolean, "", "true"}, [](const ToldReport& told) { return told.report.already_imported; }},
    {{"statement", a("Statement")},
     [](const ToldReport& told) { return part(statement_members, told.report.statement); }},
    {{"findings", list_of(a("Finding"), R"("maxItems":100)")},
     [](const ToldReport& told) { return in_parts(told.findings); }},
};

struct ToldInquiry {
    const InquiryReport& report;
    std::vector<SaidFinding> findings;
};
constexpr Written<ToldInquiry> inquiry_report_members[] = {
    {{"asked", Type{R"("type":"integer","minimum":0,"maximum":200)"}, "", "0"},
     [](const ToldInquiry& told) { return told.report.asked; }},
    {{"answered", count, "For how many of these the provider answered.", "0"},
     [](const ToldInquiry& told) { return told.report.answered; }},
    {{"left", count,
      "How many sales were not asked for, because one call does not ask for so many, or because it ended early.", "0"},
     [](const ToldInquiry& told) { return told.report.left; }},
    {{"ended", or_null(text), "Why it ended early.", "null"},
     [](const ToldInquiry& told) -> const std::string& { return told.report.ended; }},
    {{"statement", or_null(a("Statement")), "What the answers are kept as; null where there were none.", "null"},
     [](const ToldInquiry& told) {
         const auto& statement = told.report.statement.statement;
         return part(statement_members, statement.id > 0 ? &statement : nullptr);
     }},
    {{"findings", list_of(a("Finding"), R"("maxItems":100)"), "The findings about the sales that were asked for.",
      "[]"},
     [](const ToldInquiry& told) { return in_parts(told.findings); }},
};

}  // namespace
}  // namespace openapi

namespace {

using http::status;

// A page may be as long as one of findings.
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

// A statement is a text in whatever encoding, because the configuration says how it is to be read.
bool is_statement_type(const http::Request& request) {
    const auto type = http::parse_media_type(request.header("Content-Type"));
    return type && (type->name == "text/plain" || type->name == "text/csv" || type->name == "application/octet-stream");
}

boost::asio::awaitable<http::Response> inquiry_answer(const InquiryReport& report, const http::Request& request,
                                                      Journal& journal) {
    auto findings = co_await said(report.statement.findings, request, journal);
    const openapi::ToldInquiry told{report, std::move(findings)};
    co_return json_text_answer(openapi::write(openapi::inquiry_report_members, told));
}

boost::asio::awaitable<http::Response> report_answer(const StatementReport& report, const http::Request& request,
                                                     Journal& journal) {
    auto findings = co_await said(report.findings, request, journal);
    const openapi::ToldReport told{report, std::move(findings)};
    co_return json_text_answer(openapi::write(openapi::statement_report_members, told),
                               report.already_imported ? status::ok : status::created);
}

http::Response refusal_answer(const StatementRefusal& refusal, const http::Request& request) {
    if (refusal.failure) return journal_unavailable_answer(request);
    const bool is_the_providers = refusal.code == provider_unreachable;
    http::Problem problem{.status = is_the_providers ? status::bad_gateway : status::unprocessable_entity,
                          .code = refusal.code,
                          .detail = told_in(preferred_language(request.header("Accept-Language")), refusal.detail)};
    if (refusal.line > 0) problem.extensions["line"] = refusal.line;
    return http::to_response(problem, request);
}

}  // namespace

boost::asio::awaitable<http::Response> StatementsApi::list(http::Request& request) {
    Query query(request, {"limit", "cursor"});
    const auto limit = query.count("limit", longest_statements_page).value_or(usual_statements_page);
    const auto before = query.parsed("cursor", whole_number<std::int64_t>, "must be the \"next\" of the page before");
    if (query.failed()) co_return query.refusal();
    const StatementFilter filter{.before = before, .limit = limit};
    const auto statements = co_await journal_.statements(filter);
    if (statements.has_error()) co_return journal_unavailable_answer(request);
    openapi::StatementPage page{*statements, std::nullopt};
    if (statements->size() == limit) page.next = std::to_string(statements->back().id);
    co_return json_text_answer(openapi::write(openapi::statement_list_members, page));
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
    if (told.has_error()) co_return refusal_answer(told.error(), request);
    co_return co_await report_answer(*told, request, journal_);
}

// Returns the last day that is over.
Day StatementsApi::yesterday() const {
    return day_before(reconciler_.zone().day_of(clock_.wall()));
}

// Reads yesterday's list where the request names no day.
boost::asio::awaitable<http::Response> StatementsApi::read_list(http::Request& request) {
    if (auto page = no_web_page(request); page.has_error()) co_return page.error();
    if (auto empty = no_body(request); empty.has_error()) co_return empty.error();
    auto question = read_question({request, {"day", "by"}});
    if (question.has_error()) co_return question.error();
    if (!list_.can_list())
        co_return refuse(request, status::not_found, "not_configured",
                         "provider.list_path is not configured: the provider gives no list of a day");
    const auto told =
        co_await list_.read(question->day.value_or(yesterday()), decided_by(request, std::move(question->by)));
    if (told.has_error()) co_return refusal_answer(told.error(), request);
    co_return co_await report_answer(*told, request, journal_);
}

// Asks for yesterday's sales where the request names no day.
boost::asio::awaitable<http::Response> StatementsApi::ask_for_sales(http::Request& request) {
    if (auto page = no_web_page(request); page.has_error()) co_return page.error();
    if (auto empty = no_body(request); empty.has_error()) co_return empty.error();
    auto question = read_question({request, {"day", "by"}});
    if (question.has_error()) co_return question.error();
    if (!inquiry_.can_ask())
        co_return refuse(request, status::not_found, "not_configured",
                         "provider.status_path is not configured: the provider does not say how single sales stand");
    const auto told =
        co_await inquiry_.ask(question->day.value_or(yesterday()), decided_by(request, std::move(question->by)));
    if (told.has_error()) co_return refusal_answer(told.error(), request);
    co_return co_await inquiry_answer(*told, request, journal_);
}

namespace openapi {
namespace {

constexpr Schema all_statement_schemas[] = {
    {.name = "Statement", .type = object_of<statement_members>},
    {.name = "StatementList", .type = object_of<statement_list_members>},
    {.name = "StatementReport", .type = object_of<statement_report_members>},
    {.name = "InquiryReport", .type = object_of<inquiry_report_members>},
};

// Describes what a call that brings a statement is answered.
Answer statement_known() {
    return shared("StatementKnown",
                  gives(200, "It was read before: nothing was changed.", a("StatementReport"), {{"usual"}}));
}
Answer statement_read() {
    return shared("StatementRead", gives(201, "It was read. The first hundred of its findings.", a("StatementReport"),
                                         {{"usual", R"({"alreadyImported":false})"}}));
}
Answer statement_refused() {
    return shared(
        "StatementRefused",
        refuses(
            422,
            "The file was not taken, and nothing of it is kept: it is of another day or network, its own count or "
            "total does not hold, a line is not what the configuration says (`line` is its number), or so much "
            "does not agree that the file or the configuration is wrong. Or a parameter is (`invalid_request`). "
            "`detail` is "
            "in Portuguese or English, as `Accept-Language` asks.",
            {{"invalid_request"},
             {"wrong_day", "it is of 20/11/2026, and was taken for that of 21/11/2026"},
             {"wrong_network"},
             {"count_differs"},
             {"total_differs"},
             {"unreadable_line", R"(line 12, field 6 (valor): "10,990" has three decimals)", alone, R"({"line":12})"},
             {"too_many_findings"},
             {"nothing_matches"}}));
}

}  // namespace

std::span<const Schema> statement_schemas() {
    return all_statement_schemas;
}

Description list_statements() {
    return {.id = "listStatements",
            .summary = "The statements that were read, the last one first",
            .tag = "Books",
            .text = "Each with how much of it agreed, and whether a later one of the same day has taken its place.",
            .parameters = {{"limit", Type{R"("type":"integer","minimum":1,"maximum":500,"default":50)"}},
                           {"cursor", text, "The `next` of the page before."}},
            .answers = {gives(200, "As the gateway knows it now.", a("StatementList"), {{"usual"}}),
                        wrong_parameters("limit", "must be a whole number from 1 to 500"),
                        journal_unavailable_for_operators()}};
}

Description import_statement() {
    return {
        .id = "importStatement",
        .summary = "A statement of the provider's, as its body",
        .tag = "Books",
        .text =
            "How it is read, `[statement]` of the configuration says. It is at most 128 MiB. The answer comes once all "
            "of it is matched with the journal, which may take a while; sales go on meanwhile. A corrected statement "
            "replaces the one before of the same day.",
        .parameters = {{"day", a("Day"), "Which day it must be of: 2026-11-20."},
                       {"by", short_text, "Who brings it."},
                       {"again", Type{R"("type":"boolean","default":false)"},
                        "`true` reads it although it was read before: it counts for its day from now on."}},
        .body = Body{.contents = {{.media = "text/plain", .type = text},
                                  {.media = "text/csv", .type = text},
                                  {.media = "application/octet-stream", .type = text}}},
        .answers = {statement_known(), statement_read(), web_page(),
                    refuses(415, "The body is neither a text nor bytes, or it is compressed.",
                            {{"unsupported_media_type",
                              "Content-Type must be text/plain, text/csv or application/octet-stream"}}),
                    statement_refused(), journal_unavailable_for_operators()}};
}

Description import_list() {
    return {
        .id = "importList",
        .summary = "The provider's own list of a day, as a statement",
        .tag = "Books",
        .text = "Where `provider.list_path` is configured. Without `day` it is yesterday's.",
        .parameters = {{"day", a("Day"), "Which day it must be of: 2026-11-20."}, {"by", short_text, "Who brings it."}},
        .answers = {
            statement_known(), statement_read(), web_page(),
            refuses(404, "`provider.list_path` is not configured.",
                    {{"not_configured", "provider.list_path is not configured: the provider gives no list of a day"}}),
            statement_refused(),
            refuses(502, "The provider gave no list.",
                    {{"provider_unreachable",
                      "the provider answered with HTTP status 404: is the path in provider.base_url or "
                      "provider.list_path right?"}}),
            journal_unavailable_for_operators()}};
}

Description ask_for_sales() {
    return {.id = "askForSales",
            .summary = "Ask the provider how single sales of a day stand",
            .tag = "Books",
            .text =
                "Where `provider.status_path` is configured. Asked for, one by one and at most 200, are the sales of "
                "the day that do not agree with its statement, and those that are open and wait for a person; without "
                "`day` those of yesterday. An answer counts as a row of the day's statement does. Of what the provider "
                "does not know, or did not answer, all stays as it is.",
            .parameters = {{"day", a("Day"), "Of which day: 2026-11-20."}, {"by", short_text, "Who asks."}},
            .answers = {
                gives(200, "What came of it.", a("InquiryReport"), {{"nothing_to_ask_for"}}), web_page(),
                refuses(404, "`provider.status_path` is not configured.",
                        {{"not_configured",
                          "provider.status_path is not configured: the provider does not say how single sales stand"}}),
                wrong_parameters("day", "must be a date: 2026-11-20"),
                refuses(502, "The provider answered nothing, and nothing was changed.",
                        {{"provider_unreachable", "the provider answered with HTTP status 503"}}),
                journal_unavailable_for_operators()}};
}

}  // namespace openapi

}  // namespace gateway
