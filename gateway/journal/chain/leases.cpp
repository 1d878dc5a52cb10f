#include "journal/chain/leases.hpp"

#include "base/ulid.hpp"
#include "journal/chain/words_table.hpp"
#include "journal/postgres/moving_mark.hpp"

#include <fmt/format.h>

namespace gateway::postgres {
namespace {

constexpr Statement lock_runs{"lock_runs", "SELECT pg_advisory_xact_lock(hashtextextended('gateways', 0))"};
// By a call that ended unknown it may be there already.
constexpr Statement meet_run{"meet_run", "UPDATE gateways SET renewals = renewals + 1 WHERE run = $1 RETURNING ended"};
constexpr Statement end_own_runs{"end_own_runs",
                                 "UPDATE gateways SET ended = 1 WHERE run = ANY($1::text[]) AND ended = 0"};
constexpr Statement living_runs{
    "living_runs",
    "SELECT run, renewals, name, file, name = $1 OR file = $5 OR provider <> $2 OR key_name <> $3 OR rules <> $4"
    " FROM gateways WHERE ended = 0"};
constexpr Statement enter_run{
    "enter_run",
    "INSERT INTO gateways (run, name, began_at, provider, key_name, rules, file) VALUES ($1, $2, $3, $4, $5, $6, $7)"};
constexpr Statement forget_runs{"forget_runs",
                                "DELETE FROM gateways WHERE run <> $1 AND ended = 1"
                                " AND (file = $2 OR (file = '' AND name = $3))"};
// With the counters of all that have not ended. They are told once this write is done: a counter that a promotion takes
// back, and that comes to where it was, would seem to stand still.
constexpr Statement renew_run{
    "renew_run",
    "WITH renewed AS (UPDATE gateways SET renewals = renewals + 1 WHERE run = $1 AND ended = 0 RETURNING run),"
    " house AS (UPDATE upkeep SET run = $1 WHERE run <> $1 AND is_over(run) AND EXISTS (SELECT 1 FROM renewed)"
    " RETURNING run)"
    " SELECT run, renewals, EXISTS (SELECT 1 FROM renewed),"
    " EXISTS (SELECT 1 FROM house) OR EXISTS (SELECT 1 FROM upkeep WHERE run = $1) FROM gateways WHERE ended = 0"};
constexpr Statement end_run{"end_run",
                            "UPDATE gateways SET ended = 1 WHERE run = $1 AND renewals = $2::bigint AND ended = 0"};
constexpr Statement notes_of_sent_late{
    "notes_of_sent_late",
    "SELECT id, note ->> 'idExterno' FROM sales, jsonb_array_elements(taken_from) AS note"
    " WHERE taken_from IS NOT NULL AND is_note_of(note, $1, $2)"};
constexpr Statement forget_notes{
    "forget_notes",
    "UPDATE sales SET taken_from = (SELECT jsonb_agg(note) FROM jsonb_array_elements(taken_from) AS note"
    " WHERE NOT is_note_of(note, $1, $2)) WHERE taken_from IS NOT NULL"
    " AND EXISTS (SELECT 1 FROM jsonb_array_elements(taken_from) AS note WHERE is_note_of(note, $1, $2))"};

}  // namespace

// Tells what a beginning met.
struct Leases::Look {
    std::optional<bool> is_over;  // of the run itself, where it had begun already by a call that ended unknown
    Rows living;                  // else
    bool has_begun = false;
};

Leases::Leases(Storage& storage, Identity identity, const TallyFile& file, Random& random)
    : storage_(storage), identity_(std::move(identity)), file_(file), random_(random) {
    next_run();
}

void Leases::next_run() {
    if (!run_.empty()) earlier_.push_back(run_);
    run_ = fmt::format("{}.{}", identity_.name, Ulid::make(storage_.clock.wall(), random_).text());
    has_begun_ = false;
    keeps_house_ = false;
    lease_.ended();
}

// One that has not begun carries nothing, and may begin yet.
void Leases::abandon() {
    if (has_begun_) next_run();
}

boost::asio::awaitable<boost::system::result<void, std::string>> Leases::begin() {
    while (true) {
        const auto standing = co_await renewed();
        if (standing.has_error()) co_return standing.error().message();
        if (*standing == Standing::lives) co_return boost::system::result<void, std::string>();
        if (!hindrance_.empty()) co_return hindrance_;
        co_await storage_.clock.sleep_for(renew_every);
    }
}

boost::asio::awaitable<void> Leases::renew() {
    (void)co_await renewed();
}

// Trusted from the beginning of the renewal on, and not from its answer: another gateway counts from what it sees.
Awaited<Leases::Standing> Leases::renewed() {
    const auto began = storage_.clock.now();
    const auto run = run_;
    Result<Standing> standing = Standing::waits;
    if (has_begun_)
        standing = co_await renew_row(run);
    else
        standing = co_await enter(run);
    if (standing.has_error() || run != run_) co_return standing;
    if (*standing == Standing::over) next_run();
    if (*standing != Standing::lives) co_return standing;
    has_begun_ = true;
    earlier_.clear();
    in_the_way_.clear();
    hindrance_.clear();
    lease_.renewed(began);
    co_return standing;
}

Awaited<Leases::Standing> Leases::renew_row(const std::string& run) {
    Parameters parameters;
    parameters.add(run);
    const auto found = co_await storage_.writer.write(renew_run, std::move(parameters));
    if (found.has_error()) co_return found.error();
    look_at_others(*found);
    keeps_house_ = !found->empty() && (*found)[0].integer(3) != 0;
    co_return !found->empty() && (*found)[0].integer(2) != 0 ? Standing::lives : Standing::over;
}

Awaited<Leases::Standing> Leases::enter(const std::string& run) {
    const std::function<Awaited<Look>(Transaction&)> work = [&](Transaction& transaction) {
        return look_and_enter(transaction, run);
    };
    const auto looked = co_await storage_.writer.transaction(work);
    if (looked.has_error()) co_return looked.error();
    if (looked->is_over) co_return *looked->is_over ? Standing::over : Standing::lives;
    look_at_others(looked->living);
    if (looked->has_begun) co_return Standing::lives;
    look_at_what_is_in_the_way(looked->living);
    co_return Standing::waits;
}

Awaited<Leases::Look> Leases::look_and_enter(Transaction& transaction, const std::string& run) {
    Look look;
    const auto locked = co_await lock(transaction);
    if (locked.has_error()) co_return locked.error();
    const auto free = co_await end_copying(transaction);
    if (free.has_error()) co_return free.error();
    Parameters mine;
    mine.add(run);
    const auto met = co_await transaction.run(meet_run, std::move(mine));
    if (met.has_error()) co_return met.error();
    if (!met->empty()) look.is_over = (*met)[0].integer(0) != 0;
    if (look.is_over) co_return look;
    // Also where the run cannot begin: the processes of earlier runs of the file are gone.
    const auto turned = co_await turn_notes_into_words(transaction, file_.id());
    if (turned.has_error()) co_return turned.error();
    const auto ended = co_await end_what_is_dead(transaction);
    if (ended.has_error()) co_return ended.error();
    Parameters about;
    about.add(identity_.name).add(identity_.provider).add(identity_.key_name).add(identity_.rules).add(file_.id());
    auto living = co_await transaction.run(living_runs, std::move(about));
    if (living.has_error()) co_return living.error();
    look.living = std::move(*living);
    look.has_begun = true;
    for (std::size_t i = 0; i < look.living.size(); ++i)
        look.has_begun = look.has_begun && look.living[i].integer(4) == 0;
    if (!look.has_begun) co_return look;
    const auto entered = co_await enter_in(transaction, run);
    if (entered.has_error()) co_return entered.error();
    co_return look;
}

// Ends the runs that this process has had before, and those in the way that have stood still for so long that they are
// dead.
Awaited<void> Leases::end_what_is_dead(Transaction& transaction) {
    Parameters own;
    own.add(earlier_);
    const auto ended = co_await transaction.run(end_own_runs, std::move(own));
    if (ended.has_error()) co_return ended.error();
    for (const auto& [other, renewals] : dead()) {
        if (!in_the_way_.contains(other)) continue;
        const auto over = co_await end(transaction, other, renewals);
        if (over.has_error()) co_return over.error();
    }
    co_return Result<void>();
}

Awaited<void> Leases::enter_in(Transaction& transaction, const std::string& run) {
    Parameters row;
    row.add(run).add(identity_.name).add(rows::milliseconds(storage_.clock.wall())).add(identity_.provider);
    row.add(identity_.key_name).add(identity_.rules).add(file_.id());
    const auto entered = co_await transaction.run(enter_run, std::move(row));
    if (entered.has_error()) co_return entered.error();
    Parameters before;
    before.add(run).add(file_.id()).add(identity_.name);
    const auto forgotten = co_await transaction.run(forget_runs, std::move(before));
    if (forgotten.has_error()) co_return forgotten.error();
    co_return Result<void>();
}

Awaited<void> Leases::turn_notes_into_words(Transaction& transaction, const std::string& of_file) {
    Parameters whose;
    whose.add(of_file).add(identity_.name);
    const auto notes = co_await transaction.run(notes_of_sent_late, whose);
    if (notes.has_error()) co_return notes.error();
    if (notes->empty()) co_return Result<void>();
    for (std::size_t i = 0; i < notes->size(); ++i) {
        const auto row = (*notes)[i];
        const auto sale = SaleId::parse(row.text(0));
        const auto attempt = IdExterno::parse(row.text(1));
        if (!sale || !attempt) continue;
        const LeftWord word{.sale = *sale, .attempt = *attempt, .event = SentLate{}};
        Parameters left;
        add_word(left, storage_, word);
        const auto noted = co_await transaction.run(leave_word, std::move(left));
        if (noted.has_error()) co_return noted.error();
    }
    const auto forgotten = co_await transaction.run(forget_notes, std::move(whose));
    if (forgotten.has_error()) co_return forgotten.error();
    co_return Result<void>();
}

Awaited<void> Leases::let_go_of_name() {
    const std::function<Awaited<void>(Transaction&)> work = [&](Transaction& transaction) -> Awaited<void> {
        const auto locked = co_await lock(transaction);
        if (locked.has_error()) co_return locked.error();
        const std::string any_file;
        co_return co_await turn_notes_into_words(transaction, any_file);
    };
    co_return co_await storage_.writer.transaction(work);
}

void Leases::look_at_others(const Rows& found) {
    std::map<std::string, std::int64_t> counters;
    for (std::size_t i = 0; i < found.size(); ++i)
        counters.emplace(found[i].text(0), found[i].integer(1));
    for (const auto& [known, renewals] : looked_)
        if (!counters.contains(known)) others_.gone(known);
    looked_ = std::move(counters);
    for (const auto& [other, renewals] : looked_)
        if (other != run_) others_.saw(other, static_cast<std::uint64_t>(renewals), storage_.clock.now());
}

std::map<std::string, std::int64_t> Leases::dead() const {
    std::map<std::string, std::int64_t> all;
    for (const auto& [run, renewals] : looked_)
        if (const auto at = others_.dead_at(run, storage_.clock.now()))
            all.emplace(run, static_cast<std::int64_t>(*at));
    return all;
}

Awaited<void> Leases::lock(Transaction& transaction) {
    const auto locked = co_await transaction.run(lock_runs, Parameters());
    if (locked.has_error()) co_return locked.error();
    co_return Result<void>();
}

Awaited<void> Leases::end(Transaction& transaction, const std::string& run, std::int64_t renewals) {
    Parameters parameters;
    parameters.add(run).add(renewals);
    const auto ended = co_await transaction.run(end_run, std::move(parameters));
    if (ended.has_error()) co_return ended.error();
    co_return Result<void>();
}

// One whose counter has moved since it was seen first lives.
void Leases::look_at_what_is_in_the_way(const Rows& living) {
    std::map<std::string, std::int64_t> seen;
    hindrance_.clear();
    for (std::size_t i = 0; i < living.size(); ++i) {
        const auto row = living[i];
        if (row.integer(4) == 0) continue;
        const std::string other(row.text(0));
        const auto known = in_the_way_.find(other);
        const auto first = known == in_the_way_.end() ? row.integer(1) : known->second;
        seen.emplace(other, first);
        if (row.integer(1) != first && hindrance_.empty()) hindrance_ = words_on(row);
    }
    in_the_way_ = std::move(seen);
}

std::string Leases::words_on(const Row& in_the_way) const {
    const auto name = in_the_way.text(2);
    if (in_the_way.text(3) == file_.id())
        return fmt::format(
            "the gateway {} that is running on it has the same journal.tally_file as this one, which was copied with "
            "its box: on the box that is the copy, set journal.gateway to another name and remove {}",
            name, file_.path());
    if (name == identity_.name)
        return fmt::format("another gateway with the name {} is running on it: each needs a name of its own", name);
    return fmt::format(
        "the gateway {} that is running on it has another provider, another key file or other numbers of the law: "
        "those that share a journal must not differ in them",
        name);
}

Job<bool> may_keep_house(Tx& tx, std::string run) {
    const auto taken = co_await tx.ask(sql::take_upkeep, run);
    co_return taken.changed() == 1;
}

}  // namespace gateway::postgres
