#include "journal/chain/carriage.hpp"

#include <algorithm>

namespace gateway::postgres {
namespace {

// The run takes over what the condition says, and notes what the run before it may yet send.
constexpr char taking[] =
    "UPDATE sales SET taken_from = taken_from_after(taken_from, owner, $1, attempts), owner = $1, term = term + 1"
    " WHERE NOT is_over($1) AND ";
// Carried by nobody, by a run that was ended, or by this one without its knowing: an unknown commit began it after all.
constexpr char is_free[] =
    "(owner = '' OR (owner = $1 AND NOT id = ANY($2::text[])) OR (owner <> $1 AND is_over(owner)))";
constexpr auto adopt_sql = sql(taking, "n IN (SELECT n FROM sales WHERE settled = 0 AND ", is_free,
                               " ORDER BY n LIMIT 100 FOR UPDATE SKIP LOCKED) RETURNING ", sale_columns);
constexpr Statement adopt_sales{"adopt", adopt_sql.text};
constexpr auto look_for_free_sql = sql("SELECT 1 FROM sales WHERE settled = 0 AND ", is_free, " LIMIT 1");
constexpr Statement look_for_free{"look_for_free", look_for_free_sql.text};
// Of one that nobody has, nothing can be sent late.
constexpr auto claim_sql =
    sql("UPDATE sales SET owner = $1, term = term + 1 WHERE NOT is_over($1) AND id = $2 AND owner IN ('', $1)"
        " RETURNING ",
        sale_columns);
constexpr Statement claim_sale{"claim", claim_sql.text};
constexpr auto claim_of_dead_sql =
    sql(taking, "id = $2 AND (owner IN ('', $1) OR is_over(owner)) RETURNING ", sale_columns);
constexpr Statement claim_of_dead{"claim_of_dead", claim_of_dead_sql.text};
constexpr Statement give_back_sales{"give_back", "UPDATE sales SET owner = '' WHERE settled = 0 AND owner = $1"};
constexpr Statement end_this_run{"end_this_run", "UPDATE gateways SET ended = 1 WHERE run = $1"};

Carrying carrying_of(const Row& row) {
    return {.term = row.integer(term_column), .step = row.integer(step_column)};
}

bool is(const boost::system::error_code& error, errc what) {
    return error == what;
}

}  // namespace

void Carriage::forget_all() {
    carried_.clear();
    beginning_.clear();
    unreadable_.clear();
}

boost::asio::awaitable<void> Carriage::renew() {
    if (gives_back_) co_return;
    const auto run = leases_.run();
    co_await leases_.renew();
    if (run != leases_.run()) forget_all();
}

void Carriage::abandon() {
    leases_.abandon();
    forget_all();
}

boost::asio::awaitable<bool> Carriage::is_trusted() {
    if (!leases_.trusted() && !leases_.waits()) co_await renew();
    co_return leases_.trusted();
}

Awaited<KeyState> Carriage::begin(const Sale& sale, const std::optional<std::string>& duplicate_hash) {
    const bool trusted = co_await is_trusted();
    if (!trusted) co_return errc::journal_unavailable;
    const auto run = leases_.run();
    const auto id = sale.id;
    beginning_.insert(id);
    const auto begun = co_await sales_.begin(run, sale, duplicate_hash);
    if (begun.has_error() && is(begun.error(), errc::commit_unknown)) co_return begun.error();
    beginning_.erase(id);
    if (begun.has_error()) co_return begun.error();
    if (begun->is_begun && run == leases_.run()) carried_[id] = begun->at;
    co_return begun->state;
}

Awaited<void> Carriage::record(const Sale& sale, const Change& change, const Attempt* fresh,
                               const HistoryEntry& entry) {
    const auto id = sale.id;
    const auto known = carried_.find(id);
    if (known == carried_.end()) co_return errc::not_carried;
    const auto at = known->second;
    const bool settles = change.settled;
    const auto recorded = co_await sales_.record(leases_.run(), at, sale, change, fresh, entry);
    const auto now = carried_.find(id);
    const bool is_same = now != carried_.end() && now->second.term == at.term;
    if (recorded.has_error()) {
        if (is_same && is(recorded.error(), errc::not_carried)) carried_.erase(now);
        co_return recorded;
    }
    if (is_same) ++now->second.step;
    if (is_same && settles) carried_.erase(now);
    co_return recorded;
}

Awaited<Sale> Carriage::reread(SaleId id) {
    const auto run = leases_.run();
    const auto known = carried_.find(id);
    // A term that no sale has: what is not carried is only looked for.
    auto at = known != carried_.end() ? known->second : Carrying{.term = 0, .step = 0};
    auto sale = co_await sales_.reread(run, id, at);
    if (run != leases_.run()) co_return errc::not_carried;
    const bool is_unreadable = sale.has_error() && is(sale.error(), errc::sale_unreadable);
    const bool is_gone = sale.has_error() && is(sale.error(), errc::not_carried);
    if (sale.has_value() || is_unreadable) carried_[id] = at;
    if (is_gone || (sale.has_value() && sale->settled)) carried_.erase(id);
    co_return sale;
}

Awaited<Rows> Carriage::take_one(Transaction& transaction, const std::string& run, SaleId id) {
    const auto locked = co_await Leases::lock(transaction);
    if (locked.has_error()) co_return locked.error();
    Parameters parameters;
    parameters.add(run).add(id.text());
    co_return co_await transaction.run(claim_of_dead, std::move(parameters));
}

Awaited<Sale> Carriage::claim(SaleId id) {
    const bool trusted = co_await is_trusted();
    if (!trusted) co_return errc::journal_unavailable;
    const auto run = leases_.run();
    Parameters parameters;
    parameters.add(run).add(id.text());
    auto found = co_await storage_.writer.write(claim_sale, std::move(parameters));
    if (found.has_error()) co_return found.error();
    if (found->empty()) {
        const std::function<Awaited<Rows>(Transaction&)> work = [&](Transaction& transaction) {
            return take_one(transaction, run, id);
        };
        found = co_await storage_.writer.transaction(work);
        if (found.has_error()) co_return found.error();
    }
    if (found->empty()) {
        const auto there = co_await sales_.has(id);
        if (there.has_error()) co_return there.error();
        co_return *there ? errc::not_carried : errc::not_found;
    }
    const auto row = (*found)[0];
    co_return co_await taken(run, row);
}

// A sale that the run has taken, by the row that this left.
Awaited<Sale> Carriage::taken(const std::string& run, const Row& row) {
    auto sale = co_await reader_.read(row);
    if (run != leases_.run()) co_return errc::not_carried;
    if (sale.has_error()) {
        unreadable_.emplace(row.text(0));
        co_return sale.error();
    }
    carried_[sale->id] = carrying_of(row);
    co_return sale;
}

std::vector<std::string> Carriage::known() const {
    std::vector<std::string> all(unreadable_.begin(), unreadable_.end());
    for (const auto& id : beginning_)
        all.push_back(id.str());
    for (const auto& [id, at] : carried_)
        all.push_back(id.str());
    return all;
}

// What is seen here decides only whether to look again.
Awaited<bool> Carriage::is_anything_free(const std::string& run) {
    Parameters parameters;
    parameters.add(run).add(known());
    const auto found = co_await storage_.reader.read(look_for_free, std::move(parameters), Session::Told::no);
    if (found.has_error()) co_return failure<bool>(found.error());
    co_return !found->empty();
}

Awaited<Rows> Carriage::take_free(Transaction& transaction, const std::string& run) {
    const auto locked = co_await Leases::lock(transaction);
    if (locked.has_error()) co_return locked.error();
    const auto dead = leases_.dead();
    for (const auto& [other, renewals] : dead) {
        const auto ended = co_await Leases::end(transaction, other, renewals);
        if (ended.has_error()) co_return ended.error();
    }
    Parameters parameters;
    parameters.add(run).add(known());
    co_return co_await transaction.run(adopt_sales, std::move(parameters));
}

Awaited<AdoptedSales> Carriage::adopt() {
    const bool trusted = co_await is_trusted();
    if (!trusted) co_return AdoptedSales{};
    const auto run = leases_.run();
    if (leases_.dead().empty()) {
        const auto anything = co_await is_anything_free(run);
        if (anything.has_error()) co_return anything.error();
        if (!*anything) co_return AdoptedSales{};
    }
    const std::function<Awaited<Rows>(Transaction&)> work = [&](Transaction& transaction) {
        return take_free(transaction, run);
    };
    const auto found = co_await storage_.writer.transaction(work);
    if (found.has_error()) co_return found.error();
    std::map<std::int64_t, std::size_t> oldest_first;
    for (std::size_t i = 0; i < found->size(); ++i)
        oldest_first.emplace((*found)[i].integer(rows::number_column), i);
    AdoptedSales adopted;
    for (const auto& [number, place] : oldest_first) {
        const auto row = (*found)[place];
        // Begun after the database was asked: what it said of this one is about a sale that this gateway knows well.
        const auto id = SaleId::parse(row.text(0));
        if (id && (carried_.contains(*id) || beginning_.contains(*id))) continue;
        auto sale = co_await taken(run, row);
        if (run != leases_.run()) co_return AdoptedSales{};
        if (sale.has_error())
            ++adopted.unreadable;
        else
            adopted.sales.push_back(std::move(*sale));
    }
    co_return adopted;
}

Awaited<void> Carriage::dismiss_word(SaleId sale, std::int64_t number) {
    const auto known = carried_.find(sale);
    if (known == carried_.end()) co_return errc::not_carried;
    const auto at = known->second;
    const auto dismissed = co_await words_.dismiss(leases_.run(), at, sale, number);
    const auto now = carried_.find(sale);
    const bool is_same = now != carried_.end() && now->second.term == at.term;
    if (dismissed.has_error()) {
        if (is_same && is(dismissed.error(), errc::not_carried)) carried_.erase(now);
        co_return dismissed.error();
    }
    if (is_same) ++now->second.step;
    if (is_same && *dismissed) carried_.erase(now);
    co_return Result<void>();
}

// The run ends with it, so that a start of this gateway need not wait until it is dead. For this gateway it is over at
// once: a sale whose begin is done meanwhile is given back as well.
Awaited<void> Carriage::give_back() {
    const auto run = leases_.run();
    abandon();
    const std::function<Awaited<void>(Transaction&)> work = [&](Transaction& transaction) -> Awaited<void> {
        Parameters mine;
        mine.add(run);
        const auto given = co_await transaction.run(give_back_sales, mine);
        if (given.has_error()) co_return given.error();
        const auto ended = co_await transaction.run(end_this_run, std::move(mine));
        if (ended.has_error()) co_return ended.error();
        co_return Result<void>();
    };
    gives_back_ = true;
    const auto done = co_await storage_.writer.transaction(work);
    gives_back_ = false;
    co_return done;
}

}  // namespace gateway::postgres
