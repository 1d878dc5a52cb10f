#include "simulation/process.hpp"

#include "api/routes.hpp"
#include "base/check.hpp"
#include "base/digest.hpp"
#include "flow/housekeeping.hpp"
#include "simulation/sharing_journal.hpp"
#include "simulation/statements.hpp"
#include "simulation/world.hpp"
#include "unit/support/forwarding_journal.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace gateway::simulation {
namespace {

// A journal that cannot be written is tried as in the application, but less often, because every try is a turn.
constexpr Duration probe_pause{20'000};
// Nothing in a run gets this old.
constexpr Duration retention{90L * 24 * 3600 * 1000};

ProviderOptions provider_options(const Setup& setup) {
    ProviderOptions options;
    options.app_key = setup.provider.app_key;
    options.app_secret = setup.provider.app_secret;
    options.credential_separator = setup.provider.basic_separator;
    options.scopes = {"Venda_TvPrePaga", "Venda_Egift"};
    options.trust_cancel_4xx = setup.rules.trusts_cancel_4xx;
    options.request_timeout = setup.request_timeout;
    options.callback_url.text = "https://loja.example";
    options.callback_field = setup.provider.callback_field;
    options.health_cancel_path = setup.health_cancel_path;
    options.status_path = setup.status_path;
    return options;
}

// This is the pause between two looks of a start whether it has got its lease.
constexpr Duration look_again{100};

TimeZone zone_of(const Setup& setup) {
    return TimeZone::find(setup.books.zone).value();
}

ReconcilerOptions reconciler_options(const Setup& setup) {
    return {.format = format_of(setup), .settle = setup.books.settle};
}

// Sees the moments at which the status of a sale is recorded as final.
class WatchedJournal final : public test::ForwardingJournal {
  public:
    WatchedJournal(Journal& real, World& world) : ForwardingJournal(real), world_(world) {}

    Awaited<void> record(const Sale& sale, const Change& change, const Attempt* fresh,
                         const HistoryEntry& entry) override {
        if (change.attention != sale.attention && change.attention != Attention::none)
            world_.statistics().count(Event::marked);
        if (is_final(change.status) && !is_final(sale.status)) world_.books_check().becomes_final(sale.id.str());
        if (change.settled && !sale.settled) world_.settled(sale.id.str());
        return real_->record(sale, change, fresh, entry);
    }

  private:
    World& world_;
};

Rules rules_of_law(const Setup& setup, const Provider& provider) {
    Rules rules = setup.rules;
    rules.zone = zone_of(setup);
    return provider.complete(std::move(rules));
}

std::vector<Terminal> terminals_of(const Setup& setup) {
    std::vector<Terminal> terminals;
    for (const auto& plan : setup.plans) {
        const bool known = std::any_of(terminals.begin(), terminals.end(),
                                       [&](const Terminal& terminal) { return terminal.id == plan.terminal; });
        if (known) continue;
        terminals.push_back({.id = plan.terminal,
                             .key_sha256 = {sha256_hex(plan.terminal)},
                             .estabelecimento = setup.provider.estabelecimentos.front(),
                             .families = {all_families.begin(), all_families.end()}});
    }
    return terminals;
}

}  // namespace

struct SimulatedClient::Held final : http::Reservation {
    explicit Held(SimulatedClient& c) : client(c) {}
    boost::asio::awaitable<Reply> send(http::ClientRequest request, Instant deadline) override {
        return client.exchange(std::move(request), deadline);
    }
    SimulatedClient& client;
};

// There is always a connection, because the lack of one is a fault that send() deals.
boost::asio::awaitable<Result<std::unique_ptr<http::Reservation>>> SimulatedClient::reserve(Instant) {
    co_return std::make_unique<Held>(*this);
}

Hooks& hooks() {
    static Hooks all;
    return all;
}

boost::asio::awaitable<Reply> SimulatedClient::exchange(http::ClientRequest request, Instant deadline) {
    auto reply = co_await exchange_once(request, deadline);
    const auto& sends_again = hooks().sends_again;
    if (sends_again && sends_again(request, reply)) reply = co_await exchange_once(request, deadline);
    co_return reply;
}

boost::asio::awaitable<Reply> SimulatedClient::exchange_once(const http::ClientRequest& request, Instant deadline) {
    const auto waiting = std::make_shared<Exchange>(clock_.make_timer());
    world_.send(request, waiting, std::chrono::duration_cast<Duration>(deadline - clock_.now()));
    while (!waiting->reply && clock_.now() < deadline)
        co_await waiting->timer->wait_until(deadline);
    co_return waiting->reply ? std::move(*waiting->reply) : Reply::lost(errc::timed_out);
}

struct Process::Parts {
    Parts(Process& process, std::optional<Token> kept)
        : world(process.world_),
          journal(*process.journal_),
          transport(world, process.clock_),
          tokens(process.io_.get_executor(), provider_options(world.setup()), transport, process.clock_,
                 world.gateway_chance(), world.log(), std::move(kept),
                 [&store = *process.token_store_](const std::optional<Token>& token) { return store.save(token); },
                 {.of_another = [&store = *process.token_store_](Secret held) { return store.of_another(held); },
                  .end = [&store = *process.token_store_] { return store.end_turn(); }}),
          provider(process.io_.get_executor(), provider_options(world.setup()), transport, tokens, process.clock_,
                   world.log()),
          attention(journal, process.clock_, world.log(), metrics),
          driver(process.io_.get_executor(), rules_of_law(world.setup(), provider), journal, provider, process.clock_,
                 world.gateway_chance(), world.log(), metrics, attention),
          housekeeping(journal, attention, driver.rules(), retention, process.clock_, world.log()),
          seller(process.io_.get_executor(), {}, driver, journal, process.clock_, world.gateway_chance(), world.log(),
                 metrics),
          cache(process.io_.get_executor(), {}, provider, process.clock_, world.log()),
          terminals(terminals_of(world.setup())),
          sell_api({.sell_wait = world.setup().sell_wait}, driver.rules(), seller, cache, terminals, process.clock_),
          sales_api(world.setup().sell_wait, seller, journal, terminals, process.clock_, world.log()),
          callbacks_api(seller, journal, process.clock_, world.log()),
          day_books(
              {.zone = zone_of(world.setup()), .at = world.setup().books.close_at},
              [this] { return terminals.establishments(); }, journal, process.clock_, world.log()),
          reconciler(reconciler_options(world.setup()), seller, day_books, journal, process.clock_, world.log()) {
        attention.when_unreadable([this](SaleId id) { seller.found_unreadable(id); });
        add_routes(terminal_routes, on_terminals, gateway::Parts(sell_api, sales_api));
        add_routes(callback_routes, on_callbacks, gateway::Parts(callbacks_api));
    }

    World& world;
    Journal& journal;
    Metrics metrics;
    SimulatedClient transport;
    TokenKeeper tokens;
    Provider provider;
    AttentionList attention;
    Driver driver;
    Housekeeping housekeeping;
    Seller seller;
    OptionsCache cache;
    Terminals terminals;
    SellApi sell_api;
    SalesApi sales_api;
    CallbacksApi callbacks_api;
    DayBooks day_books;
    Reconciler reconciler;
    http::Router terminal_routes;
    http::Router callback_routes;
};

Process::Process(World& world) : world_(world), clock_(io_, world) {}

Process::~Process() = default;

std::unique_ptr<Process> Process::start(World& world) {
    (void)world.disk().mount();
    std::unique_ptr<Process> process(new Process(world));
    const bool takes_lock = world.process() == nullptr || !hooks().second_takes_no_lock;
    const JournalOptions options{.path = journal_path,
                                 .vfs = Disk::vfs(),
                                 .lock_file = takes_lock ? world.lock_file().path() : std::string(),
                                 .durability = Durability::inline_,
                                 .log_bytes = world.setup().log_bytes,
                                 .log = &world.log()};
    auto journal = open_sqlite_journal(process->io_.get_executor(), options, process->clock_);
    if (journal.has_error()) {
        world.note("process: cannot start: {}", journal.error());
        return nullptr;
    }
    process->own_journal_ = std::move(*journal);
    process->journal_ = process->own_journal_.get();
    if (hooks().journal) {
        process->mutant_journal_ = hooks().journal(*process->own_journal_);
        process->journal_ = process->mutant_journal_.get();
    }
    process->watched_journal_ = std::make_unique<WatchedJournal>(*process->journal_, world);
    process->journal_ = process->watched_journal_.get();
    process->use_tokens();
    const auto kept = process->finish(process->token_store_->load());
    if (kept && kept->has_error()) world.note("process: cannot start: {}", kept->error().message());
    if (!kept || kept->has_error()) return nullptr;
    process->parts_ = std::make_unique<Parts>(*process, **kept);
    const auto adopted = process->finish(process->parts_->seller.adopt_unfinished());
    if (adopted && adopted->has_error()) world.note("process: cannot start: {}", adopted->error().message());
    if (!adopted || adopted->has_error()) return nullptr;
    process->parts_->tokens.start();
    boost::asio::co_spawn(process->io_, process->parts_->housekeeping.keep_journal_alive(probe_pause, probe_pause),
                          boost::asio::detached);
    process->parts_->day_books.start(process->io_.get_executor());
    process->parts_->reconciler.start(process->io_.get_executor());
    world.note("process: started, {} open sales, {} unreadable", (*adopted)->sales, (*adopted)->unreadable);
    return process;
}

std::unique_ptr<Process> Process::start_sharing(World& world, std::size_t number) {
    std::unique_ptr<Process> process(new Process(world));
    process->sharing_journal_ = std::make_unique<SharingJournal>(world, number, process->clock_);
    process->journal_ = process->sharing_journal_.get();
    if (hooks().journal) {
        process->mutant_journal_ = hooks().journal(*process->sharing_journal_);
        process->journal_ = process->mutant_journal_.get();
    }
    process->use_tokens();
    boost::asio::co_spawn(process->io_, process->sharing_journal_->keep_lease(), rethrow);
    boost::asio::co_spawn(process->io_, process->begin_to_share(), rethrow);
    return process;
}

void Process::use_tokens() {
    token_store_ = std::make_unique<TokenStore>(provider_options(world_.setup()), *journal_, clock_, world_.log());
}

boost::asio::awaitable<void> Process::begin_to_share() {
    std::optional<Token> token;
    while (true) {
        co_await clock_.sleep_for(look_again);
        if (!journal_->may_act()) continue;
        auto kept = co_await token_store_->load();
        if (kept.has_error()) continue;
        token = std::move(*kept);
        break;
    }
    parts_ = std::make_unique<Parts>(*this, std::move(token));
    parts_->tokens.start();
    boost::asio::co_spawn(io_, parts_->housekeeping.keep_journal_alive(probe_pause, probe_pause), rethrow);
    boost::asio::co_spawn(io_, parts_->seller.keep_adopting(), rethrow);
    world_.promises().process_started();
}

const std::string& Process::run() const {
    return sharing_journal_->run();
}

void Process::give_back(std::function<void()> done) {
    boost::asio::co_spawn(io_, stop_sharing(std::move(done)), rethrow);
}

boost::asio::awaitable<void> Process::stop_sharing(std::function<void()> done) {
    if (parts_) {
        parts_->seller.stop_taking();
        co_await parts_->seller.let_go();
    }
    done();
}

const Disk& Process::new_journal() {
    static const Disk made = [] {
        boost::asio::io_context io;
        test::VirtualClock clock(io);
        Disk disk;
        auto* const before = disk.mount();
        const JournalOptions options{.path = journal_path,
                                     .vfs = Disk::vfs(),
                                     .durability = Durability::inline_,
                                     .log_bytes = journal_log_bytes};
        CHECK(open_sqlite_journal(io.get_executor(), options, clock).has_value());
        if (before != nullptr) before->mount();
        return disk.at_rest();
    }();
    return made;
}

// Runs what is ready until `work` is done. Returns nothing where the power failed before.
template <class T>
std::optional<T> Process::finish(boost::asio::awaitable<T> work) {
    std::optional<T> result;
    boost::asio::co_spawn(io_, std::move(work), [&](const std::exception_ptr& fault, T value) {
        rethrow(fault);
        result.emplace(std::move(value));
    });
    while (!result && !world_.power_is_off())
        CHECK(run_one());
    return result;
}

std::size_t Process::open_sales() const {
    if (!parts_) return 0;
    return parts_->seller.under_way();
}

bool Process::run_one() {
    io_.restart();
    hooks().now = clock_.now();
    if (io_.poll_one() == 0) return false;
    world_.handler_ran();
    return true;
}

void Process::call_terminals(http::Request request, Answered answered) {
    auto kept = std::make_shared<http::Request>(std::move(request));
    kept->received = clock_.now();
    boost::asio::co_spawn(io_, serve(parts_->terminal_routes, std::move(kept), std::move(answered)), rethrow);
}

void Process::call_callbacks(http::Request request, Answered answered) {
    auto kept = std::make_shared<http::Request>(std::move(request));
    kept->received = clock_.now();
    boost::asio::co_spawn(io_, serve(parts_->callback_routes, std::move(kept), std::move(answered)), rethrow);
}

void Process::state(SaleId sale, IdExterno attempt, Status status) {
    boost::asio::co_spawn(io_, hear(sale, attempt, {.status = status, .source = "a statement"}), rethrow);
}

void Process::close_day(CloseKey key, Closed closed) {
    boost::asio::co_spawn(io_, answer_close(std::move(key), std::move(closed)), rethrow);
}

boost::asio::awaitable<void> Process::answer_close(CloseKey key, Closed closed) {
    const auto answer = co_await parts_->day_books.close(key, "maria");
    if (!world_.power_is_off()) closed(answer);
}

void Process::probe_journal(std::function<void()> done) {
    boost::asio::co_spawn(io_, answer_probe(std::move(done)), rethrow);
}

boost::asio::awaitable<void> Process::answer_probe(std::function<void()> done) {
    (void)co_await journal_->probe();
    if (!world_.power_is_off()) done();
}

void Process::read_statement(StatementText text, Read read) {
    boost::asio::co_spawn(io_, answer_statement(std::move(text), std::move(read)), rethrow);
}

boost::asio::awaitable<void> Process::answer_statement(StatementText text, Read read) {
    const auto told = co_await parts_->reconciler.read(std::move(text));
    if (!world_.power_is_off()) read(told);
}

boost::asio::awaitable<void> Process::hear(SaleId sale, IdExterno attempt, Stated stated) {
    const auto heard = co_await parts_->seller.state(sale, attempt, std::move(stated), never);
    if (heard.has_error() || world_.power_is_off()) co_return;
    switch (*heard) {
        case StatedEffect::nothing: break;
        case StatedEffect::settled: co_return world_.statistics().count(Event::stated_settled);
        case StatedEffect::repeated: co_return world_.statistics().count(Event::stated_repeated);
        case StatedEffect::contradiction: co_return world_.statistics().count(Event::stated_contradiction);
    }
}

boost::asio::awaitable<void> Process::serve(const http::Router& router, std::shared_ptr<http::Request> request,
                                            Answered answered) {
    auto response = co_await router.dispatch(*request);
    if (hooks().answers) hooks().answers(response);
    if (!world_.power_is_off()) answered(response);
}

}  // namespace gateway::simulation
