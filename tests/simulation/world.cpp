#include "simulation/world.hpp"

#include "base/check.hpp"
#include "http/server/target.hpp"
#include "simulation/personalities.hpp"
#include "simulation/till.hpp"

namespace gateway::simulation {
namespace {

// The time without faults lasts at most this long. It has room for a hold, a confirm window, the slowest repeat, a late
// arrival, and the slowest repeat again, all at their longest.
constexpr std::chrono::minutes peace_most{40};
constexpr std::chrono::seconds peace_look{160};
// It lasts at least this long where something is open that may stay so: a hold may still end, or a repeat may come.
constexpr std::chrono::minutes peace_least{10};
// Without faults, the store's work on its books takes at most this long.
constexpr std::chrono::minutes books_most{3};
// Nothing that ends at all takes nearly this many.
constexpr std::uint64_t most_handlers_at_once = 200'000;

// The simulation's own faults take the place of the table of cents.
constexpr std::string_view no_cents_table = R"([{"step":"solicitar","behaviour":"normal"},)"
                                            R"({"step":"confirmar","behaviour":"normal"},)"
                                            R"({"step":"cancelar","behaviour":"normal"}])";

std::optional<gateway::Status> status_in(const sandbox::Transaction& transaction) {
    switch (transaction.status) {
        case sandbox::Status::none: return std::nullopt;
        case sandbox::Status::pendente: return gateway::Status::PENDENTE;
        case sandbox::Status::autorizada: return gateway::Status::AUTORIZADA;
        case sandbox::Status::efetivada: return gateway::Status::EFETIVADA;
        case sandbox::Status::cancelada: return gateway::Status::CANCELADA;
        case sandbox::Status::negada: return gateway::Status::NEGADA;
    }
    return std::nullopt;
}

// Tells whether a statement must not give the attempt a status, now or when the statement is decided: the attempt is
// over, or it can no longer come to wait for the provider's answer.
bool must_not_be_moved(AttemptState state) {
    return is_settled(state) || state == AttemptState::collecting || state == AttemptState::retracting ||
           state == AttemptState::cancelling || state == AttemptState::lingering;
}

// Returns what the statement says of an attempt; nothing where it has no row for it.
std::optional<gateway::Status> word_on(Word::Kind kind, AttemptState state, const sandbox::Transaction* transaction) {
    const auto truth = transaction != nullptr ? status_in(*transaction) : std::nullopt;
    if (kind == Word::Kind::truth) return truth;
    if (kind == Word::Kind::open) return gateway::Status::AUTORIZADA;
    if (!must_not_be_moved(state)) return std::nullopt;
    return truth == gateway::Status::EFETIVADA ? gateway::Status::CANCELADA : gateway::Status::EFETIVADA;
}

// Makes the gateway's and the provider's log a part of the run's trace.
class TraceLog final : public Log {
  public:
    explicit TraceLog(World& world) : world_(world) { set_level(LogLevel::debug); }

  private:
    void line(const LogLine& line) override {
        std::string text;
        append_log_line(text, LogFormat::json, WallTime{}, line);
        world_.write_note("    {" + text.substr(std::min(text.find(',') + 1, text.size())));  // without the time
    }
    World& world_;
};

}  // namespace

World::World(Setup setup, Dealer& dealer, Statistics& statistics, const Trace& trace)
    : setup_(std::move(setup)),
      dealer_(dealer),
      statistics_(statistics),
      trace_(trace),
      chance_(setup_.seed, 1),
      gateway_chance_(setup_.seed, 2),
      provider_chance_(setup_.seed, 3),
      visits_chance_(setup_.seed, 4),
      log_(trace ? std::make_unique<TraceLog>(*this) : make_silent_log()),
      promises_(*this, setup_.plans),
      books_check_(*this),
      evening_(*this) {
    provider_ = std::make_unique<sandbox::Model>(setup_.provider, provider_chance_.source(), *log_);
    if (const auto personality = personality_text(setup_.provider); !personality.empty())
        note("provider: {}", personality);
    if (!setup_.empty_disk) disk_ = Process::new_journal().at_rest();
    disk_.block_bytes = setup_.block_bytes;
    disk_.omissions = hooks().omissions;
    CHECK(provider_->faults().replace(std::string(no_cents_table)).has_value());
}

World::~World() {
    disk_.cut_now();  // what is still open must not write any more
    process_.reset();
    reader_.reset();
    gateways_.clear();
}

WallTime World::provider_wall() const {
    return setup_.beginning + std::chrono::floor<Duration>(now_);
}

WallTime World::gateway_wall() const {
    return provider_wall() + wall_shift_;
}

std::string World::store_day(WallTime at) const {
    return to_text(Day(std::chrono::floor<std::chrono::days>(at + setup_.books.zone_from_utc)));
}

void World::write_note(const std::string& text) {
    if (!trace_) return;
    const auto ms = std::chrono::floor<Duration>(now_).count();
    trace_(fmt::format("{:>9}.{:03} {}", ms / 1000, ms % 1000, text));
}

void World::in(Duration length, std::function<void()> what) {
    agenda_.emplace(now_ + length, std::move(what));
}

std::vector<Ending> World::endings() const {
    const auto journal = read_journal(disk_.copy());
    std::vector<Ending> endings;
    for (const auto& plan : setup_.plans) {
        auto& ending = endings.emplace_back();
        const auto* sale = journal.with_key(plan.terminal, plan.key);
        if (sale == nullptr) continue;
        ending.attention = sale->attention;
        if (const auto found = settled_.find(sale->id); found != settled_.end()) ending.settled_at = found->second;
    }
    return endings;
}

std::optional<Broken> World::run() {
    statistics_.count(Event::run);
    prepare();
    live_until(setup_.faults_end);
    end_of_faults();
    come_to_rest();
    said_all_before_rest_ = unsaid_.empty();
    if (!promises_.broken() && !unsaid_.empty()) {
        for (const auto& [word, left] : std::exchange(unsaid_, {}))
            say(*word);
        come_to_rest();
    }
    if (!promises_.broken() && setup_.books.evening && at_rest()) evening_.run();
    if (!promises_.broken()) {
        for (const auto& till : tills_)
            till->ask();
        live_until(now_ + std::chrono::seconds(30));
    }
    if (!promises_.broken() && !damages_.empty()) look_at_lists();
    // Meanwhile the provider may have ended a sale that waited for a person, so the world goes on once more.
    come_to_rest();
    if (!promises_.broken()) promises_.at_rest();
    statistics_.count(Event::disk_change, disk_.changes());
    statistics_.count(Event::disk_fault, disk_.failures());
    return promises_.broken();
}

void World::come_to_rest() {
    const auto last = now_ + peace_most;
    while (!promises_.broken() && now_ < last) {
        live_until(now_ + peace_look);
        if (at_rest()) break;
    }
}

bool World::at_rest() const {
    if (setup_.gateways > 1) return gateways_are_at_rest();
    // A callback that the provider repeats ever more seldom may contradict what is settled.
    if (!process_ || provider_->next_due()) return false;
    // Sales that wait for a person stay in the process for good. Only then the journal has to be asked.
    return process_->open_sales() == 0 ||
           (now_ >= setup_.faults_end + peace_least && promises_.all_settled(read_journal(disk_.copy())));
}

void World::prepare() {
    for (const auto& crash : setup_.crashes)
        agenda_.emplace(crash.at, [this, &crash] { arm(crash); });
    if (setup_.gateways > 1)
        begin_chain();
    else
        agenda_.emplace(Time(0), [this] { boot(); });
    for (const auto& plan : setup_.plans) {
        for (int i = 0; i < plan.tills; ++i) {
            tills_.push_back(std::make_unique<Till>(*this, plan));
            agenda_.emplace(plan.start, [till = tills_.back().get()] { till->start(); });
        }
        statistics_.count(Event::sale);
    }
    for (const auto& weather : setup_.weather)
        agenda_.emplace(weather.at, [this, &weather] { begin_weather(weather); });
    for (const auto& word : setup_.words)
        agenda_.emplace(word.at, [this, &word] { count_for(word); });
    for (const auto& closing : setup_.books.closings)
        agenda_.emplace(closing.at, [this, &closing] { evening_.close(closing); });
    for (const auto at : setup_.books.statements_at)
        agenda_.emplace(at, [this] { evening_.read_early_statement(); });
    for (const auto at : setup_.damages)
        agenda_.emplace(at, [this] { damage_now(); });
    for (const auto at : setup_.visits.at)
        agenda_.emplace(at, [this] { visit_soon(); });
    disk_.interrupt = [this] { visit(); };
    disk_.fail_in = setup_.fails_first;
    disk_.fails_as_full = setup_.fails_as_full;
    disk_.faults.forgetful = setup_.forgetful_disk;
    if (setup_.disk_failures > 0) fail_now_and_then();
}

void World::damage_now() {
    if (!faults() || power_is_off()) return;
    auto damage = damage_something(disk_, chance_, damages_);
    if (!damage) return;
    statistics_.count(Event::damage);
    note("disk: {} of sale {} was {} and is {}", damage->column, damage->sale, damage->before, damage->after);
    promises_.damaged(*damage);
    damages_.push_back(std::move(*damage));
}

void World::put_values_right() {
    if (power_is_off()) return in(Duration(1), [this] { put_values_right(); });
    if (process_) power_off("stopped by the operator", true);
    const auto count = put_right(disk_, damages_);
    statistics_.count(Event::put_right, count);
    note("disk: {} of {} damaged values are put right", count, damages_.size());
    damages_.clear();
    promises_.put_right();
}

void World::count_for(const Word& word) {
    if (word.nth > 0) {
        unsaid_.emplace_back(&word, word.nth);
        return;
    }
    if (process_ && !power_is_off()) return say(word);
    in(Duration(1), [this, &word] { count_for(word); });
}

// A lie is told of one sale. None of its attempts may have a step that is being recorded, because that may fail, and
// whether the lie must not move the sale depends on it.
void World::say(const Word& word) {
    if (!process_) return promises_.stuck("the process does not run at rest");
    const auto journal = read_journal(disk_.copy());
    if (journal.sales.empty()) return;
    if (word.kind != Word::Kind::lie) {
        for (const auto& [id, sale] : journal.sales)
            say_of(word, sale);
        return;
    }
    const auto& [id, sale] =
        *std::next(journal.sales.begin(), static_cast<std::ptrdiff_t>(chance_.below(journal.sales.size())));
    const auto recorded = read_journal(durable_disk());
    const auto found = recorded.sales.find(id);
    if (found == recorded.sales.end() ||
        !std::ranges::equal(found->second.attempts, sale.attempts, {}, &JournalView::Attempt::state,
                            &JournalView::Attempt::state))
        return;
    say_of(word, sale);
}

void World::say_of(const Word& word, const JournalView::Sale& sale) {
    for (const auto& attempt : sale.attempts) {
        const auto id = SaleId::parse(sale.id);
        const auto named = IdExterno::parse(attempt.id_externo);
        const auto state = parse_attempt_state(attempt.state);
        if (!id || !named || !state) continue;  // it is damaged
        const auto said = word_on(word.kind, *state, provider_->books().find(attempt.id_externo));
        if (!said) continue;
        note("statement: {} is {}", attempt.id_externo, gateway::to_string(*said));
        statistics_.count_word(*state);
        if (word.kind == Word::Kind::lie) promises_.lied_about(sale.id);
        process_->state(*id, *named, *said);
    }
}

// Checks that unreadable sales are in the lists, and marked ones in the list of marks.
void World::look_at_lists() {
    for (const auto* query : {"?limit=200", "?limit=200&attention=true"}) {
        http::Request request;
        request.method = http::verb::get;
        request.request_id = "sim";
        request.principal = setup_.plans.front().terminal;
        CHECK(http::set_target(request, std::string("/v1/sales") + query));
        if (!process_) return promises_.stuck("the process does not run at rest");
        process_->call_terminals(std::move(request),
                                 [this](const http::Response& response) { promises_.listed(response); });
        live_until(now_ + std::chrono::seconds(30));
    }
}

void World::live_until(Time end) {
    while (!promises_.broken() && turn(end)) {
    }
}

void World::live_until_true(const std::function<bool()>& is_so) {
    const auto last = now_ + books_most;
    while (!is_so() && !promises_.broken() && turn(last)) {
    }
}

// Lets one thing happen: a handler runs, something in the world is due, or time moves on. Returns false where nothing
// is left before `end`.
bool World::turn(Time end) {
    if (power_is_off()) {
        power_off("crash", false);
        return true;
    }
    if (std::exchange(failures_known_, disk_.failures()) != disk_.failures()) perhaps_visit();
    const bool due = !agenda_.empty() && agenda_.begin()->first <= now_;
    const bool world_first = due && (!setup_.jumbled || chance_.one_in(2));
    if (!world_first && process_ && process_->run_one()) return true;
    if (!world_first && run_a_gateway()) return true;
    if (due) {
        auto what = std::move(agenda_.extract(agenda_.begin()).mapped());
        what();
        return true;
    }
    auto next = end;
    if (!agenda_.empty()) next = std::min(next, agenda_.begin()->first);
    if (process_) next = std::min(next, process_->next().value_or(end));
    next = std::min(next, next_of_gateways().value_or(end));
    const auto provider_due = provider_->next_due();
    const auto provider_next = provider_due ? std::optional<Time>(*provider_due - setup_.beginning) : std::nullopt;
    if (provider_next) next = std::min(next, std::max(*provider_next, now_));
    if (next >= end && now_ >= end) return false;
    if (next > now_) handlers_now_ = 0;
    now_ = std::max(next, now_);
    if (process_) process_->move_to(now_);
    move_gateways();
    if (provider_next && *provider_next <= now_) advance_provider();
    return true;
}

void World::handler_ran() {
    statistics_.count(Event::handler);
    if (++handlers_now_ == most_handlers_at_once) promises_.stuck("the process goes round and round in no time");
    if (armed_ && armed_->kind == Crash::Kind::at_handler && ++counted_ >= armed_->nth) {
        statistics_.count(Event::crash_at_handler);
        disk_.cut_now();
    }
}

void World::message_passed() {
    if (setup_.copied_after > 0 && ++messages_ == setup_.copied_after && faults()) visit(Deed::back_up);
    if (process_ && !power_is_off())
        for (auto& [word, left] : unsaid_)
            if (--left == 0) say(*word);
    std::erase_if(unsaid_, [](const auto& unsaid) { return unsaid.second == 0; });
    if (process_ && armed_ && armed_->kind == Crash::Kind::at_message && ++counted_ >= armed_->nth) {
        statistics_.count(Event::crash_at_handler);
        disk_.cut_now();
    }
}

}  // namespace gateway::simulation
