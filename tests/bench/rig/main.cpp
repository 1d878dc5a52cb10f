// This is the other side of every benchmark, in one thread: the terminals in front of what is measured, and the
// provider behind it. Its options say what it does; it prints its measurements on standard output, one JSON object on a
// line.
//
// The provider is there at once. The terminals begin when a line on standard input names the process to be measured.
#include "bench/rig/books.hpp"
#include "bench/rig/check.hpp"
#include "bench/rig/observed.hpp"
#include "bench/rig/stub_provider.hpp"
#include "bench/rig/terminals.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <optional>

namespace rig {
namespace {

volatile std::sig_atomic_t released = 0;
volatile std::sig_atomic_t interrupted = 0;

struct Options {
    StubOptions stub;
    TerminalsOptions terminals;
    TerminalsOptions paced;
    double warm_up_s = 1;
    double seconds = 5;
    double drain_s = 20;
    int stretches = 1;
    std::uint64_t at_least = 0;
};

std::uint32_t percentile(std::vector<std::uint32_t>& times, double part) {
    if (times.empty()) return 0;
    const auto at = std::min(times.size() - 1, static_cast<std::size_t>(part * static_cast<double>(times.size())));
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(at), times.end());
    return times[at];
}

std::string text(Measured measured, double seconds) {
    std::string others;
    for (const auto& [status, count] : measured.others)
        others += fmt::format("{}\"{}\":{}", others.empty() ? "" : ",", status, count);
    auto& times = measured.times_us;
    return fmt::format(R"({{"sales":{},"perSecond":{:.1f},"p50Us":{},"p99Us":{},"worstUs":{},"others":{{{}}}}})",
                       measured.sales, static_cast<double>(measured.sales) / seconds, percentile(times, 0.5),
                       percentile(times, 0.99), percentile(times, 1), others);
}

// Reads the number in the line on standard input; it is 0 before the line came. The rig ends where the line does not
// come.
class Start final : public Poller::Watcher {
  public:
    explicit Start(Poller& poller) : poller_(poller) { poller_.watch(STDIN_FILENO, *this, false); }
    ~Start() override { poller_.forget(STDIN_FILENO); }
    Start(const Start&) = delete;
    Start& operator=(const Start&) = delete;

    int process() const { return process_; }

    void ready(std::uint32_t /*events*/) override {
        if (std::scanf("%d", &process_) != 1) fail("standard input", "a process to measure was expected");
    }

  private:
    Poller& poller_;
    int process_ = 0;
};

class Run {
  public:
    explicit Run(const Options& options) : options_(options), stub_(poller_, books_, options.stub) {}

    void go() {
        fmt::print("{{\"provider\":{}}}\n", stub_.port());
        std::fflush(stdout);
        if (options_.terminals.ports.empty()) return wait([] { return false; });
        {
            const Start start(poller_);
            wait([&] { return start.process() != 0; });
            process_ = start.process();
        }
        terminals_.emplace(poller_, books_, options_.terminals);
        paced_.emplace(poller_, books_, options_.paced);
        terminals_->begin();
        if (options_.paced.per_second > 0) paced_->begin();
        turn_for(options_.warm_up_s);
        for (int i = 0; i < options_.stretches && interrupted == 0; ++i)
            measure();
        terminals_->stop();
        paced_->stop();
        const auto latest = Clock::now() + seconds(options_.drain_s);
        wait([&] { return terminals_->busy() + paced_->busy() == 0 || Clock::now() >= latest; });
        const auto books = books_.counts();
        fmt::print("{{\"unanswered\":{},\"skipped\":{},\"told\":{},\"toldOnly\":{},\"soldOnly\":{}}}\n",
                   terminals_->busy() + paced_->busy(), paced_->skipped(), books.told, books.told_only,
                   books.sold_only);
    }

  private:
    static Clock::duration seconds(double count) {
        return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
    }

    void measure() {
        static_cast<void>(terminals_->take());
        static_cast<void>(paced_->take());
        const auto stub_before = stub_.counts();
        const auto used_before = processor_seconds(process_);
        const auto began = Clock::now();
        turn_for(options_.seconds);
        const auto latest = Clock::now() + seconds(options_.drain_s);
        wait([&] { return terminals_->sold() >= options_.at_least || Clock::now() >= latest; });
        const auto took = std::chrono::duration<double>(Clock::now() - began).count();
        const auto used = processor_seconds(process_) - used_before;
        const auto& stub = stub_.counts();
        fmt::print(R"({{"seconds":{:.3f},"terminals":{},"paced":{},"processorSeconds":{:.6f},"residentKib":{},)"
                   R"("descriptors":{},"providerCalls":{},"providerConnections":{},"handshakesFull":{},)"
                   R"("handshakesResumed":{},"misbehaved":{},"held":{},"busy":{}}})"
                   "\n",
                   took, text(terminals_->take(), took), text(paced_->take(), took), used, resident_kib(process_),
                   descriptors(process_), stub.calls - stub_before.calls, stub.connections - stub_before.connections,
                   stub.handshakes_full - stub_before.handshakes_full,
                   stub.handshakes_resumed - stub_before.handshakes_resumed, stub.misbehaved - stub_before.misbehaved,
                   stub_.held(), terminals_->busy() + paced_->busy());
        std::fflush(stdout);
    }

    void turn_for(double count) {
        const auto end = Clock::now() + seconds(count);
        poller_.at(end, [] {});
        wait([end] { return Clock::now() >= end; });
    }

    void wait(const std::function<bool()>& done) {
        poller_.run([&] {
            if (released != 0) {
                released = 0;
                stub_.release();
            }
            return interrupted != 0 || done();
        });
    }

    const Options options_;
    Poller poller_;
    Books books_;
    StubProvider stub_;
    int process_ = 0;
    std::optional<Terminals> terminals_;
    std::optional<Terminals> paced_;
};

void allow_many_descriptors() {
    rlimit limit{};
    must("getrlimit", getrlimit(RLIMIT_NOFILE, &limit));
    limit.rlim_cur = limit.rlim_max;
    must("setrlimit", setrlimit(RLIMIT_NOFILE, &limit));
}

int main(int count, char** arguments) {
    CLI::App app("Terminals in front of what is measured, and the provider behind it", "bench_rig");
    Options options;
    int delay_ms = 0;
    const std::map<std::string, Shape> shapes{{"sell", Shape::sell}, {"two-calls", Shape::two_calls}};
    app.add_option("--provider", options.stub.port, "Port of the provider; 0 for any: the first line says which");
    app.add_option("--delay-ms", delay_ms, "How long the provider thinks, in milliseconds");
    app.add_flag("--hang", options.stub.hanging, "The provider answers nothing from the first sale on, before SIGUSR1");
    app.add_option("--misbehave", options.stub.misbehaving, "Calls of a thousand that the provider answers wrong")
        ->check(CLI::Range(0, 1000));
    app.add_option("--cert", options.stub.certificate, "The provider's certificate, PEM: it speaks TLS");
    app.add_option("--cert-key", options.stub.key, "Its private key, PEM");
    app.add_option("--target", options.terminals.ports,
                   "Ports of what is measured, which the terminals take in turn; without one only the provider runs");
    app.add_option("--shape", options.terminals.shape, "What a sale is: sell or two-calls")
        ->transform(CLI::CheckedTransformer(shapes));
    app.add_option("--connections", options.terminals.connections, "Terminals that sell without a pause");
    app.add_flag("--once", options.terminals.once, "Each of them sells once");
    app.add_option("--wait", options.terminals.wait_s, "Seconds that a terminal says it can wait");
    app.add_option("--paced-connections", options.paced.connections, "Terminals that sell together at a pace");
    app.add_option("--per-second", options.paced.per_second, "The pace, in sales a second");
    app.add_option("--key", options.terminals.key, "Of a terminal");
    app.add_option("--name", options.terminals.name, "Stands in every Idempotency-Key")->required();
    app.add_flag("--spread-keys", options.terminals.spread, "The Idempotency-Keys come in no order");
    app.add_option("--warm-up", options.warm_up_s, "Seconds before anything is measured");
    app.add_option("--seconds", options.seconds, "Length of a stretch that is measured");
    app.add_option("--stretches", options.stretches, "Stretches, one after the other");
    app.add_option("--at-least", options.at_least, "Sales that a stretch lasts for, however long they take");
    app.add_option("--drain", options.drain_s,
                   "Seconds to wait for the last answers, and for the sales that a stretch lasts for");
    CLI11_PARSE(app, count, arguments);
    options.stub.delay = std::chrono::milliseconds(delay_ms);
    options.paced.ports = options.terminals.ports;
    options.paced.shape = options.terminals.shape;
    options.paced.key = options.terminals.key;
    options.paced.name = options.terminals.name + "p";
    options.paced.spread = options.terminals.spread;

    allow_many_descriptors();
    must("prctl", prctl(PR_SET_TIMERSLACK, 1));  // with this, 50 ms take 50 ms
    std::signal(SIGUSR1, [](int) { released = 1; });
    std::signal(SIGTERM, [](int) { interrupted = 1; });
    std::signal(SIGINT, [](int) { interrupted = 1; });
    std::signal(SIGPIPE, SIG_IGN);
    Run(options).go();
    return 0;
}

}  // namespace
}  // namespace rig

int main(int count, char** arguments) {
    return rig::main(count, arguments);
}
