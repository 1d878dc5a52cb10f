#include "books/matching.hpp"

#include "sale/movement_day.hpp"

#include <fmt/format.h>

#include <utility>

namespace gateway {
namespace {

using State = AttemptState;

bool is_sold(State state) {
    return state == State::sold || state == State::collecting;
}

}  // namespace

Matching::Matching(MatchingOptions options, Day day, StatementRows& rows, Journal& journal, Clock& clock)
    : options_(std::move(options)),
      day_(day),
      rows_(rows),
      journal_(journal),
      clock_(clock),
      judge_({.settle = options_.settle, .can_cancel = options_.can_cancel}, clock) {}

boost::asio::awaitable<Result<void>> Matching::run() {
    auto done = co_await learn();
    if (done.has_value()) done = co_await match_days();
    if (done.has_value()) done = co_await match_open();
    if (done.has_value()) done = co_await match_rest();
    if (done.has_value()) suggest();
    co_return done;
}

// Reads what the last statements of the neighbouring days say about this day's sales, which are findings of those days.
auto Matching::learn() -> Awaited<void> {
    auto prefixes = co_await journal_.id_prefixes();
    if (prefixes.has_error()) co_return prefixes.error();
    prefixes_ = std::move(*prefixes);
    for (const auto day : {day_before(day_), next_day(day_)}) {
        FindingFilter filter{.kind = FindingKind::other_day, .day = day, .said = true, .limit = 500};
        for (bool more = true; more;) {
            const auto page = co_await journal_.findings(filter);
            if (page.has_error()) co_return page.error();
            for (const auto& finding : *page)
                if (finding.theirs) on_other_days_.insert(finding.id_externo);
            more = page->size() == filter.limit;
            if (more) filter.before = page->back().number;
        }
    }
    co_return Result<void>();
}

auto Matching::match_days() -> Awaited<void> {
    const DayFilter filter{.from = day_before(day_), .to = next_day(day_)};
    std::string after;
    do {
        const auto page = co_await journal_.sales_of_days(filter, after);
        if (page.has_error()) co_return page.error();
        std::vector<Doubt> doubts;
        for (const auto& sale : page->sales) {
            auto row = row_of(sale.id_externo, sale.id_transacao);
            if (sale.retried || !agree(sale, row)) {
                doubts.push_back({.sale = sale.id, .row = std::move(row)});
            } else if (row) {
                ++matched_;
                ++named_;
            }
        }
        for (const auto& doubt : doubts) {
            const auto judged = co_await judge(doubt);
            if (judged.has_error()) co_return judged.error();
            if (found_too_much()) co_return Result<void>();
        }
        after = page->next;
        co_await clock_.sleep_for(Duration(0));
    } while (!after.empty());
    co_return Result<void>();
}

auto Matching::match_open() -> Awaited<void> {
    const std::optional<std::string> everywhere;
    std::string after;
    do {
        const auto page = co_await journal_.open_sales(everywhere, after);
        if (page.has_error()) co_return page.error();
        for (const auto& sale : page->sales)
            judge_open(sale);
        if (found_too_much()) co_return Result<void>();
        after = page->next;
        co_await clock_.sleep_for(Duration(0));
    } while (!after.empty());
    co_return Result<void>();
}

auto Matching::match_rest() -> Awaited<void> {
    for (bool more = true; more && !found_too_much();) {
        std::vector<StatementRow> rows;
        more = rows_.take_rest(rows);
        std::vector<std::string> ids;
        ids.reserve(rows.size());
        for (const auto& row : rows)
            ids.push_back(row.id_externo);
        const auto owners = co_await journal_.owners(ids);
        if (owners.has_error()) co_return owners.error();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto& owner = owners->at(i);
            if (!owner) {
                judge_unknown(rows[i]);
                continue;
            }
            const Doubt doubt{.sale = *owner, .row = std::move(rows[i])};
            const auto judged = co_await judge(doubt);
            if (judged.has_error()) co_return judged.error();
        }
        co_await clock_.sleep_for(Duration(0));
    }
    co_return Result<void>();
}

// The journal marks a sale that cannot be read for a person; nothing can be said about it here.
auto Matching::judge(const Doubt& doubt) -> Awaited<void> {
    const auto found = co_await journal_.find(doubt.sale);
    if (found.has_error() && found.error() != errc::sale_unreadable) co_return found.error();
    if (found.has_error() || !*found) co_return Result<void>();
    const auto& sale = **found;
    for (std::size_t i = 0; i < sale.attempts.size(); ++i) {
        const bool is_named = doubt.row && is_about(*doubt.row, attempt_of(sale, i));
        const auto row = is_named ? doubt.row : row_of(sale, i);
        if (row || (is_sold(sale.attempts[i].state) && sale.day == day_)) judge(sale, i, row ? &*row : nullptr);
    }
    co_return Result<void>();
}

// Where the statement does not have an open sale, only the sale's attempts of this day are findings. Otherwise each
// statement of a later day would show them again.
void Matching::judge_open(const Sale& sale) {
    for (std::size_t i = 0; i < sale.attempts.size(); ++i) {
        const auto& attempt = sale.attempts[i];
        const auto row = row_of(sale, i);
        const bool is_of_the_day = options_.zone.day_of(attempt.created_at) == day_;
        if (row || (is_of_the_day && !is_final_in(attempt.state) && !is_sold(attempt.state)))
            judge(sale, i, row ? &*row : nullptr);
    }
}

void Matching::judge(const Sale& sale, std::size_t attempt, const StatementRow* row) {
    if (row != nullptr) ++named_;
    const auto& one = sale.attempts.at(attempt);
    const ComparisonContext context{.day = day_,
                                    .lists_sold_only = options_.lists_sold_only,
                                    .covers = options_.covers,
                                    .on_another_day = on_other_days_.contains(one.id_externo.str())};
    auto finding = judge_.judge(sale, attempt, row, context);
    if (!finding) {
        if (row != nullptr) ++matched_;
        return;
    }
    if (finding->kind == FindingKind::missing_there && missing_.size() <= max_compared)
        missing_.push_back({finding->id_externo,
                            {.valor = sale.valor, .estabelecimento = sale.estabelecimento, .at = one.created_at}});
    findings_.push_back(std::move(*finding));
}

void Matching::judge_unknown(const StatementRow& row) {
    const ComparisonContext context{.day = day_,
                                    .lists_sold_only = options_.lists_sold_only,
                                    .covers = options_.covers,
                                    .origin = origin_of(row, prefixes_, options_.estabelecimentos)};
    const auto kind = compare(nullptr, &row, context);
    if (kind != FindingKind::unknown_here) {
        ++others_;
        return;
    }
    auto& finding = findings_.emplace_back(new_finding(*kind, &row, day_, clock_.wall()));
    if (context.origin == RowOrigin::ours) finding.detail = "its prefix is this gateway's";
    if (context.origin == RowOrigin::others) finding.detail = "its prefix or its establishment is another gateway's";
    if (unknown_.size() <= max_compared) unknown_.push_back({findings_.size() - 1, row});
}

// An id that was written wrongly leaves one finding on each side. Suggests which ones belong together.
void Matching::suggest() {
    if (missing_.size() > max_compared || unknown_.size() > max_compared) return;
    std::vector<MatchCandidate> candidates;
    candidates.reserve(missing_.size());
    for (const auto& missing : missing_)
        candidates.push_back(missing.candidate);
    for (const auto& unknown : unknown_) {
        std::string ids;
        for (const auto place : suggestions(unknown.row, candidates))
            ids += (ids.empty() ? "" : " / ") + missing_[place].id_externo;
        if (ids.empty()) continue;
        auto& detail = findings_[unknown.finding].detail;
        detail +=
            (detail.empty() ? "" : "; ") + fmt::format("the amount and the time are those of {}, missing there", ids);
    }
}

std::optional<StatementRow> Matching::row_of(std::string_view id_externo, std::string_view id_transacao) {
    auto row = rows_.take({RowId::Kind::id_externo, id_externo});
    if (!row && !id_transacao.empty()) row = rows_.take({RowId::Kind::id_transacao, id_transacao});
    return row;
}

// Every establishment may count its NSUs from the beginning, so a row of another one is not ours.
std::optional<StatementRow> Matching::row_of(const Sale& sale, std::size_t attempt) {
    const auto ours = attempt_of(sale, attempt);
    auto row = row_of(ours.id_externo, ours.id_transacao);
    if (row || ours.nsu.empty()) return row;
    row = rows_.take({RowId::Kind::nsu, ours.nsu});
    if (!row || is_about(*row, ours)) return row;
    judge_unknown(*row);
    return std::nullopt;
}

// Tells whether the sale's own row shows that there is nothing to find. That row does not have the NSU that a callback
// brought.
bool Matching::agree(const DaySale& sale, const std::optional<StatementRow>& row) const {
    const bool sold = sale.status == Status::EFETIVADA;
    if (!row) return !is_by_callback(sale.family) && (!sold || sale.day != day_);
    if (!sold) return row->status == Status::CANCELADA || row->status == Status::NEGADA;
    return row->status == Status::EFETIVADA && row->valor == sale.valor && sale.day == day_;
}

}  // namespace gateway
