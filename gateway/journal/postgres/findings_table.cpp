#include "journal/postgres/findings_table.hpp"

#include "journal/book_rows.hpp"
#include "journal/encrypted_fields.hpp"

namespace gateway::postgres {
namespace {

constexpr Statement keep_finding{
    "keep_finding",
    "SELECT kept, is_opened, stays_pending FROM keep_finding($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,"
    " $14, $15, $16, $17, $18)"};
constexpr char select_finding[] =
    "SELECT number, statement, day, kind, sale, id_externo, id_transacao, nsu, estabelecimento, our_valor, our_status,"
    " their_valor, their_status, line, detail, asks, pending, effect, opened_at, closed_at, closed_as, closed_by, note"
    " FROM findings WHERE ";
constexpr auto by_number_sql = sql(select_finding, "number = ANY($1::bigint[]) ORDER BY number");
constexpr Statement findings_by_number{"findings_by_number", by_number_sql.text};
constexpr auto list_findings_sql =
    sql(select_finding,
        "($1::boolean IS NULL OR (closed_at IS NULL) = $1) AND (NOT $2::boolean OR pending = 1)"
        " AND (NOT $3::boolean OR statement = (SELECT max(id) FROM statements WHERE day = findings.day))"
        " AND ($4::text IS NULL OR kind = $4) AND ($5::text IS NULL OR day = $5)"
        " AND ($6::bigint IS NULL OR number = $6) AND ($7::bigint IS NULL OR statement = $7)"
        " AND ($8::bigint IS NULL OR number < $8) ORDER BY number DESC LIMIT $9::bigint");
constexpr Statement list_findings{"list_findings", list_findings_sql.text};
constexpr Statement carry_over_findings{
    "carry_over_findings",
    "UPDATE findings SET statement = $1::bigint WHERE day = $2 AND statement = $3::bigint"
    " AND subject <> ALL($4::text[])"};
constexpr Statement unsaid{
    "unsaid_findings",
    "SELECT number FROM findings WHERE day = $1 AND statement < $2 AND closed_at IS NULL ORDER BY number"};
constexpr Statement missing_elsewhere{
    "missing_elsewhere",
    "SELECT number FROM findings WHERE kind = 'missing_there' AND subject = ANY($1::text[]) AND closed_at IS NULL"
    " AND day IN (to_char($2::date - 1, 'YYYY-MM-DD'), to_char($2::date + 1, 'YYYY-MM-DD')) ORDER BY number"};
// What is explained by a finding that this day's statement does not say any more, and by no other.
constexpr Statement explained_elsewhere{
    "explained_elsewhere",
    "WITH gone AS (SELECT sale, subject FROM findings WHERE day = $1 AND statement < $2 AND kind = 'other_day'"
    " AND their_valor IS NOT NULL),"
    " of_it AS (SELECT f.* FROM gone JOIN findings AS f ON f.sale = gone.sale AND f.subject = gone.subject"
    " WHERE f.statement = (SELECT max(id) FROM statements WHERE day = f.day))"
    " SELECT DISTINCT number FROM of_it AS f WHERE their_valor IS NULL AND closed_as IS DISTINCT FROM 'corrected'"
    " AND (kind = 'other_day' OR (kind = 'missing_there' AND closed_as = 'other_day'))"
    " AND NOT EXISTS (SELECT 1 FROM of_it AS o WHERE o.sale = f.sale AND o.subject = f.subject"
    " AND o.kind = 'other_day' AND o.their_valor IS NOT NULL AND o.day IN (to_char(f.day::date - 1, 'YYYY-MM-DD'),"
    " to_char(f.day::date + 1, 'YYYY-MM-DD'))) ORDER BY number"};
// A person's note is personal: the erasure comes back to its sale.
constexpr Statement close_findings{
    "close_findings",
    "WITH closed AS (UPDATE findings SET closed_at = $2::bigint, closed_as = $3, closed_by = $4,"
    " note = coalesce($5, note), pending = 0 WHERE number = ANY($1::bigint[]) AND closed_at IS NULL RETURNING sale)"
    " SELECT note_written(sale) FROM closed WHERE sale IS NOT NULL AND $5 IS NOT NULL"};
constexpr Statement finding_done{
    "finding_done",
    "UPDATE findings SET pending = 0, effect = $2,"
    " closed_as = CASE WHEN closed_at IS NULL AND $3::bigint IS NOT NULL THEN 'settled' ELSE closed_as END,"
    " closed_by = CASE WHEN closed_at IS NULL AND $3 IS NOT NULL THEN '' ELSE closed_by END,"
    " closed_at = CASE WHEN closed_at IS NULL THEN $3 ELSE closed_at END WHERE number = $1::bigint"};
constexpr Statement count_findings{"count_findings",
                                   "SELECT kind, count(*) FROM findings WHERE closed_at IS NULL GROUP BY kind"};

std::vector<std::string> numbers_in(const Rows& found) {
    std::vector<std::string> numbers;
    for (std::size_t i = 0; i < found.size(); ++i)
        numbers.push_back(std::to_string(found[i].integer(0)));
    return numbers;
}

}  // namespace

Awaited<FindingChanges> FindingsTable::keep(Transaction& transaction, KeptStatement statement,
                                            const std::vector<Finding>& findings) {
    FindingChanges changes{.statement = std::move(statement)};
    const auto id = changes.statement.id;
    const auto day = to_text(changes.statement.day);
    const auto read_at = changes.statement.read_at;
    const auto carried = co_await carry_over(transaction, changes.statement);
    if (carried.has_error()) co_return carried.error();
    std::vector<std::string> on_other_days;
    for (auto finding : findings) {
        finding.statement = id;
        finding.day = changes.statement.day;
        if (finding.kind == FindingKind::other_day) on_other_days.push_back(rows::shown(rows::subject_of(finding)));
        const auto kept = co_await keep_one(transaction, std::move(finding), changes);
        if (kept.has_error()) co_return kept.error();
    }
    Parameters of_day;
    of_day.add(day).add(id);
    const auto unsaid_now = co_await transaction.run(unsaid, std::move(of_day));
    if (unsaid_now.has_error()) co_return unsaid_now.error();
    auto closed = co_await close_all(transaction, *unsaid_now, FindingEnd::corrected, read_at, changes);
    if (closed.has_error()) co_return closed.error();
    if (!on_other_days.empty()) {
        Parameters which;
        which.add(on_other_days).add(day);
        const auto missing = co_await transaction.run(missing_elsewhere, std::move(which));
        if (missing.has_error()) co_return missing.error();
        closed = co_await close_all(transaction, *missing, FindingEnd::other_day, read_at, changes);
        if (closed.has_error()) co_return closed.error();
    }
    const auto missed = co_await miss_again(transaction, changes);
    if (missed.has_error()) co_return missed.error();
    co_return changes;
}

Awaited<void> FindingsTable::carry_over(Transaction& transaction, const KeptStatement& statement) {
    if (statement.about.empty() || !statement.replaced) co_return Result<void>();
    std::vector<std::string> subjects;
    for (const auto& id_externo : statement.about)
        subjects.emplace_back(rows::shown(id_externo));
    Parameters which;
    which.add(statement.id).add(to_text(statement.day)).add(*statement.replaced).add(subjects);
    const auto carried = co_await transaction.run(carry_over_findings, std::move(which));
    if (carried.has_error()) co_return carried.error();
    co_return Result<void>();
}

Awaited<void> FindingsTable::miss_again(Transaction& transaction, FindingChanges& changes) {
    Parameters of_day;
    of_day.add(to_text(changes.statement.day)).add(changes.statement.id);
    const auto explained = co_await transaction.run(explained_elsewhere, std::move(of_day));
    if (explained.has_error()) co_return explained.error();
    auto missing = co_await found_by(transaction, *explained);
    if (missing.has_error()) co_return missing.error();
    for (auto& finding : *missing) {
        const auto missed = co_await miss(transaction, std::move(finding), changes.statement.read_at, changes);
        if (missed.has_error()) co_return missed;
    }
    co_return Result<void>();
}

Awaited<void> FindingsTable::miss(Transaction& transaction, Finding missing, WallTime at, FindingChanges& changes) {
    if (missing.kind == FindingKind::other_day) {
        const std::vector<std::string> number{std::to_string(missing.number)};
        Parameters which;
        which.add(number).add(rows::milliseconds(at)).add(to_string(FindingEnd::corrected)).add("").add(std::nullopt);
        const auto closed = co_await transaction.run(close_findings, std::move(which));
        if (closed.has_error()) co_return closed.error();
    }
    missing.kind = FindingKind::missing_there;
    missing.asks = FindingAsks::person;
    missing.opened_at = at;
    missing.closed.reset();
    co_return co_await keep_one(transaction, std::move(missing), changes);
}

Awaited<void> FindingsTable::keep_one(Transaction& transaction, Finding finding, FindingChanges& changes) {
    const auto& f = finding;
    Parameters row;
    row.add(f.statement).add(to_text(f.day)).add(to_string(f.kind)).add(rows::shown(rows::subject_of(f)));
    row.add(f.sale ? std::optional(f.sale->text()) : std::nullopt).add(rows::shown(f.id_externo));
    row.add(rows::shown(f.id_transacao)).add(rows::shown(f.nsu)).add(rows::shown(f.estabelecimento));
    row.add(rows::amount_of(f.ours)).add(rows::status_of(f.ours));
    row.add(rows::amount_of(f.theirs)).add(rows::status_of(f.theirs));
    row.add(f.line).add(f.detail).add(to_string(f.asks)).add(int{f.pending}).add(rows::milliseconds(f.opened_at));
    const auto kept = co_await transaction.run(keep_finding, std::move(row));
    if (kept.has_error()) co_return kept.error();
    const auto told = (*kept)[0];
    finding.number = told.integer(0);
    finding.pending = told.integer(2) != 0;
    if (told.integer(1) != 0) changes.opened.push_back(std::move(finding));
    co_return Result<void>();
}

Awaited<void> FindingsTable::close_all(Transaction& transaction, const Rows& numbers, FindingEnd as, WallTime at,
                                       FindingChanges& changes) {
    if (numbers.empty()) co_return Result<void>();
    Parameters which;
    which.add(numbers_in(numbers)).add(rows::milliseconds(at)).add(to_string(as)).add("").add(std::nullopt);
    const auto closed = co_await transaction.run(close_findings, std::move(which));
    if (closed.has_error()) co_return closed.error();
    auto found = co_await found_by(transaction, numbers);
    if (found.has_error()) co_return found.error();
    for (auto& finding : *found)
        changes.closed.push_back(std::move(finding));
    co_return Result<void>();
}

Awaited<std::vector<Finding>> FindingsTable::found_by(Transaction& transaction, const Rows& numbers) {
    if (numbers.empty()) co_return std::vector<Finding>();
    Parameters which;
    which.add(numbers_in(numbers));
    const auto found = co_await transaction.run(findings_by_number, std::move(which));
    if (found.has_error()) co_return found.error();
    co_return readable(*found);
}

std::vector<Finding> FindingsTable::readable(const Rows& found) {
    std::vector<Finding> findings;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto row = found[i];
        rows::FieldReader fields(storage_.cipher);
        auto finding = rows::read_finding(row, fields);
        reader_.add_values(fields.unreadable());
        if (finding) findings.push_back(std::move(*finding));
    }
    return findings;
}

Awaited<std::vector<Finding>> FindingsTable::list(const FindingFilter& filter) {
    // How many one call gives, so that it never takes long.
    constexpr std::size_t findings_at_once = 500;
    Parameters parameters;
    parameters.add(filter.open).add(filter.pending).add(filter.said);
    parameters.add(filter.kind ? std::optional(to_string(*filter.kind)) : std::nullopt);
    parameters.add(filter.day ? std::optional(to_text(*filter.day)) : std::nullopt);
    parameters.add(filter.number).add(filter.statement).add(filter.before);
    parameters.add(std::min(filter.limit, findings_at_once));
    const auto found = co_await storage_.reader.read(list_findings, std::move(parameters));
    if (found.has_error()) co_return found.error();
    co_return readable(*found);
}

Awaited<Finding> FindingsTable::find(std::int64_t number) {
    const std::vector<std::string> numbers{std::to_string(number)};
    Parameters which;
    which.add(numbers);
    const auto found = co_await storage_.writer.read(findings_by_number, std::move(which));
    if (found.has_error()) co_return found.error();
    auto findings = readable(*found);
    if (findings.empty()) co_return errc::not_found;
    co_return std::move(findings.front());
}

Awaited<void> FindingsTable::close(std::int64_t number, const Finding::Closed& closed) {
    const auto text = std::to_string(number);
    const std::vector<std::string> numbers{text};
    const auto note = closed.note.empty() ? std::nullopt : std::optional<std::string_view>(closed.note);
    Parameters which;
    which.add(numbers).add(rows::milliseconds(closed.at)).add(to_string(closed.as)).add(rows::shown(closed.by));
    storage_.seal(which, {encrypted::finding_note, text}, note);
    const auto done = co_await storage_.writer.write(close_findings, std::move(which));
    if (done.has_error()) co_return done.error();
    co_return Result<void>();
}

Awaited<void> FindingsTable::done(std::int64_t number, const std::string& effect, std::optional<WallTime> settled_at) {
    Parameters which;
    which.add(number).add(effect);
    which.add(settled_at ? std::optional(rows::milliseconds(*settled_at)) : std::nullopt);
    const auto done = co_await storage_.writer.write(finding_done, std::move(which));
    if (done.has_error()) co_return done.error();
    co_return Result<void>();
}

Awaited<std::map<FindingKind, std::int64_t>> FindingsTable::count_open() {
    const auto found = co_await storage_.reader.read(count_findings, Parameters());
    if (found.has_error()) co_return found.error();
    std::map<FindingKind, std::int64_t> counts;
    for (std::size_t i = 0; i < found->size(); ++i) {
        const auto row = (*found)[i];
        if (const auto kind = parse_finding_kind(row.text(0))) counts[*kind] = row.integer(1);
    }
    co_return counts;
}

}  // namespace gateway::postgres
