#include "app.hpp"

#include "api/admin.hpp"
#include "api/attention.hpp"
#include "api/authenticator.hpp"
#include "api/callbacks.hpp"
#include "api/closes.hpp"
#include "api/findings.hpp"
#include "api/health.hpp"
#include "api/latency.hpp"
#include "api/machine.hpp"
#include "api/metrics_page.hpp"
#include "api/openapi.hpp"
#include "api/operator_status.hpp"
#include "api/options.hpp"
#include "api/process_metrics.hpp"
#include "api/proxy.hpp"
#include "api/sales.hpp"
#include "api/sell.hpp"
#include "api/statements.hpp"
#include "api/status.hpp"
#include "api/terminal_list.hpp"
#include "api/totals.hpp"
#include "base/journald_log.hpp"
#include "base/process.hpp"
#include "base/system.hpp"
#include "base/ulid.hpp"
#include "base/wall_time.hpp"
#include "books/day_books.hpp"
#include "books/provider_list.hpp"
#include "books/reconciler.hpp"
#include "books/sale_inquiry.hpp"
#include "books/statement_folder.hpp"
#include "console/event_stream.hpp"
#include "console/marks.hpp"
#include "console/pages.hpp"
#include "console/password_worker.hpp"
#include "console/sign_in.hpp"
#include "flow/driver.hpp"
#include "flow/housekeeping.hpp"
#include "flow/machine_check.hpp"
#include "flow/options_cache.hpp"
#include "flow/seller.hpp"
#include "flow/token_store.hpp"
#include "http/client/https_client.hpp"
#include "journal_opening.hpp"
#include "lifecycle.hpp"
#include "listeners.hpp"
#include "part_options.hpp"
#include "provider/provider.hpp"
#include "supervision.hpp"

#include <openssl/crypto.h>
#include <sqlite3.h>
#include <unistd.h>

#include <stdexcept>

namespace gateway {
namespace {

namespace asio = boost::asio;

std::unique_ptr<Log> make_log(const Clock& clock, const LogConfig& config, const Systemd& systemd) {
    if (const auto socket = systemd.journald_socket(STDOUT_FILENO))
        return make_journald_log(clock, config.level, *socket);
    return make_stdout_log(clock, config.format, config.level,
                           systemd.reads(STDOUT_FILENO) ? LogPrefix::priority : LogPrefix::none);
}

// How long what a statement says of a sale may wait to be decided: it is tried again.
constexpr Duration statement_patience{30'000};

// Unwraps what the gateway cannot start without; the error is a sentence for the operator.
template <class T>
T or_throw(boost::system::result<T, std::string> made) {
    if (made.has_error()) throw std::runtime_error(made.error());
    return std::move(*made);
}
template <class T>
T or_throw_unreadable(Result<T> read) {
    if (read.has_error()) throw std::runtime_error("the journal cannot be read: " + read.error().message());
    return std::move(read).value();
}

// The parts, in the order in which they need each other. What the configuration tells each is in part_options.cpp.
class App {
  public:
    App(const Config& config, const std::string& config_path, Systemd& systemd);
    int serve();

  private:
    template <class T>
    T finish(asio::awaitable<T> work);
    void adopt();
    Listeners::Routers routers();
    Reconciler::Others others_of_the_reconciler();
    MachineApi::Others others_of_the_machine();
    void add_operators_calls(http::Router& router);
    SaleInquiry::Others others_of_the_inquiry();
    asio::awaitable<Reply> list_of_day(Day day);
    void expose(Exposition& out) const;
    http::Router console_router();

    const Config config_;
    Systemd& systemd_;

    // The event loop, randomness, time and the log. The loop outlives all that runs on it: coroutines that are still
    // suspended at the end are destroyed with it, after every other member, and look at none of them then.
    asio::io_context context_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};  // sockets are this thread's; others only post
    SystemRandom random_;
    SystemClock clock_{context_.get_executor()};
    const RunMoment started_{clock_};
    std::unique_ptr<Log> log_;
    Metrics metrics_;

    // The journal keeps what is known; the check looks at the machine's clock and disk.
    std::unique_ptr<Journal> journal_;
    MachineCheck machine_check_;

    // The way to the provider: connections, the token, the three steps.
    std::shared_ptr<const http::TlsClient> tls_;
    http::HttpsClient sales_client_;
    http::HttpsClient token_client_;
    TokenStore token_store_;
    TokenKeeper token_keeper_;
    Provider provider_;

    // Sales: those that need a person, the driver of each, the owner of all, and what can be sold.
    AttentionList attention_;
    Driver driver_;
    Seller seller_;
    OptionsCache options_cache_;

    // The books: what days came to, and what the provider says of them.
    DayBooks day_books_;
    Reconciler reconciler_;
    ProviderList provider_list_;
    SaleInquiry sale_inquiry_;
    StatementFolder statement_folder_;
    Health health_;  // says how all of it is

    // Who may call, and what each call does.
    Terminals terminals_;
    Authenticator authenticator_;
    SellApi sell_api_;
    SalesApi sales_api_;
    OptionsApi options_api_;
    ProxyApi proxy_api_;
    StatusApi status_api_;
    CallbacksApi callbacks_api_;
    TotalsApi totals_api_;
    ClosesApi closes_api_;
    AdminApi admin_api_;
    MetricsPage metrics_page_;
    OperatorStatusApi operator_status_api_;
    StatementsApi statements_api_;
    FindingsApi findings_api_;
    AttentionApi attention_api_;
    LatencyApi latency_api_;
    TerminalListApi terminal_list_api_;
    MachineApi machine_api_;

    // The console: the pages for people, who is signed in, and what they are told of.
    PasswordWorker password_worker_;
    SignIn sign_in_;
    Changes changes_;
    EventStreams event_streams_;

    // What goes on without a call, and what comes from outside.
    Housekeeping housekeeping_;
    Listeners listeners_;
    Supervision supervision_;
    Lifecycle lifecycle_;
};

App::App(const Config& config, const std::string& config_path, Systemd& systemd)
    : config_(config),
      systemd_(systemd),
      log_(make_log(clock_, config.log, systemd)),
      journal_(or_throw(finish(open_journal(context_.get_executor(), config_, clock_, random_, *log_)))),
      machine_check_(*journal_, metrics_, clock_, *log_),
      tls_(or_throw(tls_client(config.provider))),
      sales_client_(context_.get_executor(),
                    client_options(config.provider, config.provider.base_url, "provider", tls_), clock_, random_,
                    *log_),
      token_client_(context_.get_executor(),
                    client_options(config.provider, config.provider.auth_url, "token_service", tls_), clock_, random_,
                    *log_),
      token_store_(token_owner(config.provider), *journal_, clock_, *log_),
      token_keeper_(
          context_.get_executor(), token_options(config.provider), token_client_, clock_, random_, *log_,
          or_throw_unreadable(finish(token_store_.load())),
          [this](const std::optional<Token>& token) { return token_store_.save(token); },
          TokenTurns{.of_another = [this](Secret held) { return token_store_.of_another(std::move(held)); },
                     .end = [this] { return token_store_.end_turn(); }},
          [this](const Reply& reply) { machine_check_.hear(reply); }),
      provider_(context_.get_executor(), provider_options(config.provider), sales_client_, token_keeper_, clock_, *log_,
                [this](const Reply& reply) { machine_check_.hear(reply); }),
      attention_(*journal_, clock_, *log_, metrics_, [this](SaleId id) { seller_.found_unreadable(id); }),
      driver_(context_.get_executor(), rules_of_law(config, provider_), *journal_, provider_, clock_, random_, *log_,
              metrics_, attention_, config.provider.id_prefix),
      seller_(context_.get_executor(), seller_options(config), driver_, *journal_, clock_, random_, *log_, metrics_),
      options_cache_(context_.get_executor(), options_cache_options(config), provider_, clock_, *log_),
      day_books_(
          day_books_options(config), [this] { return terminals_.establishments(); }, *journal_, clock_, *log_),
      reconciler_(reconciler_options(config), others_of_the_reconciler(), *journal_, clock_, *log_),
      provider_list_([this](Day day) { return list_of_day(day); }, reconciler_, *journal_, clock_),
      sale_inquiry_(others_of_the_inquiry(), reconciler_, *journal_, clock_, *log_),
      statement_folder_(config.statement.folder, reconciler_, clock_),
      health_(
          seller_, *journal_, provider_, token_keeper_, machine_check_,
          [this] { return listeners_.certificate_watch().troubles(); }, [this] { return lifecycle_.concerns(); }),
      terminals_(terminals_of(config)),
      authenticator_(authenticator_options(config.listen), terminals_, clock_, *log_),
      sell_api_(sell_options(config.limits), driver_.rules(), seller_, options_cache_, terminals_, clock_),
      sales_api_(sales_options(config.limits), seller_, *journal_, terminals_, clock_, *log_),
      options_api_(options_options(config), options_cache_, terminals_, clock_),
      proxy_api_(proxy_options(config), provider_, terminals_, clock_),
      status_api_(health_, terminals_, std::string(version())),
      callbacks_api_(seller_, *journal_, clock_, *log_),
      totals_api_(day_books_, terminals_),
      closes_api_(day_books_),
      admin_api_(health_),
      metrics_page_(
          seller_, *journal_, token_keeper_, health_, attention_, metrics_, [this](Exposition& out) { expose(out); },
          clock_),
      operator_status_api_(
          health_, seller_, *journal_, token_keeper_, attention_, terminals_, day_books_,
          [this] { return listeners_.hammering(); }, std::string(version()), clock_),
      statements_api_(
          reconciler_, *journal_,
          config.provider.list_path.empty()
              ? StatementsApi::ListOfDay()
              : [this](Day day, std::string by) { return provider_list_.read(day, std::move(by)); },
          provider_.can_ask() ? [this](Day day, std::string by) { return sale_inquiry_.ask(day, std::move(by)); }
                              : StatementsApi::Inquire(),
          clock_),
      findings_api_(reconciler_, *journal_),
      attention_api_(*journal_, seller_, config.provider.open_sales_end),
      latency_api_(metrics_, *journal_, clock_),
      terminal_list_api_(terminals_, authenticator_.seen(), *journal_, clock_),
      machine_api_(
          {.version = std::string(version()), .journal = place_of_journal(config.journal), .config = config_path},
          others_of_the_machine(), *journal_, token_keeper_, clock_),
      password_worker_(context_.get_executor(), clock_),
      sign_in_(
          sign_in_options(config),
          [this](PasswordHash hash, Secret password) {
              return password_worker_.check(std::move(hash), std::move(password));
          },
          [this] { return console_facts(config_, version(), clock_.wall()); }, clock_, random_, *log_),
      changes_(
          Ulid::make(started_.wall(), random_).str(),
          [this] {
              return marks({*journal_, attention_, metrics_, day_books_, reconciler_, health_, token_keeper_});
          },
          clock_),
      event_streams_(changes_, sign_in_, clock_),
      housekeeping_(*journal_, attention_, driver_.rules(), config.journal.retention, clock_, *log_),
      listeners_(context_.get_executor(), clock_, random_, *log_),
      supervision_(systemd, health_, attention_, *journal_, clock_),
      lifecycle_(context_, config_, config_path,
                 {.systemd = systemd,
                  .seller = seller_,
                  .options_cache = options_cache_,
                  .options_api = options_api_,
                  .proxy_api = proxy_api_,
                  .terminals = terminals_,
                  .sign_in = sign_in_,
                  .sales_client = sales_client_,
                  .token_client = token_client_,
                  .token_store = token_store_,
                  .token_keeper = token_keeper_,
                  .listeners = listeners_},
                 clock_, *log_) {}

// Runs the context until `work` is done: for what must be known before anything else begins.
template <class T>
T App::finish(asio::awaitable<T> work) {
    std::optional<T> result;
    std::exception_ptr thrown;
    asio::co_spawn(context_, std::move(work), [&](std::exception_ptr fault, T value) {
        thrown = fault;
        result.emplace(std::move(value));
        context_.stop();
    });
    context_.run();
    context_.restart();
    if (thrown) std::rethrow_exception(thrown);
    return std::move(*result);
}

Reconciler::Others App::others_of_the_reconciler() {
    return {.state =
                [this](SaleId sale, IdExterno attempt, Stated said) {
                    return seller_.state(sale, attempt, std::move(said), clock_.now() + statement_patience);
                },
            .can_cancel = [this](Family family) { return provider_.can_cancel(family); },
            .estabelecimentos = [this] { return terminals_.establishments(); }};
}

MachineApi::Others App::others_of_the_machine() {
    return {.certificates = [this] { return listeners_.certificates(); },
            .warnings = [this] { return warnings_of(lifecycle_.warnings()); },
            .configured_at = [this] { return lifecycle_.reloaded_at(); }};
}

SaleInquiry::Others App::others_of_the_inquiry() {
    return {.ask =
                [this](const Sale& sale, const Attempt& attempt) {
                    return provider_.status(sale, attempt, clock_.now() + provider_.request_timeout());
                },
            .askable = [this](const Attempt& attempt) { return driver_.rules().askable(attempt); }};
}

asio::awaitable<Reply> App::list_of_day(Day day) {
    return provider_.list(list_target(config_.provider, day), ProviderList::most_bytes,
                          clock_.now() + config_.provider.request_timeout);
}

Listeners::Routers App::routers() {
    Listeners::Routers routers;
    sell_api_.add_to(routers.terminals);
    sales_api_.add_to_terminals(routers.terminals);
    options_api_.add_to(routers.terminals);
    proxy_api_.add_to(routers.terminals);
    status_api_.add_to(routers.terminals);
    totals_api_.add_to_terminals(routers.terminals);
    add_openapi(routers.terminals, terminals_openapi());
    routers.terminals.set_filter([this](http::Request& request, const http::Handler& next) {
        return authenticator_.authenticate(request, next);
    });
    routers.terminals.set_invitation([this](const http::Request& request) { return authenticator_.knows(request); });
    callbacks_api_.add_to(routers.callbacks);
    admin_api_.add_to(routers.admin);
    metrics_page_.add_to(routers.admin);
    routers.admin.set_hosts({config_.listen.admin_names, "listen.admin_names"});
    operator_status_api_.explain_troubles(routers.admin);
    sales_api_.add_to_admin(routers.admin);
    add_operators_calls(routers.admin);
    sign_in_.add_links_to(routers.admin,
                          [this] { return console_address(listeners_.console(), config_.listen.tls.on()); });
    add_openapi(routers.admin, admin_openapi());
    routers.console = console_router();
    return routers;
}

// What people ask for, at the command line and on the console's pages.
void App::add_operators_calls(http::Router& router) {
    operator_status_api_.add_to(router);
    totals_api_.add_to_admin(router);
    closes_api_.add_to(router);
    statements_api_.add_to(router);
    findings_api_.add_to(router);
    attention_api_.add_to(router);
    latency_api_.add_to(router);
    terminal_list_api_.add_to(router);
    machine_api_.add_to(router);
}

http::Router App::console_router() {
    http::Router console;
    console.set_hosts({config_.listen.console_names, "listen.console_names"});
    add_pages(console);
    sign_in_.add_to(console);
    event_streams_.add_to(console);
    sales_api_.add_to_console(console);
    add_operators_calls(console);
    console.set_invitation([this](const http::Request& request) { return sign_in_.still_in(sign_in_.shown(request)); });
    console.set_filter(
        [this](http::Request& request, const http::Handler& next) { return sign_in_.guard(request, next); });
    return console;
}

void App::expose(Exposition& out) const {
    if (!config_.journal.path.empty()) expose_journal_file(out, config_.journal.path);
    expose_provider_connections(out, sales_client_.stats());
    listeners_.expose(out);
    authenticator_.expose(out);
    lifecycle_.expose(out);
    expose_closes(out, day_books_.last_made(), clock_.wall());
    expose_findings(out, reconciler_.open_findings());
    expose_statements(out, reconciler_.refused(), reconciler_.last_read(), clock_.wall());
    expose_process(out, process_use(), started_.wall());
    expose_build(out, {{"version", version()},
                       {"sqlite", sqlite3_libversion()},
                       {"openssl", OpenSSL_version(OPENSSL_VERSION_STRING)}});
}

// New sales are taken as soon as the open ones are known, before any of them is settled.
void App::adopt() {
    or_throw_unreadable(finish(attention_.look()));  // first, so that what was marked before is not taken for new
    (void)finish(journal_->probe());  // before anybody is told that the journal can be written: so far it was only read
    (void)finish(machine_check_.look_around());  // before anybody is told how the gateway is, of a full disk too
    const auto adopted = or_throw_unreadable(finish(seller_.adopt_unfinished()));
    health_.set_recovered();
    log_->info("recovery.begun",
               "open sales found in the journal, which are carried on: {openSales}[; open sales that cannot be read, "
               "and are not carried on: {unreadableSales}]",
               {{"openSales", adopted.sales}, {"unreadableSales", adopted.unreadable}});
}

int App::serve() {
    raise_descriptor_limit();
    // First, so that an address in use stops the start before any sale is taken up.
    listeners_.open(config_, systemd_, routers());
    if (auto* const chain = journal_->chain()) {
        asio::co_spawn(context_, chain->keep_lease(), asio::detached);
        chain->when_a_word_is_left([this] { seller_.look_for_words(); });
    }
    adopt();
    token_keeper_.start();
    asio::co_spawn(context_, lifecycle_.watch_signals(), asio::detached);
    housekeeping_.start(context_.get_executor());
    day_books_.start(context_.get_executor());
    reconciler_.start(context_.get_executor());
    if (!config_.statement.folder.empty()) statement_folder_.start(context_.get_executor());
    if (!config_.provider.list_path.empty()) provider_list_.start(context_.get_executor());
    if (provider_.can_ask()) sale_inquiry_.start(context_.get_executor());
    listeners_.start();
    log_->info("started",
               "sales-gateway {version} has started on the journal {file}; times are the store's (UTC{utcOffset})",
               {{"version", version()},
                {"file", place_of_journal(config_.journal)},
                {"utcOffset", local_offset(clock_.wall())}});
    supervision_.ready();
    asio::co_spawn(context_, provider_.keep_looking(), asio::detached);
    asio::co_spawn(context_, machine_check_.keep_looking(), asio::detached);
    asio::co_spawn(context_, seller_.keep_adopting(), asio::detached);
    supervision_.start(context_.get_executor());
    context_.run();
    log_->info("stopped", "sales-gateway has stopped");
    return 0;
}

}  // namespace

int serve(const Config& config, const std::string& config_path, Systemd& systemd) {
    let_writes_fail();
    keep_memory_private();
    App app(config, config_path, systemd);
    return app.serve();
}

std::string_view version() {
    return GATEWAY_VERSION;
}

}  // namespace gateway
