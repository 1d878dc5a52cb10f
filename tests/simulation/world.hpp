// The world is everything outside the gateway's process, and time: the agenda of what is due, the disk, the provider's
// model, the terminals, the troubles, the crashes. The world goes on while the process is down.
#pragma once

#include "base/log.hpp"
#include "journal/sqlite/file_lock.hpp"
#include "sandbox/model.hpp"
#include "simulation/books_check.hpp"
#include "simulation/damage.hpp"
#include "simulation/disk.hpp"
#include "simulation/evening.hpp"
#include "simulation/lock_file.hpp"
#include "simulation/plan.hpp"
#include "simulation/process.hpp"
#include "simulation/promises.hpp"
#include "simulation/shared_database.hpp"
#include "simulation/statistics.hpp"
#include "simulation/visitor.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gateway::simulation {

class Till;

// Says how a sale stood when all was at rest.
struct Ending {
    std::string attention{};  // empty: there is no sale
    std::optional<Time> settled_at{};
};

class World {
  public:
    // With a trace, everything that happens is written down, one line each. All references must outlive the world.
    World(Setup setup, Dealer& dealer, Statistics& statistics, const Trace& trace);
    ~World();

    // Runs until all is at rest, or a promise is broken.
    std::optional<Broken> run();
    bool said_all_before_rest() const noexcept { return said_all_before_rest_; }

    // The following functions are for everybody in the world.
    const Setup& setup() const noexcept { return setup_; }
    Time now() const noexcept { return now_; }
    WallTime provider_wall() const;  // the provider's, which nobody sets
    WallTime gateway_wall() const;   // the store's
    std::string store_day(WallTime at) const;
    // Returns when the machine was last started. An orderly stop ends only the process; everything else takes the power
    // away.
    Time machine_started() const noexcept { return machine_started_; }
    const std::string& boot_name() const noexcept { return boot_name_; }
    void in(Duration length, std::function<void()> what);
    bool faults() const noexcept { return now_ < setup_.faults_end; }
    bool power_is_off() const noexcept { return disk_.cut(); }
    // Returns the gateway's process; of several, any one that runs, as a load balancer would choose it.
    Process* process();
    Disk& disk() noexcept { return disk_; }
    const LockFile& lock_file() const noexcept { return lock_file_; }
    const Disk& disk() const noexcept { return disk_; }
    // Returns of how many changes a power cut would decide now what becomes of them.
    std::size_t unflushed() const { return disk_.unflushed() + (lock_file_.content() != lock_flushed_ ? 1 : 0); }
    const std::vector<Damage>& damages() const noexcept { return damages_; }  // those that were not put right
    const sandbox::Model& provider() const noexcept { return *provider_; }
    Promises& promises() noexcept { return promises_; }
    BooksCheck& books_check() noexcept { return books_check_; }
    Statistics& statistics() noexcept { return statistics_; }
    Chance& chance() noexcept { return chance_; }  // the world's
    Random& gateway_chance() noexcept {
        return setup_.same_luck ? static_cast<Random&>(even_) : gateway_chance_.source();
    }
    void settled(const std::string& sale) { settled_.emplace(sale, now_); }
    // Returns the endings of the plans in their order, once all is at rest. It is for one gateway only.
    std::vector<Ending> endings() const;
    Log& log() noexcept { return *log_; }

    // Several gateways share this database. The server gets what is asked of it, or does not. `answers` tells whether
    // its answer comes, `back` how long it takes, and `late` by how much the server does the work later.
    SharedDatabase& shared_database() noexcept { return *shared_database_; }
    using Asked = std::function<void(bool answers, Duration back, Duration late)>;
    void ask_server(std::size_t gateway, Asked asked);

    // A request of the gateway leaves for the network. Its answer, if any, goes to `waiting`.
    void send(const http::ClientRequest& request, const std::shared_ptr<Exchange>& waiting, Duration patience);
    // A terminal calls. `answered` is not called where the process is down, or ends during the call.
    void call(http::Request request, const Plan& plan, std::function<void(const http::Response&)> answered);
    // A message has crossed the process's border, by which crashes may be counted.
    void message_passed();
    void handler_ran();
    // Goes on until the condition is true, some minutes at most.
    void live_until_true(const std::function<bool()>& is_so);
    // Goes on until all is at rest.
    void come_to_rest();

    template <class... Values>
    void note(fmt::format_string<Values...> format, Values&&... values) {
        if (trace_) write_note(fmt::format(format, std::forward<Values>(values)...));
    }
    bool tracing() const noexcept { return static_cast<bool>(trace_); }
    void write_note(const std::string& text);

    // Returns what a power cut, or a promotion, would leave now.
    Disk durable_disk() const;

  private:
    struct Parcel;

    void prepare();
    void live_until(Time end);
    bool turn(Time end);
    void boot();
    void power_off(std::string_view why, bool orderly);
    void arm(const Crash& crash);
    void begin_weather(const Weather& weather);
    void fail_now_and_then();
    void visit();
    void visit(Deed deed);
    void visit_soon();
    void perhaps_visit();
    void start_second();
    void put_copy_back(PutBack how);
    void write_copy_over();
    void restore_copy();
    void forget_what_is_lost();
    bool is_copy_known() const;
    bool disk_is_well() const;
    void damage_now();
    void put_values_right();
    void look_at_lists();
    void count_for(const Word& word);
    void say(const Word& word);
    void say_of(const Word& word, const JournalView::Sale& sale);
    void end_of_faults();
    bool at_rest() const;

    void begin_chain();
    void boot(std::size_t gateway);
    void begin(const Trouble& trouble);
    void take_down(std::size_t gateway, std::string_view why, Duration down);
    bool run_a_gateway();
    Duration stand_still(Talk talk);
    // Returns a function that tells later whether the gateway that runs now still runs. A process that died does not
    // send what it was about to send.
    std::function<bool()> still_runs() const;
    void move_gateways();
    std::optional<Time> next_of_gateways() const;
    void lose_standby(Duration length, bool is_promoted);
    void end_of_troubles();
    bool gateways_are_at_rest() const;

    void deliver(const std::shared_ptr<Parcel>& parcel, bool again);
    sandbox::Answer process(const Parcel& parcel);
    void advance_provider();
    void carry_callback(const sandbox::Delivery& delivery);
    void deliver_callback(const sandbox::Delivery& delivery, bool heard);

    const Setup setup_;
    Dealer& dealer_;
    Statistics& statistics_;
    const Trace trace_;
    Chance chance_;
    Chance gateway_chance_;
    EvenRandom even_{gateway_chance_.source()};
    std::map<std::string, Time> settled_;  // when each sale was first settled
    Chance provider_chance_;
    Chance visits_chance_;
    std::unique_ptr<Log> log_;
    Time now_{0};
    Duration wall_shift_{0};
    Time machine_started_{};
    std::string boot_name_ = "I";
    std::multimap<Time, std::function<void()>> agenda_;
    Disk disk_;
    LockFile lock_file_;
    std::string lock_flushed_;  // the content when a start last flushed it
    std::unique_ptr<sandbox::Model> provider_;
    Promises promises_;
    BooksCheck books_check_;
    Evening evening_;
    std::vector<Damage> damages_;
    std::vector<std::unique_ptr<Till>> tills_;
    int provider_down_ = 0;
    int tokens_down_ = 0;
    std::optional<Crash> armed_;
    std::uint64_t messages_ = 0;
    std::uint64_t counted_ = 0;  // how many of what the armed crash counts have been there
    // Words that wait for their message, and how many messages there have still to be.
    std::vector<std::pair<const Word*, std::uint64_t>> unsaid_;
    bool said_all_before_rest_ = true;
    std::uint64_t handlers_now_ = 0;  // handlers since time last moved on
    std::unique_ptr<Process> process_;
    bool has_journal_ = !setup_.empty_disk;
    bool visit_was_cut_ = false;  // another program died or met a failure of the disk, and no process has started since
    bool was_cut_ = false;        // the power was cut, and no process has started since
    std::optional<Disk> copy_;    // the newest copy of the journal
    bool is_placing_ = false;     // a copy was written over the journal, and no process has started since
    bool leaves_log_ = false;     // the same, with the log of the journal left beside it
    std::optional<RecordedSale> noted_at_cut_;  // what the lock file said after a power cut that took newer notes
    std::unique_ptr<Visitor> reader_;           // another program that stays for a while
    std::uint64_t failures_known_ = 0;  // failures of the disk after which it was decided whether another program comes

    // This is one of several gateways, where a run has them.
    struct Gateway {
        std::unique_ptr<Process> process{};
        Time resumes{};  // it is paused until then
        Time cut_off{};  // until then nothing of it reaches the journal, and nothing comes back
        Time unheard{};  // until then nothing comes back
        int boots = 0;
    };
    std::unique_ptr<SharedDatabase> shared_database_;
    std::vector<Gateway> gateways_;
    Time journal_away_{};      // the journal is away until then
    std::size_t running_ = 0;  // the number of the gateway that runs now
};

}  // namespace gateway::simulation
