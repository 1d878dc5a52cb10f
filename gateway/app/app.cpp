#include "app/app.hpp"

#include "api/admin.hpp"
#include "api/attention.hpp"
#include "api/callbacks.hpp"
#include "api/closes.hpp"
#include "api/config_in_force.hpp"
#include "api/findings.hpp"
#include "api/health.hpp"
#include "api/host.hpp"
#include "api/latency.hpp"
#include "api/metrics_page.hpp"
#include "api/openapi.hpp"
#include "api/openapi/calls.hpp"
#include "api/options.hpp"
#include "api/process_metrics.hpp"
#include "api/proxy.hpp"
#include "api/sales.hpp"
#include "api/sell.hpp"
#include "api/statements.hpp"
#include "api/status.hpp"
#include "api/terminal_list.hpp"
#include "api/totals.hpp"
#include "app/journal_opening.hpp"
#include "app/lifecycle.hpp"
#include "app/routers.hpp"
#include "app/supervision.hpp"
#include "base/journald_log.hpp"
#include "base/process.hpp"
#include "base/system.hpp"
#include "base/ulid.hpp"
#include "base/wall_time.hpp"
#include "books/provider_list.hpp"
#include "books/sale_inquiry.hpp"
#include "books/statement_folder.hpp"
#include "console/authority.hpp"
#include "console/event_stream.hpp"
#include "console/pages.hpp"
#include "console/password_worker.hpp"
#include "console/versions.hpp"
#include "flow/driver.hpp"
#include "flow/host_check.hpp"
#include "flow/housekeeping.hpp"
#include "flow/token_store.hpp"
#include "provider/connections.hpp"
#include "provider/provider.hpp"
#include "words/sentences.hpp"

#include <openssl/crypto.h>
#include <sqlite3.h>
#include <unistd.h>

#include <stdexcept>

namespace gateway {
namespace {

namespace asio = boost::asio;

std::unique_ptr<Log> make_log(const Clock& clock, const LogOptions& options, const Systemd& systemd) {
    const auto socket = systemd.journald_socket(STDOUT_FILENO);
    const auto prefix = systemd.reads(STDOUT_FILENO) ? LogPrefix::priority : LogPrefix::none;
    auto log = socket ? make_journald_log(clock, options.level, *socket)
                      : make_stdout_log(clock, options.format, options.level, prefix);
    log->set_telling({options.language, told_in});
    return log;
}

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

OpenapiApi make_openapi() {
    auto schemas = openapi::all_schemas();
    schemas.push_back(openapi::console_link_schemas());
    return {{routes(), console_calls()}, std::move(schemas)};
}

// Runs the context until `work` is done. This is for what must be known before anything else begins.
template <class T>
T finish(asio::io_context& context, asio::awaitable<T> work) {
    std::optional<T> result;
    std::exception_ptr thrown;
    asio::co_spawn(context, std::move(work), [&](std::exception_ptr fault, T value) {
        thrown = fault;
        result.emplace(std::move(value));
        context.stop();
    });
    context.run();
    context.restart();
    if (thrown) std::rethrow_exception(thrown);
    return std::move(*result);
}

// Asio does not look whether the kernel took what wakes the event loop and what ends its waits; without them, the loop
// would wait for ever.
void check_loop(Clock& clock) {
    (void)clock.make_timer();  // Asio asks the kernel for both when something is used for the first time
    if (!epoll_can_be_woken())
        throw std::runtime_error("the system lacks the memory to wake the gateway; start it again");
}

}  // namespace

// Makes the parts in the order in which they need each other, and then starts them. The parts themselves take the
// configuration apart: a part is made from its section.
// NOLINTNEXTLINE(readability-function-size): every part is a local here, made in the order of need
int serve(const Config& config, const std::string& config_path, Systemd& systemd) {
    let_writes_fail();
    keep_memory_private();

    // These are the event loop, randomness, time and the log. The loop outlives all that runs on it: coroutines that
    // are still suspended at the end are destroyed with it, after every other part, and look at none of them then.
    asio::io_context context(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO);  // sockets are this thread's; others only post
    const auto executor = context.get_executor();
    SystemRandom random;
    SystemClock clock(executor);
    check_loop(clock);
    const RunMoment started(clock);
    const auto own_log = make_log(clock, config.log, systemd);
    auto& log = *own_log;
    Metrics metrics;

    // Earlier parts are asked for what later ones know: who listens, who may call, and which configuration is in force.
    // The listeners are opened when all calls are known.
    Listeners listeners(executor, clock, random, log);
    Terminals terminals(config.callers());
    ConfigInForce in_force(config.warnings, clock);

    // The journal keeps what is known; the check looks at the machine's clock and disk.
    const auto own_journal = or_throw(finish(context, open_journal(executor, config, clock, random, log)));
    auto& journal = *own_journal;
    HostCheck host_check(journal, metrics, clock, log);
    const HearAnswer hear = [&host_check](const Reply& reply) { host_check.hear(reply); };

    // These lead to the provider: the connections, the token, the three steps.
    Connections connections(executor, config.provider, or_throw(Connections::read_tls(config.provider)), clock, random,
                            log);
    TokenStore token_store(config.provider, journal, clock, log);
    TokenKeeper token_keeper(
        executor, config.provider, connections.tokens(), clock, random, log,
        or_throw_unreadable(finish(context, token_store.load())),
        [&token_store](const std::optional<Token>& token) { return token_store.save(token); },
        TokenTurns{.of_another = [&token_store](Secret held) { return token_store.of_another(std::move(held)); },
                   .end = [&token_store] { return token_store.end_turn(); }},
        hear);
    Provider provider(executor, config.provider, connections.sales(), token_keeper, clock, log, hear);

    // These work on sales: those that need a person, the driver of each, the owner of all, and what can be sold.
    AttentionList attention(journal, clock, log, metrics);
    Driver driver(executor, provider.complete(config.sale), journal, provider, clock, random, log, metrics, attention,
                  config.provider.id_prefix);
    Seller seller(executor, config.seller, driver, journal, clock, random, log, metrics);
    attention.when_unreadable([&seller](SaleId id) { seller.found_unreadable(id); });
    OptionsCache options_cache(executor, config.cache, provider, clock, log);

    // These keep the books: what days came to, and what the provider says of them.
    DayBooks day_books(
        config.close, [&terminals] { return terminals.establishments(); }, journal, clock, log);
    Reconciler reconciler(config.statement, seller, day_books, journal, clock, log);
    ProviderList provider_list(provider, reconciler, journal, clock);
    SaleInquiry sale_inquiry(provider, driver.rules(), reconciler, journal, clock, log);
    StatementFolder statement_folder(config.statement.folder, reconciler, clock);

    // This tells machines and people how all of it is.
    Health health(
        seller, journal, provider, token_keeper, host_check,
        [&listeners] { return listeners.certificate_watch().troubles(); }, [&in_force] { return in_force.concerns(); });

    // Terminals and the provider call these.
    Authenticator authenticator({.certificates = !config.listen.tls.client_ca.empty()}, terminals, clock, log);
    SellApi sell_api(config.sell, driver.rules(), seller, options_cache, terminals, clock);
    SalesApi sales_api(config.sell.sell_wait, seller, journal, terminals, clock, log);
    OptionsApi options_api(config.products, options_cache, terminals, clock);
    ProxyApi proxy_api(config.proxy, provider, terminals, clock);
    StatusApi status_api(health, terminals, std::string(version()));
    CallbacksApi callbacks_api(seller, journal, clock, log);

    // People and the monitoring call these.
    TotalsApi totals_api(day_books, terminals);
    ClosesApi closes_api(day_books, journal, config.store.letterhead);
    AdminApi admin_api(health);
    MetricsPage metrics_page(
        seller, journal, token_keeper, health, attention, metrics,
        [&](Exposition& out) {
            if (!config.journal.path.empty()) expose_journal_file(out, config.journal.path);
            expose_provider_connections(out, connections.sales().stats());
            listeners.expose(out);
            authenticator.expose(out);
            in_force.expose(out);
            expose_closes(out, day_books.last_made(), clock.wall());
            expose_findings(out, reconciler.open_findings());
            expose_statements(out, reconciler.refused(), reconciler.last_read(), clock.wall());
            expose_process(out, process_use(), started.wall());
            expose_build(out, {{"version", version()},
                               {"sqlite", sqlite3_libversion()},
                               {"openssl", OpenSSL_version(OPENSSL_VERSION_STRING)}});
        },
        clock);
    OperatorStatusApi operator_status_api(
        health, seller, journal, token_keeper, attention, terminals, day_books,
        [&listeners] { return listeners.hammering(); }, std::string(version()), clock);
    StatementsApi statements_api(reconciler, provider_list, sale_inquiry, journal, clock);
    FindingsApi findings_api(reconciler, journal);
    AttentionApi attention_api(journal, seller, config.provider.open_sales_end, config.provider_phone);
    LatencyApi latency_api(metrics, journal, clock);
    TerminalListApi terminal_list_api(terminals, authenticator.seen(), journal, clock);
    HostApi host_api(
        {.version = std::string(version()), .journal = place_of_journal(config.journal), .config = config_path},
        listeners.certificate_watch(), in_force, journal, token_keeper, clock);
    OpenapiApi openapi_api = make_openapi();

    // These are the console: who is signed in, and what the pages are told of.
    PasswordWorker password_worker(executor, clock);
    SignIn sign_in(
        executor,
        {.tls = config.listen.tls_of_console().has_value(),
         .operators = config.operators,
         .store = {.version = std::string(version()),
                   .timezone = config.store.timezone,
                   .zone = config.store.zone,
                   .help = config.help,
                   .open_sales_end = config.provider.open_sales_end,
                   .provider_phone = config.provider_phone,
                   .letterhead = config.store.letterhead,
                   .colour = config.colour}},
        [&password_worker](PasswordHash hash, Secret password) {
            return password_worker.check(std::move(hash), std::move(password));
        },
        [&listeners] { return listeners.console(); },
        [&journal](const SessionChanges& changed) { return journal.change_sessions(changed); }, clock, random, log);
    Changes changes(
        Ulid::make(started.wall(), random).str(),
        [&] {
            return versions({journal, attention, metrics, day_books, reconciler, health, token_keeper});
        },
        clock);
    EventStreams event_streams(changes, sign_in, clock);
    AuthorityApi authority_api([&listeners] { return listeners.authority_of_console(); });

    // These go on without a call, or handle what comes from outside.
    Housekeeping housekeeping(journal, attention, driver.rules(), config.journal.retention, clock, log);
    Supervision supervision(systemd, health, attention, journal, clock);
    Lifecycle lifecycle(context, config, config_path,
                        {.systemd = systemd,
                         .seller = seller,
                         .options_cache = options_cache,
                         .proxy_api = proxy_api,
                         .connections = connections,
                         .listeners = listeners},
                        in_force, clock, log);
    lifecycle.reloads(token_store, &Config::provider);
    lifecycle.reloads(token_keeper, &Config::provider);
    lifecycle.reloads(terminals, &Config::callers);
    lifecycle.reloads(sign_in, &Config::operators);
    lifecycle.reloads(options_api, &Config::products);
    lifecycle.reloads(log, &Config::log);

    // Here the gateway starts. The listeners are opened first, so that an address in use stops it before any sale is
    // taken up.
    raise_descriptor_limit();
    const Parts parts(sell_api, sales_api, options_api, proxy_api, status_api, callbacks_api, totals_api, closes_api,
                      admin_api, metrics_page, operator_status_api, statements_api, findings_api, attention_api,
                      latency_api, terminal_list_api, host_api, openapi_api, sign_in, event_streams, authority_api);
    listeners.open(
        config.listen, systemd,
        make_routers(parts,
                     {.authenticator = authenticator, .operator_status = operator_status_api, .sign_in = sign_in},
                     config.listen));
    if (auto* const chain = journal.chain()) {
        asio::co_spawn(context, chain->keep_lease(), asio::detached);
        chain->when_a_command_is_forwarded([&seller] { seller.look_for_commands(); });
    }

    // New sales are taken as soon as the open ones are known, before any of them is settled.
    or_throw_unreadable(finish(context, attention.look()));  // comes first, so that what was marked before is not new
    (void)finish(context, journal.probe());  // before anybody is told that it can be written: so far it was only read
    (void)finish(context,
                 host_check.look_around());  // before anybody is told how the gateway is, of a full disk too
    const auto adopted = or_throw_unreadable(finish(context, seller.adopt_unfinished()));
    health.set_recovered();
    if (listeners.console()) sign_in.take(finish(context, journal.load_sessions()));
    log.info("recovery.begun",
             "open sales found in the journal, which are carried on: {openSales}[; open sales that cannot be read, "
             "and are not carried on: {unreadableSales}]",
             {{"openSales", adopted.sales}, {"unreadableSales", adopted.unreadable}});
    token_keeper.start();
    asio::co_spawn(context, lifecycle.watch_signals(), asio::detached);
    housekeeping.start(executor);
    day_books.start(executor);
    reconciler.start(executor);
    if (!config.statement.folder.empty()) statement_folder.start(executor);
    provider_list.start(executor);
    sale_inquiry.start(executor);
    listeners.start();
    log.info("started",
             "sales-gateway {version} has started on the journal {file}; times are the store's (UTC{utcOffset})",
             {{"version", version()},
              {"file", place_of_journal(config.journal)},
              {"utcOffset", local_offset(clock.wall())}});
    supervision.ready();
    asio::co_spawn(context, provider.keep_looking(), asio::detached);
    asio::co_spawn(context, host_check.keep_looking(), asio::detached);
    asio::co_spawn(context, seller.keep_adopting(), asio::detached);
    supervision.start(executor);
    context.run();
    log.info("stopped", "sales-gateway has stopped");
    return 0;
}

std::string openapi_document(std::string_view listener) {
    return make_openapi().document(listener == "terminals" ? on_terminals : on_admin);
}

std::string_view version() {
    return GATEWAY_VERSION;
}

}  // namespace gateway
