#include "journal/chain/ownership.hpp"

#include "journal/chain/forwarded_commands.hpp"
#include "journal/rows.hpp"

#include <algorithm>
#include <utility>

namespace gateway::postgres {
namespace {

using Access = JobRunner::Access;
using Lane = JobRunner::Lane;

// In a row of owned_sale, these columns follow those of a sale.
constexpr int term_column = 28;
constexpr int step_column = 29;
constexpr int owner_column = 30;
constexpr int taken_from_column = 31;

constexpr std::size_t adopted_at_once = 100;

}  // namespace

// Holds a sale that this run has taken, or knows in another term.
struct Ownership::Taken {
    std::optional<Sale> sale;  // nothing where its row cannot be read
    std::string id;            // as it stands in the row
    Owned at;
};

void Ownership::forget_all() {
    owned_.clear();
    beginning_.clear();
    unreadable_.clear();
}

boost::asio::awaitable<void> Ownership::renew() {
    if (gives_back_) co_return;
    const auto run = leases_.run();
    co_await leases_.renew();
    if (run != leases_.run()) forget_all();
}

void Ownership::abandon() {
    leases_.abandon();
    forget_all();
}

boost::asio::awaitable<bool> Ownership::is_trusted() {
    if (!leases_.trusted() && !leases_.waits()) co_await renew();
    co_return leases_.trusted();
}

bool Ownership::knows(std::string_view text) const {
    const auto id = SaleId::parse(text);
    return unreadable_.contains(text) || (id && (owned_.contains(*id) || beginning_.contains(*id)));
}

auto Ownership::begin(const Sale& sale, const std::optional<std::string>& duplicate_hash) -> Awaited<KeyState> {
    const bool trusted = co_await is_trusted();
    if (!trusted) co_return errc::journal_unavailable;
    const auto by = owner_of({});
    const auto id = sale.id;
    beginning_.insert(id);
    const auto work = [&](Tx& tx) { return sales::begin(tx, by, sale, duplicate_hash); };
    const auto begun = co_await jobs_.perform<sales::Begun>(Lane::of_sales, Access::write, work, sale.key);
    if (begun.error() == errc::commit_unknown) co_return begun.error();
    beginning_.erase(id);
    if (begun.has_error()) co_return begun.error();
    if (begun->is_begun && by.run == leases_.run()) owned_[id] = {.term = begun->term};
    co_return begun->state;
}

void Ownership::note_step(SaleId sale, Owned at, const boost::system::error_code& error, bool frees) {
    const auto now = owned_.find(sale);
    if (now == owned_.end() || now->second.term != at.term) return;
    if (!error) ++now->second.step;
    if (error ? error == errc::not_owned : frees) owned_.erase(now);
}

auto Ownership::record(const Sale& sale, const Change& change, const Attempt* fresh, const HistoryEntry& entry)
    -> Awaited<void> {
    const auto id = sale.id;
    const auto known = owned_.find(id);
    if (known == owned_.end()) co_return errc::not_owned;
    const auto at = known->second;
    const auto by = owner_of(at);
    const bool settles = change.settled;
    const auto work = [&, fresh](Tx& tx) { return sales::record(tx, by, sale, change, fresh, entry); };
    const auto recorded = co_await jobs_.perform<void>(Lane::of_sales, Access::write, work, sale.key);
    note_step(id, at, recorded.error(), settles);
    co_return recorded;
}

// Reads a row as an UPDATE has left it, or one from before an UPDATE that raises the term by `terms`.
auto Ownership::read(Tx& tx, Rows::One row, std::int64_t terms) -> Job<Taken> {
    const Owned at{.term = row.integer(term_column) + terms, .step = row.integer(step_column)};
    auto sale = co_await sales::read(tx, row);
    co_return Taken{.sale = std::move(sale), .id = std::string(row.text(0)), .at = at};
}

auto Ownership::reread_one(Tx& tx, sales::Owner by, SaleId id) -> Job<Taken> {
    const auto found = co_await tx.ask(sql::reread_sale, id.text(), by.run, by.term);
    if (!found.empty()) co_return co_await read(tx, found.front(), 0);
    const auto there = co_await tx.ask(sql::has_sale, id.text());
    throw JobFailed(there.empty() ? errc::not_found : errc::not_owned);
}

auto Ownership::reread(SaleId id) -> Awaited<Sale> {
    const auto known = owned_.find(id);
    // No sale has the term 0: a sale that is not owned is only looked for.
    const auto by = owner_of(known != owned_.end() ? known->second : Owned{.term = 0, .step = 0});
    const auto work = [&](Tx& tx) { return reread_one(tx, by, id); };
    auto reread = co_await jobs_.perform<Taken>(Lane::of_sales, Access::write, work);
    if (by.run != leases_.run()) co_return errc::not_owned;
    if (reread.has_error()) {
        const auto now = owned_.find(id);
        const bool is_gone = reread.error() == errc::not_owned && now != owned_.end() && now->second.term == by.term;
        if (is_gone) owned_.erase(now);  // the sale was not claimed anew meanwhile
        co_return reread.error();
    }
    owned_[id] = reread->at;
    if (!reread->sale) co_return errc::sale_unreadable;
    if (reread->sale->settled) owned_.erase(id);
    co_return std::move(*reread->sale);
}

// Takes over the sales of these rows, oldest first, and notes what the runs that owned them may yet send.
auto Ownership::take(Tx& tx, std::string run, Rows found) -> Job<std::vector<Taken>> {
    std::vector<Taken> all;
    const auto over = co_await tx.ask(sql::run_is_over, run);
    if (!over.empty()) co_return all;
    std::map<std::string, std::optional<Sender>, std::less<>> senders;
    std::vector<gateway::Transaction::Asked> taking;
    std::vector<Taken> read_ones;
    for (const auto& row : found) {
        const std::string owner(row.text(owner_column));
        if (!senders.contains(owner)) {
            auto sender = co_await sender_of(tx, owner, run);
            senders.emplace(owner, std::move(sender));
        }
        auto taken = co_await read(tx, row, 1);
        auto notes = row.is_null(taken_from_column) ? std::optional<std::string>()
                                                    : std::optional(std::string(row.text(taken_from_column)));
        const auto& sender = senders.find(owner)->second;
        if (sender && taken.sale) notes = with_notes(notes, *sender, *taken.sale);
        taking.push_back(tx.ask(sql::take_sale, row.integer(rows::number_column), owner, row.integer(term_column), run,
                                notes, row.integer(step_column)));
        read_ones.push_back(std::move(taken));
    }
    // Another job of this commit may have recorded a step of the sale.
    for (std::size_t i = 0; i < taking.size(); ++i) {
        const auto done = co_await taking[i];
        if (done.changed() == 1) all.push_back(std::move(read_ones[i]));
    }
    co_return all;
}

auto Ownership::take_one(Tx& tx, std::string run, SaleId id) -> Job<Taken> {
    auto found = co_await tx.ask(sql::free_sale, run, id.text());
    if (found.empty()) {
        const auto owned = co_await tx.ask(sql::is_sale_of_dead, id.text());
        if (owned.empty()) throw JobFailed(errc::not_found);
        if (owned.front().integer(0) == 0) throw JobFailed(errc::not_owned);
        tx.hold(runs);
        found = co_await tx.ask(sql::free_sale_of_dead, run, id.text());
    }
    auto taken = co_await take(tx, run, std::move(found));
    if (taken.empty()) throw JobFailed(errc::not_owned);
    co_return std::move(taken.front());
}

auto Ownership::claim(SaleId id) -> Awaited<Sale> {
    const bool trusted = co_await is_trusted();
    if (!trusted) co_return errc::journal_unavailable;
    const auto run = leases_.run();
    const auto work = [&](Tx& tx) { return take_one(tx, run, id); };
    auto taken = co_await jobs_.perform<Taken>(Lane::of_sales, Access::write, work);
    if (taken.has_error()) co_return taken.error();
    if (run != leases_.run()) co_return errc::not_owned;
    co_return note_taken(std::move(*taken));
}

Result<Sale> Ownership::note_taken(Taken taken) {
    if (!taken.sale) {
        unreadable_.insert(std::move(taken.id));
        return errc::sale_unreadable;
    }
    owned_[taken.sale->id] = taken.at;
    return std::move(*taken.sale);
}

auto Ownership::take_free(Tx& tx, std::string run, const std::vector<std::int64_t>& own) -> Job<std::vector<Taken>> {
    tx.hold(runs);
    for (const auto& [other, renewals] : leases_.dead())
        tx.run(sql::end_run_that_stands, other, renewals);
    auto found = co_await tx.ask(sql::free_sales, run, adopted_at_once);
    auto all = co_await take(tx, run, std::move(found));
    for (const auto number : own) {
        auto again = co_await tx.ask(sql::open_sale_of_run, run, number);
        auto taken = co_await take(tx, run, std::move(again));
        std::ranges::move(taken, std::back_inserter(all));
    }
    co_return all;
}

// Looks first whether there is anything to take over. What it sees decides nothing else.
auto Ownership::adopt() -> Awaited<AdoptedSales> {
    const bool trusted = co_await is_trusted();
    if (!trusted) co_return AdoptedSales{};
    const auto run = leases_.run();
    bool is_any_free = !leases_.dead().empty();
    std::vector<std::int64_t> own;  // owned by this run without its knowing: an unknown commit was done after all
    const auto look = [&](Tx& tx) -> Job<void> {
        auto of_run = tx.ask(sql::open_sales_of_run, run);
        const auto free = co_await tx.ask(sql::is_any_free, run);
        is_any_free = is_any_free || !free.empty();
        const auto found = co_await of_run;
        own.clear();
        for (const auto& row : found)
            if (own.size() < adopted_at_once && !knows(row.text(0))) own.push_back(row.integer(1));
    };
    const auto looked = co_await jobs_.perform<void>(Lane::of_lists, Access::glance, look);
    if (looked.has_error()) co_return looked.error();
    if (!is_any_free && own.empty()) co_return AdoptedSales{};
    const auto work = [&](Tx& tx) { return take_free(tx, run, own); };
    auto taken = co_await jobs_.perform<std::vector<Taken>>(Lane::of_sales, Access::alone, work);
    if (taken.has_error()) co_return taken.error();
    if (run != leases_.run()) co_return AdoptedSales{};
    AdoptedSales adopted;
    for (auto& one : *taken) {
        // This sale was begun after the question to the database, so this gateway knows it better than the answer does.
        if (knows(one.id)) continue;
        auto sale = note_taken(std::move(one));
        if (sale.has_error())
            ++adopted.unreadable;
        else
            adopted.sales.push_back(std::move(*sale));
    }
    co_return adopted;
}

auto Ownership::dismiss_command(SaleId sale, std::int64_t number) -> Awaited<void> {
    const auto known = owned_.find(sale);
    if (known == owned_.end()) co_return errc::not_owned;
    const auto at = known->second;
    const auto by = owner_of(at);
    bool frees = false;
    const auto work = [&](Tx& tx) -> Job<void> {
        const auto stepped = co_await tx.ask(sql::make_step, sale.text(), by.run, by.term, by.step);
        if (stepped.empty()) throw JobFailed(errc::not_owned);
        frees = stepped.front().integer(0) != 0;
        tx.run(sql::remove_command, number);
    };
    const auto dismissed = co_await jobs_.perform<void>(Lane::of_sales, Access::write, work);
    note_step(sale, at, dismissed.error(), frees);
    co_return dismissed;
}

// Also ends the run, so that a start of this gateway need not wait until the run is dead. For this gateway the run is
// over at once: a sale that is being begun meanwhile is given back as well.
auto Ownership::give_back() -> Awaited<void> {
    const auto run = leases_.run();
    abandon();
    const auto work = [&](Tx& tx) -> Job<void> {
        tx.run(sql::give_back, run);
        tx.run(sql::end_run, run);
        co_return;
    };
    gives_back_ = true;
    const auto done = co_await jobs_.perform<void>(Lane::of_sales, Access::alone, work);
    gives_back_ = false;
    co_return done;
}

}  // namespace gateway::postgres
