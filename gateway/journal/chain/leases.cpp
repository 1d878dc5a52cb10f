#include "journal/chain/leases.hpp"

#include "base/ulid.hpp"
#include "journal/moving_mark.hpp"
#include "journal/postgres/session.hpp"
#include "journal/rows.hpp"

#include <fmt/format.h>

namespace gateway::postgres {
namespace {

using Access = JobRunner::Access;
using Lane = JobRunner::Lane;

}  // namespace

// This is what the beginning of a run found.
struct Leases::Look {
    std::optional<bool> is_over;  // whether the run is over, where an earlier call that ended unknown had begun it
    Rows living;                  // the living runs that were seen, where the run had not begun
    bool has_begun = false;
};

Leases::Leases(JobRunner& jobs, Identity identity, const TallyFile& file, Random& random)
    : jobs_(jobs), identity_(std::move(identity)), file_(file), random_(random) {
    next_run();
}

void Leases::next_run() {
    if (!run_.empty()) earlier_.push_back(run_);
    run_ = fmt::format("{}.{}", identity_.name, Ulid::make(jobs_.clock().wall(), random_).text());
    has_begun_ = false;
    on_duty_ = false;
    lease_.ended();
}

// A run that has not begun owns nothing, and may still begin.
void Leases::abandon() {
    if (has_begun_) next_run();
}

boost::asio::awaitable<boost::system::result<void, std::string>> Leases::begin() {
    while (true) {
        const auto standing = co_await renewed();
        if (standing.has_error()) co_return standing.error().message();
        if (*standing == Standing::lives) co_return boost::system::result<void, std::string>();
        if (!hindrance_.empty()) co_return hindrance_;
        co_await jobs_.clock().sleep_for(renew_every);
    }
}

boost::asio::awaitable<void> Leases::renew() {
    (void)co_await renewed();
}

// The lease is trusted from the beginning of the renewal on, not from its answer, because another gateway counts from
// the moment at which it sees the new counter.
auto Leases::renewed() -> Awaited<Standing> {
    const auto began = jobs_.clock().now();
    const auto run = run_;
    Result<Standing> standing = Standing::waits;
    if (has_begun_)
        standing = co_await renew_row();
    else
        standing = co_await enter();
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

auto Leases::renew_row() -> Awaited<Standing> {
    const auto run = run_;
    Standing standing = Standing::over;
    bool on_duty = false;
    Rows living;
    const auto work = [&](Tx& tx) -> Job<void> {
        auto renewal = tx.ask(sql::renew_run, run);
        tx.run(sql::inherit_duty, run);
        auto duty = tx.ask(sql::is_on_duty, run);
        living = co_await tx.ask(sql::living_runs);
        const auto renewed = co_await renewal;
        const auto held = co_await duty;
        standing = renewed.changed() == 1 ? Standing::lives : Standing::over;
        on_duty = !held.empty();
    };
    const auto done = co_await jobs_.perform<void>(Lane::of_sales, Access::write, work, ahead_of_all);
    if (done.has_error()) co_return done.error();
    look_at_others(living);
    on_duty_ = on_duty;
    co_return standing;
}

auto Leases::enter() -> Awaited<Standing> {
    const auto run = run_;
    const Sender sender{.gateway = identity_.name, .file = file_.id()};
    const auto work = [&](Tx& tx) { return look_and_enter(tx, run, sender); };
    const auto looked = co_await jobs_.perform<Look>(Lane::of_sales, Access::alone, work);
    if (looked.has_error()) co_return looked.error();
    if (looked->is_over) co_return *looked->is_over ? Standing::over : Standing::lives;
    look_at_others(looked->living);
    if (looked->has_begun) co_return Standing::lives;
    look_at_what_is_in_the_way(looked->living);
    co_return Standing::waits;
}

bool Leases::is_in_the_way(const Row& living) const {
    return living.text(2) == identity_.name || living.text(3) == file_.id() || living.text(4) != identity_.provider ||
           living.text(5) != identity_.key_name || living.text(6) != identity_.rules;
}

auto Leases::look_and_enter(Tx& tx, std::string run, Sender sender) const -> Job<Look> {
    Look look;
    tx.hold(runs);
    co_await moving_mark::end_copying(tx.transaction());
    const auto met = co_await tx.ask(sql::meet_run, run);
    if (!met.empty()) look.is_over = met.front().integer(0) != 0;
    if (look.is_over) co_return look;
    // This is done even where the run cannot begin, because the processes of earlier runs of the file are gone.
    co_await turn_notes_into_commands(tx, sender);
    // Ends the earlier runs of this process, and those runs in the way that have stood still until they counted as
    // dead.
    for (const auto& earlier : earlier_)
        tx.run(sql::end_run, earlier);
    for (const auto& [other, renewals] : dead())
        if (in_the_way_.contains(other)) tx.run(sql::end_run_that_stands, other, renewals);
    look.living = co_await tx.ask(sql::living_runs);
    look.has_begun = true;
    for (const auto& row : look.living)
        look.has_begun = look.has_begun && !is_in_the_way(row);
    if (!look.has_begun) co_return look;
    tx.run(sql::enter_run, run, identity_.name, rows::milliseconds(tx.at.wall), identity_.provider, identity_.key_name,
           identity_.rules, sender.file);
    tx.run(sql::forget_runs, run, sender.file, identity_.name);
    co_return look;
}

JobRunner::Awaited<void> Leases::let_go_of_name() {
    const auto work = [&](Tx& tx) -> Job<void> {
        tx.hold(runs);
        const Sender of_any_file{.gateway = identity_.name, .file = {}};
        co_await turn_notes_into_commands(tx, of_any_file);
    };
    return jobs_.perform<void>(Lane::of_sales, Access::alone, work);
}

void Leases::look_at_others(const Rows& found) {
    Renewals counters;
    for (const auto& row : found)
        if (row.text(0) != run_) counters.emplace(row.text(0), row.integer(1));
    others_.saw(counters, jobs_.clock().now());
}

// A run lives if its counter has changed since it was first seen.
void Leases::look_at_what_is_in_the_way(const Rows& living) {
    Renewals seen;
    hindrance_.clear();
    for (const auto& row : living) {
        if (!is_in_the_way(row)) continue;
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

Job<bool> take_duty(Tx& tx, std::string run) {
    const auto taken = co_await tx.ask(sql::take_duty, run);
    co_return taken.changed() == 1;
}

}  // namespace gateway::postgres
