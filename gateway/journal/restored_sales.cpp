#include "journal/restored_sales.hpp"

#include "journal/attempts_text.hpp"
#include "journal/closes_table.hpp"
#include "journal/rows.hpp"
#include "sale/sale.hpp"

#include <algorithm>
#include <vector>

namespace gateway {
namespace {

// An open sale of a copy, as the columns that a restore changes.
struct Doubtful {
    std::int64_t number = 0;
    Status status = Status::PENDENTE;
    bool by_callback = false;  // eSIM: it has neither confirm nor cancel
    std::vector<Attempt> attempts;
};

struct OpenSales {
    std::vector<Doubtful> readable;
    std::vector<std::int64_t> unreadable;  // by number
};

// The restored journal's clock begins here: only differences between times on it count.
constexpr Instant beginning{};

Result<OpenSales> open_sales(sqlite::Database& journal, WallTime now) {
    auto rows = sqlite::Statement::prepare(
        journal, "SELECT n, status, family, attempts, recorded_at FROM sales WHERE settled = 0");
    if (rows.has_error()) return rows.error();
    OpenSales sales;
    while (true) {
        const auto row = rows->step();
        if (row.has_error()) return row.error();
        if (!*row) return sales;
        const auto number = rows->integer(0);
        const auto status = parse_status(rows->text(1));
        const auto family = parse_family(rows->text(2));
        const auto recorded_at = rows::readable_time(*rows, 4);
        auto attempts = rows::read_attempts(rows->text(3), recorded_at.value_or(now), {.now = beginning, .wall = now});
        if (status && family && recorded_at && attempts.has_value())
            sales.readable.push_back({.number = number,
                                      .status = *status,
                                      .by_callback = family == Family::esim,
                                      .attempts = std::move(*attempts)});
        else
            sales.unreadable.push_back(number);
    }
}

bool may_have_gone_on(AttemptState state) {
    return state == AttemptState::requesting || state == AttemptState::held || state == AttemptState::confirming ||
           state == AttemptState::retracting;
}

// Only the provider's word counts. See restore() in the header, and sale/machine.hpp: without a confirm_time an attempt
// in dispute is never confirmed.
void dispute(Doubtful& sale, WallTime now) {
    if (sale.by_callback) return;
    for (auto& attempt : sale.attempts) {
        const bool disputed = attempt.state == AttemptState::disputing;
        if (!disputed && !may_have_gone_on(attempt.state)) continue;
        attempt.confirm_time.reset();
        if (disputed) continue;
        attempt.state = AttemptState::disputing;
        attempt.cancel_time = attempt.cancel_time.value_or(now);
        attempt.deadline = never;
        attempt.attention_at = never;
    }
}

bool in_dispute(const Doubtful& sale) {
    return std::ranges::any_of(sale.attempts,
                               [](const auto& attempt) { return attempt.state == AttemptState::disputing; });
}

// What a restore writes of one open sale. Where it is not final, a person is asked to look at it.
Result<void> write_doubts(sqlite::Database& journal, Doubtful sale, WallTime now) {
    dispute(sale, now);
    const auto at = rows::milliseconds(now);
    rows::AttemptsText attempts({.now = beginning, .wall = now});
    for (const auto& attempt : sale.attempts)
        attempts.add(attempt);
    auto update = sqlite::Statement::prepare(journal, "UPDATE sales SET attempts = ?2, recorded_at = ?3 WHERE n = ?1");
    if (update.has_error()) return update.error();
    if (auto r = update->run(sale.number, attempts.finish(), at); r.has_error()) return r.error();
    if (is_final(sale.status)) return {};

    const Reason lost{.code = ReasonCode::response_lost,
                      .detail = "the journal was restored from a copy that does not know what became of the sale"};
    std::string line;
    rows::append_entry(line, {.event = "restored",
                              .detail = "the journal was restored from a copy: what happened between the line above "
                                        "and this one is lost",
                              .at = now,
                              .attempt = sale.attempts.size() - 1,
                              .state = to_string(sale.attempts.back().state),
                              .mark = to_string(Attention::restored)});
    auto mark = sqlite::Statement::prepare(journal,
                                           "UPDATE sales SET status = ?2, attention = ?3, updated_at = ?4,"
                                           " reason = coalesce(reason, ?5), story = story || char(10) || ?6"
                                           " WHERE n = ?1");
    if (mark.has_error()) return mark.error();
    const auto status = in_dispute(sale) ? Status::AUTORIZADA : sale.status;
    return mark->run(sale.number, to_string(status), to_string(Attention::restored), at, rows::reason_text(lost), line);
}

// A sale whose row cannot be read stays as it is. The gateway does not go on with it.
Result<void> mark_unreadable(sqlite::Database& journal, std::int64_t number, WallTime now) {
    auto mark = sqlite::Statement::prepare(journal, rows::mark_unreadable_sql());
    if (mark.has_error()) return mark.error();
    std::string line;
    rows::append_entry(line, {.event = "unreadable", .at = now});
    constexpr bool again = true;
    return mark->run(number, line, again);
}

}  // namespace

Result<std::int64_t> doubt_open_sales(sqlite::Database& journal, WallTime now) {
    std::int64_t marked = 0;
    if (auto r = journal.run("DELETE FROM token"); r.has_error()) return r.error();
    if (auto r = ClosesTable::begin_series(journal); r.has_error()) return r.error();
    auto sales = open_sales(journal, now);
    if (sales.has_error()) return sales.error();
    for (auto& sale : sales->readable) {
        if (!is_final(sale.status)) ++marked;
        if (auto r = write_doubts(journal, std::move(sale), now); r.has_error()) return r.error();
    }
    for (const auto number : sales->unreadable)
        if (auto r = mark_unreadable(journal, number, now); r.has_error()) return r.error();
    return marked + static_cast<std::int64_t>(sales->unreadable.size());
}

}  // namespace gateway
