#include "simulation/sharing_journal.hpp"

#include "simulation/world.hpp"

namespace gateway::simulation {
namespace {

// How long the server's answer is waited for.
constexpr Duration patience{4'000};
// How many sales are taken over at once.
constexpr std::size_t most_at_once = 100;

}  // namespace

SharingJournal::SharingJournal(World& world, std::size_t number, Journal& base, Clock& clock)
    : ForwardingJournal(base), world_(world), number_(number), clock_(clock) {
    next_run();
}

void SharingJournal::next_run() {
    run_ = world_.next_run(number_);
    ++runs_;
    has_begun_ = false;
    lease_.ended();
    if (!makes(SharingFault::keeps_what_was_taken)) carried_.clear();
    beginning_.clear();
    world_.note("gateway {}: run {} begins", number_, run_);
}

bool SharingJournal::may_act() const noexcept {
    return makes(SharingFault::sends_without_a_lease) || lease_.trusted(clock_.now());
}

template <class T>
SharingJournal::Awaited<T> SharingJournal::ask(Kind kind, Asking<T> what) {
    struct Waiting {
        std::unique_ptr<Timer> timer;
        std::optional<Result<T>> answer;
    };
    const auto waiting = std::make_shared<Waiting>(Waiting{clock_.make_timer(), {}});
    const bool waits = kind == Kind::write || (kind == Kind::read && !makes(SharingFault::tells_what_was_read));
    world_.ask_server(number_,
                      [&world = world_, what, waits, keep = std::weak_ptr(waiting)](bool answers, Duration back) {
                          auto& server = world.shared_journal();
                          auto result = what(server);
                          if (!answers) return;
                          auto tell = [&world, keep, back, result = std::move(result)] {
                              world.in(back, [keep, result] {
                                  const auto asked = keep.lock();
                                  if (!asked || asked->answer) return;
                                  asked->answer = result;
                                  asked->timer->notify();
                              });
                          };
                          if (waits) return server.once_durable(std::move(tell));
                          tell();
                      });
    const auto deadline = clock_.now() + patience;
    while (!waiting->answer && clock_.now() < deadline)
        co_await waiting->timer->wait_until(deadline);
    if (waiting->answer) co_return std::move(*waiting->answer);
    waiting->answer = errc::timed_out;  // one that comes now is heard no more
    const bool is_taken_for_failure =
        makes(SharingFault::takes_unknown_for_failure) || makes(SharingFault::records_at_any_step);
    if (kind == Kind::write && !is_taken_for_failure) co_return errc::commit_unknown;
    co_return errc::journal_unavailable;
}

template <class T>
SharingJournal::Awaited<T> SharingJournal::ask_tables(Kind kind, std::function<Awaited<T>(Journal&)> what) {
    const Asking<T> asking = [what](SharedJournal& server) { return server.perform<T>(what); };
    co_return co_await ask(kind, asking);
}

boost::asio::awaitable<void> SharingJournal::keep_lease() {
    while (true) {
        co_await renew();
        co_await clock_.sleep_for(renew_every);
    }
}

boost::asio::awaitable<void> SharingJournal::renew() {
    if (gives_back_) co_return;
    if (!has_begun_) co_return co_await enter();
    const auto began = clock_.now();
    const auto run = run_;
    const Asking<bool> asking = [run](SharedJournal& server) -> Result<bool> { return server.renew(run); };
    const auto renewed = co_await ask(Kind::write, asking);
    if (renewed.has_value() && *renewed)
        lease_.renewed(makes(SharingFault::trusts_from_the_answer) ? clock_.now() : began);
    if (renewed.has_value() && !*renewed) next_run();
    using Counters = std::map<std::string, std::uint64_t>;
    const Asking<Counters> asking_counters = [](SharedJournal& server) -> Result<Counters> {
        return server.renewals();
    };
    // Durably: a counter that a promotion takes back, and that comes to where it was, seems to stand still.
    auto counters = co_await ask(Kind::read, asking_counters);
    if (counters.has_value()) look_at_others(std::move(*counters));
}

boost::asio::awaitable<void> SharingJournal::enter() {
    using Beginning = SharedJournal::Beginning;
    const auto began = clock_.now();
    const auto newcomer = world_.newcomer(number_, run_, dead());
    const Asking<Beginning> looking = [newcomer](SharedJournal& server) -> Result<Beginning> {
        return server.look(newcomer);
    };
    const Asking<Beginning> entering = [newcomer](SharedJournal& server) -> Result<Beginning> {
        return server.enter(newcomer);
    };
    const Asking<Beginning> both = [newcomer](SharedJournal& server) -> Result<Beginning> {
        return server.look_and_enter(newcomer);
    };
    const bool looks_first = makes(SharingFault::begins_after_its_look);
    const bool does_not_look = makes(SharingFault::goes_on_without_a_look) && runs_ > 1;
    const auto& first = looks_first ? looking : does_not_look ? entering : both;
    auto beginning = co_await ask(Kind::write, first);
    if (looks_first && beginning.has_value() && beginning->has_begun) beginning = co_await ask(Kind::write, entering);
    if (beginning.has_error()) co_return;
    if (beginning->is_over) co_return next_run();
    look_at_others(std::move(beginning->living));
    if (!beginning->has_begun) co_return;
    has_begun_ = true;
    lease_.renewed(makes(SharingFault::trusts_from_the_answer) ? clock_.now() : began);
}

void SharingJournal::look_at_others(std::map<std::string, std::uint64_t> counters) {
    for (const auto& [known, renewals] : looked_)
        if (!counters.contains(known)) others_.gone(known);
    looked_ = std::move(counters);
    for (const auto& [other, renewals] : looked_)
        if (other != run_) others_.saw(other, renewals, clock_.now());
}

std::map<std::string, std::uint64_t> SharingJournal::dead() const {
    std::map<std::string, std::uint64_t> all;
    for (const auto& [run, renewals] : looked_)
        if (const auto at = others_.dead_at(run, clock_.now())) all.emplace(run, *at);
    return all;
}

SharingJournal::Awaited<KeyState> SharingJournal::begin(const Sale& sale) {
    if (!may_act()) co_return errc::journal_unavailable;
    const auto run = run_;
    const auto id = sale.id;
    beginning_.insert(id);
    const Asking<SharedJournal::Begun> asking = [run, sale](SharedJournal& server) { return server.begin(run, sale); };
    auto begun = co_await ask(Kind::write, asking);
    if (begun.has_error() && begun.error() == errc::commit_unknown) co_return begun.error();
    beginning_.erase(id);
    if (begun.has_error()) co_return begun.error();
    const auto& state = begun->state;
    if (!state.sale && !state.cancelled && !state.duplicate_of && run == run_) carried_[id] = begun->carrying;
    co_return begun->state;
}

SharingJournal::Awaited<void> SharingJournal::record(const Sale& sale, const Change& change, const Attempt* fresh,
                                                     const HistoryEntry& entry) {
    const auto carried = carried_.find(sale.id);
    if (carried == carried_.end()) co_return errc::not_carried;
    auto texts = std::make_shared<std::vector<std::string>>();
    texts->reserve(4);
    auto sent = entry;
    for (auto* text : {&sent.event, &sent.verdict, &sent.detail, &sent.by})
        *text = texts->emplace_back(*text);
    auto step = std::make_shared<SentStep>(SentStep{.sale = sale,
                                                    .change = change,
                                                    .fresh = fresh != nullptr ? std::optional(*fresh) : std::nullopt,
                                                    .entry = sent,
                                                    .texts = std::move(texts)});
    const auto run = run_;
    const auto at = carried->second;
    const auto settles = change.settled;
    const auto id = sale.id;
    const Asking<void> asking = [run, step, at](SharedJournal& server) { return server.record(run, *step, at); };
    auto recorded = co_await ask(Kind::write, asking);
    if (recorded.has_error() && recorded.error() == errc::not_carried) carried_.erase(id);
    const bool is_unknown = recorded.has_error() && recorded.error() == errc::commit_unknown;
    if (is_unknown && makes(SharingFault::takes_unknown_for_success)) recorded = Result<void>();
    if (recorded.has_error()) co_return recorded;
    if (const auto now = carried_.find(id); now != carried_.end()) ++now->second.step;
    if (settles) carried_.erase(id);
    co_return recorded;
}

SharingJournal::Awaited<Sale> SharingJournal::reread(SaleId id) {
    const auto carried = carried_.find(id);
    if (carried == carried_.end()) co_return errc::not_carried;
    const auto run = run_;
    const auto term = carried->second.term;
    const Asking<SharedJournal::Taken> asking = [run, id, term](SharedJournal& server) {
        return server.reread(run, id, term);
    };
    const auto kind = makes(SharingFault::resolves_by_reading) ? Kind::look : Kind::write;
    auto taken = co_await ask(kind, asking);
    if (taken.has_error() && taken.error() == errc::not_carried) carried_.erase(id);
    if (taken.has_error()) co_return taken.error();
    if (run == run_) carried_[id] = taken->carrying;
    if (taken->sale.settled) carried_.erase(id);
    co_return std::move(taken->sale);
}

SharingJournal::Awaited<Sale> SharingJournal::claim(SaleId id) {
    const auto run = run_;
    const Asking<SharedJournal::Taken> asking = [run, id](SharedJournal& server) { return server.claim(run, id); };
    auto taken = co_await ask(Kind::write, asking);
    if (taken.has_error()) co_return taken.error();
    if (run != run_) co_return errc::not_carried;
    carried_[id] = taken->carrying;
    co_return std::move(taken->sale);
}

SharingJournal::Awaited<AdoptedSales> SharingJournal::adopt() {
    if (!may_act()) co_return AdoptedSales{};
    auto known = beginning_;
    for (const auto& [id, at] : carried_)
        known.insert(id);
    using Taken = std::vector<SharedJournal::Taken>;
    const auto run = run_;
    const Asking<Taken> asking = [run, dead = dead(), known](SharedJournal& server) -> Result<Taken> {
        for (const auto& [other, renewals] : dead)
            server.end(other, renewals);
        return server.adopt(run, known, most_at_once);
    };
    auto taken = co_await ask(Kind::write, asking);
    if (taken.has_error()) co_return taken.error();
    AdoptedSales adopted;
    if (run != run_) co_return adopted;
    for (auto& one : *taken) {
        // Begun after the server was asked: what it said of this one is about a sale that this gateway knows well.
        if (carried_.contains(one.sale.id) || beginning_.contains(one.sale.id)) continue;
        carried_[one.sale.id] = one.carrying;
        adopted.sales.push_back(std::move(one.sale));
    }
    co_return adopted;
}

SharingJournal::Awaited<std::int64_t> SharingJournal::leave_word(const LeftWord& word) {
    if (makes(SharingFault::leaves_no_words))
        return ask<std::int64_t>(Kind::write, [](SharedJournal&) -> Result<std::int64_t> { return 0; });
    return ask<std::int64_t>(Kind::write,
                             [word](SharedJournal& server) -> Result<std::int64_t> { return server.leave_word(word); });
}

SharingJournal::Awaited<std::vector<LeftWord>> SharingJournal::words() {
    using Words = std::vector<LeftWord>;
    return ask<Words>(Kind::look, [run = run_](SharedJournal& server) -> Result<Words> { return server.words(run); });
}

SharingJournal::Awaited<bool> SharingJournal::is_waiting(std::int64_t number) {
    return ask<bool>(Kind::look, [number](SharedJournal& server) -> Result<bool> { return server.is_waiting(number); });
}

SharingJournal::Awaited<void> SharingJournal::dismiss_word(SaleId sale, std::int64_t number) {
    const auto carried = carried_.find(sale);
    if (carried == carried_.end()) co_return errc::not_carried;
    const auto at = carried->second;
    const Asking<bool> asking = [run = run_, sale, number, at](SharedJournal& server) {
        return server.dismiss_word(run, sale, number, at);
    };
    auto dismissed = co_await ask(Kind::write, asking);
    if (dismissed.has_error() && dismissed.error() == errc::not_carried) carried_.erase(sale);
    if (dismissed.has_error()) co_return dismissed.error();
    if (const auto now = carried_.find(sale); now != carried_.end()) ++now->second.step;
    if (*dismissed) carried_.erase(sale);
    co_return Result<void>();
}

SharingJournal::Awaited<void> SharingJournal::give_back() {
    const auto run = run_;
    carried_.clear();
    next_run();
    const Asking<void> asking = [run](SharedJournal& server) -> Result<void> {
        server.give_back(run);
        return {};
    };
    gives_back_ = true;
    const auto given = co_await ask(Kind::write, asking);
    gives_back_ = false;
    co_return given;
}

SharingJournal::Awaited<std::optional<Sale>> SharingJournal::find(SaleId id) {
    return ask_tables<std::optional<Sale>>(Kind::read, [id](Journal& tables) { return tables.find(id); });
}

SharingJournal::Awaited<SalePage> SharingJournal::list(const SaleFilter& filter) {
    return ask_tables<SalePage>(Kind::read, [filter](Journal& tables) { return tables.list(filter); });
}

SharingJournal::Awaited<boost::json::array> SharingJournal::history(SaleId id) {
    return ask_tables<boost::json::array>(Kind::read, [id](Journal& tables) { return tables.history(id); });
}

SharingJournal::Awaited<std::int64_t> SharingJournal::count_receipt(const Sale& sale) {
    return ask_tables<std::int64_t>(Kind::write, [sale](Journal& tables) { return tables.count_receipt(sale); });
}

SharingJournal::Awaited<KeyState> SharingJournal::cancel_key(const std::string& terminal, const std::string& key) {
    return ask<KeyState>(Kind::write,
                         [terminal, key](SharedJournal& server) { return server.cancel_key(terminal, key); });
}

SharingJournal::Awaited<KeyState> SharingJournal::find_key(const std::string& terminal, const std::string& key) {
    return ask_tables<KeyState>(Kind::read,
                                [terminal, key](Journal& tables) { return tables.find_key(terminal, key); });
}

SharingJournal::Awaited<std::optional<SaleId>> SharingJournal::find_callback(const std::string& secret) {
    return ask_tables<std::optional<SaleId>>(Kind::read,
                                             [secret](Journal& tables) { return tables.find_callback(secret); });
}

SharingJournal::Awaited<void> SharingJournal::keep_callback(SaleId sale, std::string_view kind, bool valid,
                                                            const Secret& body) {
    return ask_tables<void>(Kind::write, [sale, kind = std::string(kind), valid, body](Journal& tables) {
        return tables.keep_callback(sale, kind, valid, body);
    });
}

SharingJournal::Awaited<std::optional<KeptToken>> SharingJournal::load_token() {
    return ask_tables<std::optional<KeptToken>>(Kind::read, [](Journal& tables) { return tables.load_token(); });
}

SharingJournal::Awaited<void> SharingJournal::save_token(const std::optional<KeptToken>& token) {
    return ask_tables<void>(Kind::write, [token](Journal& tables) { return tables.save_token(token); });
}

SharingJournal::Awaited<std::vector<MarkedSale>> SharingJournal::marked() {
    return ask_tables<std::vector<MarkedSale>>(Kind::read, [](Journal& tables) { return tables.marked(); });
}

SharingJournal::Awaited<void> SharingJournal::probe() {
    return ask_tables<void>(Kind::write, [](Journal& tables) { return tables.probe(); });
}

}  // namespace gateway::simulation
