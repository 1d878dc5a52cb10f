#include "journal/findings_table.hpp"

#include "journal/book_rows.hpp"
#include "journal/encrypted_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gateway {
namespace {

// As rows::read_finding() takes them.
constexpr const char* select_finding =
    "SELECT number, statement, day, kind, sale, id_externo, id_transacao, nsu, estabelecimento, our_valor, our_status,"
    " their_valor, their_status, line, detail, asks, pending, effect, opened_at, closed_at, closed_as, closed_by, note"
    " FROM findings";

// How many findings one call gives, so that it never takes long.
constexpr std::size_t findings_at_once = 500;

}  // namespace

std::string_view to_string(FindingEnd end) noexcept {
    switch (end) {
        case FindingEnd::resolved: return "resolved";
        case FindingEnd::corrected: return "corrected";
        case FindingEnd::settled: return "settled";
        case FindingEnd::other_day: return "other_day";
    }
    return "";
}

namespace {

Result<std::vector<std::int64_t>> numbers_of(sqlite::Statement& rows) {
    std::vector<std::int64_t> all;
    while (true) {
        const auto row = rows.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        all.push_back(rows.integer(0));
    }
    rows.reset();
    return all;
}

}  // namespace

// The row of the same disagreement.
struct FindingsTable::Known {
    std::int64_t number;
    bool open;
    bool stays_closed;  // what was said of it was about the same words
};

FindingsTable::FindingsTable(sqlite::Database& d, FieldCipher& cipher, UnreadableSales& unreadable)
    : database_(d),
      cipher_(cipher),
      unreadable_(unreadable),
      known_(d,
             "SELECT number, closed_at IS NULL, closed_as IN ('resolved', 'settled') AND our_valor IS ?4"
             " AND our_status IS ?5 AND their_valor IS ?6 AND their_status IS ?7"
             " FROM findings WHERE day = ?1 AND kind = ?2 AND subject = ?3"),
      insert_(d,
              "INSERT INTO findings (statement, day, kind, subject, sale, id_externo, id_transacao, nsu,"
              " estabelecimento, our_valor, our_status, their_valor, their_status, line, detail, asks, pending, effect,"
              " opened_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,'',?)"),
      update_(d,
              "UPDATE findings SET statement = ?2, sale = ?3, id_transacao = ?4, nsu = ?5, estabelecimento = ?6,"
              " our_valor = ?7, our_status = ?8, their_valor = ?9, their_status = ?10, line = ?11, detail = ?12,"
              " asks = ?13, pending = ?14,"
              " effect = CASE WHEN their_valor IS ?9 AND their_status IS ?10 THEN effect ELSE '' END"
              " WHERE number = ?1"),
      reopen_(d,
              "UPDATE findings SET opened_at = ?2, closed_at = NULL, closed_as = NULL, closed_by = NULL,"
              " effect = '' WHERE number = ?1"),
      carry_(d, "UPDATE findings SET statement = ?1 WHERE day = ?2 AND statement = ?3"),
      drop_(d, "UPDATE findings SET statement = ?1 WHERE day = ?2 AND statement = ?3 AND subject = ?4"),
      unsaid_(d, "SELECT number FROM findings WHERE day = ?1 AND statement < ?2 AND closed_at IS NULL"),
      missing_(d,
               "SELECT number FROM findings WHERE kind = 'missing_there' AND subject = ?1"
               " AND day IN (date(?2, '-1 day'), date(?2, '+1 day')) AND closed_at IS NULL"),
      gone_(d,
            "SELECT number FROM findings WHERE day = ?1 AND statement < ?2 AND kind = 'other_day'"
            " AND their_valor IS NOT NULL"),
      elsewhere_(d,
                 "WITH of_it AS (SELECT f.* FROM findings AS gone, findings AS f"
                 " WHERE gone.number = ?1 AND f.sale = gone.sale AND f.subject = gone.subject"
                 " AND f.statement = (SELECT max(id) FROM statements WHERE day = f.day))"
                 " SELECT number FROM of_it AS f WHERE their_valor IS NULL AND closed_as IS NOT 'corrected'"
                 " AND (kind = 'other_day' OR (kind = 'missing_there' AND closed_as = 'other_day'))"
                 " AND NOT EXISTS (SELECT 1 FROM of_it AS o WHERE o.kind = 'other_day' AND o.their_valor IS NOT NULL"
                 " AND o.day IN (date(f.day, '-1 day'), date(f.day, '+1 day')))"),
      close_(
          d,
          "UPDATE findings SET closed_at = ?2, closed_as = ?3, closed_by = ?4, note = coalesce(?5, note), pending = 0"
          " WHERE number = ?1 AND closed_at IS NULL"),
      done_(d, "UPDATE findings SET pending = 0, effect = ?2 WHERE number = ?1"),
      count_(d, "SELECT kind, count(*) FROM findings WHERE closed_at IS NULL GROUP BY kind") {}

Result<FindingChanges> FindingsTable::keep(const KeptStatement& statement, const std::vector<Finding>& findings) {
    FindingChanges changes{.statement = statement};
    if (auto r = carry_over(statement); r.has_error()) return r.error();
    for (auto finding : findings) {
        finding.statement = statement.id;
        finding.day = statement.day;
        if (auto r = keep_one(std::move(finding), changes); r.has_error()) return r.error();
    }
    const auto day = to_text(statement.day);
    unsaid_.bind_all(day, statement.id);
    if (auto r = close_all(unsaid_, FindingEnd::corrected, statement.read_at, changes); r.has_error()) return r.error();
    for (const auto& finding : findings) {
        if (finding.kind != FindingKind::other_day) continue;
        const auto subject = rows::subject_of(finding);
        missing_.bind_all(subject, day);
        if (auto r = close_all(missing_, FindingEnd::other_day, statement.read_at, changes); r.has_error())
            return r.error();
    }
    if (auto r = miss_again(statement, changes); r.has_error()) return r.error();
    return changes;
}

Result<void> FindingsTable::carry_over(const KeptStatement& statement) {
    if (statement.about.empty() || !statement.replaced) return {};
    const auto day = to_text(statement.day);
    if (auto r = carry_.run(statement.id, day, *statement.replaced); r.has_error()) return r;
    for (const auto& id_externo : statement.about)
        if (auto r = drop_.run(*statement.replaced, day, statement.id, rows::shown(id_externo)); r.has_error())
            return r;
    return {};
}

Result<void> FindingsTable::miss_again(const KeptStatement& statement, FindingChanges& changes) {
    const auto day = to_text(statement.day);
    gone_.bind_all(day, statement.id);
    const auto gone = numbers_of(gone_);
    if (gone.has_error()) return gone.error();
    for (const auto number : *gone) {
        elsewhere_.bind_all(number);
        const auto explained = numbers_of(elsewhere_);
        if (explained.has_error()) return explained.error();
        for (const auto missing : *explained)
            if (auto r = miss(missing, statement.read_at, changes); r.has_error()) return r;
    }
    return {};
}

Result<void> FindingsTable::miss(std::int64_t number, WallTime at, FindingChanges& changes) {
    auto finding = find(number);
    if (finding.has_error()) return finding.error();
    if (!*finding) return {};
    auto& missing = **finding;
    if (missing.kind == FindingKind::other_day)
        if (auto r = close(number, {.at = at, .as = FindingEnd::corrected}); r.has_error()) return r;
    missing.kind = FindingKind::missing_there;
    missing.asks = FindingAsks::person;
    missing.opened_at = at;
    missing.closed.reset();
    return keep_one(std::move(missing), changes);
}

Result<void> FindingsTable::keep_one(Finding finding, FindingChanges& changes) {
    const auto before = known(finding);
    if (before.has_error()) return before.error();
    const auto& f = finding;
    const auto sale = f.sale ? std::optional(f.sale->text()) : std::nullopt;
    if (!*before) {
        if (auto r = insert_.run(f.statement, to_text(f.day), to_string(f.kind), rows::subject_of(f), sale,
                                 rows::shown(f.id_externo), rows::shown(f.id_transacao), rows::shown(f.nsu),
                                 rows::shown(f.estabelecimento), rows::amount_of(f.ours), rows::status_of(f.ours),
                                 rows::amount_of(f.theirs), rows::status_of(f.theirs), f.line, f.detail,
                                 to_string(f.asks), f.pending, rows::milliseconds(f.opened_at));
            r.has_error())
            return r;
        finding.number = sqlite3_last_insert_rowid(database_.raw());
        changes.opened.push_back(std::move(finding));
        return {};
    }
    finding.number = (*before)->number;
    if ((*before)->stays_closed) finding.pending = false;
    if (auto r = update_.run(f.number, f.statement, sale, rows::shown(f.id_transacao), rows::shown(f.nsu),
                             rows::shown(f.estabelecimento), rows::amount_of(f.ours), rows::status_of(f.ours),
                             rows::amount_of(f.theirs), rows::status_of(f.theirs), f.line, f.detail, to_string(f.asks),
                             f.pending);
        r.has_error())
        return r;
    if ((*before)->open || (*before)->stays_closed) return {};
    if (auto r = reopen_.run(f.number, rows::milliseconds(f.opened_at)); r.has_error()) return r;
    changes.opened.push_back(std::move(finding));
    return {};
}

Result<std::optional<FindingsTable::Known>> FindingsTable::known(const Finding& finding) {
    const auto day = to_text(finding.day);
    const auto subject = rows::subject_of(finding);
    known_.bind_all(day, to_string(finding.kind), subject, rows::amount_of(finding.ours), rows::status_of(finding.ours),
                    rows::amount_of(finding.theirs), rows::status_of(finding.theirs));
    const auto row = known_.step();
    if (row.has_error()) return row.error();
    std::optional<Known> found;
    if (*row)
        found =
            Known{.number = known_.integer(0), .open = known_.integer(1) != 0, .stays_closed = known_.integer(2) != 0};
    known_.reset();
    return found;
}

Result<void> FindingsTable::close_all(sqlite::Statement& numbers, FindingEnd as, WallTime at, FindingChanges& changes) {
    const auto all = numbers_of(numbers);
    if (all.has_error()) return all.error();
    for (const auto number : *all) {
        if (auto r = close(number, {.at = at, .as = as}); r.has_error()) return r;
        auto finding = find(number);
        if (finding.has_error()) return finding.error();
        if (*finding) changes.closed.push_back(std::move(**finding));
    }
    return {};
}

Result<std::vector<Finding>> FindingsTable::list(const FindingFilter& filter) {
    std::string conditions = "1";
    std::vector<std::string> values;
    const auto add = [&](std::string_view condition, std::string value) {
        conditions.append(" AND ").append(condition);
        values.push_back(std::move(value));
    };
    if (filter.open) conditions += *filter.open ? " AND closed_at IS NULL" : " AND closed_at IS NOT NULL";
    if (filter.pending) conditions += " AND pending = 1";
    if (filter.said) conditions += " AND statement = (SELECT max(id) FROM statements WHERE day = findings.day)";
    if (filter.kind) add("kind = ?", std::string(to_string(*filter.kind)));
    if (filter.day) add("day = ?", to_text(*filter.day));
    if (filter.number) add("number = CAST(? AS INTEGER)", std::to_string(*filter.number));
    if (filter.statement) add("statement = CAST(? AS INTEGER)", std::to_string(*filter.statement));
    if (filter.before) add("number < CAST(? AS INTEGER)", std::to_string(*filter.before));
    sqlite::Statement rows(database_, fmt::format("{} WHERE {} ORDER BY number DESC", select_finding, conditions));
    rows.bind_texts(values);
    std::vector<Finding> findings;
    while (findings.size() < std::min(filter.limit, findings_at_once)) {
        const auto row = rows.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        if (auto finding = read(rows)) findings.push_back(std::move(*finding));
    }
    return findings;
}

Result<std::optional<Finding>> FindingsTable::find(std::int64_t number) {
    auto found = list({.number = number, .limit = 1});
    if (found.has_error()) return found.error();
    return found->empty() ? std::nullopt : std::optional(std::move(found->front()));
}

// Nothing, which is counted, where this program cannot have written the row.
std::optional<Finding> FindingsTable::read(const Row& row) {
    rows::FieldReader fields(cipher_);
    auto finding = rows::read_finding(row, fields);
    if (fields.unreadable() > 0 && known_unreadable_.insert(row.integer(0)).second) unreadable_.add_values(1);
    return finding;
}

Result<void> FindingsTable::close(std::int64_t number, const Finding::Closed& closed) {
    const auto row = std::to_string(number);
    const FieldAddress address{encrypted::finding_note, row};
    const auto note = closed.note.empty() ? std::nullopt : std::optional<std::string_view>(closed.note);
    return close_.run(number, rows::milliseconds(closed.at), to_string(closed.as), rows::shown(closed.by),
                      cipher_.encrypt(address, note, buffer_));
}

Result<void> FindingsTable::done(std::int64_t number, const std::string& effect) {
    return done_.run(number, effect);
}

Result<std::map<FindingKind, std::int64_t>> FindingsTable::count_open() {
    std::map<FindingKind, std::int64_t> counts;
    count_.bind_all();
    while (true) {
        const auto row = count_.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        if (const auto kind = parse_finding_kind(count_.text(0))) counts[*kind] = count_.integer(1);
    }
    count_.reset();
    return counts;
}

}  // namespace gateway
