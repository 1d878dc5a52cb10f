// law: enumerates every state that the law of a sale can reach, and checks the promises in each. See README.md beside
// this.
#include "law/configurations.hpp"
#include "law/deliberate_faults.hpp"
#include "law/exploration.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace gateway::law;

void print(const Found& found) {
    fmt::print("{:64} classes {:6}  states {:9}  moves {:10}  unexplored {}\n", found.configuration, found.classes,
               found.states, found.moves, found.unexplored);
    if (!found.broken.empty()) fmt::print("BROKEN: {}\n", found.broken);
    for (std::size_t i = 0; i < found.story.size(); ++i)
        fmt::print("  {:3}. {}\n", i, found.story[i]);
    std::fflush(stdout);
}

// Explores the configurations, several at the same time. Returns whether every promise holds in all of them.
bool explore_all(const std::vector<Configuration>& all, std::size_t jobs) {
    std::atomic<std::size_t> next = 0;
    std::mutex printing;
    Found total{.configuration = fmt::format("{} configurations", all.size())};
    bool good = true;
    const auto work = [&] {
        for (std::size_t i = next++; i < all.size(); i = next++) {
            const auto found = explore(all[i]);
            const std::lock_guard lock(printing);
            print(found);
            total.classes += found.classes;
            total.states += found.states;
            total.moves += found.moves;
            total.unexplored += found.unexplored;
            good = good && found.broken.empty() && found.unexplored == 0;
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < jobs; ++i)
            threads.emplace_back(work);
    }
    print(total);
    return good;
}

// Tells whether the enumeration finds every deliberate fault whose words contain `only`, and prints by which promise;
// of a fault that was chosen so, the whole story.
bool find_deliberate_faults(const std::vector<Configuration>& all, const std::string& only) {
    bool good = true;
    for (const auto& fault : deliberate_faults()) {
        if (fault.what.find(only) == std::string::npos) continue;
        const auto where = std::ranges::find(all, fault.configuration, &Configuration::name);
        const auto found = where != all.end() ? explore(*where, fault.functions) : Found{};
        const auto promise = found.broken.empty() ? "NOT FOUND" : found.broken.substr(0, found.broken.find('\n'));
        fmt::print("{:70} {:44} {:3} steps  {}\n", fault.what, fault.configuration, found.story.size(), promise);
        std::fflush(stdout);
        if (!only.empty()) print(found);
        good = good && !found.broken.empty();
    }
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Enumerates every state that the law of a sale can reach", "law");
    std::string only;
    std::size_t jobs = 2;
    app.add_option("--only", only, "Only the configurations, or the faults, whose names contain this");
    app.add_option("--jobs", jobs, "So many configurations at the same time")->capture_default_str();
    bool short_run = false;
    app.add_flag("--short", short_run, "Only the configurations with one attempt, which takes seconds");
    bool faults = false;
    app.add_flag("--faults", faults, "Look for the deliberate faults instead, and fail where one is not found");
    CLI11_PARSE(app, argc, argv);
    auto all = configurations();
    if (faults) return find_deliberate_faults(all, only) ? 0 : 1;
    std::erase_if(all, [&](const Configuration& one) {
        return one.name.find(only) == std::string::npos || (short_run && one.terms.rules.max_attempts > 1);
    });
    return explore_all(all, jobs) ? 0 : 1;
}
