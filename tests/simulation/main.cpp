// simulation: proves the eight promises of never-lose-a-sale.md against simulated failures. See README.md beside this.
#include "simulation/comparison.hpp"
#include "simulation/personalities.hpp"
#include "simulation/search.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <string>

namespace {

// Returns the seed of this day in UTC. The number of runs between two days is odd, so that they take different parts of
// the walk.
std::uint64_t seed_of_today() {
    constexpr std::uint64_t runs_of_a_day = 1'000'003;
    const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
    const auto year = static_cast<std::uint64_t>(static_cast<int>(date.year()));
    const auto month = static_cast<unsigned>(date.month());
    return ((year * 100 + month) * 100 + static_cast<unsigned>(date.day())) * runs_of_a_day;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace gateway::simulation;
    Search search;
    CLI::App app("Simulates sales and everything that can go wrong with them", "simulation");
    app.add_option("--sales", search.sales, "At least so many sales, in random runs")->capture_default_str();
    auto* seed =
        app.add_option("--seed", search.seed, "Of the first run; the next has the next")->capture_default_str();
    app.add_option("--jobs", search.jobs, "Processes that search at the same time")->capture_default_str();
    auto* chain = app.add_flag("--chain", search.chain, "Two or three gateways that share a journal");
    app.add_option("--gateways", search.gateways, "So many of them in each run")->check(CLI::Range(2, 9))->needs(chain);
    const std::map<std::string, StatusPath> words{
        {"by-seed", StatusPath::by_seed}, {"never", StatusPath::never}, {"always", StatusPath::always}};
    app.add_option("--status-path", search.provider.status,
                   "In which random runs the provider can be asked how a sale stands")
        ->transform(CLI::CheckedTransformer(words));
    const auto known = [](const std::string& text) {
        return is_personality(text) ? std::string() : "neither by-seed, never, always nor a list of NAME=VALUE";
    };
    app.add_option("--personality", search.provider.personality,
                   "What random runs' provider does where its interface is open: by-seed, never, always, or NAME=VALUE")
        ->check(known)
        ->capture_default_str();
    bool compare = false;
    app.add_flag("--compare", compare, "The same failures without asking for a status and with it, side by side");
    auto* walk = app.add_flag("--walk", search.walk, "Walk the small state space completely, first");
    app.add_option("--every", search.every, "Only every n-th beginning of the walk, from one on that the seed chooses")
        ->check(CLI::PositiveNumber)
        ->needs(walk);
    app.add_option("--disks", search.disks, "Judge so many disks that a shop's day could have left, and nothing else")
        ->excludes(walk, chain);
    app.add_option("--image", search.image, "Only this disk, as a broken promise names it");
    bool today = false;
    app.add_flag("--today", today, "The seed is the date, so that each day has runs of its own")->excludes(seed);
    app.add_option("--step", search.step, "Only this step of the walk, as a broken promise names it");
    app.add_flag("--trace", search.trace, "Print everything that happens");
    app.add_flag("--quiet", search.quiet, "No progress");
    try {
        app.parse(argc, argv);
        if (today) search.seed = seed_of_today();
        if (compare) return compare_with_asking(search.sales, search.seed, search.provider.personality);
        return run(search);
    } catch (const CLI::ParseError& error) {
        return app.exit(error);
    } catch (const std::exception& error) {
        fmt::print(stderr, "simulation: {}\n", error.what());
        return 2;
    }
}
