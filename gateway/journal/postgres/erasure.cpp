#include "journal/postgres/erasure.hpp"

#include "base/ulid.hpp"
#include "journal/chain/upkeep.hpp"

#include <array>
#include <vector>

namespace gateway::postgres {
namespace {

// How many old sales one call looks at; the statements say the same.
constexpr std::size_t erased_at_once = 200;

// It is the id of a sale. A damaged value would keep the erasure from ever beginning: it begins anew instead.
constexpr Statement next_to_erase{
    "next_to_erase",
    "SELECT id, settled FROM sales WHERE id > (SELECT coalesce((SELECT done_until FROM erasure"
    " WHERE EXISTS (SELECT 1 FROM sales WHERE id = done_until)), '')) AND id < $1 ORDER BY id LIMIT 200"};
constexpr Statement postponed_erasure{
    "postponed_erasure",
    "SELECT l.sale, l.met_at, s.settled FROM erase_later AS l JOIN sales AS s ON s.id = l.sale WHERE l.sale > $1"
    " ORDER BY l.sale LIMIT 200"};
constexpr Statement postpone_erasure{"postpone_erasure",
                                     "INSERT INTO erase_later SELECT unnest($1::text[]), 0 ON CONFLICT DO NOTHING"};
constexpr Statement set_erased_until{
    "set_erased_until",
    "INSERT INTO erasure VALUES (1, $1) ON CONFLICT (one) DO UPDATE SET done_until = EXCLUDED.done_until"};
constexpr Statement meet_postponed{"meet_postponed",
                                   "UPDATE erase_later SET met_at = $2::bigint WHERE sale = ANY($1::text[])"};
constexpr Statement erase_sales{
    "erase_sales",
    "UPDATE sales SET request = NULL, words = NULL, goods = NULL, esim = NULL, cashier = NULL, duplicate_hash = NULL"
    " WHERE id = ANY($1::text[])"};
// The sales first: whoever writes something personal of one holds its row.
constexpr Statement erase_callbacks{"erase_callbacks", "UPDATE callbacks SET body = NULL WHERE sale = ANY($1::text[])"};
constexpr Statement erase_notes{"erase_notes", "UPDATE notes SET note = NULL WHERE sale = ANY($1::text[])"};
constexpr Statement erase_finding_notes{"erase_finding_notes",
                                        "UPDATE findings SET note = NULL WHERE sale = ANY($1::text[])"};
constexpr Statement erase_words{"erase_words", "DELETE FROM words WHERE sale = ANY($1::text[])"};
constexpr Statement erasure_done{"erasure_done", "DELETE FROM erase_later WHERE sale = ANY($1::text[])"};
constexpr std::array all_erasing{erase_sales,         erase_callbacks, erase_notes,
                                 erase_finding_notes, erase_words,     erasure_done};
constexpr Statement erase_notes_of_days{
    "erase_notes_of_days",
    "UPDATE findings SET note = NULL WHERE number IN (SELECT number FROM findings WHERE note IS NOT NULL"
    " AND closed_at < $1::bigint AND sale IS NULL LIMIT 200)"};

Awaited<void> erase(Transaction& transaction, const std::vector<std::string>& sales) {
    if (sales.empty()) co_return Result<void>();
    for (const auto& statement : all_erasing) {
        Parameters which;
        which.add(sales);
        const auto erased = co_await transaction.run(statement, std::move(which));
        if (erased.has_error()) co_return erased.error();
    }
    co_return Result<void>();
}

}  // namespace

Awaited<Erased> Erasure::some(const std::string& run, WallTime cutoff) {
    const std::function<Awaited<Erased>(Transaction&)> work_on = [&](Transaction& transaction) {
        return work(transaction, run, cutoff);
    };
    co_return co_await storage_.reader.transaction(work_on);
}

Awaited<Erased> Erasure::work(Transaction& transaction, const std::string& run, WallTime cutoff) {
    const auto mine = co_await take_upkeep(transaction, run);
    if (mine.has_error()) co_return mine.error();
    if (!*mine) co_return Erased{};
    const auto gone_on = co_await next(transaction, cutoff);
    if (gone_on.has_error()) co_return gone_on.error();
    const auto came_back = co_await postponed(transaction, cutoff);
    if (came_back.has_error()) co_return came_back.error();
    // Of findings that are about no sale of ours.
    Parameters old;
    old.add(rows::milliseconds(cutoff));
    const auto notes = co_await transaction.run(erase_notes_of_days, std::move(old));
    if (notes.has_error()) co_return notes.error();
    const bool more_notes = notes->affected() == static_cast<std::int64_t>(erased_at_once);
    co_return Erased{.sales = gone_on->sales + came_back->sales,
                     .more = gone_on->more || came_back->more || more_notes};
}

Awaited<Erased> Erasure::next(Transaction& transaction, WallTime cutoff) {
    Parameters before;
    before.add(Ulid::first_at(cutoff).text());
    const auto found = co_await transaction.run(next_to_erase, std::move(before));
    if (found.has_error()) co_return found.error();
    if (found->empty()) co_return Erased{};
    std::vector<std::string> settled;
    std::vector<std::string> open;
    for (std::size_t i = 0; i < found->size(); ++i) {
        const auto row = (*found)[i];
        (row.integer(1) == 1 ? settled : open).emplace_back(row.text(0));
    }
    const auto erased = co_await erase(transaction, settled);
    if (erased.has_error()) co_return erased.error();
    Parameters later;
    later.add(open);
    const auto put_off = co_await transaction.run(postpone_erasure, std::move(later));
    if (put_off.has_error()) co_return put_off.error();
    Parameters last;
    last.add((*found)[found->size() - 1].text(0));
    const auto noted = co_await transaction.run(set_erased_until, std::move(last));
    if (noted.has_error()) co_return noted.error();
    co_return Erased{.sales = settled.size(), .more = found->size() == erased_at_once};
}

Awaited<Erased> Erasure::postponed(Transaction& transaction, WallTime cutoff) {
    const auto now = rows::milliseconds(storage_.clock.wall());
    Parameters after;
    after.add(came_back_to_);
    const auto found = co_await transaction.run(postponed_erasure, std::move(after));
    if (found.has_error()) co_return found.error();
    std::vector<std::string> due;
    std::vector<std::string> unmet;
    for (std::size_t i = 0; i < found->size(); ++i) {
        const auto row = (*found)[i];
        const auto met_at = row.optional_integer(1);
        // One that was met in the future was met by a clock that was ahead.
        if (!met_at || *met_at > now)
            unmet.emplace_back(row.text(0));
        else if (*met_at < rows::milliseconds(cutoff) && row.integer(2) == 1)
            due.emplace_back(row.text(0));
    }
    const auto erased = co_await erase(transaction, due);
    if (erased.has_error()) co_return erased.error();
    if (!unmet.empty()) {
        Parameters which;
        which.add(unmet).add(now);
        const auto met = co_await transaction.run(meet_postponed, std::move(which));
        if (met.has_error()) co_return met.error();
    }
    const bool more = found->size() == erased_at_once;
    came_back_to_ = more ? std::string((*found)[found->size() - 1].text(0)) : std::string();
    co_return Erased{.sales = due.size(), .more = more};
}

}  // namespace gateway::postgres
