#include "journal/erasure.hpp"

#include "base/ulid.hpp"
#include "journal/rows.hpp"

#include <vector>

namespace gateway {
namespace {

// How many old sales one call looks at, so that it never delays a commit for long.
constexpr std::size_t erased_at_once = 200;

}  // namespace

Erasure::Erasure(sqlite::Database& d)
    : done_until_(d, "SELECT done_until FROM erasure"),
      is_sale_(d, "SELECT 1 FROM sales WHERE id = ?"),
      set_done_until_(d, "UPDATE erasure SET done_until = ?"),
      next_(d, "SELECT id, settled FROM sales WHERE id > ?1 AND id < ?2 ORDER BY id LIMIT ?3"),
      // CROSS makes SQLite begin with the few that were put off. Left to itself, it goes through all sales.
      postponed_(d,
                 "SELECT l.sale, l.met_at, s.settled FROM erase_later l CROSS JOIN sales s ON s.id = l.sale"
                 " WHERE l.sale > ?1 ORDER BY l.sale LIMIT ?2"),
      postpone_(d, "INSERT INTO erase_later VALUES (?, 0) ON CONFLICT DO NOTHING"),
      postpone_late_(d, "INSERT INTO erase_later VALUES (?, NULL) ON CONFLICT DO NOTHING"),
      meet_postponed_(d, "UPDATE erase_later SET met_at = ?2 WHERE sale = ?1"),
      postponed_done_(d, "DELETE FROM erase_later WHERE sale = ?"),
      erase_sale_(d,
                  "UPDATE sales SET request=NULL, words=NULL, goods=NULL, esim=NULL, cashier=NULL, duplicate_hash=NULL"
                  " WHERE id = ?"),
      erase_callbacks_(d, "UPDATE callbacks SET body=NULL WHERE sale = ?"),
      erase_notes_(d, "UPDATE notes SET note=NULL WHERE sale = ?"),
      erase_findings_(d, "UPDATE findings SET note=NULL WHERE sale = ?"),
      erase_findings_without_sale_(d,
                                   "UPDATE findings SET note=NULL WHERE number IN (SELECT number FROM findings WHERE"
                                   " note IS NOT NULL AND closed_at < ?1 AND sale IS NULL LIMIT ?2)"),
      database_(d) {}

Result<void> Erasure::written(std::string_view sale) {
    if (!passed_) {
        auto until = done_until();
        if (until.has_error()) return until.error();
        passed_ = std::move(*until);
    }
    if (sale > *passed_) return {};
    return postpone_late_.run(sale);
}

Result<std::string> Erasure::done_until() {
    done_until_.bind_all();
    const auto found = done_until_.step();
    if (found.has_error()) return found.error();
    std::string until(done_until_.text(0));
    done_until_.reset();
    // It is the id of a sale. A damaged value would keep the erasure from ever beginning: it begins anew instead.
    is_sale_.bind_all(until);
    const auto known = is_sale_.step();
    if (known.has_error()) return known.error();
    is_sale_.reset();
    if (!*known) until.clear();
    return until;
}

Result<Erased> Erasure::erase_some(WallTime cutoff, WallTime now) {
    auto next = erase_next(cutoff);
    if (next.has_error()) return next;
    const auto postponed = erase_postponed(cutoff, now);
    if (postponed.has_error()) return postponed;
    const auto notes = erase_notes_on_days(cutoff);
    if (notes.has_error()) return notes.error();
    return Erased{.sales = next->sales + postponed->sales, .more = next->more || postponed->more || *notes};
}

// Of findings that are about no sale of ours; whether there may be more.
Result<bool> Erasure::erase_notes_on_days(WallTime cutoff) {
    if (auto r = erase_findings_without_sale_.run(rows::milliseconds(cutoff), erased_at_once); r.has_error())
        return {boost::system::in_place_error, r.error()};
    return static_cast<std::size_t>(database_.changes()) == erased_at_once;
}

// Goes on from where the last call ended.
Result<Erased> Erasure::erase_next(WallTime cutoff) {
    auto until = done_until();
    if (until.has_error()) return until.error();
    std::string last = std::move(*until);
    const auto before = Ulid::first_at(cutoff);
    std::vector<std::string> settled;
    std::vector<std::string> open;
    next_.bind_all(last, before.text(), erased_at_once);
    while (true) {
        const auto row = next_.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        last = next_.text(0);
        (next_.optional_integer(1) == 1 ? settled : open).push_back(last);
    }
    next_.reset();
    for (const auto& sale : settled)
        if (auto r = erase(sale); r.has_error()) return r.error();
    for (const auto& sale : open)
        if (auto r = postpone_.run(sale); r.has_error()) return r.error();
    passed_ = last;
    if (auto r = set_done_until_.run(last); r.has_error()) return r.error();
    return Erased{.sales = settled.size(), .more = settled.size() + open.size() == erased_at_once};
}

// Goes round and round those that were put off, a few at a time: most of them may be too young, or open.
Result<Erased> Erasure::erase_postponed(WallTime cutoff, WallTime now) {
    std::vector<std::string> due;
    std::vector<std::string> unmet;
    std::size_t looked_at = 0;
    std::string last;
    postponed_.bind_all(came_back_to_, erased_at_once);
    while (true) {
        const auto row = postponed_.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        ++looked_at;
        last = postponed_.text(0);
        const auto met_at = postponed_.optional_integer(1);
        // One that was met in the future was met by a clock that was ahead.
        if (!met_at || *met_at > rows::milliseconds(now))
            unmet.push_back(last);
        else if (*met_at < rows::milliseconds(cutoff) && postponed_.optional_integer(2) == 1)
            due.push_back(last);
    }
    postponed_.reset();
    for (const auto& sale : due)
        if (auto r = erase(sale); r.has_error()) return r.error();
    for (const auto& sale : unmet)
        if (auto r = meet_postponed_.run(sale, rows::milliseconds(now)); r.has_error()) return r.error();
    const bool more = looked_at == erased_at_once;
    came_back_to_ = more ? last : std::string();
    return Erased{.sales = due.size(), .more = more};
}

Result<void> Erasure::erase(const std::string& sale) {
    if (auto r = erase_sale_.run(sale); r.has_error()) return r;
    if (auto r = erase_callbacks_.run(sale); r.has_error()) return r;
    if (auto r = erase_notes_.run(sale); r.has_error()) return r;
    if (auto r = erase_findings_.run(sale); r.has_error()) return r;
    return postponed_done_.run(sale);
}

}  // namespace gateway
