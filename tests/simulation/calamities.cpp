// This is what goes wrong with the machine of one gateway: crashes, troubles, and other programs that come to its
// journal.
#include "base/check.hpp"
#include "journal/sqlite/file_lock.hpp"
#include "journal/sqlite/recognition.hpp"
#include "simulation/till.hpp"
#include "simulation/world.hpp"

namespace gateway::simulation {
namespace {

// This is the pause between two tries to start a process that could not start.
constexpr Duration boot_again{3'000};
// A program that does not wait until the gateway is idle comes within this many changes of the disk.
constexpr std::uint64_t soon{60};

// Tells whether a gateway has noted on which file the log stands. One that another program began, and in which no
// gateway has committed anything, is not noted: a start cannot know then that it does not fit.
bool is_log_noted(Disk& disk, const FileLock& lock) {
    constexpr std::size_t salts_at = 16;
    const auto noted = lock.noted_log();
    const auto log = disk.open(std::string(journal_path) + "-wal", false);
    if (!noted || !log) return false;
    std::string salts;
    for (std::size_t at = salts_at; at < salts_at + noted->log.size() / 2 && at < log->now.size(); ++at)
        salts += fmt::format("{:02x}", static_cast<unsigned char>(log->now[at]));
    return salts == noted->log;
}

}  // namespace

void World::fail_now_and_then() {
    if (!faults()) return;
    if (disk_.fail_in == 0) disk_.fail_in = 1 + chance_.below(setup_.disk_failures);
    in(Duration(chance_.between(100, 20'000)), [this] { fail_now_and_then(); });
}

// Lets another program open the journal and do one thing. If it only reads, it stays for a while. It does not come
// while the tables are being made, because it would only prevent that.
void World::visit() {
    // See "not covered" in tests/README.md.
    const bool may_write = !was_cut_ && !is_placing_ && (process_ || !visit_was_cut_);
    visit(may_write ? visits_chance_.pick(setup_.visits.deeds) : Deed::read);
}

void World::visit(Deed deed) {
    if (!faults() || power_is_off() || !has_journal_ || leaves_log_) return;
    if (deed == Deed::start_gateway) return start_second();
    const auto failures = disk_.failures();
    auto visitor =
        std::make_unique<Visitor>(disk_, deed, visits_chance_.pick(setup_.visits.autocheckpoints), visits_chance_);
    if (power_is_off() || disk_.failures() != failures) visit_was_cut_ = true;
    statistics_.count(Event::visit);
    if (!visitor->succeeded()) statistics_.count(Event::visit_failed);
    note("another program: {}", visitor->trace());
    if (visitor->copy()) {
        statistics_.count(Event::copy);
        copy_ = visitor->copy()->at_rest();
        promises_.copied(read_journal(copy_->copy()));
    }
    if (!visitor->reads()) return;
    reader_ = std::move(visitor);
    in(Duration(visits_chance_.pick(std::array{10, 1'000, 60'000})), [this] { reader_.reset(); });
}

// A second gateway on the journal is refused before it does anything.
void World::start_second() {
    if (!process_) return;
    statistics_.count(Event::second_gateway);
    note("a second gateway: starts");
    const auto changes = disk_.changes();
    const auto noted = lock_file_.content();
    const auto second = Process::start(*this);
    if (second) promises_.owned_twice("a second gateway has started on the journal");
    if (disk_.changes() != changes || lock_file_.content() != noted)
        promises_.owned_twice("a second gateway was refused, and has changed something");
}

bool World::disk_is_well() const {
    const auto& weather = disk_.faults;
    return !weather.full && !weather.failing && !weather.unreadable;
}

// Tells whether a start will know a copy that was written over the journal: the sale that was recorded last is noted.
// After a power cut a newer note may be missing.
bool World::is_copy_known() const {
    const auto noted = FileLock::look(lock_file_.path()).recorded_sale();
    const bool may_be_old =
        noted_at_cut_ && noted && noted->id == noted_at_cut_->id && noted->history == noted_at_cut_->history;
    return noted && !may_be_old;
}

// A person puts the newest copy in the journal's place: with restore, or with cp, and in a hurry may leave the log of
// the journal beside it. On a bad disk this is not tried.
void World::put_copy_back(PutBack how) {
    if (!copy_ || !disk_is_well()) return;
    reader_.reset();
    statistics_.count(Event::put_back);
    if (how == PutBack::by_chance)
        how = visits_chance_.pick(std::array{PutBack::cp, PutBack::cp, PutBack::cp_beside_log, PutBack::restore});
    if (how == PutBack::restore || !is_copy_known()) return restore_copy();
    leaves_log_ = how == PutBack::cp_beside_log && is_log_noted(disk_, FileLock::look(lock_file_.path()));
    write_copy_over();
}

void World::write_copy_over() {
    note("a person: a copy is written over the journal{}", leaves_log_ ? ", and the log left beside it" : "");
    is_placing_ = true;
    disk_.replace_journal(*copy_, leaves_log_ ? Disk::Replacing::by_cp_beside_the_log : Disk::Replacing::by_cp);
    if (hooks().notes_no_sale) CHECK(FileLock::take(lock_file_.path())->forget_recorded_sale().has_value());
    if (!leaves_log_) forget_what_is_lost();
}

// Does what sales-gateway's restore does (backup.cpp).
void World::restore_copy() {
    note("a person: a copy is restored");
    is_placing_ = leaves_log_ = false;
    auto prepared = copy_->at_rest();
    auto* const before = prepared.mount();
    {
        auto journal = sqlite::Database::open(journal_path, Disk::vfs());
        CHECK(journal.has_value() && prepare_copy(*journal, gateway_wall(), std::nullopt).has_value());
    }
    if (before != nullptr) before->mount();
    disk_.replace_journal(prepared, Disk::Replacing::flushed);
    auto lock = FileLock::take(lock_file_.path());
    CHECK(lock->note_run(RunState::begun, {}).has_value() && lock->forget_recorded_sale().has_value());
    lock_flushed_ = lock_file_.content();
    forget_what_is_lost();
}

// The tills drop the keys that the copy does not know, as docs/backup.md says.
void World::forget_what_is_lost() {
    promises_.put_back(read_journal(copy_->copy()));
    books_check_.put_back();
    for (const auto& till : tills_)
        if (promises_.is_dropped(till->plan())) till->drop_key();
}

void World::visit_soon() {
    if (visits_chance_.one_in(2)) return visit();
    disk_.interrupt_in = 1 + visits_chance_.below(soon);
}

void World::perhaps_visit() {
    if (setup_.visits.deeds.empty() || !visits_chance_.permille(setup_.visits.afterwards)) return;
    visit();
    failures_known_ = disk_.failures();
}

void World::arm(const Crash& crash) {
    if (!faults()) return;
    if (crash.kind == Crash::Kind::stop) {
        if (!process_) return;
        power_off("stop", true);
        if (crash.puts_back) put_copy_back(*crash.puts_back);
        return;
    }
    armed_ = crash;
    counted_ = 0;
    switch (crash.kind) {
        case Crash::Kind::now:
            if (process_) disk_.cut_now();
            break;
        case Crash::Kind::at_write: disk_.cut_in = crash.nth; break;
        case Crash::Kind::at_flush: disk_.cut_in_flushes = crash.nth; break;
        case Crash::Kind::at_handler:
        case Crash::Kind::at_message:
        case Crash::Kind::stop: break;
    }
}

void World::power_off(std::string_view why, bool orderly) {
    const bool killed = armed_ && armed_->killed;
    const std::string fates = armed_ && !killed ? armed_->fates : Fates::all_old;
    const bool tear = fates != Fates::all_old;
    const auto down = armed_ ? armed_->down : boot_again;
    const auto then = armed_ && !orderly ? armed_->then : std::vector<Crash>();
    const bool is_put_back = killed && !orderly && armed_->puts_back.has_value();
    const auto how = is_put_back ? *armed_->puts_back : PutBack::by_chance;
    note("process: {}{}{}", why, killed ? ", the machine goes on" : "", tear ? ", unflushed blocks are torn" : "");
    const auto noted = lock_file_.content();
    process_.reset();
    if (!orderly) {
        lock_file_.set_content(noted);  // a process that dies runs no destructor that could note anything
        if (armed_ && (armed_->kind == Crash::Kind::at_write || armed_->kind == Crash::Kind::at_flush))
            statistics_.count(Event::crash_at_write);
        if (tear) statistics_.count(Event::torn);
        armed_.reset();
        if (!killed || visits_chance_.one_in(2)) reader_.reset();
        if (killed) {
            statistics_.count(Event::killed);
            disk_.go_on();
        } else {
            Fates left(chance_, fates);
            if (!disk_.crash(left)) promises_.stuck("an honest disk is taken for one that lost what was flushed");
            was_cut_ = true;
            if (left.is_lost()) lock_file_.set_content(lock_flushed_);  // unlike a failed flush
            if (leaves_log_) restore_copy();  // nobody can know any more what the two files have been
            noted_at_cut_ = FileLock::look(lock_file_.path()).recorded_sale();
            // The cut may have torn the copy, and taken the note by which a start would know it.
            if (is_placing_ && !is_copy_known()) restore_copy();
            machine_started_ = now_;
            boot_name_ += 'I';
        }
    } else {
        statistics_.count(Event::stop);
    }
    if (is_put_back) put_copy_back(how);
    perhaps_visit();
    in(down, [this, then] {
        if (!then.empty() && !armed_) arm(then.front());
        boot();
    });
}

void World::boot() {
    if (process_) return;
    // A copy that no gateway has prepared yet may have been torn by a power cut, and is put there once more.
    if (is_placing_ && !leaves_log_ && FileLock::look(lock_file_.path()).recorded_sale()) write_copy_over();
    const auto failures = disk_.failures();
    const bool well = disk_is_well();
    process_ = Process::start(*this);
    lock_flushed_ = lock_file_.content();
    if (process_ && !power_is_off()) {
        has_journal_ = true;
        was_cut_ = is_placing_ = leaves_log_ = visit_was_cut_ = false;
        if (!disk_.is_in_wal_mode()) promises_.stuck("a process has started on a journal without a write-ahead log");
        promises_.process_started();
        return books_check_.process_started();
    }
    if (power_is_off()) return power_off("crash while starting", false);
    // The start was refused, because the two files are not of one journal, or the disk was bad once more.
    if (leaves_log_) {
        restore_copy();
        return in(boot_again, [this] { boot(); });
    }
    // A program that reads an exposed log keeps the log from being begun anew.
    if (well && failures == disk_.failures() && !reader_) promises_.start_failed();
    statistics_.count(Event::boot_failed);
    in(boot_again, [this] { boot(); });
}

void World::begin_weather(const Weather& weather) {
    if (!faults()) return;
    const auto over = [&](auto end) {
        in(weather.length, [this, end] {
            end();
            note("weather: better");
            perhaps_visit();
        });
    };
    statistics_.count(weather.kind == Weather::Kind::clock_jump ? Event::clock_jump : Event::outage);
    note("weather: {} for {} ms", static_cast<int>(weather.kind), weather.length.count());
    switch (weather.kind) {
        case Weather::Kind::provider_down:
            ++provider_down_;
            return over([this] { provider_down_ = std::max(provider_down_ - 1, 0); });
        case Weather::Kind::tokens_down:
            ++tokens_down_;
            return over([this] { tokens_down_ = std::max(tokens_down_ - 1, 0); });
        case Weather::Kind::disk_full: disk_.faults.full = true; return over([this] { disk_.faults.full = false; });
        case Weather::Kind::disk_failing:
            disk_.faults.failing = true;
            return over([this] { disk_.faults.failing = false; });
        case Weather::Kind::disk_unreadable:
            disk_.faults.unreadable = true;
            return over([this] { disk_.faults.unreadable = false; });
        case Weather::Kind::clock_jump: wall_shift_ += weather.length; return;
    }
}

// From now on nothing goes wrong any more: what is under way arrives, the disk is well, and the process runs.
void World::end_of_faults() {
    note("peace: nothing goes wrong from here on");
    const bool forgetful = disk_.faults.forgetful;
    disk_.faults = DiskFaults{.forgetful = forgetful};
    disk_.cut_in = disk_.cut_in_flushes = disk_.fail_in = disk_.interrupt_in = 0;
    reader_.reset();
    provider_down_ = tokens_down_ = 0;
    if (!power_is_off()) armed_.reset();
    end_of_troubles();
    if (setup_.put_right && !damages_.empty()) in(Duration(1), [this] { put_values_right(); });
}

}  // namespace gateway::simulation
