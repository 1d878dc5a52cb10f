#include "books/sale_inquiry.hpp"

#include "sale/answer.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace gateway {
namespace {

constexpr std::size_t findings_a_page = 500;
constexpr unsigned too_many_requests = 429;

// Tells whether the provider's answer about the attempt can clear up a finding of this kind. Of another day's sale both
// sides say the same, and of a row that nobody here knows there is no attempt to ask about.
bool is_to_be_asked(FindingKind kind) {
    switch (kind) {
        case FindingKind::amount_differs:
        case FindingKind::sold_twice:
        case FindingKind::reversed_there:
        case FindingKind::unconfirmed_there:
        case FindingKind::missing_there:
        case FindingKind::sold_there:
        case FindingKind::open_there:
        case FindingKind::settles_sold:
        case FindingKind::settles_not_sold:
        case FindingKind::still_open: return true;
        case FindingKind::matched:
        case FindingKind::store_differs:
        case FindingKind::other_day:
        case FindingKind::unknown_here:
        case FindingKind::counted_only:
        case FindingKind::wrong_day:
        case FindingKind::wrong_network:
        case FindingKind::already_imported:
        case FindingKind::count_differs:
        case FindingKind::total_differs:
        case FindingKind::unreadable_line: break;
    }
    return false;
}

// Tells whether no answer came, or one that would now come to every other question, too.
bool is_unanswered(const Reply& reply) {
    constexpr unsigned unauthorised = 401;
    constexpr unsigned server_error = 500;
    return reply.kind != Reply::Kind::answered || reply.status == unauthorised || reply.status == too_many_requests ||
           reply.status >= server_error;
}

std::string why_not(const Reply& reply) {
    return reply.kind == Reply::Kind::answered ? fmt::format("the provider answered with HTTP status {}", reply.status)
                                               : reply.failure.message();
}

// Returns the establishment that the answer is about, as far as the answer says it: the provider names it by its tax
// id, as it did when it took the sale.
std::string establishment_in(const StatusSaid& said, const Sale& sale) {
    const auto& known = sale.details.cnpj_cpf;
    if (said.cnpj_cpf.empty() || known.empty()) return {};
    return said.cnpj_cpf == known ? sale.estabelecimento : said.cnpj_cpf;
}

StatementRow row_of(StatusSaid said, const Sale& sale) {
    StatementRow row;
    row.estabelecimento = establishment_in(said, sale);
    row.id_externo = std::move(said.id_externo);
    row.id_transacao = std::move(said.id_transacao);
    row.valor = said.valor;
    row.status = said.status;
    return row;
}

}  // namespace

// This is the state of an inquiry that is running.
struct SaleInquiry::Round {
    Day day;
    Instant until;
    InquiryReport report;
    std::vector<StatusAnswer> answers;
    std::size_t unanswered = 0;  // in a row
    bool in_vain = false;        // it ended because the provider did not answer
};

SaleInquiry::SaleInquiry(Provider& provider, const Rules& rules, Reconciler& reconciler, Journal& journal, Clock& clock,
                         Log& log)
    : provider_(provider),
      rules_(rules),
      reconciler_(reconciler),
      journal_(journal),
      clock_(clock),
      log_(log),
      turn_(1, clock) {}

void SaleInquiry::start(const boost::asio::any_io_executor& executor) {
    if (can_ask()) boost::asio::co_spawn(executor, keep_asking(), boost::asio::detached);
}

boost::asio::awaitable<void> SaleInquiry::keep_asking() {
    co_await clock_.sleep_for(look_first);
    while (true) {
        if (journal_.is_on_duty()) co_await ask_after_statements();
        co_await clock_.sleep_for(look_every);
    }
}

// What was asked about once, as the journal shows, is not asked about by itself again, even if some of it was left: a
// person has to look at that.
boost::asio::awaitable<void> SaleInquiry::ask_after_statements() {
    const StatementFilter newest{.limit = statements_looked_at};
    const auto statements = co_await journal_.statements(newest);
    if (statements.has_error()) co_return;
    const Day earliest = std::chrono::sys_days(reconciler_.zone().day_of(clock_.wall())) - most_days_back;
    std::erase_if(asked_, [&](const auto& entry) { return entry.first < earliest; });
    for (const auto& statement : *statements) {
        const bool leaves_something = statement.findings > 0 && statement.source != status_source;
        if (statement.superseded || !leaves_something || statement.day < earliest) continue;
        auto& asked = asked_[statement.day];
        if (asked.after == statement.id || clock_.now() < asked.not_before) continue;
        const auto told = co_await ask(statement.day, "");
        if (told.has_value()) {
            asked = {.after = statement.id};
            continue;
        }
        constexpr int doublings = 6;  // more doublings would exceed the longest pause
        const auto pause_now = std::min(ask_again_most, look_every * (1 << std::min(asked.failures++, doublings)));
        asked.not_before = clock_.now() + pause_now;
    }
}

auto SaleInquiry::ask(Day day, std::string by) -> boost::asio::awaitable<Told> {
    const auto turn = co_await turn_.acquire();
    const StatementText none{.source = std::string(status_source), .by = by};
    Round round{.day = day, .until = clock_.now() + most_time};
    const auto wishes = co_await wishes_of(day);
    if (wishes.has_error()) co_return reconciler_.refuse(none, {.failure = wishes.error()}).error();
    const auto done = co_await ask_for(*wishes, round);
    if (done.has_error()) co_return reconciler_.refuse(none, {.failure = done.error()}).error();
    auto& report = round.report;
    if (round.answers.empty() && round.in_vain)
        co_return reconciler_.refuse(none, {.code = std::string(provider_unreachable), .detail = report.ended}).error();
    report.answered = round.answers.size();
    auto read = co_await reconciler_.take_answers(day, std::move(round.answers), by);
    if (read.has_error()) co_return read.error();
    report.statement = std::move(*read);
    say(day, report, by);
    co_return std::move(report);
}

auto SaleInquiry::wishes_of(Day day) -> boost::asio::awaitable<Result<std::vector<Wish>>> {
    std::vector<Wish> wishes;
    auto done = co_await wish_for_open(day, wishes);
    if (done.has_value()) done = co_await wish_for_findings(day, wishes);
    if (done.has_error()) co_return done.error();
    co_return wishes;
}

// Adds the open sales that wait only for the provider, by the day of the attempt, because they have no movement day.
auto SaleInquiry::wish_for_open(Day day, std::vector<Wish>& wishes) -> boost::asio::awaitable<Result<void>> {
    const std::optional<std::string> everywhere;
    std::string after;
    do {
        const auto page = co_await journal_.open_sales(everywhere, after);
        if (page.has_error()) co_return page.error();
        for (const auto& sale : page->sales) {
            const auto& attempt = sale.current();
            const bool is_of_the_day = reconciler_.zone().day_of(attempt.created_at) == day;
            if (is_of_the_day && may_be_asked_for(sale, journal_))
                wishes.push_back({.sale = sale.id, .attempt = attempt.id_externo});
        }
        after = page->next;
        co_await clock_.sleep_for(Duration(0));
    } while (!after.empty());
    co_return Result<void>();
}

// Sales that the gateway is about to deal with are left out; the next inquiry shows what came of that.
auto SaleInquiry::wish_for_findings(Day day, std::vector<Wish>& wishes) -> boost::asio::awaitable<Result<void>> {
    FindingFilter filter{.open = true, .day = day, .said = true, .limit = findings_a_page};
    std::set<std::string> known;
    for (const auto& wish : wishes)
        known.insert(wish.attempt.str());
    for (bool more = true; more;) {
        const auto page = co_await journal_.findings(filter);
        if (page.has_error()) co_return page.error();
        for (const auto& finding : *page) {
            const auto attempt = IdExterno::parse(finding.id_externo);
            if (!is_to_be_asked(finding.kind) || finding.pending || !finding.sale || !attempt) continue;
            if (known.insert(attempt->str()).second) wishes.push_back({.sale = *finding.sale, .attempt = *attempt});
        }
        more = page->size() == filter.limit;
        if (more) filter.before = page->back().number;
    }
    co_return Result<void>();
}

auto SaleInquiry::ask_for(const std::vector<Wish>& wishes, Round& round) -> boost::asio::awaitable<Result<void>> {
    auto& report = round.report;
    for (std::size_t i = 0; i < wishes.size(); ++i) {
        if (report.asked == most_asked || !report.ended.empty()) {
            report.left = wishes.size() - i;
            break;
        }
        const auto asked = co_await ask_for_one(wishes[i], round);
        if (asked.has_error()) co_return asked;
    }
    co_return Result<void>();
}

auto SaleInquiry::ask_for_one(const Wish& wish, Round& round) -> boost::asio::awaitable<Result<void>> {
    const auto found = co_await journal_.find(wish.sale);
    if (found.has_error() && found.error() != errc::sale_unreadable) co_return found.error();
    if (found.has_error() || !*found || !may_be_asked_for(**found, journal_)) co_return Result<void>();
    const auto& sale = **found;
    const auto attempt = std::ranges::find(sale.attempts, wish.attempt, &Attempt::id_externo);
    if (attempt == sale.attempts.end() || !rules_.askable(*attempt)) co_return Result<void>();
    auto& report = round.report;
    if (report.asked > 0) co_await clock_.sleep_for(pause);
    if (report.asked % progress_every == 0)
        log_.info("inquiry.asks", "the provider is asked how sales of {day} stand: {asked} until now",
                  {{"day", to_text(round.day)}, {"asked", report.asked}});
    ++report.asked;
    const auto reply = co_await provider_.status(sale, *attempt, clock_.now() + provider_.request_timeout());
    round.unanswered = is_unanswered(reply) ? round.unanswered + 1 : 0;
    const bool leave_alone = reply.kind == Reply::Kind::answered && reply.status == too_many_requests;
    round.in_vain = leave_alone || reply.kind == Reply::Kind::nothing_sent || round.unanswered == most_unanswered;
    if (round.in_vain) report.ended = why_not(reply);
    if (report.ended.empty() && clock_.now() >= round.until)
        report.ended = "it took too long; what is left can be asked for again";
    if (auto said = status_said(*attempt, reply))
        round.answers.push_back({.sale = sale.id, .attempt = wish.attempt, .row = row_of(std::move(*said), sale)});
    co_return Result<void>();
}

// Nothing is logged where there was nothing to ask about.
void SaleInquiry::say(Day day, const InquiryReport& report, const std::string& by) const {
    if (report.asked == 0) return;
    const auto left = report.left > 0 ? std::optional(report.left) : std::nullopt;
    log_.write(
        report.left > 0 ? LogLevel::warn : LogLevel::info, "inquiry.done",
        "of {asked} sales of {day} that the provider was asked for, it said how {answered} stand[; {left} were not "
        "asked for][: {detail}][ (asked for by {by})]",
        {{"day", to_text(day)},
         {"asked", report.asked},
         {"answered", report.answered},
         {"left", left},
         {"detail", report.ended},
         {"by", by}});
}

}  // namespace gateway
