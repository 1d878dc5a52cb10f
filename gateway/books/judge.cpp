#include "books/judge.hpp"

#include "base/digest.hpp"
#include "sale/movement_day.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway {
namespace {

using State = AttemptState;

// Returns what we say about an attempt; for the latest one, this is what we say about the sale.
Status said_of(const Sale& sale, std::size_t attempt) {
    if (attempt + 1 == sale.attempts.size()) return sale.status;
    const auto state = sale.attempts.at(attempt).state;
    if (state == State::sold || state == State::collecting) return Status::EFETIVADA;
    if (state == State::refused) return Status::NEGADA;
    return is_final_in(state) ? Status::CANCELADA : Status::PENDENTE;
}

}  // namespace

Finding new_finding(FindingKind kind, const StatementRow* row, Day day, WallTime at) {
    Finding finding;
    finding.day = day;
    finding.kind = kind;
    finding.opened_at = at;
    if (row == nullptr) return finding;
    finding.id_externo = row->id_externo;
    finding.id_transacao = row->id_transacao;
    finding.nsu = row->nsu;
    finding.estabelecimento = row->estabelecimento;
    finding.theirs = Saying{.valor = row->valor, .status = row->status};
    finding.line = row->line;
    return finding;
}

std::optional<Finding> Judge::judge(const Sale& sale, std::size_t attempt, const StatementRow* row,
                                    const ComparisonContext& context) {
    auto ours = attempt_of(sale, attempt);
    ours.day = sale.day;
    ours.cancellable = options_.can_cancel(sale.family);
    const auto kind = compare(&ours, row, context);
    if (!kind) return std::nullopt;
    const auto asks = asked_for(*kind, &ours, row);
    const bool is_being_repeated = !sale.settled && asks == FindingAsks::nothing &&
                                   (*kind == FindingKind::open_there || *kind == FindingKind::unconfirmed_there);
    if (is_being_repeated || severity_of(*kind) == FindingSeverity::none) return std::nullopt;
    auto finding = new_finding(*kind, row, context.day, clock_.wall());
    finding.sale = sale.id;
    finding.id_externo = ours.id_externo;
    if (finding.id_transacao.empty()) finding.id_transacao = ours.id_transacao;
    finding.estabelecimento = ours.estabelecimento;
    finding.ours = Saying{.valor = ours.valor, .status = said_of(sale, attempt)};
    if (*kind == FindingKind::store_differs)
        finding.detail =
            fmt::format("it is booked to {} there, and was sold by {}", row->estabelecimento, ours.estabelecimento);
    finding.asks = asks;
    finding.pending = is_to_be_told(*kind, ours, row, asks);
    return finding;
}

// Tells whether the gateway tells the law by itself what the row says. It never does where it is uncertain which
// attempt the row names.
bool Judge::is_to_be_told(FindingKind kind, const OurAttempt& ours, const StatementRow* row, FindingAsks asks) {
    if (row == nullptr || id_of(*row)->kind == RowId::Kind::nsu || row->valor != ours.valor ||
        contradict(row->estabelecimento, ours.estabelecimento))
        return false;
    if (asks == FindingAsks::repeat_confirm || asks == FindingAsks::repeat_cancel) return true;
    if (asks == FindingAsks::settle) return options_.settle;
    const bool contradicts =
        kind == FindingKind::sold_there || kind == FindingKind::sold_twice || kind == FindingKind::reversed_there;
    return contradicts && ++marked_ <= max_marked;
}

bool may_be_asked_for(const Sale& sale, const Journal& journal) {
    const auto is_over = [](const Attempt& attempt) { return is_settled(attempt.state); };
    if (std::ranges::all_of(sale.attempts, is_over)) return true;  // a contradiction may still wait for a person
    const auto state = sale.current().state;
    const bool waits = state == State::disputing || state == State::awaiting;
    return waits && sale.attention != Attention::none && journal.owns(sale.id);
}

boost::asio::awaitable<Result<std::vector<Finding>>> judge_answers(const std::vector<StatusAnswer>& answers,
                                                                   Judge& judge, Journal& journal,
                                                                   KeptStatement& statement) {
    std::vector<Finding> findings;
    std::string said;
    for (const auto& answer : answers) {
        const auto found = co_await journal.find(answer.sale);
        if (found.has_error() && found.error() != errc::sale_unreadable) co_return found.error();
        if (found.has_error() || !*found || !may_be_asked_for(**found, journal)) continue;
        const auto& sale = **found;
        const auto named = std::ranges::find(sale.attempts, answer.attempt, &Attempt::id_externo);
        if (named == sale.attempts.end()) continue;
        const ComparisonContext context{.day = sale.day.value_or(statement.day)};
        const auto attempt = static_cast<std::size_t>(named - sale.attempts.begin());
        auto finding = judge.judge(sale, attempt, &answer.row, context);
        statement.about.push_back(answer.attempt.str());
        said += fmt::format("{};{};{};\n", answer.attempt.text(), to_string(answer.row.status), answer.row.valor.value);
        ++statement.rows;
        if (finding)
            findings.push_back(std::move(*finding));
        else
            ++statement.matched;
    }
    statement.digest = sha256_hex(said);
    statement.reading = sha256_hex(statement.source);
    co_return findings;
}

}  // namespace gateway
