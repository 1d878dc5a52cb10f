#include "probe/run.hpp"

#include "base/process.hpp"
#include "base/system.hpp"
#include "config/files.hpp"
#include "http/client/https_client.hpp"
#include "http/server/server.hpp"
#include "journal_tools.hpp"
#include "part_options.hpp"
#include "probe/peer_look.hpp"
#include "probe/probe.hpp"
#include "probe/report.hpp"
#include "probe/statement_look.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <iostream>

namespace gateway {
namespace {

namespace json = boost::json;
using boost::asio::awaitable;

// What a person writes about a customer.
constexpr std::size_t most_consumidor = 64UL * 1024;
// A day of one store's; a larger one is looked at by reconcile.
constexpr std::size_t most_statement = 64UL * 1024 * 1024;

constexpr auto question_before_selling =
    "Com --level sell, uma venda de cada família é CONFIRMADA no ambiente de homologação. Continuar? [sim/não] ";

struct Failed {
    std::string why;
};

// What the wishes and the configuration give before anything is asked for; or why there will be no probe.
boost::system::result<Config, Failed> read_configuration(const ProbeWishes& wishes) {
    auto reading = load_config(wishes.config);
    print(std::cerr, "warning", reading.warnings, wishes.config);
    print(std::cerr, "error", reading.errors, wishes.config);
    if (!reading.config) return Failed{"a configuração não serve"};
    if (reading.config->provider.environment != "homologation")
        return Failed{"o ensaio só roda com provider.environment = \"homologation\", e com os endereços de lá"};
    if (reading.config->provider.estabelecimento.empty())
        return Failed{"falta provider.estabelecimento, por quem o ensaio pede"};
    if (auto who = gateway_on_journal(reading.config->journal); !who.empty())
        return Failed{who + ": um ensaio não roda ao lado de um gateway que vende"};
    return std::move(*reading.config);
}

boost::system::result<probe::Customer, Failed> read_customer(const ProbeWishes& wishes) {
    probe::Customer customer{.card = wishes.card, .cpf = wishes.cpf, .consumidor = {}, .endereco = {}};
    if (wishes.consumidor_file.empty()) return customer;
    const auto text = read_file(wishes.consumidor_file, most_consumidor);
    if (text.has_error()) return Failed{wishes.consumidor_file + " " + text.error()};
    boost::system::error_code malformed;
    const auto value = json::parse(*text, malformed);
    const auto* root = malformed ? nullptr : value.if_object();
    const auto object = [&](std::string_view name) {
        const auto* member = root == nullptr ? nullptr : root->if_contains(name);
        const auto* inner = member == nullptr ? nullptr : member->if_object();
        return inner == nullptr ? json::object() : *inner;
    };
    customer.consumidor = object("consumidor");
    customer.endereco = object("endereco");
    if (customer.consumidor.empty() || customer.endereco.empty())
        return Failed{wishes.consumidor_file +
                      " não é um objeto JSON com consumidor e endereco, como um terminal os envia"};
    return customer;
}

bool write_file(const std::string& path, const std::string& text) {
    // Whole, or as it was: beside it first, and then in its place.
    const auto beside = path + ".new";
    std::ofstream file(beside, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    constexpr mode_t owner_only = 0600;
    return file && ::chmod(beside.c_str(), owner_only) == 0 && ::rename(beside.c_str(), path.c_str()) == 0;
}

probe::BenchOptions bench_options(const Config& config) {
    return {.provider = provider_options(config.provider),
            .tokens = token_options(config.provider),
            .late_arrival = config.sale.late_arrival};
}

// Everything of one run, put together.
class Run {
  public:
    Run(const ProbeWishes& wishes, Config config, probe::Customer customer, std::string version, bool on_terminal)
        : wishes_(wishes),
          config_(std::move(config)),
          customer_(std::move(customer)),
          version_(std::move(version)),
          on_terminal_(on_terminal) {}

    // Why it cannot begin; empty where it can.
    std::string open() {
        auto ledger = probe::Ledger::open(wishes_.folder, clock_);
        if (ledger.has_error()) return ledger.error();
        ledger_ = std::move(*ledger);
        if (auto why = open_files(); !why.empty()) return why;
        auto tls = tls_client(config_.provider);
        if (tls.has_error()) return tls.error();
        tls_ = *tls;
        log_.emplace(clock_, mask_);
        make_clients();
        return listen();
    }

    ProbeEnd run() {
        probe::Setting setting{
            .bench = *bench_, .book = *book_, .wishes = wishes_.trials, .desk = callbacks_ ? &desk_ : nullptr};
        probe::Probe one(setting, {.config = config_,
                                   .customer = customer_,
                                   .log = *log_,
                                   .say = [this](const std::string& line) { say(line); },
                                   .begins = [this](const std::string& title) { show(title); },
                                   .keep_sample = [this](const std::string& name,
                                                         const std::string& text) { return keep(name, text); },
                                   .further = further_trials(),
                                   .mask = mask_});
        std::optional<probe::Ending> ending;
        boost::asio::co_spawn(context_, follow(one, wishes_.revisit, ending), [](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure);
        });
        boost::asio::co_spawn(context_, watch_signals(), boost::asio::detached);
        while (!ending && !stopped_at_once_ && context_.run_one() > 0) {
        }
        if (stopped_at_once_) {
            std::cerr << "parado de imediato; o próximo ensaio na mesma pasta cancela o que ficou\n";
            print_open();
            return ProbeEnd::failed;
        }
        if (*ending == probe::Ending::too_early) {
            std::cerr << "error: " << one.why() << '\n';
            return ProbeEnd::failed;
        }
        return finish(*ending == probe::Ending::done ? "" : one.why());
    }

    // What may be open, for a run that cannot begin or has come to a bad end, too.
    void print_open() const {
        if (!ledger_) return;
        print_entries("vendas que ficaram EFETIVADAS:", ledger_->sold_sales());
        const auto open = ledger_->open_sales();
        if (open.empty()) std::cerr << "nenhuma venda pode estar em aberto\n";
        print_entries("vendas que podem estar em aberto:", open);
    }

  private:
    static void print_entries(std::string_view title, const std::vector<probe::Entry>& entries) {
        if (!entries.empty()) std::cerr << title << '\n';
        for (const auto& line : probe::open_lines(entries))
            std::cerr << "  " << line << '\n';
    }

    // One that cannot be gone on with is set aside, and a new one begun: what an earlier run left open is cancelled all
    // the same.
    template <class Part, class Open>
    std::string open_file(std::unique_ptr<Part>& part, const std::string& name, const Open& open) {
        const auto path = wishes_.folder + "/" + name;
        auto opened = open(path);
        if (opened.has_error()) {
            auto why = opened.error();
            const auto aside = probe::set_aside(path);
            if (!aside) return why;
            aside_.emplace_back(*aside, why);
            std::cerr << "warning: " << why << "; foi posto de lado como " << *aside << '\n';
            opened = open(path);
        }
        if (opened.has_error()) return opened.error();
        part = std::move(*opened);
        return {};
    }

    std::string open_files() {
        auto why = open_file(transcript_, "transcript.jsonl",
                             [this](const std::string& path) { return probe::Transcript::open(path, clock_, mask_); });
        if (!why.empty()) return why;
        why = open_file(book_, "notebook.jsonl",
                        [this](const std::string& path) { return probe::Notebook::open(path, clock_); });
        if (!why.empty()) return why;
        for (const auto& [name, reason] : aside_)
            book_->fact("posto de lado: " + name, reason);
        return {};
    }

    void make_clients() {
        const auto& provider = config_.provider;
        auto options = client_options(provider, provider.base_url, "provider", tls_);
        // As long as the trial of idle connections needs one.
        options.idle_max = std::chrono::seconds(60);
        provider_.emplace(context_.get_executor(), std::move(options), clock_, random_, *log_);
        tokens_.emplace(context_.get_executor(), client_options(provider, provider.auth_url, "token_service", tls_),
                        clock_, random_, *log_);
        seen_provider_.emplace(*provider_, *transcript_, "provider");
        seen_tokens_.emplace(*tokens_, *transcript_, "token_service");
        bench_.emplace(context_.get_executor(), bench_options(config_), *seen_provider_, *seen_tokens_, *transcript_,
                       *ledger_, clock_, random_, *log_);
    }

    std::string listen() {
        if (!config_.can_sell_esim() || wishes_.trials.level != probe::Level::sell) return {};
        http::Router router;
        for (const bool recharge : {false, true})
            router.add(http::verb::post,
                       recharge ? "/callbacks/esim/{secret}/recharge" : "/callbacks/esim/{secret}/sale",
                       [this, recharge](http::Request& request) { return take(request, recharge); });
        http::ServerOptions options;
        options.name = "callbacks";
        options.endpoint = *config_.listen.callbacks;
        options.tls = tls_of_callbacks(config_.listen);
        try {
            callbacks_.emplace(context_.get_executor(), std::move(options), std::move(router), clock_, random_, *log_);
        } catch (const std::exception& error) {
            return error.what();
        }
        callbacks_->start();
        return {};
    }

    awaitable<http::Response> take(http::Request& request, bool recharge) {
        const int status = desk_.take(request.parameter("secret"), recharge, request.body);
        transcript_->add({{"what", "callback"},
                          {"recharge", recharge},
                          {"body", mask_.body("application/json", request.body)},
                          {"answered", status}});
        http::Response response;
        response.status = static_cast<http::status>(status);
        response.content_type = "";
        co_return response;
    }

    std::vector<probe::Trial> further_trials() {
        const auto& provider = config_.provider;
        const auto origin = [](const ServiceUrl& url) {
            return http::Origin{.tls = url.tls, .host = url.host, .port = url.port};
        };
        std::vector<probe::Trial> trials;
        if (provider.proxy.empty())
            trials.push_back(probe::peer_trial(context_.get_executor(), {{"vendas", origin(provider.base_url), tls_},
                                                                         {"token", origin(provider.auth_url), tls_}}));
        else
            trials.push_back(probe::no_peer_trial());
        trials.push_back(probe::keep_alive_trial([this] { return provider_->stats().opened; }));
        if (!wishes_.statement_file.empty())
            if (auto text = read_file(wishes_.statement_file, most_statement))
                trials.push_back(probe::statement_trial(std::move(*text), provider.estabelecimento));
        return trials;
    }

    static awaitable<void> follow(probe::Probe& one, bool revisit, std::optional<probe::Ending>& ending) {
        auto running = one.run(revisit);
        ending = co_await std::move(running);
    }

    // The first signal lets the exchange end that is under way, and takes back what was authorised.
    awaitable<void> watch_signals() {
        boost::asio::signal_set signals(context_, SIGINT, SIGTERM);
        co_await signals.async_wait(boost::asio::use_awaitable);
        bench_->stop("interrompido");
        std::cerr << "interrompido: cancelando o que foi autorizado; mais uma vez para de imediato\n";
        co_await signals.async_wait(boost::asio::use_awaitable);
        stopped_at_once_ = true;
    }

    // A running line, which the result takes the place of.
    void show(const std::string& title) const {
        if (on_terminal_) std::cerr << "\r\x1b[K" << title << " …" << std::flush;
    }
    void say(const std::string& line) const {
        std::cerr << (on_terminal_ ? "\r\x1b[K" : "") << mask_.text(line) << '\n';
    }

    bool keep(const std::string& name, const std::string& text) const {
        const auto folder = wishes_.folder + "/samples";
        constexpr mode_t owner_folder = 0700;
        ::mkdir(folder.c_str(), owner_folder);
        return write_file(folder + "/" + name, text + "\n");
    }

    ProbeEnd finish(const std::string& interrupted) {
        const auto reports = probe::point_reports(*book_, config_, wishes_.trials.level);
        const probe::ReportHead head{.version = version_,
                                     .level = wishes_.trials.level,
                                     .at = clock_.wall(),
                                     .interrupted = interrupted,
                                     .transcript_lines = transcript_->size(),
                                     .transcript_digest = transcript_->last_digest(),
                                     .sold = ledger_->sold_sales()};
        const auto open = ledger_->open_sales();
        const auto& folder = wishes_.folder;
        const bool written =
            write_file(folder + "/report.md",
                       mask_.text(probe::report_markdown(head, reports, *book_, config_, open))) &&
            write_file(folder + "/report.json",
                       mask_.text(json::serialize(probe::report_json(head, reports, *book_, open))) + "\n");
        print_open();
        for (const auto& line : probe::proposed_lines(reports))
            std::cout << line << '\n';
        if (!written)
            std::cerr << "error: o relatório não pôde ser escrito em " << folder << '\n';
        else
            std::cerr << "relatório: " << folder << "/report.md\n";
        if (!interrupted.empty()) std::cerr << "error: " << interrupted << '\n';
        if (!interrupted.empty() || !written) return ProbeEnd::failed;
        return probe::all_answered(reports) ? ProbeEnd::consistent : ProbeEnd::questions;
    }

    const ProbeWishes& wishes_;
    const Config config_;
    const probe::Customer customer_;
    const std::string version_;
    const bool on_terminal_;
    boost::asio::io_context context_{1};
    SystemClock clock_{context_.get_executor()};
    SystemRandom random_;
    probe::Mask mask_;
    std::unique_ptr<probe::Ledger> ledger_;
    std::unique_ptr<probe::Transcript> transcript_;
    std::unique_ptr<probe::Notebook> book_;
    std::vector<std::pair<std::string, std::string>> aside_;  // names of files that were set aside, and why
    std::shared_ptr<const http::TlsClient> tls_;
    std::optional<probe::TrialLog> log_;
    std::optional<http::HttpsClient> provider_;
    std::optional<http::HttpsClient> tokens_;
    std::optional<probe::TranscriptClient> seen_provider_;
    std::optional<probe::TranscriptClient> seen_tokens_;
    probe::CallbackDesk desk_{clock_};
    std::optional<http::Server> callbacks_;
    std::optional<probe::Bench> bench_;
    bool stopped_at_once_ = false;
};

ProbeEnd failed(const std::string& why) {
    std::cerr << "error: " << why << '\n';
    return ProbeEnd::failed;
}

// An exception is no answer about the configuration, and what may be open is listed whatever happened.
ProbeEnd run_to_its_end(Run& run) {
    std::string why;
    try {
        why = run.open();
        if (why.empty()) return run.run();
    } catch (const std::exception& error) {
        why = error.what();
    }
    run.print_open();
    return failed(why);
}

ProbeEnd prepare_and_run(const ProbeWishes& wishes, const std::string& version, bool on_terminal,
                         const std::function<bool(const std::string&)>& confirmed) {
    let_writes_fail();  // a full disk is an answer, and not the end
    auto config = read_configuration(wishes);
    if (config.has_error()) return failed(config.error().why);
    auto customer = read_customer(wishes);
    if (customer.has_error()) return failed(customer.error().why);
    if (!wishes.statement_file.empty())
        if (const auto text = read_file(wishes.statement_file, most_statement); text.has_error())
            return failed(wishes.statement_file + " " + text.error());
    if (wishes.trials.level == probe::Level::sell && !wishes.revisit && !confirmed(question_before_selling))
        return failed("nada foi feito");
    Run run(wishes, std::move(*config), std::move(*customer), version, on_terminal);
    return run_to_its_end(run);
}

}  // namespace

ProbeEnd run_probe(const ProbeWishes& wishes, const std::string& version, bool on_terminal,
                   const std::function<bool(const std::string&)>& confirmed) {
    try {
        return prepare_and_run(wishes, version, on_terminal, confirmed);
    } catch (const std::exception& error) {
        return failed(error.what());
    }
}

}  // namespace gateway
