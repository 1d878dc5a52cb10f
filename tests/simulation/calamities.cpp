// This is what goes wrong with the machine of one gateway: crashes, troubles, and other programs that come to its
// journal.
#include "simulation/world.hpp"

namespace gateway::simulation {
namespace {

// This is the pause between two tries to start a process that could not start.
constexpr Duration boot_again{3'000};
// A program that does not wait until the gateway is idle comes within this many changes of the disk.
constexpr std::uint64_t soon{60};

}  // namespace

void World::fail_now_and_then() {
    if (!faults()) return;
    if (disk_.fail_in == 0) disk_.fail_in = 1 + chance_.below(setup_.disk_failures);
    in(Duration(chance_.between(100, 20'000)), [this] { fail_now_and_then(); });
}

// Lets another program open the journal and do one thing. If it only reads, it stays for a while. It does not come
// while the tables are being made, because it would only prevent that.
void World::visit() {
    if (!faults() || power_is_off() || !has_journal_) return;
    auto visits = setup_.visits;
    if (was_cut_) visits.deeds = {Deed::read};  // see "what the simulation does not deal"
    auto visitor = std::make_unique<Visitor>(disk_, visits, visits_chance_);
    statistics_.count(Event::visit);
    if (!visitor->succeeded()) statistics_.count(Event::visit_failed);
    note("another program: {}", visitor->trace());
    if (!visitor->reads()) return;
    reader_ = std::move(visitor);
    in(Duration(visits_chance_.pick(std::array{10, 1'000, 60'000})), [this] { reader_.reset(); });
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
        if (process_) power_off("stop", true);
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
            machine_started_ = now_;
            boot_name_ += 'I';
        }
    } else {
        statistics_.count(Event::stop);
    }
    perhaps_visit();
    in(down, [this, then] {
        if (!then.empty() && !armed_) arm(then.front());
        boot();
    });
}

void World::boot() {
    if (process_) return;
    const auto failures = disk_.failures();
    const auto& weather = disk_.faults;
    const bool well = !weather.full && !weather.failing && !weather.unreadable;
    process_ = Process::start(*this);
    lock_flushed_ = lock_file_.content();
    if (process_ && !power_is_off()) {
        has_journal_ = true;
        was_cut_ = false;
        promises_.process_started();
        return books_check_.process_started();
    }
    if (power_is_off()) return power_off("crash while starting", false);
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
