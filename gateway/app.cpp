#include "app.hpp"

#include "api/admin.hpp"
#include "api/authenticator.hpp"
#include "api/callbacks.hpp"
#include "api/openapi.hpp"
#include "api/options.hpp"
#include "api/proxy.hpp"
#include "api/request_rules.hpp"
#include "api/sales.hpp"
#include "api/sell.hpp"
#include "api/terminals.hpp"
#include "base/journald_log.hpp"
#include "base/process.hpp"
#include "base/system.hpp"
#include "config/reload.hpp"
#include "flow/attention_list.hpp"
#include "flow/driver.hpp"
#include "flow/housekeeping.hpp"
#include "flow/options_cache.hpp"
#include "flow/seller.hpp"
#include "http/client/https_client.hpp"
#include "http/server/server.hpp"
#include "journal/sqlite_journal.hpp"
#include "part_options.hpp"
#include "provider/provider.hpp"
#include "provider/token_keeper.hpp"
#include "supervision.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <stdexcept>

namespace gateway {
namespace {

namespace asio = boost::asio;

// How often a stop looks whether the sales have reached a safe point.
constexpr Duration drain_look{20};
// For answers to be taken, once the sales have let go.
constexpr Duration drain_answers{2'000};

std::unique_ptr<Log> make_log(const Clock& clock, const LogConfig& config, const Systemd& systemd) {
    if (const auto journal = systemd.journald_socket(STDOUT_FILENO))
        return make_journald_log(clock, config.format, config.level, *journal);
    return make_stdout_log(clock, config.format, config.level,
                           systemd.reads(STDOUT_FILENO) ? LogPrefix::priority : LogPrefix::none);
}

// Without which there is no start.
template <class T>
T or_throw(boost::system::result<T, std::string> made) {
    if (made.has_error()) throw std::runtime_error(made.error());
    return std::move(*made);
}

class App {
  public:
    App(const Config& config, std::string config_path, Systemd& systemd)
        : config_(config),
          config_path_(std::move(config_path)),
          systemd_(systemd),
          clock_(context_.get_executor()),
          log_(make_log(clock_, config.log, systemd)),
          journal_(
              or_throw(SqliteJournal::open(context_.get_executor(), journal_options(config.journal, random_), clock_))),
          tls_(or_throw(tls_client(config.provider))),
          sales_transport_(context_.get_executor(),
                           transport_options(config.provider, config.provider.base_url, "provider", tls_), clock_,
                           random_, *log_),
          token_transport_(context_.get_executor(),
                           transport_options(config.provider, config.provider.auth_url, "token service", tls_), clock_,
                           random_, *log_),
          tokens_(context_.get_executor(), token_options(config.provider), token_transport_, clock_, random_, *log_,
                  kept_token(), [this](const std::optional<Token>& token) { return save_token(token); }),
          provider_(provider_options(config.provider), sales_transport_, tokens_, clock_),
          attention_(*journal_, *log_, metrics_),
          driver_(context_.get_executor(), rules_of_law(config, provider_), *journal_, provider_, clock_, random_,
                  *log_, metrics_, attention_),
          seller_(context_.get_executor(), {.in_flight = static_cast<std::size_t>(config.limits.in_flight)}, driver_,
                  *journal_, clock_, random_, *log_, metrics_),
          cache_(context_.get_executor(),
                 {.ttl = config.cache.options, .query_timeout = config.provider.request_timeout}, provider_, clock_,
                 *log_),
          terminals_(terminals_of(config)),
          authenticator_({.certificates = !config.listen.client_ca.empty()}, terminals_, clock_, *log_),
          sell_api_({.sell_wait = config.limits.sell_wait, .per_terminal_rate = config.limits.per_terminal_rate},
                    driver_.rules(), seller_, cache_, terminals_, clock_),
          sales_api_({.settle_wait = config.limits.sell_wait}, seller_, *journal_, terminals_, clock_),
          options_api_({.wait = config.provider.request_timeout}, cache_, terminals_, clock_),
          proxy_api_({.allow = config.proxy.allow, .timeout = config.provider.request_timeout}, provider_, terminals_,
                     clock_),
          callbacks_api_(seller_, *journal_, clock_, *log_),
          admin_api_(
              seller_, *journal_, tokens_, attention_, metrics_, [this](Exposition& out) { expose_connections(out); },
              clock_),
          housekeeping_(*journal_, attention_, config.journal.retention, clock_, *log_),
          supervision_(systemd, admin_api_, attention_, *journal_, clock_) {}

    int serve();

  private:
    template <class T>
    T finish(asio::awaitable<T> work);
    std::optional<Token> kept_token();
    asio::awaitable<void> save_token(const std::optional<Token>& token);
    void expose_connections(Exposition& out) const;

    http::Router terminal_routes();
    http::Router callback_routes();
    http::Router admin_routes();
    std::unique_ptr<http::Server> listen(std::string name, const Endpoint& endpoint, std::optional<http::TlsFiles> tls,
                                         http::Router router);

    void adopt();
    void open_listeners();
    void start(std::string_view name, http::Server* server);
    asio::awaitable<void> watch_signals();
    asio::awaitable<void> stop();
    void reload();

    // In the order in which they need each other. The context outlives all of them: what is still under way at the end
    // is destroyed with it, and looks at nothing else then.
    const Config config_;
    const std::string config_path_;
    Systemd& systemd_;
    asio::io_context context_{1};
    SystemRandom random_;
    SystemClock clock_;
    std::unique_ptr<Log> log_;
    Metrics metrics_;
    std::unique_ptr<Journal> journal_;
    std::shared_ptr<const http::TlsClient> tls_;
    http::HttpsClient sales_transport_;
    http::HttpsClient token_transport_;
    TokenKeeper tokens_;
    Provider provider_;
    AttentionList attention_;
    Driver driver_;
    Seller seller_;
    OptionsCache cache_;
    Terminals terminals_;
    Authenticator authenticator_;
    SellApi sell_api_;
    SalesApi sales_api_;
    OptionsApi options_api_;
    ProxyApi proxy_api_;
    CallbacksApi callbacks_api_;
    AdminApi admin_api_;
    Housekeeping housekeeping_;
    Supervision supervision_;
    std::unique_ptr<http::Server> terminal_listener_;
    std::unique_ptr<http::Server> callback_listener_;
    std::unique_ptr<http::Server> admin_listener_;
};

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

std::optional<Token> App::kept_token() {
    auto kept = finish(journal_->load_token());
    if (kept.has_error()) throw std::runtime_error("the journal cannot be read: " + kept.error().message());
    if (!*kept) return std::nullopt;
    if ((*kept)->owner != token_owner(config_.provider, (*kept)->access, (*kept)->refresh)) {
        log_->info("token.not_used", {{"detail", "it was given for another address, other credentials or scopes"}});
        return std::nullopt;
    }
    return Token{.access = (*kept)->access,
                 .refresh = (*kept)->refresh,
                 .obtained_at = (*kept)->obtained_at,
                 .expires_at = (*kept)->expires_at};
}

asio::awaitable<void> App::save_token(const std::optional<Token>& token) {
    std::optional<KeptToken> kept;
    if (token)
        kept = KeptToken{.access = token->access,
                         .refresh = token->refresh,
                         .obtained_at = token->obtained_at,
                         .expires_at = token->expires_at,
                         .owner = token_owner(config_.provider, token->access, token->refresh)};
    const auto saved = co_await journal_->save_token(kept);
    if (saved.has_error()) log_->warn("token.not_kept", {{"detail", saved.error().message()}});
}

void App::expose_connections(Exposition& out) const {
    const auto stats = sales_transport_.stats();
    const auto sample = [&out](std::string_view name, std::string_view type, std::string_view help, auto value) {
        out.metric(name, type, help);
        out.sample(static_cast<double>(value));
    };
    sample("gateway_provider_connections", "gauge", "Connections to the provider.", stats.open);
    sample("gateway_provider_connections_idle", "gauge", "Of those, idle ones.", stats.idle);
    sample("gateway_provider_connections_opened_total", "counter", "Connections opened.", stats.opened);
    sample("gateway_provider_handshakes_full_total", "counter", "Full TLS handshakes.", stats.handshakes_full);
    sample("gateway_provider_handshakes_resumed_total", "counter", "Resumed TLS handshakes.", stats.handshakes_resumed);
    sample("gateway_provider_exchanges_reused_total", "counter", "Exchanges on a connection used before.",
           stats.reused);
    sample("gateway_provider_circuit_open", "gauge", "Whether the provider is not tried for a while.",
           stats.circuit == http::Circuit::State::open ? 1 : 0);

    const auto listeners = {std::pair("terminals", terminal_listener_.get()),
                            std::pair("callbacks", callback_listener_.get()),
                            std::pair("admin", admin_listener_.get())};
    out.metric("gateway_http_connections", "gauge", "Open connections, by listener.");
    for (const auto& [name, listener] : listeners)
        if (listener != nullptr) out.sample(static_cast<double>(listener->connections()), {{"listener", name}});
    out.metric("gateway_http_answers_total", "counter", "Answers, by listener and status.");
    for (const auto& [name, listener] : listeners) {
        if (listener == nullptr) continue;
        for (const auto& [status, count] : listener->answers())
            out.sample(static_cast<double>(count), {{"listener", name}, {"status", fmt::format_int(status).c_str()}});
    }
}

http::Router App::terminal_routes() {
    http::Router router;
    sell_api_.add_to(router);
    sales_api_.add_to_terminals(router);
    options_api_.add_to(router);
    proxy_api_.add_to(router);
    add_openapi(router, terminals_openapi());
    router.set_filter([this](http::Request& request, const http::Handler& next) {
        return authenticator_.authenticate(request, next);
    });
    return router;
}

http::Router App::callback_routes() {
    http::Router router;
    callbacks_api_.add_to(router);
    return router;
}

http::Router App::admin_routes() {
    http::Router router;
    admin_api_.add_to(router);
    sales_api_.add_to_admin(router);
    add_openapi(router, admin_openapi());
    return router;
}

std::unique_ptr<http::Server> App::listen(std::string name, const Endpoint& endpoint, std::optional<http::TlsFiles> tls,
                                          http::Router router) {
    http::ServerOptions options;
    options.name = std::move(name);
    options.endpoint = endpoint;
    options.descriptor = systemd_.take_socket(options.name);
    options.tls = std::move(tls);
    options.connections_per_address = static_cast<std::size_t>(config_.limits.connections_per_address);
    // The provider's callbacks and a person's notes are as long as they are, whatever a terminal may send.
    if (options.name == "terminals") options.body_limit = static_cast<std::size_t>(config_.limits.body);
    auto server =
        std::make_unique<http::Server>(context_.get_executor(), options, std::move(router), clock_, random_, *log_);
    return server;
}

// Start-up takes new sales as soon as the open ones are known, not resolved.
void App::adopt() {
    const auto readable = [](const auto& result) {
        if (result.has_error()) throw std::runtime_error("the journal cannot be read: " + result.error().message());
    };
    readable(finish(attention_.look()));  // first, so that what was marked before is not taken for new
    const auto adopted = finish(seller_.adopt_unfinished());
    readable(adopted);
    admin_api_.set_recovered();
    log_->info("recovery.begun", {{"openSales", *adopted}});
}

void App::open_listeners() {
    terminal_listener_ =
        listen("terminals", config_.listen.terminals, tls_of_terminals(config_.listen), terminal_routes());
    if (config_.listen.callbacks)
        callback_listener_ =
            listen("callbacks", *config_.listen.callbacks, tls_of_callbacks(config_.listen), callback_routes());
    admin_listener_ = listen("admin", config_.listen.admin, std::nullopt, admin_routes());
    // Whoever holds such a socket open lets callers in whom nobody will ever answer.
    for (const auto& name : systemd_.sockets())
        throw std::runtime_error(fmt::format(
            "a socket named \"{}\" was passed, and no listener is to have it: FileDescriptorName= must be terminals, "
            "admin, or, where listen.callbacks is set, callbacks, each for one ListenStream=",
            name));
}

// Says where, because port 0 takes a free one.
void App::start(std::string_view name, http::Server* server) {
    if (server == nullptr) return;
    server->start();
    const auto endpoint = server->endpoint();
    log_->info("listening",
               {{"listener", name}, {"address", endpoint.address().to_string()}, {"port", endpoint.port()}});
}

int App::serve() {
    raise_descriptor_limit();
    open_listeners();  // an address that is taken is found out before anything is carried on
    adopt();
    tokens_.start();
    asio::co_spawn(context_, watch_signals(), asio::detached);
    housekeeping_.start(context_.get_executor());
    start("terminals", terminal_listener_.get());
    start("callbacks", callback_listener_.get());
    start("admin", admin_listener_.get());
    log_->info("started", {{"version", version()}, {"journal", config_.journal.path}});
    systemd_.ready();
    asio::co_spawn(context_, supervision_.feed_watchdog(), asio::detached);
    asio::co_spawn(context_, supervision_.tell_status(), asio::detached);
    context_.run();
    log_->info("stopped");
    return 0;
}

asio::awaitable<void> App::watch_signals() {
    asio::signal_set signals(context_, SIGTERM, SIGINT, SIGHUP);
    let_in(SIGHUP);  // held back since the configuration was read
    bool stopping = false;
    while (true) {
        const int signal = co_await signals.async_wait(asio::use_awaitable);
        if (signal == SIGHUP) {
            systemd_.reloading(clock_.now());
            reload();
            systemd_.ready();
        } else if (!std::exchange(stopping, true)) {
            asio::co_spawn(context_, stop(), asio::detached);
        } else {
            context_.stop();  // told twice: at once; the journal knows what is left
        }
    }
}

// Takes no more sales, lets running ones reach a last word, answers everybody, and lets go. What is not settled then is
// taken up again at the next start.
asio::awaitable<void> App::stop() {
    const auto until = clock_.now() + config_.limits.drain;
    seller_.stop_taking();
    systemd_.stopping();
    log_->info("stopping", {{"openSales", seller_.under_way()}, {"undecided", seller_.undecided()}});
    while (seller_.undecided() > 0 && clock_.now() < until)
        co_await clock_.sleep_for(drain_look);
    seller_.hurry();
    cache_.hurry();
    proxy_api_.hurry();
    terminal_listener_->drain();
    if (callback_listener_) callback_listener_->drain();
    admin_listener_->drain();
    const auto last = clock_.now() + drain_answers;
    co_await terminal_listener_->drained(last);
    if (callback_listener_) co_await callback_listener_->drained(last);
    context_.stop();
}

void App::reload() {
    auto reading = load_config(config_path_);
    for (const auto& problem : reading.errors)
        log_->error("reload.error", {{"detail", to_string(problem, config_path_)}});
    for (const auto& problem : reading.warnings)
        log_->warn("reload.warning", {{"detail", to_string(problem, config_path_)}});
    const auto refuse = [&] {
        log_->error("reload.refused", {{"detail", "the configuration that was read before stays in force"}});
    };
    if (!reading.config) return refuse();
    const auto taken = take_over(config_, *reading.config);
    if (taken.has_error()) {
        log_->error("reload.error", {{"detail", to_string(taken.error(), config_path_)}});
        return refuse();
    }
    const auto tls = tls_client(taken->provider);
    if (tls.has_error()) {
        log_->error("reload.error", {{"detail", tls.error()}});
        return refuse();
    }
    if (*tls) {
        sales_transport_.use(*tls);
        token_transport_.use(*tls);
    }
    terminals_.replace(terminals_of(*taken));
    log_->set_level(taken->log.level);
    // Each says itself what is wrong, and goes on with the old one.
    if (const auto files = tls_of_terminals(taken->listen)) (void)terminal_listener_->reload_tls(*files);
    if (const auto files = tls_of_callbacks(taken->listen); files && callback_listener_)
        (void)callback_listener_->reload_tls(*files);
    if (const auto waiting = waiting_keys(*taken, *reading.config); !waiting.empty())
        log_->warn("reload.needs_restart",
                   {{"keys", fmt::format("{}", fmt::join(waiting, ", "))},
                    {"detail", "the file has other values for these keys; they are used after a restart"}});
    log_->info("reload.done", {{"terminals", taken->terminals.size()}});
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
