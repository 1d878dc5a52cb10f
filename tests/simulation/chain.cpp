// This is the part of the world in which several gateways share a journal: what happens to each of them, and between
// them and the server.
#include "simulation/world.hpp"

#include <algorithm>
#include <set>

namespace gateway::simulation {
namespace {

constexpr Duration start_again{3'000};
// The server may do what a gateway asks by this much later, in milliseconds.
constexpr std::int64_t late_most = 20'000;

}  // namespace

Process* World::process() {
    if (setup_.gateways == 1) return process_.get();
    std::vector<Process*> running;
    for (const auto& gateway : gateways_)
        if (gateway.process && gateway.process->serves()) running.push_back(gateway.process.get());
    return running.empty() ? nullptr : chance_.pick(running);
}

void World::begin_chain() {
    shared_database_ = std::make_unique<SharedDatabase>(*this);
    gateways_.resize(setup_.gateways);
    for (std::size_t i = 0; i < gateways_.size(); ++i)
        agenda_.emplace(Duration(chance_.between(0, 100)), [this, i] { boot(i); });
    for (const auto& trouble : setup_.troubles)
        agenda_.emplace(trouble.at, [this, &trouble] { begin(trouble); });
}

void World::boot(std::size_t gateway) {
    auto& box = gateways_.at(gateway);
    if (box.process) return;
    note("gateway {}: starts", gateway);
    ++box.boots;
    box.process = Process::start_sharing(*this, gateway);
}

void World::take_down(std::size_t gateway, std::string_view why, Duration down) {
    auto& box = gateways_.at(gateway);
    if (!box.process) return;
    note("gateway {}: {}", gateway, why);
    box.process.reset();
    box.resumes = now_;
    in(down, [this, gateway] { boot(gateway); });
}

void World::begin(const Trouble& trouble) {
    if (!faults()) return;
    auto& box = gateways_.at(trouble.gateway);
    const auto until = now_ + trouble.length;
    statistics_.count(Event::trouble);
    note("trouble: {} of gateway {} for {} ms", static_cast<int>(trouble.kind), trouble.gateway,
         trouble.length.count());
    switch (trouble.kind) {
        case Trouble::Kind::killed: return take_down(trouble.gateway, "is killed", trouble.length);
        case Trouble::Kind::stopped:
            if (!box.process) return;
            return box.process->give_back([this, number = trouble.gateway, down = trouble.length] {
                in(Duration(0), [this, number, down] { take_down(number, "has stopped", down); });
            });
        case Trouble::Kind::paused: box.resumes = std::max(box.resumes, until); return;
        case Trouble::Kind::cut_off: box.cut_off = std::max(box.cut_off, until); return;
        case Trouble::Kind::unheard: box.unheard = std::max(box.unheard, until); return;
        case Trouble::Kind::journal_away: journal_away_ = std::max(journal_away_, until); return;
        case Trouble::Kind::standby_behind: return lose_standby(trouble.length, false);
        case Trouble::Kind::promotion: return lose_standby(trouble.length, true);
    }
}

void World::lose_standby(Duration length, bool is_promoted) {
    shared_database_->standby_falls_behind();
    in(length, [this, is_promoted] {
        note("the standby is {}", is_promoted ? "the server now" : "back");
        if (is_promoted)
            shared_database_->promote();
        else
            shared_database_->standby_is_back();
    });
}

Disk World::durable_disk() const {
    return shared_database_ ? shared_database_->durable().copy() : disk_.flushed();
}

void World::end_of_troubles() {
    if (shared_database_) shared_database_->standby_is_back();
    for (auto& box : gateways_)
        box.resumes = box.cut_off = box.unheard = now_;
    journal_away_ = now_;
}

bool World::run_a_gateway() {
    if (gateways_.empty()) return false;
    const auto first = chance_.below(gateways_.size());
    for (std::size_t i = 0; i < gateways_.size(); ++i) {
        auto& box = gateways_[(first + i) % gateways_.size()];
        if (!box.process || box.resumes > now_) continue;
        box.process->move_to(now_);
        running_ = (first + i) % gateways_.size();
        if (box.process->run_one()) return true;
    }
    return false;
}

// A gateway may be paused for any time between its last look at the lease and the first byte of an exchange.
Duration World::stand_still(Talk talk) {
    if (gateways_.empty() || talk == Talk::token || talk == Talk::query) return Duration(0);
    auto& box = gateways_.at(running_);
    const auto& run = box.process->run();
    if (shared_database_->is_over(run)) promises_.owned_twice("an exchange begins in run " + run + ", which was ended");
    if (!faults() || !chance_.permille(setup_.late_sends)) return Duration(0);
    // It is paused at most until nothing goes wrong any more; then it goes on at once.
    const auto length = std::min(Duration(chance_.pick(std::array{1'000, 10'000, 100'000, 300'000})),
                                 std::chrono::floor<Duration>(setup_.faults_end - now_));
    note("gateway {}: stands still for {} ms before the first byte", running_, length.count());
    box.resumes = std::max(box.resumes, now_ + length);
    return length;
}

std::function<bool()> World::still_runs() const {
    if (gateways_.empty()) return [] { return true; };
    const auto& box = gateways_.at(running_);
    return [&box, boots = box.boots] { return box.process && box.boots == boots; };
}

// A gateway that is paused does not look at its clock.
void World::move_gateways() {
    for (auto& box : gateways_)
        if (box.process && box.resumes <= now_) box.process->move_to(now_);
}

std::optional<Time> World::next_of_gateways() const {
    std::optional<Time> next;
    const auto consider = [&](Time at) { next = std::min(next.value_or(at), at); };
    for (const auto& box : gateways_) {
        if (!box.process) continue;
        if (box.resumes > now_)
            consider(box.resumes);
        else if (const auto due = box.process->next())
            consider(*due);
    }
    return next;
}

void World::ask_server(std::size_t gateway, Asked asked) {
    const Duration there(chance_.between(0, setup_.journal_latency));
    const Duration back(chance_.between(0, setup_.journal_latency));
    const bool fault = faults() && chance_.permille(setup_.journal_faults);
    const auto kind = chance_.below(3);
    const auto late = fault && kind == 0 ? Duration(chance_.between(100, late_most)) : Duration(0);
    if (fault) statistics_.count(Event::journal_fault);
    if (fault && kind == 1) return;
    in(there, [this, gateway, back, late, asked = std::move(asked), heard = !fault || kind == 0]() mutable {
        const auto& box = gateways_.at(gateway);
        if (box.cut_off > now_ || journal_away_ > now_) return;
        asked(heard && box.unheard <= now_, back, late);
    });
}

bool World::gateways_are_at_rest() const {
    if (provider_->next_due()) return false;
    std::set<std::string> serving;
    for (std::size_t i = 0; i < gateways_.size(); ++i) {
        if (!gateways_[i].process) return false;
        if (gateways_[i].process->serves()) serving.insert(setup_.names[i]);
    }
    // Of several gateways with one name, only one can serve.
    const bool all_serve = std::ranges::all_of(setup_.names, [&](const auto& name) { return serving.contains(name); });
    return all_serve && promises_.all_settled(read_journal(disk_.copy()));
}

}  // namespace gateway::simulation
