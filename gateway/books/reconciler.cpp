#include "books/reconciler.hpp"

#include "base/digest.hpp"
#include "books/statement_rows.hpp"
#include "reconcile/statement_checks.hpp"
#include "sale/movement_day.hpp"
#include "words/words.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gateway {
namespace {

// The log has lines for this many findings of one statement. Beyond that, the statement's own line has the number.
constexpr std::size_t findings_said = 100;
// What could not be done is tried again after this time.
constexpr Duration act_again{60'000};
// This is the time between two checks whether open sales of findings have been decided.
constexpr Duration look_again{60'000};
// The digest of a statement is made in parts of this many bytes, a millisecond of work, between which sales go on.
constexpr std::size_t digested_at_once = std::size_t{1} << 20U;
// This many findings are read at once.
constexpr std::size_t findings_at_once = 500;

LogLevel level_of(FindingKind kind) {
    switch (severity_of(kind)) {
        case FindingSeverity::none:
        case FindingSeverity::note: return LogLevel::info;
        case FindingSeverity::warning: return LogLevel::warn;
        case FindingSeverity::alarm: break;
    }
    return LogLevel::error;
}

StatementRefusal refusal(const FileFinding& finding) {
    return {.code = std::string(to_string(finding.kind)),
            .detail = finding.detail,
            .line = finding.line,
            .unquoted = finding.unquoted};
}

// Returns the finding's words for the log. Those about a whole file quote it, which is only for the person who asks.
std::string in_words_of(const Finding& finding) {
    auto words = Words::in(Language::english).word("finding_means", to_string(finding.kind));
    const bool quotes = is_of_a_file(finding.kind);
    return finding.detail.empty() || quotes ? words : fmt::format("{} ({})", words, finding.detail);
}

// Returns the id for the log. With statement.any_id a wrong column may have anything, which stays out of the log.
std::string_view id_for_the_log(const Finding& finding) {
    return IdExterno::parse(finding.id_externo) ? std::string_view(finding.id_externo) : std::string_view();
}

// Returns the source of the finding for the sale's history.
std::string source_of(const Finding& finding) {
    const auto day = to_text(finding.day);
    return finding.line > 0 ? fmt::format("statement of {}, line {}", day, finding.line)
                            : fmt::format("the provider's answer for the books of {}", day);
}

std::string_view word_of(StatedEffect effect) {
    switch (effect) {
        case StatedEffect::nothing: return "nothing";
        case StatedEffect::settled: return "settled";
        case StatedEffect::repeated: return "repeated";
        case StatedEffect::contradiction: return "contradiction";
    }
    return "";
}

}  // namespace

Reconciler::Reconciler(ReconcilerOptions options, Seller& seller, const DayBooks& books, Journal& journal, Clock& clock,
                       Log& log)
    : options_(std::move(options)),
      seller_(seller),
      books_(books),
      journal_(journal),
      clock_(clock),
      log_(log),
      turn_(1, clock),
      something_to_do_(clock.make_timer()) {}

void Reconciler::start(const boost::asio::any_io_executor& executor) {
    boost::asio::co_spawn(executor, keep_acting(), boost::asio::detached);
}

boost::asio::awaitable<void> Reconciler::keep_acting() {
    co_await count();
    say_open();
    const StatementFilter about_a_day{.source = ""};
    const auto last = co_await journal_.statements(about_a_day);
    if (last.has_value() && !last->empty()) note_read(last->front());
    while (true) {
        const bool left = co_await act();
        co_await close_decided();
        co_await something_to_do_->wait_until(clock_.now() + (left ? act_again : look_again));
    }
}

std::function<bool(Family)> Reconciler::can_cancel() const {
    return [this](Family family) { return seller_.rules().cancellable(family); };
}

auto Reconciler::read(StatementText text) -> boost::asio::awaitable<Told> {
    const auto turn = co_await turn_.acquire();
    co_return co_await reconcile_one(std::move(text));
}

auto Reconciler::reconcile_one(StatementText text) -> boost::asio::awaitable<Told> {
    const auto& format = text.format ? *text.format : options_.format;
    if (text.bytes.size() > max_statement_bytes)
        co_return refuse(text, {.code = std::string(to_string(FindingKind::unreadable_line)),
                                .detail = fmt::format("it has {} bytes, and at most {} are read: it is no statement",
                                                      text.bytes.size(), max_statement_bytes)});
    KeptStatement statement{.source = text.source, .by = text.by};
    statement.digest = co_await digest_of(text.bytes);
    statement.reading = reading_of(format);
    auto known = co_await journal_.known_statement(statement.digest, statement.reading);
    if (known.has_error()) co_return refuse(text, {.failure = known.error()});
    if (*known && !text.again) {
        if (text.day && *text.day != (*known)->day)
            co_return refuse(text, {.code = std::string(to_string(FindingKind::wrong_day)),
                                    .detail = "it is of " + to_text((*known)->day)});
        co_return co_await report_known(std::move(**known));
    }
    StatementRows rows(text.bytes, format, zone_rule(options_.times));
    co_await read_lines(rows);
    if (auto wrong = refusal_of(rows, format, text.day, statement.header_money))
        co_return refuse(text, std::move(*wrong));
    const auto& header = *rows.header();
    statement.day = header.movement;
    statement.network = header.network;
    statement.rows = static_cast<std::int64_t>(rows.size());
    std::vector<Finding> findings;
    if (format.reads_rows()) {
        MatchingOptions options{.zone = books_.zone(),
                                .covers = format.covers,
                                .lists_sold_only = format.lists_sold_only(),
                                .settle = options_.settle,
                                .estabelecimentos = books_.establishments(),
                                .can_cancel = can_cancel()};
        Matching matching(std::move(options), statement.day, rows, journal_, clock_);
        const auto matched = co_await matching.run();
        if (matched.has_error()) co_return refuse(text, {.failure = matched.error()});
        if (matching.found_too_much())
            co_return refuse(text, {.code = "too_many_findings",
                                    .detail = fmt::format("more than {} lines do not agree: it is another gateway's "
                                                          "file, or [statement] has the wrong columns or words",
                                                          max_findings)});
        if (matching.named_none())
            co_return refuse(text, {.code = "nothing_matches",
                                    .detail = fmt::format("none of its {} lines names one of our sales of that day: it "
                                                          "is another gateway's file, or [statement.columns] has the "
                                                          "wrong columns for idExterno and idTransacao",
                                                          rows.size())});
        statement.matched = matching.matched();
        statement.others = matching.others();
        findings = std::move(matching.findings());
    } else {
        auto differing = co_await compare_totals(header, format, statement.header_money);
        if (differing.has_error()) co_return refuse(text, {.failure = differing.error()});
        findings = std::move(*differing);
    }
    statement.findings = static_cast<std::int64_t>(findings.size());
    statement.read_at = clock_.wall();
    auto told = co_await keep(std::move(statement), std::move(findings));
    if (told.has_error()) co_return refuse(text, told.error());
    co_return told;
}

auto Reconciler::take_answers(Day day, std::vector<StatusAnswer> answers, std::string by)
    -> boost::asio::awaitable<Told> {
    const auto turn = co_await turn_.acquire();
    const StatementText text{.source = std::string(status_source), .by = by};
    KeptStatement statement{.day = day, .source = text.source, .by = std::move(by)};
    Judge judge({.settle = options_.settle, .can_cancel = can_cancel()}, clock_);
    auto findings = co_await judge_answers(answers, judge, journal_, statement);
    if (findings.has_error()) co_return refuse(text, {.failure = findings.error()});
    if (statement.about.empty()) co_return StatementReport{.statement = std::move(statement)};
    statement.findings = static_cast<std::int64_t>(findings->size());
    statement.read_at = clock_.wall();
    const auto about = statement.about;
    auto told = co_await keep(std::move(statement), std::move(*findings));
    if (told.has_error()) co_return refuse(text, told.error());
    std::erase_if(told->findings,
                  [&](const Finding& finding) { return !std::ranges::count(about, finding.id_externo); });
    co_return told;
}

boost::asio::awaitable<std::string> Reconciler::digest_of(std::string_view bytes) {
    Sha256 digest;
    while (bytes.size() > digested_at_once) {
        digest.add(bytes.substr(0, digested_at_once));
        bytes.remove_prefix(digested_at_once);
        co_await clock_.sleep_for(Duration(0));
    }
    digest.add(bytes);
    co_return digest.hex();
}

boost::asio::awaitable<void> Reconciler::read_lines(StatementRows& rows) {
    while (rows.read_some())
        co_await clock_.sleep_for(Duration(0));
    while (rows.sort_some())
        co_await clock_.sleep_for(Duration(0));
}

// Returns the reason why the file as a whole cannot be matched.
std::optional<StatementRefusal> Reconciler::refusal_of(StatementRows& rows, const StatementFormat& format,
                                                       std::optional<Day> day, std::string& header_money) const {
    if (const auto& error = rows.error()) return refusal(finding_of(*error));
    const auto& header = *rows.header();
    const auto checks = check_file(header, format, rows.tally(), day);
    if (!checks.findings.empty()) return refusal(checks.findings.front());
    if (header.movement > books_.zone().day_of(clock_.wall()))
        return refusal({FindingKind::wrong_day,
                        fmt::format("it is of {}, which has not begun in store.timezone", to_text(header.movement))});
    if (checks.header_unit) header_money = to_string(*checks.header_unit);
    return std::nullopt;
}

// Compares the totals of a file of which only the header is read.
auto Reconciler::compare_totals(const StatementHeader& header, const StatementFormat& format, std::string& header_money)
    -> boost::asio::awaitable<Result<std::vector<Finding>>> {
    const DayFilter filter{.from = header.movement, .to = header.movement};
    CountAndTotal ours;
    std::string after;
    do {
        const auto page = co_await journal_.sales_of_days(filter, after);
        if (page.has_error()) co_return page.error();
        for (const auto& sale : page->sales)
            if (format.counts == CountedRows::all || sale.status == Status::EFETIVADA) ours.add(sale.valor);
        after = page->next;
        co_await clock_.sleep_for(Duration(0));
    } while (!after.empty());
    const auto checks = check_against_ours(header, format, ours);
    if (checks.header_unit) header_money = to_string(*checks.header_unit);
    std::vector<Finding> findings;
    for (const auto& one : checks.findings) {
        auto& finding = findings.emplace_back();
        finding.day = header.movement;
        finding.kind = one.kind;
        finding.detail = one.detail;
        finding.asks = asked_for(one.kind, nullptr, nullptr);
        finding.opened_at = clock_.wall();
    }
    co_return findings;
}

auto Reconciler::report_known(KeptStatement statement) -> boost::asio::awaitable<Told> {
    note_read(statement);
    const FindingFilter filter{.statement = statement.id, .limit = findings_told};
    auto findings = co_await journal_.findings(filter);
    if (findings.has_error()) co_return StatementRefusal{.failure = findings.error()};
    something_to_do_->notify();  // it may have been kept by a commit that ended unknown
    co_return StatementReport{
        .statement = std::move(statement), .already_imported = true, .findings = std::move(*findings)};
}

auto Reconciler::keep(KeptStatement statement, std::vector<Finding> findings) -> boost::asio::awaitable<Told> {
    const auto kept = co_await journal_.keep_statement(statement, findings);
    if (kept.has_error()) co_return StatementRefusal{.failure = kept.error()};
    const auto& s = kept->statement;
    log_.info("statement.read",
              "the provider's statement of {day} was read from {source} as number {statement}: {rows} rows, of which "
              "{matched} "
              "agree and {others} are not ours; findings: {findings}[ (brought by {by})]",
              {{"day", to_text(s.day)},
               {"statement", s.id},
               {"source", s.source},
               {"rows", s.rows},
               {"matched", s.matched},
               {"others", s.others},
               {"findings", s.findings},
               {"by", s.by}});
    for (std::size_t i = 0; i < std::min(kept->opened.size(), findings_said); ++i)
        say_opened(kept->opened[i]);
    for (std::size_t i = 0; i < std::min(kept->closed.size(), findings_said); ++i)
        say_closed(kept->closed[i]);
    co_await count();
    auto report = co_await report_known(s);
    if (report.has_error()) co_return StatementReport{.statement = s, .findings = kept->opened};
    report->already_imported = false;
    co_return report;
}

auto Reconciler::resolve(std::int64_t number, std::string note, std::string by)
    -> boost::asio::awaitable<Result<Finding>> {
    const FindingFilter filter{.open = true, .number = number, .limit = 1};
    const auto before = co_await journal_.findings(filter);
    auto finding = co_await journal_.close_finding(number, note, by, clock_.wall());
    if (finding.has_value() && before.has_value() && !before->empty()) {
        say_closed(*finding);
        co_await count();
    }
    co_return finding;
}

// Answers about single sales do not count, because they are not the statement that an operator waits for.
void Reconciler::note_read(const KeptStatement& statement) {
    if (statement.source != status_source) last_read_ = std::max(last_read_, std::optional(statement.read_at));
}

boost::asio::awaitable<bool> Reconciler::act() {
    FindingFilter filter{.pending = true, .limit = findings_at_once};
    bool left = false;
    while (true) {
        const auto page = co_await journal_.findings(filter);
        if (page.has_error()) co_return true;
        for (const auto& finding : *page) {
            const bool done = co_await act_on(finding.number);
            left = left || !done;
        }
        if (page->size() < filter.limit) co_return left;
        filter.before = page->back().number;
    }
}

// Does what the finding asks for. Returns whether that is done; otherwise it is tried again. No statement is read
// meanwhile, so none can say something else in between.
boost::asio::awaitable<bool> Reconciler::act_on(std::int64_t number) {
    const auto turn = co_await turn_.acquire();
    const FindingFilter as_it_is{.open = true, .number = number, .pending = true, .limit = 1};
    const auto found = co_await journal_.findings(as_it_is);
    if (found.has_error()) co_return false;
    if (found->empty()) co_return true;
    const auto& finding = found->front();
    const auto attempt = IdExterno::parse(finding.id_externo);
    const bool may_be_told = finding.asks != FindingAsks::settle || options_.settle;  // asked for by another start
    std::string effect = "nothing";
    if (finding.sale && attempt && finding.theirs && may_be_told) {
        Stated stated{.status = finding.theirs->status, .source = source_of(finding)};
        const auto told = co_await seller_.state(*finding.sale, *attempt, std::move(stated), clock_.now() + patience);
        if (told.has_error() && told.error() != errc::not_found && told.error() != errc::sale_unreadable)
            co_return false;
        if (told.has_value()) effect = word_of(*told);
    }
    co_return co_await note_done(number, effect, effect == "settled");
}

boost::asio::awaitable<bool> Reconciler::note_done(std::int64_t number, std::string effect, bool settled) {
    const auto noted = co_await journal_.finding_done(number, effect, settled, clock_.wall());
    if (noted.has_error()) co_return noted.error() == errc::not_found;
    if (noted->closed) {
        say_closed(*noted);
        co_await count();
    }
    co_return true;
}

// A sale that was open when a statement named it may have ended since then, by itself or by a person's decision.
boost::asio::awaitable<void> Reconciler::close_decided() {
    for (const auto kind : {FindingKind::still_open, FindingKind::settles_sold, FindingKind::settles_not_sold}) {
        FindingFilter filter{.open = true, .kind = kind, .limit = findings_at_once};
        for (bool more = true; more;) {
            const auto page = co_await journal_.findings(filter);
            if (page.has_error()) co_return;
            for (const auto& finding : *page) {
                const bool decided = !finding.pending && co_await is_decided(finding);
                if (decided) (void)co_await note_done(finding.number, finding.effect, true);
            }
            more = page->size() == filter.limit;
            if (more) filter.before = page->back().number;
        }
    }
}

// Tells whether the sale has ended as the statement says, where that says it clearly.
boost::asio::awaitable<bool> Reconciler::is_decided(const Finding& finding) {
    if (!finding.sale) co_return false;
    const auto sale = co_await journal_.find(*finding.sale);
    if (sale.has_error() || !*sale) co_return false;
    for (const auto& attempt : (*sale)->attempts) {
        if (attempt.id_externo.text() != finding.id_externo) continue;
        const bool sold = attempt.state == AttemptState::sold;
        const bool not_sold = is_final_in(attempt.state) && !sold;
        co_return finding.kind == FindingKind::settles_sold
            ? sold
            : not_sold || (sold && finding.kind == FindingKind::still_open);
    }
    co_return false;
}

// Where the journal cannot say, the numbers stay as they were.
boost::asio::awaitable<void> Reconciler::count() {
    auto counted = co_await journal_.open_findings();
    if (counted.has_value()) open_ = std::move(*counted);
}

// Reports what is open at a start: a process that ended between a commit and its log lines has told nobody.
void Reconciler::say_open() const {
    std::int64_t all = 0;
    std::string kinds;
    for (const auto& [kind, number] : open_) {
        all += number;
        kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", number, to_string(kind));
    }
    if (all > 0)
        log_.warn("findings.open", "open findings of the provider's statements: {findings} ({detail})",
                  {{"findings", all}, {"detail", kinds}});
}

void Reconciler::say_opened(const Finding& finding) const {
    log_.write(level_of(finding.kind), "finding.opened",
               "finding {finding} of the statement of {day}, {kind}[ (idExterno {idExterno})][, line {line}]: {detail}",
               {{"finding", finding.number},
                {"day", to_text(finding.day)},
                {"kind", to_string(finding.kind)},
                {"sale", finding.sale},
                {"idExterno", id_for_the_log(finding)},
                {"line", finding.line},
                {"detail", in_words_of(finding)}});
}

void Reconciler::say_closed(const Finding& finding) const {
    log_.info("finding.closed", "finding {finding} of the statement of {day}, {kind}, is closed: {closedAs}[ by {by}]",
              {{"finding", finding.number},
               {"day", to_text(finding.day)},
               {"kind", to_string(finding.kind)},
               {"sale", finding.sale},
               {"idExterno", finding.id_externo},
               {"closedAs", finding.closed ? to_string(finding.closed->as) : std::string_view()},
               {"by", finding.closed ? finding.closed->by : std::string()}});
}

auto Reconciler::refuse(const StatementText& text, StatementRefusal refusal) -> Told {
    // A journal that cannot be written, and a provider that gives no list, say nothing about a statement.
    if (!refusal.failure && refusal.code != provider_unreachable) ++refused_;
    // The log never has the content of a field, which with a wrong column may be a person's name or number.
    const auto& said = refusal.unquoted.empty() ? refusal.detail : refusal.unquoted;
    const auto detail = refusal.failure ? refusal.failure.message() : said;
    log_.warn(
        "statement.refused",
        "a statement from {source}[, {file},] was not taken, and nothing of it is kept[ ({code})]: {detail}[ (brought "
        "by {by})]",
        {{"source", text.source}, {"file", text.file}, {"code", refusal.code}, {"detail", detail}, {"by", text.by}});
    return refusal;
}

}  // namespace gateway
