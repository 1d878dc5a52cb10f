#include "simulation/shared_journal.hpp"

#include "journal/sqlite/open_sqlite_journal.hpp"
#include "simulation/world.hpp"

#include <algorithm>

namespace gateway::simulation {
namespace {

// Two transactions that lie no further apart are under way at the same time.
constexpr Duration same_time{50};

}  // namespace

bool makes(SharingFault fault) {
    return hooks().sharing == fault;
}

SharedJournal::SharedJournal(World& world) : world_(world), clock_(io_, world) {
    open_tables();
}

void SharedJournal::open_tables() {
    (void)world_.disk().mount();
    const JournalOptions options{
        .path = journal_path, .vfs = Disk::vfs(), .durability = Durability::inline_, .log_bytes = journal_log_bytes};
    auto opened = open_sqlite_journal(io_.get_executor(), options, clock_);
    CHECK(opened.has_value());
    tables_ = std::move(*opened);
    if (!front_) front_ = std::make_unique<test::ForwardingJournal>(*tables_);
    front_->lead_to(*tables_);
}

SharedJournal::~SharedJournal() = default;

void SharedJournal::standby_falls_behind() {
    if (!behind_) behind_.emplace(Standby{.disk = world_.disk().at_rest(), .columns = columns_});
}

void SharedJournal::standby_is_back() {
    if (!behind_) return;
    const auto waiting = std::move(behind_->waiting);
    behind_.reset();
    for (const auto& then : waiting)
        then();
}

void SharedJournal::promote() {
    if (!behind_) return;
    tables_.reset();
    world_.disk() = std::move(behind_->disk);
    columns_ = std::move(behind_->columns);
    behind_.reset();
    open_tables();
}

const Disk& SharedJournal::durable() const {
    return behind_ ? behind_->disk : world_.disk();
}

void SharedJournal::once_durable(std::function<void()> then) {
    const bool wrote_nothing = std::exchange(wrote_nothing_, false);
    if (!behind_ || wrote_nothing || makes(SharingFault::promotes_without_the_tail)) return then();
    behind_->waiting.push_back(std::move(then));
}

void SharedJournal::keep_time() {
    clock_.move_to(world_.now());
}

bool SharedJournal::is_of_one_file(const Lease& one, const Lease& other) {
    return makes(SharingFault::notes_by_the_name) ? one.name == other.name : one.file == other.file;
}

bool SharedJournal::is_in_the_way(const std::string& run, const Lease& other, const Newcomer& newcomer) const {
    return !other.ended && run != newcomer.run && (other.name == newcomer.name || other.file == newcomer.file);
}

// Of a process in whose place another one has begun: with the lock of the runs, what that one asked came later.
bool SharedJournal::comes_too_late(const Newcomer& newcomer) const {
    return std::ranges::any_of(columns_.leases, [&](const auto& known) {
        return known.second.file == newcomer.file && known.second.number > newcomer.number;
    });
}

SharedJournal::Beginning SharedJournal::look_and_enter(const Newcomer& newcomer) {
    if (comes_too_late(newcomer)) return {};
    auto beginning = look(newcomer);
    return beginning.has_begun ? enter(newcomer) : beginning;
}

// Nothing is in the way where it says that the run has begun.
SharedJournal::Beginning SharedJournal::look(const Newcomer& newcomer) {
    Beginning beginning;
    if (columns_.leases.contains(newcomer.run)) return enter(newcomer);
    turn_notes_into_words(newcomer);
    beginning.has_begun = true;
    for (auto& [run, lease] : columns_.leases) {
        if (!is_in_the_way(run, lease, newcomer)) continue;
        const auto dead = newcomer.dead.find(run);
        if (dead != newcomer.dead.end()) end(run, dead->second);
        beginning.has_begun = beginning.has_begun && lease.ended;
    }
    beginning.living = renewals();
    return beginning;
}

SharedJournal::Beginning SharedJournal::enter(const Newcomer& newcomer) {
    Beginning beginning{.has_begun = true, .is_over = false, .living = renewals()};
    const Lease lease{.name = newcomer.name, .file = newcomer.file, .number = newcomer.number};
    const auto [known, is_new] = columns_.leases.emplace(newcomer.run, lease);
    beginning.is_over = known->second.ended;
    // One that enters again, because it did not hear that it has, moves its counter by that.
    if (!is_new) ++known->second.renewals;
    if (!is_new) return beginning;
    columns_.begun.push_back(newcomer.run);
    turn_notes_into_words(newcomer);
    for (const auto& [run, other] : columns_.leases)
        if (run != newcomer.run && !other.ended && other.name == newcomer.name)
            world_.promises().carried_twice("two runs of the name " + newcomer.name + " live, " + run + " and " +
                                            newcomer.run);
    return beginning;
}

void SharedJournal::turn_notes_into_words(const Newcomer& newcomer) {
    const Lease mine{.name = newcomer.name, .file = newcomer.file, .number = newcomer.number};
    const auto is_mine = [&](const std::pair<std::string, std::string>& taken) {
        return taken.first != newcomer.run && is_of_one_file(columns_.leases.at(taken.first), mine);
    };
    for (auto& [id, row] : columns_.rows) {
        for (const auto& taken : row.taken_from)
            if (is_mine(taken))
                leave_word({.sale = id, .attempt = IdExterno::parse(taken.second), .event = SentLate{}});
        std::erase_if(row.taken_from, is_mine);
    }
}

// Where a later run of its tally file has begun already, nothing of it can be sent any more.
void SharedJournal::note_what_may_be_sent(const Sale& sale, Row& row) const {
    const auto& from = columns_.leases.at(row.run);
    const auto here = std::ranges::find(columns_.begun, row.run);
    const bool is_gone = std::any_of(std::next(here), columns_.begun.end(), [&](const std::string& later) {
        return is_of_one_file(columns_.leases.at(later), from);
    });
    if (is_gone) return;
    for (const auto& attempt : sale.attempts) {
        const bool is_asked = attempt.state == AttemptState::requesting;
        const bool is_cancelled = attempt.state == AttemptState::cancelling && attempt.id_transacao.empty();
        if (is_asked || is_cancelled) row.taken_from.emplace(row.run, attempt.id_externo.str());
    }
}

bool SharedJournal::renew(const std::string& run) {
    const auto lease = columns_.leases.find(run);
    if (lease == columns_.leases.end()) return false;
    if (makes(SharingFault::renews_after_its_end)) lease->second.ended = false;
    if (lease->second.ended) return false;
    ++lease->second.renewals;
    return true;
}

std::map<std::string, std::uint64_t> SharedJournal::renewals() const {
    std::map<std::string, std::uint64_t> all;
    for (const auto& [run, lease] : columns_.leases)
        if (!lease.ended) all.emplace(run, lease.renewals);
    return all;
}

void SharedJournal::end(const std::string& run, std::uint64_t renewals) {
    const auto lease = columns_.leases.find(run);
    if (lease != columns_.leases.end() && lease->second.renewals == renewals) lease->second.ended = true;
}

Result<SharedJournal::Begun> SharedJournal::begin(const std::string& run, const Sale& sale) {
    if (is_over(run)) return errc::not_carried;
    if (is_cancelled_elsewhere(sale)) return Begun{.state = {.cancelled = true}, .carrying = {}};
    auto state = perform<KeyState>([&sale](Journal& tables) { return tables.begin(sale); });
    if (state.has_error()) return state.error();
    Begun begun{.state = std::move(*state), .carrying = {}};
    const auto known = columns_.rows.find(sale.id);
    const bool is_taken = begun.state.sale && begun.state.sale != sale.id;
    world_.note("server: {} begins {}, {}", run, sale.id.text(),
                known != columns_.rows.end() ? "which is there, of " + known->second.run
                : is_taken                   ? "whose key is taken"
                                             : "new");
    if (is_taken || begun.state.cancelled || begun.state.duplicate_of) return begun;
    auto& row = columns_.rows[sale.id];
    if (known == columns_.rows.end()) {
        row.run = run;
    } else if (row.run == run && row.at.step == 0) {
        // It was recorded by a call that ended unknown, and nothing became of it since.
        if (makes(SharingFault::takes_a_met_row_for_done))
            wrote_nothing_ = true;
        else
            ++row.at.term;
    } else {
        begun.state.sale = sale.id;  // so it was, and another run has carried it since
        return begun;
    }
    begun.state.sale.reset();
    begun.carrying = row.at;
    return begun;
}

// With one table a key is taken or it is not. With two, of two transactions at the same time neither sees the other's.
bool SharedJournal::is_cancelled_elsewhere(const Sale& sale) const {
    const auto cancelled = cancelled_elsewhere_.find({sale.terminal, sale.key});
    return cancelled != cancelled_elsewhere_.end() && cancelled->second + same_time < world_.now();
}

Result<KeyState> SharedJournal::cancel_key(const std::string& terminal, const std::string& key) {
    auto state = perform<KeyState>([&](Journal& tables) { return tables.find_key(terminal, key); });
    if (state.has_error()) return state;
    wrote_nothing_ = state->cancelled && makes(SharingFault::takes_a_met_row_for_done);
    if (!makes(SharingFault::has_two_tables_of_keys))
        return perform<KeyState>([&](Journal& tables) { return tables.cancel_key(terminal, key); });
    if (state->sale) return state;
    cancelled_elsewhere_.emplace(std::pair(terminal, key), world_.now());
    return KeyState{.cancelled = true};
}

Result<void> SharedJournal::record(const std::string& run, const SentStep& step, Carrying carrying) {
    auto& row = columns_.rows.at(step.sale.id);
    const bool is_term = row.at.term == carrying.term;
    const bool is_step = row.at.step == carrying.step;
    if (!is_term && !makes(SharingFault::records_in_any_term)) return errc::not_carried;
    if (!is_step && !makes(SharingFault::records_at_any_step)) return errc::not_carried;
    auto recorded = perform<void>([&step](Journal& tables) {
        return tables.record(step.sale, step.change, step.fresh ? &*step.fresh : nullptr, step.entry);
    });
    if (recorded.has_error()) return recorded;
    if (!row.run.empty() && row.run != run)
        world_.promises().carried_twice(run + " recorded a step of a sale that " + row.run + " carries");
    ++row.at.step;
    if (step.entry.word) columns_.words.erase(*step.entry.word);
    row.settled = step.change.settled;
    if (row.settled) row.run.clear();
    return recorded;
}

Result<SharedJournal::Taken> SharedJournal::reread(const std::string& run, SaleId id, std::uint64_t term) {
    const auto row = columns_.rows.find(id);
    if (row == columns_.rows.end()) return errc::not_found;
    // What settled it has freed it: nobody else had it, and it is this run's word that did.
    const bool was_settled_here = row->second.settled && row->second.run.empty() && row->second.at.term == term;
    if (!was_settled_here && (row->second.run != run || row->second.at.term != term)) return errc::not_carried;
    const auto before = row->second.at;
    auto taken = take(row->second.settled ? std::string() : run, id, row->second);
    if (taken.has_value() && makes(SharingFault::resolves_by_reading)) taken->carrying = row->second.at = before;
    return taken;
}

bool SharedJournal::is_over(const std::string& run) const {
    const auto lease = columns_.leases.find(run);
    return lease == columns_.leases.end() || lease->second.ended;
}

bool SharedJournal::is_free(const Row& row) const {
    return row.run.empty() || is_over(row.run);
}

Result<SharedJournal::Taken> SharedJournal::claim(const std::string& run, SaleId id) {
    const auto row = columns_.rows.find(id);
    if (row == columns_.rows.end()) return errc::not_found;
    if (is_over(run) || (row->second.run != run && !is_free(row->second))) return errc::not_carried;
    return take(run, id, row->second);
}

std::vector<SharedJournal::Taken> SharedJournal::adopt(const std::string& run, const std::set<SaleId>& known,
                                                       std::size_t most) {
    std::vector<Taken> taken;
    if (is_over(run)) return taken;
    for (auto& [id, row] : columns_.rows) {
        if (taken.size() == most) break;
        const bool is_unknown = row.run == run && !known.contains(id);
        if (row.settled || (!is_free(row) && !is_unknown)) continue;
        if (auto sale = take(run, id, row); sale.has_value()) taken.push_back(std::move(*sale));
    }
    return taken;
}

Result<SharedJournal::Taken> SharedJournal::take(const std::string& run, SaleId id, Row& row) {
    auto found = perform<std::optional<Sale>>([id](Journal& tables) { return tables.find(id); });
    if (found.has_error()) return found.error();
    if (!*found) return errc::not_found;
    const bool is_taken = !row.run.empty() && row.run != run;
    if (is_taken && !makes(SharingFault::forgets_what_was_sent_late)) note_what_may_be_sent(**found, row);
    world_.note("server: {} takes {}, which was {}'s", run, id.text(), row.run.empty() ? "nobody" : row.run);
    row.run = run;
    if (!makes(SharingFault::adopts_in_the_same_term)) ++row.at.term;
    return Taken{.sale = std::move(**found), .carrying = row.at};
}

void SharedJournal::give_back(const std::string& run) {
    for (auto& [id, row] : columns_.rows)
        if (row.run == run) row.run.clear();
    if (const auto lease = columns_.leases.find(run); lease != columns_.leases.end()) lease->second.ended = true;
}

std::int64_t SharedJournal::leave_word(LeftWord word) {
    word.number = ++last_word_;
    columns_.words.emplace(word.number, std::move(word));
    return last_word_;
}

std::vector<LeftWord> SharedJournal::words(const std::string& run) const {
    std::vector<LeftWord> all;
    for (const auto& [number, word] : columns_.words) {
        const auto& row = columns_.rows.at(word.sale);
        if (row.run == run || is_free(row)) all.push_back(word);
    }
    return all;
}

Result<bool> SharedJournal::dismiss_word(const std::string& run, SaleId sale, std::int64_t number, Carrying carrying) {
    auto& row = columns_.rows.at(sale);
    if (row.at.term != carrying.term || row.at.step != carrying.step) return errc::not_carried;
    if (!row.run.empty() && row.run != run)
        world_.promises().carried_twice(run + " decided a word of a sale that " + row.run + " carries");
    columns_.words.erase(number);
    ++row.at.step;
    if (row.settled) row.run.clear();
    return row.settled;
}

std::string SharedJournal::carrier(SaleId id) const {
    const auto row = columns_.rows.find(id);
    return row == columns_.rows.end() ? std::string() : row->second.run;
}

}  // namespace gateway::simulation
