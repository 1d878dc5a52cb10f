#include "simulation/comparison.hpp"

#include "base/check.hpp"
#include "sandbox/open_points.hpp"
#include "simulation/personalities.hpp"
#include "simulation/world.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <set>

namespace gateway::simulation {
namespace {

constexpr std::string_view path_to_ask = "/venda/transacao/{idExterno}";
// This is the time of an exchange, there and back, with the walk's dealer.
constexpr Duration an_exchange{20};
// A list is printed up to this length, so that it stays readable.
constexpr std::size_t most_named = 60;

// This is a pair of runs of the walk, which differ only in the address.
struct Case {
    const Scenario* scenario;
    std::string personality;  // empty: nothing is unusual
    PlannedFault fault;
    Time crash_at{};  // zero: there is no crash

    std::string text() const {
        auto text = scenario->name;
        if (!personality.empty()) text += ", " + personality;
        if (fault.fault != Fault::none) text += fmt::format(", {} at {}", to_string(fault.fault), fault.at);
        if (crash_at > Time(0)) text += fmt::format(", crash at {} ms", crash_at / Duration(1));
        return text;
    }
};

struct Ran {
    std::optional<Broken> broken;
    std::vector<Ending> endings;
    std::uint64_t asked = 0;
    bool met = true;  // the run met the fault
};

Ran run(const Case& which, bool asks) {
    auto setup = walk_setup(*which.scenario);
    setup.same_luck = true;
    choose_personality(setup, which.personality.empty() ? "never" : which.personality);
    setup.status_path = setup.provider.status_path = asks ? path_to_ask : "";
    setup.provider.status_shape = sandbox::StatusShape::venda;
    if (which.crash_at > Time(0)) setup.crashes.push_back({.kind = Crash::Kind::now, .at = which.crash_at});
    std::vector<PlannedFault> planned;
    if (which.fault.fault != Fault::none) planned.push_back(which.fault);
    PlannedDealer dealer(planned, which.scenario->silent, true);
    Statistics statistics;
    World world(std::move(setup), dealer, statistics, {});
    Ran ran{.broken = world.run()};
    ran.endings = world.endings();
    ran.asked = statistics.talks.at(static_cast<std::size_t>(Talk::consultar));
    ran.met = dealer.met();
    return ran;
}

class Comparison {
  public:
    void add(const std::string& name, const Ending& without, const Ending& with) {
        ++sales_;
        const bool before = needs_a_person(without);
        const bool after = needs_a_person(with);
        before_ += before ? 1 : 0;
        after_ += after ? 1 : 0;
        if (before && !after) ++helped_[fmt::format("{}: {}", name, without.attention)];
        if (before || !after) return;
        ++harmed_[fmt::format("{}: {}", name, with.attention)];
        // An e-gift that is known to be sold waits a confirm's window for its goods, and then a person gets them. One
        // in dispute is asked for until the confirm is answered, which brings the goods.
        if (with.attention != "undeliverable") harms_ = true;
    }
    // The luck of both runs is the same.
    void compare_times(const std::string& name, const Ran& without, const Ran& with) {
        const auto& a = without.endings.front();
        const auto& b = with.endings.front();
        // An e-gift that a question has shown to be sold then waits a whole confirm window for its goods.
        if (with.asked == 0 || b.attention == "undeliverable") return;
        ++asked_;
        if (a.settled_at && !b.settled_at) too_late_.insert(name + ": never");
        if (!a.settled_at || !b.settled_at) return;
        const auto later = *b.settled_at - *a.settled_at;
        if (later < Time(0)) ++sooner_;
        if (later > Time(0)) ++later_;
        if (later > most_later_) most_later_ = later;
        // A question without a result costs an exchange before every repeat.
        if (later > an_exchange * static_cast<std::int64_t>(with.asked))
            too_late_.insert(fmt::format("{}: {} ms", name, later / Duration(1)));
    }
    bool good() const { return too_late_.empty() && !harms_; }
    void print(std::string_view title, bool times) const {
        fmt::print("{}: {} sales; {} left to a person without the address, {} with it\n", title, sales_, before_,
                   after_);
        print("  left to a person without it only", helped_);
        print("  left to a person with it only", harmed_);
        std::fflush(stdout);  // the rest takes minutes
        if (!times) return;
        fmt::print("  asked for in {} of them; settled sooner {}, later {}, at most {} ms later\n", asked_, sooner_,
                   later_, most_later_ / Duration(1));
        std::size_t named = 0;
        for (const auto& name : too_late_)
            if (named++ < most_named) fmt::print("  LATER BY MORE THAN ITS QUESTIONS TAKE {}\n", name);
    }

  private:
    // The operator finds such a sale in the list of marks.
    static bool needs_a_person(const Ending& ending) { return ending.attention != "none" && !ending.attention.empty(); }
    static void print(std::string_view title, const std::map<std::string, std::uint64_t>& list) {
        std::uint64_t sum = 0;
        for (const auto& [name, count] : list)
            sum += count;
        fmt::print("{}: {}\n", title, sum);
        std::size_t named = 0;
        for (const auto& [name, count] : list)
            if (named++ < most_named) fmt::print("    {:>6}  {}\n", count, name);
        if (list.size() > most_named) fmt::print("            and {} more\n", list.size() - most_named);
    }

    std::uint64_t sales_ = 0;
    std::uint64_t before_ = 0;
    std::uint64_t after_ = 0;
    std::uint64_t asked_ = 0;
    std::uint64_t sooner_ = 0;
    std::uint64_t later_ = 0;
    Time most_later_{};
    std::map<std::string, std::uint64_t> helped_;
    std::map<std::string, std::uint64_t> harmed_;
    std::set<std::string> too_late_;
    bool harms_ = false;  // it leaves a sale to a person that none had to look at
};

bool is_broken(const std::string& name, const std::optional<Broken>& broken) {
    if (broken) fmt::print("BROKEN promise {}: {}: {}\n", broken->promise, name, broken->what);
    return broken.has_value();
}

enum class Met { all, not_all, broken };

Met compare(Comparison& comparison, const Case& which, const std::string& name) {
    const auto without = run(which, false);
    const auto with = run(which, true);
    if (is_broken(which.text() + ", not asked for", without.broken)) return Met::broken;
    if (is_broken(which.text() + ", asked for", with.broken)) return Met::broken;
    if (!without.met) return Met::not_all;
    comparison.add(name, without.endings.front(), with.endings.front());
    comparison.compare_times(which.text(), without, with);
    return Met::all;
}

bool is_compared(const Scenario& scenario) {
    const bool another = !scenario.asked || scenario.family == Family::esim;  // the others differ in nothing else
    return another && !scenario.books;
}

// Returns each of the provider's alternatives alone, and those that answer about final sales all in the same way.
std::vector<std::string> personalities() {
    std::vector<std::string> list{""};
    for (const auto& point : sandbox::points())
        for (const auto& alternative : point.alternatives)
            if (&alternative != point.alternatives.data())
                list.push_back(fmt::format("{}={}", point.name, alternative.value));
    for (const auto* said : {"409", "404", "422", "200-bare"})
        list.push_back(
            fmt::format("cancel-on-efetivada={0},confirm-on-cancelada={0},confirm-again={0},cancel-again={0}", said));
    return list;
}

bool compare_personalities() {
    Comparison comparison;
    for (const auto& scenario : scenarios())
        for (const auto& personality : personalities()) {
            if (!is_compared(scenario)) continue;
            const Case which{.scenario = &scenario, .personality = personality};
            const auto name = personality.empty() ? scenario.name : scenario.name + ", " + personality;
            if (compare(comparison, which, name) == Met::broken) return false;
        }
    comparison.print("the walk, with each alternative of the provider's", true);
    return comparison.good();
}

// Returns many times around the making of the sale and the end of its confirm's window, and some while its terminal
// thinks.
std::vector<Time> crash_times() {
    std::vector<Time> times;
    const auto add = [&](std::int64_t from, std::int64_t to, std::int64_t step) {
        for (auto at = from; at < to; at += step)
            times.push_back(Duration(at));
    };
    add(1'000, 1'200, 10);
    add(1'200, 22'000, 650);
    add(121'000, 121'400, 20);
    return times;
}

bool compare_faults(const std::string& personality) {
    Comparison comparison;
    for (const auto& scenario : scenarios()) {
        if (!is_compared(scenario)) continue;
        for (std::size_t fault = 1; fault < fault_count; ++fault)
            for (std::uint64_t at = 0;; ++at) {
                const Case which{&scenario, personality, {static_cast<Fault>(fault), at, 0}};
                const auto met = compare(comparison, which, scenario.name);
                if (met == Met::broken) return false;
                if (met == Met::not_all) break;
            }
        for (const auto at : crash_times()) {
            const Case which{.scenario = &scenario, .personality = personality, .fault = {}, .crash_at = at};
            if (compare(comparison, which, scenario.name) == Met::broken) return false;
        }
    }
    const auto title = personality.empty() ? "as usual" : personality;
    comparison.print(fmt::format("the walk, each fault and each crash alone, the provider {}", title), true);
    return comparison.good();
}

Ran run(std::uint64_t seed, const ProviderWanted& wanted, std::vector<Plan>& plans) {
    Chance chance(seed, 12);
    RandomDealer dealer(random_mix(seed), chance);
    Statistics statistics;
    auto setup = random_setup(seed, wanted);
    plans = setup.plans;
    World world(std::move(setup), dealer, statistics, {});
    Ran ran{.broken = world.run()};
    ran.endings = world.endings();
    return ran;
}

bool compare_seeds(std::uint64_t sales, std::uint64_t seed, const std::string& personality) {
    Comparison comparison;
    for (std::uint64_t compared = 0; compared < sales; ++seed) {
        std::vector<Plan> plans;
        const auto without = run(seed, {StatusPath::never, personality}, plans);
        const auto with = run(seed, {StatusPath::always, personality}, plans);
        if (is_broken(fmt::format("seed {}, not asked for", seed), without.broken)) return false;
        if (is_broken(fmt::format("seed {}, asked for", seed), with.broken)) return false;
        for (std::size_t i = 0; i < plans.size(); ++i)
            comparison.add(std::string(to_string(plans[i].family)), without.endings.at(i), with.endings.at(i));
        compared += plans.size();
    }
    comparison.print("random runs", false);
    return true;
}

}  // namespace

int compare_with_asking(std::uint64_t sales, std::uint64_t seed, const std::string& personality) {
    Disk::vfs();
    const auto all_409 = "cancel-on-efetivada=409,confirm-on-cancelada=409,confirm-again=409,cancel-again=409";
    bool good = compare_personalities();
    good = compare_faults("") && good;
    good = compare_faults(all_409) && good;
    good = compare_seeds(sales, seed, personality) && good;
    return good ? 0 : 1;
}

}  // namespace gateway::simulation
