// `sales-gateway probe` becomes this program, which has its options, and the exit code that says how it went. It puts
// the probe together, from the configuration and the command line to the files that it leaves.
#include "app/journal_tools.hpp"
#include "base/json_members.hpp"
#include "base/process.hpp"
#include "base/system.hpp"
#include "base/wall_time.hpp"
#include "commands/usage.hpp"
#include "config/config.hpp"
#include "config/files.hpp"
#include "http/server/server.hpp"
#include "probe/probe.hpp"
#include "probe/records.hpp"
#include "probe/report.hpp"
#include "provider/connections.hpp"

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace gateway;
namespace json = boost::json;

struct ProbeArguments {
    std::string config = usual_config;
    probe::Arguments trials;
    std::string folder = "homologacao";
    bool revisit = false;
    std::string card;
    std::string cpf;
    std::string consumidor_file;
    std::string statement_file;
};

// The program ends with one of these.
enum class ProbeEnd {
    consistent = 0,  // all that was looked for is answered, and fits
    questions = 1,   // something contradicts the configuration, or was not answered
    failed = 2,      // it could not run, or not to its end
};

// A person writes no more about a customer.
constexpr std::size_t most_consumidor = 64UL * 1024;
// A day of one store's has no more bytes; reconcile looks at a larger one.
constexpr std::size_t most_statement = 64UL * 1024 * 1024;

constexpr auto question_before_selling =
    "Com --level sell, uma venda de cada família é CONFIRMADA no ambiente de homologação. Continuar? [sim/não] ";

using probe::Failed;

template <class T>
T value_of(boost::system::result<T, std::string> result, const std::string& before = {}) {
    if (result.has_error()) throw Failed(before + result.error());
    return std::move(*result);
}

Config read_configuration(const std::string& path) {
    auto reading = load_config(path);
    print(std::cerr, "warning", reading.warnings, path);
    print(std::cerr, "error", reading.errors, path);
    if (!reading.config) throw Failed("a configuração não serve");
    if (reading.config->provider.environment != "homologation")
        throw Failed("o ensaio só roda com provider.environment = \"homologation\", e com os endereços de lá");
    if (reading.config->provider.estabelecimento.empty())
        throw Failed("falta provider.estabelecimento, por quem o ensaio pede");
    if (auto who = gateway_on_journal(reading.config->journal); !who.empty())
        throw Failed(who + ": um ensaio não roda ao lado de um gateway que vende");
    return std::move(*reading.config);
}

probe::Customer read_customer(const ProbeArguments& arguments) {
    probe::Customer customer;
    if (!arguments.card.empty()) customer["numeroCartao"] = arguments.card;
    if (!arguments.cpf.empty()) customer["cpf"] = arguments.cpf;
    const auto& file = arguments.consumidor_file;
    if (file.empty()) return customer;
    const auto root = probe::object_of(value_of(read_file(file, most_consumidor), file + " "));
    for (const auto* name : {"consumidor", "endereco"}) {
        const auto* given = object_in(root, name);
        if (given == nullptr || given->empty())
            throw Failed(file + " não é um objeto JSON com consumidor e endereco, como um terminal os envia");
        customer[name] = *given;
    }
    return customer;
}

// The file is there whole, or as it was: it is written beside its place first.
bool write_file(const std::string& path, const std::string& text) {
    const auto beside = path + ".new";
    std::ofstream file(beside, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    constexpr mode_t owner_only = 0600;
    return file && ::chmod(beside.c_str(), owner_only) == 0 && ::rename(beside.c_str(), path.c_str()) == 0;
}

void print_entries(std::string_view title, const std::vector<probe::Entry>& entries) {
    if (!entries.empty()) std::cerr << title << '\n';
    for (const auto& line : probe::lines_of(entries))
        std::cerr << "  " << line << '\n';
}

// Opens a file of the probe's. One that cannot be gone on with is set aside and noted in `aside`, and a new one begun:
// what an earlier run left open is cancelled all the same.
template <class Part, class... Parts>
std::unique_ptr<Part> open_or_begin(std::vector<probe::Fact>& aside, const std::string& path, Parts&&... parts) {
    try {
        return std::make_unique<Part>(path, parts...);
    } catch (const Failed& failed) {
        const auto name = probe::set_aside(path);
        if (!name) throw;
        aside.push_back({"posto de lado: " + *name, failed.what()});
        std::cerr << "warning: " << failed.what() << "; foi posto de lado como " << *name << '\n';
    }
    return std::make_unique<Part>(path, parts...);
}

// Prints what may be open.
void print_open(const probe::Ledger& ledger) {
    print_entries("vendas que ficaram EFETIVADAS:", ledger.sold_sales());
    const auto open = ledger.open_sales();
    if (open.empty()) std::cerr << "nenhuma venda pode estar em aberto\n";
    print_entries("vendas que podem estar em aberto:", open);
}

// Puts everything of one run together.
class Run {
  public:
    // Throws Failed where it cannot begin.
    Run(const ProbeArguments& arguments, const Config& config, boost::asio::io_context& context, Clock& clock,
        probe::Ledger& ledger)
        : arguments_(arguments), config_(config), context_(context), clock_(clock), ledger_(ledger) {
        for (const auto& [name, text] : aside_)
            book_->fact(name, text);
        listen();
    }

    ProbeEnd run(probe::Customer customer, std::string statement) {
        auto setting = make_setting(std::move(customer), std::move(statement));
        boost::asio::co_spawn(context_, watch_signals(), boost::asio::detached);
        const auto outcome = run_trials(setting, arguments_.revisit);
        if (outcome.ending != probe::Ending::too_early) return finish(outcome.why);
        std::cerr << "error: " << outcome.why << '\n';
        return ProbeEnd::failed;
    }

  private:
    void listen() {
        if (!config_.takes_callbacks() || arguments_.trials.level != probe::Level::sell) return;
        http::Router router;
        for (const bool recharge : {false, true})
            router.add(http::verb::post,
                       recharge ? "/callbacks/esim/{secret}/recharge" : "/callbacks/esim/{secret}/sale",
                       [this, recharge](http::Request& request) { return take(request, recharge); });
        http::ServerOptions options;
        options.name = "callbacks";
        options.endpoint = *config_.listen.callbacks;
        options.tls = config_.listen.tls_of_callbacks();
        callbacks_.emplace(context_.get_executor(), std::move(options), std::move(router), clock_, random_, log_);
        callbacks_->start();
    }

    boost::asio::awaitable<http::Response> take(http::Request& request, bool recharge) {
        const int status = receiver_.take(request.parameter("secret"), recharge, request.body);
        transcript_->add({{"what", "callback"},
                          {"recharge", recharge},
                          {"body", mask_.body("application/json", request.body)},
                          {"answered", status}});
        http::Response response;
        response.status = static_cast<http::status>(status);
        response.content_type = "";
        co_return response;
    }

    probe::Setting make_setting(probe::Customer customer, std::string statement) {
        const auto& provider = config_.provider;
        probe::Setting setting{.bench = bench_,
                               .book = *book_,
                               .mask = mask_,
                               .log = log_,
                               .config = config_,
                               .arguments = arguments_.trials,
                               .customer = std::move(customer),
                               .receiver = callbacks_ ? &receiver_ : nullptr,
                               .opened = [this] { return connections_.sales().stats().opened; },
                               .statement = std::move(statement),
                               .say = [this](const std::string& line) { say(line); },
                               .begins = [this](const std::string& title) { show(title); },
                               .keep_sample = [this](const auto& name, const auto& text) { keep(name, text); }};
        if (provider.proxy.empty())
            setting.peers = {{"vendas", static_cast<const http::Origin&>(provider.base_url), tls_, &seen_provider_},
                             {"token", static_cast<const http::Origin&>(provider.auth_url), tls_, &seen_tokens_}};
        return setting;
    }

    void drive(const std::function<bool()>& is_over) {
        while (!is_over() && context_.run_one() > 0)
            if (stopped_at_once_) throw Failed("");
    }

    // The first signal lets the exchange end that is under way, and takes back what was authorised.
    boost::asio::awaitable<void> watch_signals() {
        boost::asio::signal_set signals(context_, SIGINT, SIGTERM);
        co_await signals.async_wait(boost::asio::use_awaitable);
        bench_.stop("interrompido");
        std::cerr << "interrompido: cancelando o que foi autorizado; mais uma vez para de imediato\n";
        co_await signals.async_wait(boost::asio::use_awaitable);
        std::cerr << "parado de imediato; o próximo ensaio na mesma pasta cancela o que ficou\n";
        stopped_at_once_ = true;
    }

    // Shows a running line, which the result takes the place of.
    void show(const std::string& title) const {
        if (on_terminal_) std::cerr << "\r\x1b[K" << title << " …" << std::flush;
    }
    void say(const std::string& line) const {
        std::cerr << (on_terminal_ ? "\r\x1b[K" : "") << mask_.text(line) << '\n';
    }

    void keep(const std::string& name, const std::string& text) const {
        const auto folder = arguments_.folder + "/samples";
        constexpr mode_t owner_folder = 0700;
        ::mkdir(folder.c_str(), owner_folder);
        write_file(folder + "/" + name, text + "\n");
    }

    ProbeEnd finish(const std::string& interrupted) {
        const probe::Report report{.version = GATEWAY_VERSION,
                                   .level = arguments_.trials.level,
                                   .at = clock_.wall(),
                                   .interrupted = interrupted,
                                   .transcript_lines = transcript_->size(),
                                   .transcript_digest = transcript_->last_digest(),
                                   .open = ledger_.open_sales(),
                                   .sold = ledger_.sold_sales(),
                                   .points = probe::point_reports(*book_, config_, arguments_.trials.level)};
        const auto place = arguments_.folder + "/report";
        const bool written =
            write_file(place + ".md", mask_.text(report_markdown(report, *book_, config_))) &&
            write_file(place + ".json", mask_.text(json::serialize(report_json(report, *book_))) + "\n");
        print_open(ledger_);
        for (const auto& line : probe::proposed_lines(report.points))
            std::cout << line << '\n';
        if (!written)
            std::cerr << "error: o relatório não pôde ser escrito em " << arguments_.folder << '\n';
        else
            std::cerr << "relatório: " << place << ".md\n";
        if (!interrupted.empty()) std::cerr << "error: " << interrupted << '\n';
        if (!interrupted.empty() || !written) return ProbeEnd::failed;
        return probe::all_answered(report.points) ? ProbeEnd::consistent : ProbeEnd::questions;
    }

    const ProbeArguments& arguments_;
    const Config& config_;
    const bool on_terminal_ = isatty(STDERR_FILENO) == 1;
    boost::asio::io_context& context_;
    Clock& clock_;
    probe::Ledger& ledger_;
    SystemRandom random_;
    probe::Mask mask_;
    probe::TrialLog log_{clock_, mask_};
    std::vector<probe::Fact> aside_;  // the files that were set aside
    const std::unique_ptr<probe::Transcript> transcript_ =
        open_or_begin<probe::Transcript>(aside_, arguments_.folder + "/transcript.jsonl", clock_, mask_);
    const std::unique_ptr<probe::Notebook> book_ =
        open_or_begin<probe::Notebook>(aside_, arguments_.folder + "/notebook.jsonl", clock_);
    const Connections::Tls tls_ = value_of(Connections::read_tls(config_.provider));
    // The trial of idle connections needs one as long as this.
    Connections connections_{context_.get_executor(), config_.provider, tls_, clock_, random_, log_,
                             std::chrono::seconds(60)};
    probe::TranscriptClient seen_provider_{connections_.sales(), *transcript_, "provider"};
    probe::TranscriptClient seen_tokens_{connections_.tokens(), *transcript_, "token_service"};
    probe::CallbackReceiver receiver_{clock_};
    std::optional<http::Server> callbacks_;
    bool stopped_at_once_ = false;
    probe::Bench bench_{config_.provider,
                        config_.sale.late_arrival,
                        {.executor = context_.get_executor(),
                         .provider = seen_provider_,
                         .tokens = seen_tokens_,
                         .transcript = *transcript_,
                         .clock = clock_,
                         .random = random_,
                         .log = log_,
                         .ledger = ledger_,
                         .drive = [this](const auto& is_over) { drive(is_over); }}};
};

ProbeEnd run_probe(const ProbeArguments& arguments) {
    let_writes_fail();  // a full disk is an answer, and not the end
    boost::asio::io_context context{1};
    SystemClock clock{context.get_executor()};
    std::optional<probe::Ledger> ledger;
    // Whatever happened, we list the sales that may be open.
    try {
        const auto config = read_configuration(arguments.config);
        auto customer = read_customer(arguments);
        const auto& file = arguments.statement_file;
        auto statement = file.empty() ? std::string() : value_of(read_file(file, most_statement), file + " ");
        const bool sells = arguments.trials.level == probe::Level::sell && !arguments.revisit;
        if (sells && !confirmed(question_before_selling)) throw Failed("nada foi feito");
        ledger.emplace(arguments.folder, clock);
        Run run(arguments, config, context, clock, *ledger);
        return run.run(std::move(customer), std::move(statement));
    } catch (const std::exception& error) {
        if (ledger) print_open(*ledger);
        if (*error.what() != '\0') std::cerr << "error: " << error.what() << '\n';
        return ProbeEnd::failed;
    }
}

// --- the command line ---

std::vector<std::string> words_of_families() {
    std::vector<std::string> words;
    words.reserve(all_families.size());
    for (const auto family : all_families)
        words.emplace_back(to_string(family));
    return words;
}

void add_options(CLI::App& app, ProbeArguments& arguments) {
    auto& trials = arguments.trials;
    const auto add = [&app](const char* name, auto& value, const std::string& says, const char* type) {
        return app.add_option(name, value, says)->type_name(type);
    };
    add("--config", arguments.config, "The configuration of the test environment", "FILE")
        ->default_str(usual_config)
        ->take_last();
    app.add_option_function<std::string>(
           "--level",
           [&trials](const std::string& word) { trials.level = probe::parse_level(word).value_or(probe::Level::look); },
           "look asks for no sale; authorise cancels every one; sell makes one of each family")
        ->type_name("LEVEL")
        ->check(CLI::IsMember({"look", "authorise", "sell"}).description(""))
        ->default_str("look");
    app.add_option_function<std::vector<std::string>>(
           "--family",
           [&trials](const std::vector<std::string>& words) {
               for (const auto& word : words)
                   if (const auto family = parse_family(word)) trials.families.insert(*family);
           },
           "Of these families alone: " + family_names())
        ->type_name("FAMILY")
        ->check(CLI::IsMember(words_of_families()).description(""));
    add("--out", arguments.folder, "The folder for what it writes; one that was begun is gone on with", "DIR")
        ->default_str(arguments.folder);
    app.add_flag("--leave-open", trials.leave_open, "Leave a sale of each family open, to be revisited");
    app.add_option_function<std::string>(
           "--revisit",
           [&arguments](const std::string& folder) {
               arguments.folder = folder;
               arguments.revisit = true;
               arguments.trials.level = probe::Level::authorise;
           },
           "What became of the sales that were left open in this folder, 49 hours later")
        ->type_name("DIR");
    app.add_flag("--may-stay-open", trials.may_stay_open,
                 "Authorise health too, though it is not known how such a sale is cancelled");
    add("--health-cancel-path", trials.health_paths, "Where a cancel of health may be, to be tried", "PATH");
    add("--status-path", trials.status_paths,
        "Where a sale's status may be asked for, with {idExterno} or {idTransacao}", "PATH");
    add("--callback-field", trials.callback_fields,
        "What the notification address of an eSIM may be called, besides the configured name", "NAME");
    add("--card", arguments.card, "transit: the number of a card of the test environment", "NUMBER");
    add("--cpf", arguments.cpf, "tv: a cpf of the test environment", "CPF");
    add("--consumidor", arguments.consumidor_file, "esim: JSON with consumidor and endereco, as a terminal sends them",
        "FILE");
    add("--statement", arguments.statement_file, "A statement of the provider's, to look at its format", "FILE");
}

int run(int argc, char** argv) {
    CLI::App app(what_probe_does, "sales-gateway probe");
    ProbeArguments arguments;
    add_options(app, arguments);
    try {
        app.parse(argc, argv);
        // What it prints is told in the store's time, as what the gateway prints.
        if (const auto zone = load_store_zone(arguments.config)) use_local_zone(*zone);
        return static_cast<int>(run_probe(arguments));
    } catch (const CLI::Success& error) {
        return app.exit(error);
    } catch (const CLI::ParseError& error) {
        return wrong_command_line(app, error);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const int code = run(argc, argv);
    // What could not be written, on a full disk for one, is no result.
    if (std::cout.flush()) return code;
    std::cerr << "error: standard output cannot be written\n";
    return code == static_cast<int>(ProbeEnd::consistent) ? static_cast<int>(ProbeEnd::questions) : code;
}
