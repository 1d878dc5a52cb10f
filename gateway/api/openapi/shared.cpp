#include "api/openapi/shared.hpp"

#include "api/openapi/calls.hpp"
#include "api/sale_answer.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway::openapi {
namespace {

constexpr Field field_error_fields[] = {
    {"pointer", Type{R"("type":"string","pattern":"^(/.*)?$")"},
     "Where: a JSON pointer into the body, or `/` and the name of a query parameter.", "/valor"},
    {"detail", some_text, "What would be right.",
     "must be a whole number of cents from 1 to 99999999, as a JSON integer or a string of digits"},
};

constexpr Field problem_fields[] = {
    {"type", Type{R"("const":"about:blank")"}},
    {"title", some_text},
    {"status", Type{R"("type":"integer","minimum":400,"maximum":599)"}, "The HTTP status."},
    {"code", text},
    {"detail", some_text, "One sentence for a person."},
    maybe({"errors", list_of(a("FieldError"), R"("minItems":1)"), "Everything that is wrong with the request."}),
    {"requestId", Type{R"("type":"string","pattern":"^[A-Za-z0-9._-]{1,64}$")"}, "The X-Request-Id of the answer."},
    maybe({"sale", a("Sale")}),
    maybe({"outcome", a("Outcome")}),
    for_operators(maybe({"line", count_from_one, "Of the statement."})),
    for_operators(maybe({"reasons", list_of(some_text, R"("minItems":1)"), "Why the gateway is not ready."})),
    for_tills(maybe({"existing", a("ExistingSale")})),
};

constexpr Schema all_problem_schemas[] = {
    {.name = "FieldError", .type = object(field_error_fields)},
    {.name = "Problem",
     .description = "An error (RFC 9457). Where a sale exists it comes with the problem.",
     .type = object(problem_fields)},
};

constexpr Type outcome_word{R"("enum":["sold","not_sold","held","pending"])"};

constexpr Header header_table[] = {
    {"X-Request-Id", "RequestId",
     "The caller's X-Request-Id, if it sent one of 1 to 64 characters of [A-Za-z0-9._-], else one made by the gateway. "
     "It is in every log line of the request.",
     Type{R"("type":"string","pattern":"^[A-Za-z0-9._-]{1,64}$")"}, request_id_example},
    {"Sale-Id", "SaleId", "The sale that the answer is about.", ulid_text, "01JD3W4Q8Y7RZK5T9V2XB6M0NA", sale_headers,
     false},
    {"Sale-Outcome", "SaleOutcome", "The sale's `outcome`, for tills that would rather not read JSON.", outcome_word,
     "sold", sale_headers, false},
    {"Location", "Location", "Where the sale is: ask there what became of it.",
     Type{R"("type":"string","pattern":"^/v1/sales/[0-9A-HJKMNP-TV-Z]{26}$")"}, "/v1/sales/01JD3W4Q8Y7RZK5T9V2XB6M0NA",
     location},
    {"Retry-After", "RetryAfter", "After how many seconds asking again makes sense.",
     Type{R"("type":"string","pattern":"^[0-9]+$")"}, "2", retry_after},
    {"Idempotency-Replayed", "IdempotencyReplayed",
     "The key was known: this is the answer that its sale's state calls for, and nothing new was sold.",
     Type{R"("const":"true")"}, "true", replayed, false},
    {"Preference-Applied", "PreferenceApplied",
     "The wait that `Prefer` asked for and that was heeded (RFC 7240). Where it is missing, none was asked for, or "
     "what was asked makes no sense, and the usual wait held.",
     Type{R"("type":"string","pattern":"^wait=([1-9][0-9]?|1[01][0-9]|120)$")"}, "wait=25", heeded_wait, false},
    {"Content-Language", "ContentLanguage", "The language that was chosen of the two, as Accept-Language prefers it.",
     Type{R"("enum":["en","pt-BR"])"}, "pt-BR", content_language},
    {"Content-Language", "TextLanguage", "Of text for people: the language that Accept-Language prefers of the two.",
     Type{R"("enum":["en","pt-BR"])"}, "pt-BR", of_text, false},
    {"Vary", "Vary", "Of text for people: what it depends on.", Type{R"("const":"Accept, Accept-Language")"},
     "Accept, Accept-Language", of_text, false},
    {"WWW-Authenticate", "WWWAuthenticate", "How to say who you are.", Type{R"("const":"Bearer")"}, "Bearer",
     authenticate},
    {"Allow", "Allow", "What the path takes.", Type{R"("type":"string","pattern":"^[A-Z]+(, [A-Z]+)*$")"}, "GET, HEAD",
     allow},
};

constexpr Parameter parameters_of_list[] = {
    {"key", key_text, "Only the sale of this Idempotency-Key. A + in a query string is written %2B."},
    {"idExterno", Type{R"("type":"string","pattern":"^[0-9A-Za-z]{26}$")"},
     "Only the sale that made an attempt under this name, whichever attempt it was, in either letter case.",
     "01JD3W4Q90C4D8E1F5G7H9J2KM"},
    {"status",
     Type{
         R"("type":"string","pattern":"^(?:[Pp][Ee][Nn][Dd][Ee][Nn][Tt][Ee]|[Aa][Uu][Tt][Oo][Rr][Ii][Zz][Aa][Dd][Aa]|[Ee][Ff][Ee][Tt][Ii][Vv][Aa][Dd][Aa]|[Cc][Aa][Nn][Cc][Ee][Ll][Aa][Dd][Aa]|[Nn][Ee][Gg][Aa][Dd][Aa])$")"},
     "Only sales of this status, in any letter case.", "EFETIVADA"},
    {"attention", yes_or_no, "`true`: only sales that a person has to look at."},
    {"from", time_text, "Only sales created at this time (RFC 3339) or later. A + in a query string is written %2B.",
     "2024-05-02T13:00:00Z"},
    {"to", time_text, "Only sales created before this time (RFC 3339).", "2024-05-03T00:00:00-03:00"},
    {"limit", Type{R"("type":"integer","minimum":1,"maximum":200,"default":50)"}, "How many sales a page has at most.",
     "50"},
    {"cursor", ulid_text, "The `next` of the page before.", "01JD3W4Q8Y7RZK5T9V2XB6M0NA"},
};

// Names the setting where the listener has one.
std::string too_large(ListenerSet listener) {
    std::string said = "the body is larger than allowed: 70112 bytes were announced, and at most 65536 are taken";
    if (listener == on_terminals) said += "; limits.body in the gateway's configuration says how many";
    return said;
}

// `what_is_done` tells the caller what is done about the damaged record.
Refusal unreadable_sale(std::string_view what_is_done) {
    return {"sale_unreadable",
            fmt::format("The journal's record of this sale is damaged or was altered and cannot be read, so nothing "
                        "was done: what became of the sale is not known, and its key sells nothing else. {} every "
                        "other sale goes on.",
                        what_is_done)};
}

Answer sale_unavailable(std::string_view what_is_done, Headers more) {
    return shared(
        "SaleUnavailable",
        refuses(503,
                "The journal cannot be read or written now (`journal_unavailable`), or its record of this very sale is "
                "damaged or was altered (`sale_unreadable`): this call did nothing. Of a sale that cannot be read "
                "nothing is said, and its key sells nothing else, until the operator has put the record right.",
                {{"journal_unavailable", "", perhaps_with_sale}, unreadable_sale(what_is_done)},
                sale_headers | retry_after | more));
}

}  // namespace

std::span<const Header> all_headers() {
    return header_table;
}

Overview overview_of(ListenerSet listener) {
    if (listener == on_terminals)
        return {.title = "Sales gateway: the terminals listener",
                .text =
                    "One HTTP call sells. What the gateway defines is English, what the provider defines keeps the "
                    "provider's exact name and case. Every answer of 400 or above is `application/problem+json`; "
                    "`code` is what a program switches on. An answer about a sale carries `outcome`: `sold` (hand over "
                    "the product), `not_sold` (don't; never will be), `held` (authorised, your confirm decides), "
                    "`pending` (ask again). An error without `outcome` says only that this call did nothing.\n\nEvery "
                    "path takes HEAD where it takes GET. A path that is not here is answered as "
                    "`#/components/responses/NotFound`, a method that is not here as "
                    "`#/components/responses/MethodNotAllowed`; both only after the key was found to be a terminal's.",
                .tags = {"Selling", "Sales", "What can be sold", "Books", "Description"}};
    return {.title = "Sales gateway: the admin listener",
            .text =
                "For the operator and the monitoring, on the gateway's own machine. Every answer of 400 or above is "
                "`application/problem+json`; `code` is what a program switches on.\n\nIt answers to a `Host` that is "
                "an IP address, `localhost` or one of `listen.admin_names`, to HTTP/1.0 without a `Host`, and to any "
                "other with 421.\n\n`Accept: text/plain` has a call that declares it answered for people, in "
                "the language of `Accept-Language` (Portuguese or English), as the commands print it: "
                "`text/plain;width=120;colours=yes` says how wide a line may be, from 40 to 10000 columns, 80 where it "
                "is not said. A refusal is text then, too. `exit=3` in the answer's `Content-Type` says what a command "
                "ends with, where that is not 0. `Accept: text/csv` has totals answered for a spreadsheet. Errors of a "
                "broken HTTP message stay `application/problem+json`.\n\nEvery path takes HEAD where it takes GET. A "
                "path that is not here is answered as "
                "`#/components/responses/NotFound`, a method that is not here as "
                "`#/components/responses/MethodNotAllowed`.",
            .tags = {"Monitoring", "Sales", "Books", "Console", "Description"}};
}

std::vector<Parameter> list_parameters(std::vector<Parameter> more) {
    std::vector<Parameter> all(std::begin(parameters_of_list), std::end(parameters_of_list));
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

std::string about_sale(std::string_view differs) {
    return fmt::format(R"({{"sale":{}}})", differs);
}

std::vector<Answer> answers_of_all(ListenerSet listener, bool for_everybody) {
    std::vector<Answer> all{
        shared("BadRequest",
               refuses(400, "The request cannot be read as HTTP, or has a body with content where the call takes none.",
                       {{"bad_request", "This call takes no fields: send no body, or an empty JSON object."}})),
        shared("RequestTimeout", refuses(408, "The request did not come in time. The connection is closed.",
                                         {{"request_timeout", "the request did not come in time"}})),
        shared("PayloadTooLarge",
               refuses(413, "The body is larger than `limits.body`.", {{"payload_too_large", too_large(listener)}})),
        shared("UriTooLong", refuses(414, "The request line is longer than allowed.",
                                     {{"uri_too_long", "the request line is longer than allowed"}})),
        shared("ContentCoded",
               refuses(415, "The body came with a Content-Encoding other than `identity`: it is taken as it is.",
                       {{"unsupported_media_type", "a body is taken as it is: send it without Content-Encoding"}})),
        shared("HeaderTooLarge", refuses(431, "The header is larger than allowed.",
                                         {{"header_too_large", "the header is larger than allowed"}})),
        shared(
            "InternalError",
            refuses(
                500,
                "The gateway failed to answer this. Of a sale nothing is known from it: ask again with the same key.",
                {{"internal_error", "the gateway failed to answer this"}})),
        shared("NotImplemented", refuses(501, "The body comes in a transfer coding other than chunked.",
                                         {{"not_implemented",
                                           "The transfer coding gzip is unknown here. Send the body as it is, with "
                                           "Content-Length or chunked."}})),
        shared("HttpVersionNotSupported",
               refuses(505, "HTTP/1.1 is spoken here.", {{"http_version_not_supported", "HTTP/1.1 is spoken here"}})),
    };
    if (listener == on_admin)
        all.push_back(shared("MisdirectedRequest",
                             refuses(421,
                                     "The request named a host that this listener does not answer to. It answers to IP "
                                     "addresses, `localhost` and the names in `listen.admin_names`, so that no web "
                                     "page leads a browser here by a name of its own.",
                                     {{"misdirected_request",
                                       "This listener answers only to a Host that is an IP address, localhost or one "
                                       "of listen.admin_names in the gateway's configuration."}})));
    if (listener == on_terminals && !for_everybody) {
        all.push_back(
            shared("Unauthorized",
                   refuses(401, "The terminal key is missing or unknown.",
                           {{"unauthorized", "Send Authorization: Bearer with this terminal's key."}}, authenticate)));
        all.push_back(
            shared("TooManyWrongKeys",
                   refuses(429, "Too many wrong keys came from this address; a right one is never answered so.",
                           {{"rate_limited", "Too many wrong keys came from this address."}}, retry_after)));
    }
    return all;
}

std::vector<Answer> answers_of_no_call() {
    return {
        shared("NotFound",
               refuses(404, "There is nothing at this path: the answer of every path that this document does not have.",
                       {{"not_found", "there is nothing at this path"}})),
        shared("MethodNotAllowed",
               refuses(405,
                       "The path is there and does not take this method: the answer of every method that this document "
                       "does not have at a path. HEAD is taken where GET is.",
                       {{"method_not_allowed", "this path takes GET, HEAD"}}, allow))};
}

Answer wrong_width() {
    return shared("WrongWidth", {.status = 422,
                                 .description = "Text was asked for in a width that no page has.",
                                 .contents = {{.media = "text/plain; charset=utf-8", .type = text}}});
}

Body takes(Type type, std::vector<Example> examples) {
    return {.contents = {{.type = type, .examples = std::move(examples)}}};
}

Body may_take(Type type, std::vector<Example> examples) {
    auto body = takes(type, std::move(examples));
    body.required = false;
    return body;
}

Body no_fields() {
    return may_take(a("NoFields"), {whole("empty", "{}")});
}

Answer gives(unsigned status, std::string_view description, Type type, std::vector<Example> examples, Headers headers) {
    return {.status = status,
            .description = description,
            .contents = {{.type = type, .examples = std::move(examples)}},
            .headers = headers};
}

Answer refuses(unsigned status, std::string_view description, std::vector<Refusal> refusals, Headers headers) {
    return {.status = status, .description = description, .refusals = std::move(refusals), .headers = headers};
}

Answer shared(std::string_view component, Answer answer) {
    answer.component = component;
    return answer;
}

Answer replayable(Answer answer) {
    answer.component = {};
    answer.headers = answer.headers | replayed;
    return answer;
}

Refusal invalid(std::string_view field, std::string_view what) {
    const boost::json::array errors{{{"pointer", fmt::format("/{}", field)}, {"detail", what}}};
    return {"invalid_request", fmt::format("{} {}", field, what), with_errors,
            boost::json::serialize(boost::json::object{{"errors", errors}})};
}

Answer wrong_parameters(std::string_view field, std::string_view what) {
    return refuses(422, "A parameter is wrong, unknown or repeated; all of them are in `errors`.",
                   {invalid(field, what)});
}

Answer no_parameters() {
    return refuses(422, "A parameter was sent, and this call takes none.",
                   {invalid("day", "is not a parameter of this call")});
}

Answer not_json() {
    return refuses(400, "The body is not JSON.",
                   {{"invalid_json", "The body is not valid JSON: syntax error."}, {"bad_request"}});
}

Answer not_declared_as_json() {
    return refuses(
        415, "The body is not declared as JSON in UTF-8.",
        {{"unsupported_media_type", "The body must be JSON in UTF-8, sent with Content-Type: application/json."}});
}

Answer sale_refused() {
    return shared(
        "SaleRefused",
        refuses(402, "The provider said no. Nothing was sold.",
                {{"sale_refused", "The provider refused the sale; nothing was sold. It said: saldo insuficiente",
                  with_sale, about_sale(refused_sale)}},
                sale_headers | heeded_wait));
}

Answer sale_cancelled() {
    return shared("SaleCancelled", refuses(502,
                                           "The provider's answer made no sense, and the gateway cancelled: this sale "
                                           "will never be confirmed. Trying again with a new key is safe.",
                                           {{"sale_cancelled",
                                             "The sale was cancelled (the provider answered 500: no word on the sale) "
                                             "and will never be confirmed; trying again with a new key is safe.",
                                             with_sale, about_sale(cancelled_sale)}},
                                           sale_headers | heeded_wait));
}

Answer answer_lost() {
    return shared("AnswerLost",
                  refuses(504,
                          "The provider's answer never came, or the gateway could not keep it, and it cancelled: this "
                          "sale will never be confirmed. Trying again with a new key is safe.",
                          {{"sale_cancelled",
                            "The sale was cancelled (the answer was lost: no answer in time) and will never be "
                            "confirmed; trying again with a new key is safe.",
                            with_sale, about_sale(lost_sale)}},
                          sale_headers | heeded_wait));
}

Answer sale_not_found() {
    return shared("SaleNotFound", refuses(404, "There is no such sale, or it is another establishment's.",
                                          {{"not_found", "There is no such sale."}}));
}

Refusal unreadable_sale() {
    return unreadable_sale("The operator puts the record right, or restores the journal from its newest backup;");
}

Answer sale_unavailable() {
    return sale_unavailable("The operator puts the record right, or restores the journal from its newest backup;",
                            heeded_wait);
}

Answer command_unavailable() {
    return shared("CommandUnavailable",
                  refuses(503,
                          "As `SaleUnavailable`. But with the outcome `pending` and no sale the call may be carried "
                          "out, and several gateways' database cannot say so yet: ask again.",
                          {perhaps_done(), {"journal_unavailable", "", perhaps_with_sale}, unreadable_sale()},
                          sale_headers | retry_after | heeded_wait));
}

Refusal perhaps_done(std::string_view comes) {
    return {"journal_unavailable", std::string(step_in_doubt), comes, R"({"outcome":"pending"})", "journal_in_doubt"};
}

Answer sale_as_it_stands() {
    return shared("SaleAsItStands",
                  gives(200, "The sale as it stands.", a("SaleWithAttempts"), {{"sold"}}, sale_headers | heeded_wait));
}

Answer not_cancelled() {
    return shared("NotCancelled",
                  refuses(409, "The sale is EFETIVADA, or an eSIM's, which has no cancel.",
                          {{"sale_final", "The sale is EFETIVADA, which never changes.", with_sale, about_sale("{}")},
                           {"not_cancellable", "", with_sale}},
                          sale_headers | heeded_wait));
}

Answer journal_unavailable() {
    return shared("JournalUnavailable",
                  refuses(503, "The journal cannot be read or written now: this call did nothing.",
                          {{"journal_unavailable", "The gateway cannot answer from its journal now. Try again soon.",
                            perhaps_with_sale}},
                          sale_headers | retry_after));
}

Answer pending() {
    return shared("Pending", gives(202, "Not known yet: ask again.", a("Sale"), {{"pending", pending_sale}},
                                   sale_headers | location | retry_after | heeded_wait));
}

Answer forbidden() {
    return shared("Forbidden", refuses(403, "The terminal may not sell this family or for this establishment.",
                                       {{"forbidden", "This terminal may not sell this family."}}));
}

Answer sale_not_found_for_operators() {
    return shared("SaleNotFound", refuses(404, "There is no such sale.", {{"not_found", "There is no such sale."}}));
}

Answer sale_unavailable_for_operators() {
    return sale_unavailable("sales-gateway attention says what is known of it, and what to do;", no_headers);
}

Answer journal_unavailable_for_operators() {
    return shared("JournalUnavailable",
                  refuses(503, "The journal cannot be read or written now: this call did nothing.",
                          {{"journal_unavailable", std::string(journal_not_written), perhaps_with_sale},
                           {"journal_unavailable", "The gateway cannot answer from its journal now. Try again soon.",
                            perhaps_with_sale, "", "of_a_call_that_reads"}},
                          sale_headers | retry_after));
}

Answer web_page() {
    return shared(
        "WebPage",
        refuses(403, "It carries `Origin`, as what a page in a browser sends does: no web page may bring a statement.",
                {{"forbidden", "No web page may bring a statement: send it without an Origin header."}}));
}

std::span<const Schema> problem_schemas() {
    return all_problem_schemas;
}

// The functions of the other schemas stand beside the code that reads or writes these.
std::span<const Schema> sale_schemas();
std::span<const Schema> order_schemas();
std::span<const Schema> sale_list_schemas();
std::span<const Schema> history_schemas();
std::span<const Schema> resolution_schemas();
std::span<const Schema> attention_schemas();
std::span<const Schema> options_schemas();
std::span<const Schema> menu_schemas();
std::span<const Schema> status_schemas();
std::span<const Schema> totals_schemas();
std::span<const Schema> close_schemas();
std::span<const Schema> close_order_schemas();
std::span<const Schema> statement_schemas();
std::span<const Schema> finding_schemas();
std::span<const Schema> readiness_schemas();
std::span<const Schema> health_schemas();
std::span<const Schema> operator_status_schemas();
std::span<const Schema> latency_schemas();
std::span<const Schema> terminal_list_schemas();
std::span<const Schema> host_schemas();

std::vector<std::span<const Schema>> all_schemas() {
    return {sale_schemas(),        problem_schemas(),         order_schemas(),     sale_list_schemas(),
            history_schemas(),     resolution_schemas(),      attention_schemas(), options_schemas(),
            menu_schemas(),        status_schemas(),          totals_schemas(),    close_schemas(),
            close_order_schemas(), statement_schemas(),       finding_schemas(),   readiness_schemas(),
            health_schemas(),      operator_status_schemas(), latency_schemas(),   terminal_list_schemas(),
            host_schemas()};
}

}  // namespace gateway::openapi
