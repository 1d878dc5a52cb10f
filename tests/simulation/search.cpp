#include "simulation/search.hpp"

#include "base/check.hpp"
#include "simulation/disks.hpp"
#include "simulation/walk.hpp"
#include "simulation/world.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <thread>

namespace gateway::simulation {
namespace {

// This is a worker's part of the shared memory. Each worker writes only its own; the rest is counted by all.
struct Worker {
    Statistics statistics;
    std::atomic<std::uint64_t> seed{0};  // of the present run
    char step[2'048] = {};               // the present step of the walk, or image of a disk; empty: a random run
    bool found = false;
    char what[512] = {};
};
struct Shared {
    std::atomic<std::uint64_t> next_seed{0};
    std::atomic<std::uint64_t> sales{0};
    std::atomic<std::uint64_t> next_unit{0};
    std::atomic<bool> stop{false};
};

struct Board {
    explicit Board(unsigned count) : workers(count) {
        const auto size = sizeof(Shared) + sizeof(Worker) * count;
        auto* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        CHECK(memory != MAP_FAILED);
        shared = new (memory) Shared;
        for (unsigned i = 0; i < count; ++i)
            workers[i] = new (static_cast<char*>(memory) + sizeof(Shared) + sizeof(Worker) * i) Worker;
    }
    Shared* shared;
    std::vector<Worker*> workers;

    Statistics sum() const {
        Statistics all;
        for (const auto* worker : workers)
            all.add(worker->statistics);
        return all;
    }
};

std::optional<Broken> run_seed(const Search& search, std::uint64_t seed, Statistics& statistics, const Trace& trace) {
    Chance chance(seed, 12);
    RandomDealer dealer(random_mix(seed), chance);
    auto setup =
        search.chain ? random_chain_setup(seed, search.provider, search.gateways) : random_setup(seed, search.provider);
    World world(std::move(setup), dealer, statistics, trace);
    return world.run();
}

void put(char* to, std::size_t size, const std::string& text) {
    std::strncpy(to, text.c_str(), size - 1);
}

void found(Worker& worker, Shared& shared, const Broken& broken) {
    put(worker.what, sizeof worker.what, fmt::format("promise {}: {}", broken.promise, broken.what));
    worker.found = true;
    shared.stop = true;
}

void search_random(const Search& search, Worker& worker, Shared& shared) {
    worker.step[0] = 0;
    while (!shared.stop && shared.sales < search.sales) {
        const auto seed = search.seed + shared.next_seed++;
        worker.seed = seed;
        const auto before = worker.statistics.of(Event::sale);
        const auto broken = run_seed(search, seed, worker.statistics, {});
        shared.sales += worker.statistics.of(Event::sale) - before;
        if (broken) return found(worker, shared, *broken);
    }
}

// Takes one step; returns false where something was found.
bool take(const Step& step, Worker& worker, Shared& shared, Walked& walked) {
    put(worker.step, sizeof worker.step, to_string(step));
    walked = walk(step, worker.statistics, {});
    if (walked.broken) found(worker, shared, *walked.broken);
    return !walked.broken && !shared.stop;
}

// Walks all crashes beside one fault at one exchange.
bool walk_crashes(Step step, Worker& worker, Shared& shared) {
    for (const auto kind : crashes_beside(step.fault)) {
        step.crash = kind;
        for (step.nth = 1;; ++step.nth) {
            Walked walked;
            step.tear = step.killed = false;
            if (!take(step, worker, shared, walked)) return false;
            if (!walked.met_crash) break;
            step.killed = true;
            if (kind == Crash::Kind::at_write && !take(step, worker, shared, walked)) return false;
            step.killed = false;
            step.tear = true;
            if (kind == Crash::Kind::at_flush && !take(step, worker, shared, walked)) return false;
        }
    }
    return true;
}

// Walks what statements say at every moment, and at rest, beside one fault at one exchange; and what they say at the
// end beside every crash.
bool walk_words(Step step, Worker& worker, Shared& shared) {
    for (const auto& word : words_beside(step.fault)) {
        step.word = word.kind;
        for (step.word_nth = word.first;; ++step.word_nth) {
            Walked walked;
            if (!take(step, worker, shared, walked)) return false;
            if (step.word_nth == 0 && !walk_crashes(step, worker, shared)) return false;
            if (!walked.met_word) break;
        }
    }
    return true;
}

// Walks every two moments: the journal is copied after the one message, and the copy put back where the gateway is
// killed after the other.
bool walk_copies(Step step, Worker& worker, Shared& shared) {
    if (!has_copies(step)) return true;
    step.crash = Crash::Kind::at_message;
    step.killed = true;
    for (step.nth = 2;; ++step.nth)
        for (step.copied_after = 1; step.copied_after < step.nth; ++step.copied_after)
            for (const auto how : {PutBack::cp, PutBack::cp_beside_log, PutBack::restore}) {
                step.put_back = how;
                Walked walked;
                if (!take(step, worker, shared, walked)) return false;
                if (!walked.met_crash) return true;
            }
}

// Lets each operation of the disk fail once, with another program coming at once.
bool walk_visits(Step step, Worker& worker, Shared& shared) {
    if (!has_visits(step)) return true;
    for (const auto deed : all_deeds)
        for (const bool full : {false, true}) {
            step.deed = deed;
            step.full = full;
            for (step.nth = 1;; ++step.nth) {
                Walked walked;
                if (!take(step, worker, shared, walked)) return false;
                if (!walked.met_deed) break;
            }
        }
    return true;
}

void search_walk(const Search& search, Worker& worker, Shared& shared) {
    const auto units = first_steps();
    while (!shared.stop) {
        const auto unit = shared.next_unit++;
        if (unit >= units.size()) return;
        if ((unit + search.seed) % search.every != 0) continue;
        auto step = units[unit];
        for (step.fault.at = 0;; ++step.fault.at) {
            Walked walked;
            if (!take(step, worker, shared, walked)) return;
            if (!walked.met_fault) break;
            if (!walk_crashes(step, worker, shared) || !walk_words(step, worker, shared) ||
                !walk_visits(step, worker, shared) || !walk_copies(step, worker, shared))
                return;
            if (step.fault.fault == Fault::none) break;
        }
    }
}

// Judges the images. What is broken where nothing is promised is only counted.
void search_disks(const std::vector<Image>& images, Worker& worker, Shared& shared) {
    while (!shared.stop) {
        const auto unit = shared.next_unit++;
        if (unit >= images.size()) return;
        const auto& image = images[unit];
        put(worker.step, sizeof worker.step, to_string(image));
        const auto judged = judge(image, worker.statistics, {});
        if (!judged.met) continue;
        worker.statistics.count(kind_of(image), judged.broken.has_value());
        if (judged.broken && is_promised(image)) return found(worker, shared, *judged.broken);
    }
}

void print_images(const Statistics& sum) {
    fmt::print("\n  images of disks:");
    for (std::size_t i = 0; i < image_kind_count; ++i)
        fmt::print("\n{:>34}: {}, a promise broken in {}", to_string(static_cast<ImageKind>(i)), sum.images.at(i),
                   sum.broken.at(i));
}

void print_statistics(const Statistics& sum, double seconds) {
    for (std::size_t i = 0; i < event_count; ++i)
        fmt::print("{:>28}: {}\n", to_string(static_cast<Event>(i)), sum.events.at(i));
    fmt::print("  exchanges:");
    for (std::size_t i = 0; i < talk_count; ++i)
        fmt::print(" {} {}", to_string(static_cast<Talk>(i)), sum.talks.at(i));
    fmt::print("\n  faults:");
    for (std::size_t i = 1; i < fault_count; ++i)
        fmt::print(" {} {}", to_string(static_cast<Fault>(i)), sum.faults.at(i));
    fmt::print("\n  statements' words met:");
    for (std::size_t i = 0; i < attempt_state_count; ++i)
        fmt::print(" {} {}", gateway::to_string(static_cast<AttemptState>(i)), sum.words.at(i));
    fmt::print("\n  left to a person:");
    for (std::size_t i = 1; i < all_attentions.size(); ++i)
        fmt::print(" {} {}", gateway::to_string(all_attentions.at(i)), sum.left.at(i));
    if (sum.images_in_all() > 0) print_images(sum);
    fmt::print("\n  {:.1f} s, {:.0f} sales/s\n", seconds, static_cast<double>(sum.of(Event::sale)) / seconds);
}

// Repeats what was found, and prints everything that happened. It is the same run, because all follows from the seed.
void tell_trace(const Search& search, const std::string& step, std::uint64_t seed) {
    const Trace print = [](const std::string& line) {
        fmt::print("{}\n", line);
        std::fflush(stdout);  // it may be the last line
    };
    Statistics statistics;
    std::optional<Broken> broken;
    if (const auto image = parse_image(step))
        broken = judge(*image, statistics, print).broken;
    else if (step.empty())
        broken = run_seed(search, seed, statistics, print);
    else if (const auto parsed = parse_step(step))
        broken = walk(*parsed, statistics, print).broken;
    if (broken) fmt::print("broken: promise {}: {}\n", broken->promise, broken->what);
}

std::string replay_command(const Search& search, const Worker& worker) {
    if (search.disks > 0) return fmt::format("simulation --image {} --trace", worker.step);
    if (worker.step[0] != 0) return fmt::format("simulation --step {} --trace", worker.step);
    std::string options = search.chain ? " --chain" : "";
    if (search.gateways != 0) options += fmt::format(" --gateways {}", search.gateways);
    if (search.provider.status == StatusPath::always) options += " --status-path always";
    if (search.provider.status == StatusPath::never) options += " --status-path never";
    if (search.provider.personality != ProviderWanted{}.personality)
        options += fmt::format(" --personality {}", search.provider.personality);
    return fmt::format("simulation{} --seed {} --sales 1 --trace", options, worker.seed.load());
}

int work(const Search& search, const std::vector<Image>& images, Worker& worker, Shared& shared) {
    Disk::vfs();
    if (search.disks > 0) {
        search_disks(images, worker, shared);
        return worker.found ? 1 : 0;
    }
    if (search.walk) search_walk(search, worker, shared);
    if (!worker.found) search_random(search, worker, shared);  // it would forget the step
    return worker.found ? 1 : 0;
}

// Waits for the workers, and prints how far they are. Returns whether one of them has found something or died.
bool watch(const Search& search, const Board& board, const std::vector<pid_t>& children) {
    bool bad = false;
    std::size_t running = children.size();
    auto told = std::chrono::steady_clock::now();
    while (running > 0) {
        int status = 0;
        const auto pid = waitpid(-1, &status, WNOHANG);
        if (pid > 0) {
            --running;
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
                bad = true;
                board.shared->stop = true;
                for (std::size_t i = 0; i < children.size(); ++i)
                    if (children[i] == pid && !board.workers[i]->found) {
                        put(board.workers[i]->what, sizeof board.workers[i]->what, "the process died of it");
                        board.workers[i]->found = true;
                    }
            }
            continue;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        const auto now = std::chrono::steady_clock::now();
        if (search.quiet || now - told < std::chrono::seconds(5)) continue;
        told = now;
        const auto sum = board.sum();
        const auto beginnings = first_steps().size();
        const auto begun = std::min<std::uint64_t>(board.shared->next_unit, beginnings);
        if (search.disks > 0) {
            fmt::print(stderr, "  {} images of disks\n", sum.images_in_all());
            continue;
        }
        const auto walked = search.walk ? fmt::format(", {} of {} beginnings walked", begun, beginnings) : "";
        fmt::print(stderr, "  {} runs, {} sales, {} requests{}\n", sum.of(Event::run), sum.of(Event::sale),
                   sum.of(Event::request), walked);
    }
    return bad;
}

// Runs the workers' processes until all have ended. Returns whether one of them has found something or died.
bool work_all(const Search& search, const Board& board) {
    Disk::vfs();
    const auto chosen = search.disks > 0 ? images(search.disks, search.seed) : std::vector<Image>();
    std::vector<pid_t> children;
    for (unsigned i = 0; i < search.jobs; ++i) {
        std::fflush(nullptr);
        const auto pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);  // the workers end when the search is interrupted
            _exit(work(search, chosen, *board.workers[i], *board.shared));
        }
        children.push_back(pid);
    }
    return watch(search, board, children);
}

const Worker* finder(const Board& board) {
    for (const auto* worker : board.workers)
        if (worker->found) return worker;
    return nullptr;
}

int search_all(const Search& search) {
    const Board board(search.jobs);
    const auto begun = std::chrono::steady_clock::now();
    const bool bad = work_all(search, board);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    print_statistics(board.sum(), took.count());
    const auto* worker = finder(board);
    if (worker == nullptr) return bad ? 1 : 0;
    fmt::print("\nBROKEN {}\n  see it again: {}\n\n", worker->what, replay_command(search, *worker));
    std::fflush(stdout);
    tell_trace(search, worker->step, worker->seed);
    return 1;
}

}  // namespace

Finding search(const Search& search) {
    const Board board(search.jobs);
    (void)work_all(search, board);
    const auto sum = board.sum();
    Finding finding{.broken = {}, .sales = sum.of(Event::sale), .images = sum.images_in_all(), .replay = {}};
    if (const auto* worker = finder(board)) {
        finding.broken = worker->what;
        finding.replay = replay_command(search, *worker);
    }
    return finding;
}

int run(const Search& search) {
    Disk::vfs();
    if (!search.trace) return search_all(search);
    tell_trace(search, search.image.empty() ? search.step : search.image, search.seed);
    return 0;
}

}  // namespace gateway::simulation
