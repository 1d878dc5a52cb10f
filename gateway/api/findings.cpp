#include "api/findings.hpp"

#include "api/language.hpp"
#include "api/openapi/shared.hpp"
#include "api/query.hpp"
#include "api/request_rules.hpp"
#include "api/sale_answer.hpp"
#include "families/field_reader.hpp"
#include "families/plain_text.hpp"
#include "words/sentences.hpp"

#include <boost/json.hpp>

namespace gateway {

namespace openapi {
namespace {

template <auto Member>
constexpr auto of_finding = [](const SaidFinding& said) -> const auto& {
    return said.finding.*Member;
};

// Tells a member of the finding's sale.
template <auto Member>
constexpr auto of_sold =
    [](const SaidFinding& said) { return said.sold ? std::optional(said.sold.value().*Member) : std::nullopt; };

std::int64_t sold_for(const std::optional<Saying>& side) {
    return side && side->status == Status::EFETIVADA ? side->valor.value : 0;
}

// Returns by how much the provider's books are above ours because of the finding; nothing where it is not about money.
// If a sale is sold twice there, the whole amount of one of the two is too much.
std::optional<std::int64_t> difference_of(const Finding& finding) {
    const auto kind = finding.kind;
    if (is_of_a_file(kind) || kind == FindingKind::other_day || kind == FindingKind::still_open) return std::nullopt;
    return sold_for(finding.theirs) - (kind == FindingKind::sold_twice ? 0 : sold_for(finding.ours));
}

constexpr Written<Saying> saying_members[] = {
    {{"valor", count, "Cents.", "1099"}, its<&Saying::valor>},
    {{"status", a("Status"), "", "CANCELADA"}, its<&Saying::status>},
};

constexpr Written<Finding::Closed> finding_end_members[] = {
    {{"at", a("Time"), "", "2024-05-03T12:00:00.000Z"}, its<&Finding::Closed::at>},
    {{"as", Type{R"("enum":["resolved","corrected","settled","other_day"])"},
      "`resolved`: a person looked into it. `corrected`: a later statement of the day does not say it any more. "
      "`settled`: the statement decided the sale. `other_day`: what was missing stands in another day's statement.",
      "resolved"},
     its<&Finding::Closed::as>},
    {{"by", or_null(text), "", "maria"}, its<&Finding::Closed::by>},
    {{"note", or_null(text), "", "Taken back, says the provider."}, its<&Finding::Closed::note>},
};

constexpr Written<SaidFinding> finding_members[] = {
    {{"id", count_from_one, "", "7"}, of_finding<&Finding::number>},
    {{"kind", a("FindingKind"), "", "sold_there"}, of_finding<&Finding::kind>},
    {{"severity", Type{R"("enum":["note","warning","alarm"])"}, "", "alarm"},
     [](const SaidFinding& said) { return severity_of(said.finding.kind); }},
    {{"detail", text, "What it means and what to do.",
      "It is not sold here and nobody paid, but the provider has it as sold: have the provider take it back at once, "
      "with the sale's history as evidence."},
     [](const SaidFinding& said) { return said.words.word("finding_means", to_string(said.finding.kind)); }},
    {{"found", or_null(text),
      "What the other fields do not say. For a finding about a day as a whole: what the statement says, and what it "
      "should say. For a row that nobody here knows: whose prefix its id has, and which sales it may belong to, "
      "because they are missing in the statement and have the same amount and about the same time. That is a guess, "
      "which no id confirms.",
      "null"},
     [](const SaidFinding& said) { return told_in(said.words.language(), said.finding.detail); }},
    {{"day", a("Day"), "", "2024-05-02"}, of_finding<&Finding::day>},
    {{"statement", integer, "The last statement that says it.", "3"}, of_finding<&Finding::statement>},
    {{"line", or_null(integer), "The line of that statement.", "12"}, of_finding<&Finding::line>},
    {{"sale", or_null(a("SaleId"))}, of_finding<&Finding::sale>},
    {{"idExterno", or_null(text), "", "01JD3W4Q90C4D8E1F5G7H9J2KM"}, of_finding<&Finding::id_externo>},
    {{"idTransacao", or_null(text), "", "7781200"}, of_finding<&Finding::id_transacao>},
    {{"nsu", or_null(text), "", "null"}, of_finding<&Finding::nsu>},
    {{"estabelecimento", or_null(text), "", "12345678"}, of_finding<&Finding::estabelecimento>},
    {{"ours", or_null(a("Saying"))}, [](const SaidFinding& said) { return part(saying_members, said.finding.ours); }},
    {{"theirs", or_null(a("Saying")), "", R"({"valor":1099,"status":"EFETIVADA"})"},
     [](const SaidFinding& said) { return part(saying_members, said.finding.theirs); }},
    {{"difference", or_null(integer),
      "Cents: what the provider counts as sold because of it, less what is sold here. Above 0 the provider charges too "
      "much; null where it is not about money.",
      "1099"},
     [](const SaidFinding& said) { return difference_of(said.finding); }},
    {{"claim", boolean, "Whether the store claims it from the provider, which alone can put it right.", "true"},
     [](const SaidFinding& said) { return is_to_be_claimed(said.finding.kind); }},
    {{"family", or_null(a("Family")),
      "The sale's, as the four that follow: null where there is none that can be read."},
     of_sold<&SoldAs::family>},
    {{"produto", or_null(text), "", "TV Mensal"}, of_sold<&SoldAs::produto>},
    {{"terminal", or_null(text), "", "caixa-01"}, of_sold<&SoldAs::terminal>},
    {{"cashier", or_null(text), "Null, too, where nobody named one, or where the name was erased.", "Rita"},
     [](const SaidFinding& said) { return said.sold ? said.sold->cashier : std::string(); }},
    {{"createdAt", or_null(a("Time")), "When the sale was begun.", "2024-05-02T13:00:00.000Z"},
     of_sold<&SoldAs::created_at>},
    {{"asks", Type{R"("enum":["nothing","repeat_confirm","repeat_cancel","settle","person"])"},
      "What should be done. `settle`: the row may decide the open sale. A person makes it do so by `sales-gateway "
      "resolve` with the id of the sale; with `statement.settle` the gateway does it by itself.",
      "person"},
     of_finding<&Finding::asks>},
    {{"pending", boolean, "Whether the gateway is going to do what `asks` says by itself, and has not done it yet.",
      "false"},
     of_finding<&Finding::pending>},
    {{"effect", or_null(Type{R"("enum":["nothing","settled","repeated","contradiction"])"}),
      "What came of what the gateway did by itself.", "contradiction"},
     of_finding<&Finding::effect>},
    {{"open", boolean, "", "true"}, [](const SaidFinding& said) { return !said.finding.closed; }},
    {{"openedAt", a("Time"), "", "2024-05-03T09:11:12.020Z"}, of_finding<&Finding::opened_at>},
    {{"closed", or_null(a("FindingEnd")), "", "null"},
     [](const SaidFinding& said) { return part(finding_end_members, said.finding.closed); }},
    {{"note", or_null(text), "For an open finding that was closed before: what a person said of it then.", "null"},
     of_finding<&Finding::note>},
};

struct FindingPage {
    std::vector<SaidFinding> findings;
    std::optional<std::string> next;
};
constexpr Written<FindingPage> finding_list_members[] = {
    {{"findings", list_of(a("Finding"))}, [](const FindingPage& page) { return in_parts(page.findings); }},
    {{"next", or_null(text), "`cursor` of the page that follows.", "null"}, its<&FindingPage::next>},
};

}  // namespace
}  // namespace openapi

namespace {

const Words& words_for(const http::Request& request) {
    return Words::in(preferred_language(request.header("Accept-Language")));
}

}  // namespace

openapi::Parts<SaidFinding> in_parts(const std::vector<SaidFinding>& findings) {
    return openapi::parts(openapi::finding_members, findings);
}

boost::asio::awaitable<std::vector<SaidFinding>> said(const std::vector<Finding>& findings,
                                                      const http::Request& request, Journal& journal) {
    std::vector<SaidFinding> all;
    all.reserve(findings.size());
    for (const auto& finding : findings) {
        auto& one = all.emplace_back(SaidFinding{finding, words_for(request)});
        if (!finding.sale) continue;
        const auto found = co_await journal.find(*finding.sale);
        if (found.has_error() || !*found) continue;
        const auto& sale = **found;
        one.sold = SoldAs{.family = sale.family,
                          .produto = sale.produto,
                          .terminal = sale.terminal,
                          .cashier = sale.cashier,
                          .created_at = sale.created_at};
    }
    co_return all;
}

namespace {

using http::status;

// A note has at most so many characters. A page of text is a document, and belongs elsewhere.
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

boost::asio::awaitable<http::Response> finding_answer(const std::vector<Finding>& one, const http::Request& request,
                                                      Journal& journal) {
    const auto told = co_await said(one, request, journal);
    co_return json_text_answer(openapi::write(openapi::finding_members, told.front()));
}

}  // namespace

// Leaves out the kinds of which no finding is ever open. A fault of a whole file, such as a line that cannot be read,
// refuses the file and opens nothing; only a count or a total that differs from our books opens a finding.
void expose_findings(Exposition& out, const std::map<FindingKind, std::int64_t>& open) {
    out.metric("gateway_findings_open", "gauge",
               "Disagreements with the provider's statements that nobody has closed, by kind.");
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
    openapi::FindingPage page;
    page.findings = co_await said(*findings, request, journal_);
    if (findings->size() == filter->limit) page.next = std::to_string(findings->back().number);
    co_return json_text_answer(openapi::write(openapi::finding_list_members, page));
}

boost::asio::awaitable<http::Response> FindingsApi::one(http::Request& request) {
    const FindingFilter filter{.number = number_of(request).value_or(0), .limit = 1};
    const auto found = co_await journal_.findings(filter);
    if (found.has_error()) co_return journal_unavailable_answer(request);
    if (found->empty()) co_return no_finding_answer(request);
    co_return co_await finding_answer(*found, request, journal_);
}

boost::asio::awaitable<http::Response> FindingsApi::resolve(http::Request& request) {
    auto word = read_word(request);
    if (word.has_error()) co_return word.error();
    const auto number = number_of(request);
    if (!number) co_return no_finding_answer(request);
    auto finding =
        co_await reconciler_.resolve(*number, std::move(word->note), decided_by(request, std::move(word->by)));
    if (finding.has_error() && finding.error() == errc::not_found) co_return no_finding_answer(request);
    if (finding.has_error()) co_return journal_unavailable_answer(request);
    const std::vector<Finding> one(1, *finding);
    co_return co_await finding_answer(one, request, journal_);
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

constexpr Field finding_word_fields[] = {
    {"note", Type{R"("type":"string","minLength":1,"maxLength":4000)"}, "", "Taken back, says the provider."},
    maybe({"by", short_text, "", "maria"}),
};

constexpr Parameter finding_id{"id", text, "The finding's number.", "", In::path};

Answer finding_not_found() {
    return shared("FindingNotFound",
                  refuses(404, "There is no such finding.", {{"not_found", "There is no such finding."}}));
}

constexpr Schema all_finding_schemas[] = {
    {.name = "FindingKind",
     .description =
         R"(What was found. "There" is the provider's side, "here" ours; the detail of a finding says what to do.)",
     .type = one_of(finding_kind_words)},
    {.name = "Saying", .description = "What one side says of an attempt.", .type = object_of<saying_members>},
    {.name = "Finding",
     .description = "A disagreement with a statement. The same disagreement of a day keeps its number.",
     .type = object_of<finding_members>},
    {.name = "FindingEnd", .type = object_of<finding_end_members>},
    {.name = "FindingList", .type = object_of<finding_list_members>},
    {.name = "FindingWord", .type = object(finding_word_fields)},
};

}  // namespace

std::span<const Schema> finding_schemas() {
    return all_finding_schemas;
}

Description list_findings() {
    return {.id = "listFindings",
            .summary = "The disagreements with the provider's statements, newest first",
            .tag = "Books",
            .text =
                "A parameter that is not here is an error. `detail` is in Portuguese or English, as `Accept-Language` "
                "asks.",
            .parameters = {{"open", yes_or_no, "Whether the finding is still open."},
                           {"kind", a("FindingKind"), "The kind of the finding."},
                           {"day", a("Day"), "The day of the statement."},
                           {"statement", count_from_one, "The number of the last statement that says it."},
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
        .summary = "Close a finding with what a person found out about it",
        .tag = "Books",
        .text = "A finding that is closed already stays as it is, and is the answer.",
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
