// simulation_mutants: runs the simulation with every mutant, one after the other, and prints how many sales it took to
// find each. Exits with 1 where one was not found.
#include "simulation/mutants/mutants.hpp"
#include "simulation/process.hpp"
#include "simulation/recount.hpp"
#include "simulation/search.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>

namespace {

using gateway::mutants::Mutant;

bool hunt(const gateway::mutants::Row& row, gateway::simulation::Search search) {
    gateway::mutants::choose(row.mutant);
    search.chain = row.chain;
    if (!row.disks) search.disks = 0;
    const auto found = gateway::simulation::search(search);
    const auto took = row.disks ? std::to_string(found.images) + " disks" : std::to_string(found.sales);
    fmt::print("{:>3}  {:<66} {:>11}  {}\n", static_cast<int>(row.mutant), row.word,
               found.broken.empty() ? "escaped" : took, found.broken.substr(0, 90));
    std::fflush(stdout);
    return !found.broken.empty();
}

// The recounts are the checks of other faults; each of them is seen to find what it is for.
bool is_found(const gateway::simulation::Recount& recount, gateway::simulation::Search search) {
    gateway::mutants::choose(Mutant::none);
    gateway::simulation::hooks().broken_recount = &recount;
    search.disks = 0;
    search.chain = recount.of_shared_journal_only;
    const auto found = gateway::simulation::search(search);
    gateway::simulation::hooks().broken_recount = nullptr;
    const bool good = found.broken.find(recount.what) != std::string::npos;
    fmt::print("     {:<66} {:>11}  {}\n", recount.what, good ? std::to_string(found.sales) : "escaped",
               found.broken.substr(0, 90));
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    gateway::simulation::Search search{.sales = 150'000, .disks = 6'000, .quiet = true};
    int only = 0;
    bool rare = false;
    bool only_recounts = false;
    CLI::App app("Lets the simulation find deliberate faults in the gateway", "simulation_mutants");
    app.add_option("--sales", search.sales, "At most so many for each")->capture_default_str();
    app.add_option("--disks", search.disks, "At most so many disks, for each that is looked for in disks")
        ->capture_default_str();
    app.add_option("--seed", search.seed, "Of the first run")->capture_default_str();
    app.add_option("--jobs", search.jobs, "Processes that search at the same time")->capture_default_str();
    app.add_option("--only", only, "The number of the one mutant to hunt");
    app.add_flag("--rare", rare, "Those too that take tens of thousands of sales to find: give --sales 200000");
    app.add_flag("--recounts", only_recounts, "Only see whether each recount finds what it is for");
    CLI11_PARSE(app, argc, argv);
    bool all_found = true;
    for (const auto& row : gateway::mutants::all()) {
        const bool wanted = only == 0 ? rare || !row.rare : only == static_cast<int>(row.mutant);
        if (wanted && !only_recounts) all_found = hunt(row, search) && all_found;
    }
    for (const auto& recount : gateway::simulation::recounts()) {
        if (only == 0) all_found = is_found(recount, search) && all_found;
    }
    return all_found ? 0 : 1;
}
