// sandbox-provider runs the model of the provider, so that a gateway or a terminal can be tried on it.
#include "base/log.hpp"
#include "base/random.hpp"
#include "base/system.hpp"
#include "sandbox/model.hpp"
#include "sandbox/open_points.hpp"
#include "sandbox/outcomes.hpp"
#include "sandbox/seeded_random.hpp"
#include "sandbox/service.hpp"
#include "sandbox/statement_query.hpp"

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>

namespace gateway::sandbox {
namespace {

namespace asio = boost::asio;

struct Arguments {
    Options model;
    ServiceOptions service;
    LogFormat log_format = LogFormat::text;
    LogLevel log_level = LogLevel::info;
    std::optional<std::uint64_t> seed;
};

// This adds an option whose value has to be parsed; `help` may name the default.
template <class Value>
void add_parsed(CLI::App& app, const std::string& name, std::optional<Value> (*parse)(std::string_view), Value& target,
                const std::string& help) {
    const auto take = [name, parse, &target](const std::string& text) {
        const auto value = parse(text);
        if (!value) throw CLI::ValidationError(name, "not understood: " + text);
        target = *value;
    };
    app.add_option_function<std::string>(name, take, help);
}

std::optional<asio::ip::tcp::endpoint> parse_endpoint(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    auto host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    boost::system::error_code bad;
    const auto address = asio::ip::make_address(std::string(host), bad);
    const auto port = parse_duration(text.substr(colon + 1));  // parse_duration takes a bare number as it stands
    if (bad || !port || port->count() > 65535 || text.back() < '0' || text.back() > '9') return std::nullopt;
    return asio::ip::tcp::endpoint(address, static_cast<std::uint16_t>(port->count()));
}

void add_interface_options(CLI::App& app, Options& model) {
    app.add_option("--app-key", model.app_key, "the app-key of the one user (app-key)");
    app.add_option_function<std::string>(
        "--app-secret", [&model](const std::string& text) { model.app_secret = Secret(text); },
        "the app-secret of the one user (app-secret)");
    app.add_option("--estabelecimento", model.estabelecimentos,
                   "an establishment that sells; may be repeated (12345678)");
    add_parsed(app, "--token-lifetime", &parse_duration, model.token_lifetime, "of an access token (5m)");
    add_parsed(app, "--refresh-lifetime", &parse_duration, model.refresh_lifetime, "of a refresh token (24h)");
}

// Returns the text of the file that is named, or the list itself.
std::string personality_text(const std::string& given) {
    if (given.find('=') != std::string::npos) return given;
    std::ifstream file(given);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file) throw CLI::ValidationError("--personality", "the file cannot be read: " + given);
    return text;
}

void take_personality(const std::string& option, const std::string& text, Options& model) {
    if (const auto read = read_personality(text, model); !read) throw CLI::ValidationError(option, read.error());
}

// The options for a whole personality stand before those for single points, which win: options are taken in the order
// of this list.
void add_personality_options(CLI::App& app, Options& model) {
    const auto add = [&](const std::string& name) {
        auto* option = app.add_option_function<std::string>("--" + name, [&model, name](const std::string& value) {
            take_personality("--" + name, name + "=" + value, model);
        });
        option->group("");  // the footer lists all of them, with their alternatives
    };
    app.add_option_function<std::string>(
        "--personality",
        [&model](const std::string& given) { take_personality("--personality", personality_text(given), model); },
        "a file, or NAME=VALUE,NAME=VALUE: see below; random=SEED is one by chance");
    add(std::string(all_open_sales_end));
    for (const auto& point : points())
        add(point.name);
}

void add_time_options(CLI::App& app, Options& model) {
    add_parsed(app, "--slow", &parse_duration, model.slow, "how late a slow answer is (3s)");
    add_parsed(app, "--lost-after", &parse_duration, model.lost_after,
               "how long the connection of a lost answer stays open, silent (0s)");
    add_parsed(app, "--late-arrival", &parse_duration, model.late_arrival, "how late a held request arrives (30s)");
    add_parsed(app, "--callback-delay", &parse_duration, model.callback_delay,
               "from an eSIM sale to its callback (1s)");
    add_parsed(app, "--callback-late", &parse_duration, model.callback_late, "the same for one that is late (30s)");
    app.add_option("--keep", model.keep, "sales in the books; the oldest finished one makes room (100000)")
        ->check(CLI::Range(1, 100'000'000));
}

void add_program_options(CLI::App& app, Arguments& arguments) {
    auto& service = arguments.service;
    add_parsed(app, "--listen", &parse_endpoint, service.endpoint,
               "address and port; port 0 takes a free one (127.0.0.1:8090)");
    service.tls.emplace();
    auto* cert = app.add_option("--tls-cert", service.tls->cert, "certificate chain, PEM: serve HTTPS");
    auto* key = app.add_option("--tls-key", service.tls->key, "its key, PEM");
    cert->needs(key);
    key->needs(cert);
    app.add_option("--callback-ca", service.sender.ca_file, "who signs the certificates of https callback addresses");
    app.add_flag_callback(
        "--callback-insecure", [&service] { service.sender.verify = false; },
        "believe any certificate of an https callback address");
    app.add_option_function<std::uint64_t>(
        "--seed", [&arguments](const std::uint64_t& seed) { arguments.seed = seed; },
        "the same chance in every run: tokens, PINs, all of an identifier but its time");
    add_parsed(app, "--log", &parse_log_format, arguments.log_format, "json or text (text)");
    add_parsed(app, "--log-level", &parse_log_level, arguments.log_level, "debug, info, warn or error (info)");
}

void serve(const Arguments& arguments) {
    // The context is never destroyed: its end would wait for a callback's name look-up, which nothing can cut short.
    static auto& io = *new asio::io_context(1);
    SystemClock clock(io.get_executor());
    std::unique_ptr<Random> chance;
    if (arguments.seed) {
        chance = std::make_unique<SeededRandom>(*arguments.seed);
    } else {
        chance = std::make_unique<SystemRandom>();
    }
    SystemRandom system_chance;  // for what must not depend on the seed: the number of connections
    const auto log = make_stdout_log(clock, arguments.log_format, arguments.log_level);
    Model model(arguments.model, *chance, *log);
    Service service(io.get_executor(), arguments.service, model, clock, system_chance, *log);
    asio::signal_set signals(io, SIGTERM, SIGINT);
    signals.async_wait([](const boost::system::error_code&, int) { io.stop(); });

    const auto& endpoint = service.endpoint();
    fmt::print("sandbox-provider listening on {}://{}{}{}:{}\n", arguments.service.tls ? "https" : "http",
               endpoint.address().is_v6() ? "[" : "", endpoint.address().to_string(),
               endpoint.address().is_v6() ? "]" : "", endpoint.port());
    std::fflush(stdout);
    service.start();
    io.run();
}

int run(int count, char** words) {
    Arguments arguments;
    arguments.service.endpoint = {asio::ip::address_v4::loopback(), 8090};
    CLI::App app("The prepaid sales provider, as a sandbox: its token service, its families and its callbacks.");
    app.set_version_flag("--version", "sandbox-provider " GATEWAY_VERSION);
    app.footer(personality_help() + "\n" + outcomes_text() + "\n" + statement_help() +
               "\nPUT /sandbox/faults makes anything happen at any step; GET /sandbox/personality,"
               " /sandbox/catalogue, /sandbox/transactions and /sandbox/requests show what there is.");
    add_program_options(app, arguments);
    add_interface_options(app, arguments.model);
    add_personality_options(app, arguments.model);
    add_time_options(app, arguments.model);
    CLI11_PARSE(app, count, words);
    if (arguments.service.tls->cert.empty()) arguments.service.tls.reset();
    serve(arguments);
    return 0;
}

}  // namespace
}  // namespace gateway::sandbox

int main(int count, char** words) {
    try {
        return gateway::sandbox::run(count, words);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "sandbox-provider: %s\n", failure.what());
        return 1;
    }
}
