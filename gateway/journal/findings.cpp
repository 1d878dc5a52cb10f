#include "journal/findings.hpp"

#include "journal/book_rows.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/erasure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace gateway {

std::string_view to_string(FindingEnd end) noexcept {
    switch (end) {
        case FindingEnd::resolved: return "resolved";
        case FindingEnd::corrected: return "corrected";
        case FindingEnd::settled: return "settled";
        case FindingEnd::other_day: return "other_day";
    }
    return "";
}

namespace statements {
namespace {

std::optional<KeptStatement> read(Tx& tx, const Row& row) {
    auto statement = rows::read_statement(row);
    if (!statement) tx.unreadable.add_other(fmt::format("statements/{}", row.integer(0)));
    return statement;
}

}  // namespace

Job<std::optional<KeptStatement>> find(Tx& tx, std::string_view digest, std::string_view reading) {
    const auto found = co_await tx.ask(sql::statements_by_digest, digest, reading);
    for (const auto& row : found)
        if (auto statement = read(tx, row)) co_return statement;
    co_return std::nullopt;
}

Job<std::vector<KeptStatement>> list(Tx& tx, const StatementFilter& filter) {
    std::vector<KeptStatement> statements;
    auto before = filter.before;
    for (bool more = true; more && statements.size() < filter.limit;) {
        const auto wanted = filter.limit - statements.size();
        const auto page = co_await tx.ask(sql::statements_before, before, filter.source, wanted);
        for (const auto& row : page) {
            before = row.integer(0);
            if (auto statement = read(tx, row)) statements.push_back(std::move(*statement));
        }
        more = page.size() == wanted;
    }
    co_return statements;
}

Job<KeptStatement> insert(Tx& tx, const KeptStatement& statement) {
    const auto& s = statement;
    const auto kept = co_await tx.ask(sql::insert_statement, to_text(s.day), s.source, rows::shown(s.network), s.digest,
                                      s.reading, rows::milliseconds(s.read_at), rows::shown(s.by), s.header_money,
                                      s.rows, s.matched, s.others, s.findings);
    auto with_ids = statement;
    with_ids.id = kept.front().integer(0);
    with_ids.replaced = kept.front().optional_integer(1);
    co_return with_ids;
}

}  // namespace statements

namespace findings {
namespace {

// One call returns at most this many findings, so that it never takes long.
constexpr std::size_t findings_at_once = 500;

// Returns rows::subject_of() in the form in which it is kept.
std::string subject_of(const Finding& finding) {
    return rows::shown(rows::subject_of(finding));
}

// Chooses the statement whose index leaves the fewest rows.
const Statement& statement_for(const FindingFilter& filter) {
    if (filter.number) return sql::findings_by_number;
    if (filter.statement) return sql::findings_of_statement;
    if (filter.pending) return sql::findings_pending;
    if (filter.day) return filter.kind ? sql::findings_of_day_and_kind : sql::findings_of_day;
    if (filter.open.value_or(false)) return filter.kind ? sql::findings_open_of_kind : sql::findings_open;
    return sql::findings_listed;
}

// Returns nothing, and counts the row, where this program cannot have written it.
std::optional<Finding> read(Tx& tx, const Row& row) {
    rows::FieldReader fields(tx.cipher);
    auto finding = rows::read_finding(row, fields);
    if (!fields.unreadable().empty()) tx.unreadable.add_other(fmt::format("findings/{}", row.integer(0)));
    return finding;
}

void end(Tx& tx, std::int64_t number, const Finding::Closed& closed) {
    const auto row = std::to_string(number);
    const FieldAddress address{encrypted::finding_note, row};
    const auto note = closed.note.empty() ? std::nullopt : std::optional<std::string_view>(closed.note);
    std::string buffer;
    tx.run(sql::close_finding, number, rows::milliseconds(closed.at), to_string(closed.as), rows::shown(closed.by),
           tx.cipher.encrypt(address, note, buffer));
}

// A statement about some sales takes over, from the one before, the findings of everything that it is not about.
void carry_over(Tx& tx, const KeptStatement& statement) {
    if (statement.about.empty() || !statement.replaced) return;
    const auto day = to_text(statement.day);
    tx.run(sql::carry_findings_over, statement.id, day, *statement.replaced);
    for (const auto& id_externo : statement.about)
        tx.run(sql::carry_subject_over, *statement.replaced, day, statement.id, rows::shown(id_externo));
}

Job<void> keep_one(Tx& tx, Finding& finding, FindingChanges& changes) {
    const auto& f = finding;
    const auto day = to_text(f.day);
    const auto subject = subject_of(f);
    const auto sale = f.sale ? std::optional(f.sale->text()) : std::nullopt;
    const auto known = co_await tx.ask(sql::known_finding, day, to_string(f.kind), subject, rows::amount_of(f.ours),
                                       rows::status_of(f.ours), rows::amount_of(f.theirs), rows::status_of(f.theirs));
    if (known.empty()) {
        const auto inserted = co_await tx.ask(
            sql::insert_finding, f.statement, day, to_string(f.kind), subject, sale, rows::shown(f.id_externo),
            rows::shown(f.id_transacao), rows::shown(f.nsu), rows::shown(f.estabelecimento), rows::amount_of(f.ours),
            rows::status_of(f.ours), rows::amount_of(f.theirs), rows::status_of(f.theirs), f.line, f.detail,
            to_string(f.asks), f.pending, rows::milliseconds(f.opened_at));
        finding.number = inserted.front().integer(0);
        changes.opened.push_back(std::move(finding));
        co_return;
    }
    finding.number = known.front().integer(0);
    const bool is_open = known.front().integer(1) != 0;
    const bool stays_closed = known.front().integer(2) != 0;
    if (stays_closed) finding.pending = false;
    tx.run(sql::update_finding, f.number, f.statement, sale, rows::shown(f.id_transacao), rows::shown(f.nsu),
           rows::shown(f.estabelecimento), rows::amount_of(f.ours), rows::status_of(f.ours), rows::amount_of(f.theirs),
           rows::status_of(f.theirs), f.line, f.detail, to_string(f.asks), f.pending);
    if (is_open || stays_closed) co_return;
    tx.run(sql::reopen_finding, f.number, rows::milliseconds(f.opened_at));
    changes.opened.push_back(std::move(finding));
}

Job<void> close_all(Tx& tx, const Rows& numbers, FindingEnd as, WallTime at, FindingChanges& changes) {
    for (const auto& row : numbers) {
        end(tx, row.integer(0), {.at = at, .as = as});
        auto finding = co_await find(tx, row.integer(0));
        if (finding) changes.closed.push_back(std::move(*finding));
    }
}

// Returns those findings on the day of an attempt's own sale that say that another day's statement has it, although no
// statement has it any more. `about` are the rows about this attempt.
std::vector<std::int64_t> no_longer_explained(const Rows& about) {
    std::set<std::string> explained_by;  // days
    for (const auto& row : about)
        if (row.text(2) == to_string(FindingKind::other_day) && !row.is_null(4)) explained_by.emplace(row.text(1));
    std::vector<std::int64_t> numbers;
    for (const auto& row : about) {
        const auto kind = row.text(2);
        const auto ended = row.text(3);
        const bool was_explained =
            kind == to_string(FindingKind::other_day)
                ? ended != to_string(FindingEnd::corrected)
                : kind == to_string(FindingKind::missing_there) && ended == to_string(FindingEnd::other_day);
        const auto day = parse_day(row.text(1));
        const bool is_explained =
            day && (explained_by.contains(to_text(day_before(*day))) || explained_by.contains(to_text(next_day(*day))));
        if (row.is_null(4) && was_explained && !is_explained) numbers.push_back(row.integer(0));
    }
    return numbers;
}

Job<void> miss(Tx& tx, std::int64_t number, WallTime at, FindingChanges& changes) {
    auto finding = co_await find(tx, number);
    if (!finding) co_return;
    if (finding->kind == FindingKind::other_day) end(tx, number, {.at = at, .as = FindingEnd::corrected});
    finding->kind = FindingKind::missing_there;
    finding->asks = FindingAsks::person;
    finding->opened_at = at;
    finding->closed.reset();
    co_await keep_one(tx, *finding, changes);
}

// Opens missing_there again for sales of other days that the last statement of this day had and the new one has not.
Job<void> miss_again(Tx& tx, const KeptStatement& statement, FindingChanges& changes) {
    const auto gone = co_await tx.ask(sql::findings_gone, to_text(statement.day), statement.id);
    for (const auto& row : gone) {
        const auto about = co_await tx.ask(sql::findings_about, row.text(0), row.text(1));
        for (const auto number : no_longer_explained(about))
            co_await miss(tx, number, statement.read_at, changes);
    }
}

Job<Finding> existing(Tx& tx, std::int64_t number) {
    auto finding = co_await find(tx, number);
    if (!finding) throw JobFailed(errc::not_found);
    co_return std::move(*finding);
}

}  // namespace

Job<FindingChanges> keep(Tx& tx, const KeptStatement& statement, const std::vector<Finding>& findings) {
    tx.hold("statements");
    FindingChanges changes;
    changes.statement = co_await statements::insert(tx, statement);
    const auto& kept = changes.statement;
    carry_over(tx, kept);
    for (auto finding : findings) {
        finding.statement = kept.id;
        finding.day = kept.day;
        co_await keep_one(tx, finding, changes);
    }
    const auto unsaid = co_await tx.ask(sql::unsaid_findings, to_text(kept.day), kept.id);
    co_await close_all(tx, unsaid, FindingEnd::corrected, kept.read_at, changes);
    const auto day_of_some = to_text(day_before(kept.day));
    const auto day_of_others = to_text(next_day(kept.day));
    for (const auto& finding : findings) {
        if (finding.kind != FindingKind::other_day) continue;
        const auto missing = co_await tx.ask(sql::missing_findings, subject_of(finding), day_of_some, day_of_others);
        co_await close_all(tx, missing, FindingEnd::other_day, kept.read_at, changes);
    }
    co_await miss_again(tx, kept, changes);
    co_return changes;
}

Job<std::vector<Finding>> list(Tx& tx, const FindingFilter& filter) {
    const auto& statement = statement_for(filter);
    const auto kind = filter.kind ? std::optional(to_string(*filter.kind)) : std::nullopt;
    const auto day = filter.day ? std::optional(to_text(*filter.day)) : std::nullopt;
    const auto limit = std::min(filter.limit, findings_at_once);
    auto before = filter.before;
    std::vector<Finding> findings;
    for (bool more = true; more && findings.size() < limit;) {
        const auto wanted = limit - findings.size();
        const auto page = co_await tx.ask(statement, before, filter.number, filter.statement, day, kind, filter.open,
                                          filter.pending, filter.said, wanted);
        for (const auto& row : page) {
            before = row.integer(0);
            if (auto finding = read(tx, row)) findings.push_back(std::move(*finding));
        }
        more = page.size() == wanted;
    }
    co_return findings;
}

Job<std::optional<Finding>> find(Tx& tx, std::int64_t number) {
    const FindingFilter only{.number = number, .limit = 1};
    auto found = co_await list(tx, only);
    co_return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

Job<Finding> close(Tx& tx, std::int64_t number, Finding::Closed closed) {
    const auto before = co_await existing(tx, number);
    if (before.sale) {
        tx.run(sql::hold_sale, before.sale->text());
        erasure::written(tx, before.sale->text());
    }
    end(tx, before.number, closed);
    co_return co_await existing(tx, number);
}

Job<Finding> done(Tx& tx, std::int64_t number, std::string_view effect, std::optional<WallTime> settled_at) {
    const auto before = co_await existing(tx, number);
    tx.run(sql::finding_done, before.number, effect);
    if (settled_at) end(tx, before.number, {.at = *settled_at, .as = FindingEnd::settled});
    co_return co_await existing(tx, number);
}

Job<std::map<FindingKind, std::int64_t>> count_open(Tx& tx) {
    const auto counted = co_await tx.ask(sql::count_open_findings);
    std::map<FindingKind, std::int64_t> counts;
    for (const auto& row : counted)
        if (const auto kind = parse_finding_kind(row.text(0))) counts[*kind] = row.integer(1);
    co_return counts;
}

}  // namespace findings
}  // namespace gateway
