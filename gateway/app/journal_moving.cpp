#include "app/journal_moving.hpp"

#include "app/journal_opening.hpp"
#include "base/system.hpp"
#include "base/told.hpp"
#include "config/config.hpp"
#include "journal/copy/moving.hpp"
#include "journal/copy/place.hpp"
#include "journal/copy/progress_lines.hpp"
#include "words/sentences.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

namespace gateway {
namespace {

using moving::Place;

volatile std::sig_atomic_t stop_wanted = 0;

void want_stop(int) {
    stop_wanted = 1;
}

bool is_url(const std::string& place) {
    return place.starts_with("postgresql:") || place.starts_with("postgres:");
}

// This is a place as it was named, by the command line or by the configuration.
struct Named {
    std::string place;
    std::string password_file;
};

// Both places are opened with these.
struct Program {
    boost::asio::io_context io{1};
    SystemClock clock{io.get_executor()};
    SystemRandom random;
    std::unique_ptr<Log> log = make_silent_log();
};

// Reads what the configuration has of the journal. Where both places are named it is not needed; where it cannot be
// read then, it has no password.
JournalReading configured(const MovingArguments& arguments) {
    auto reading = load_journal_place(arguments.config);
    if (!arguments.from.empty() && !arguments.to.empty()) reading.errors.clear();
    return reading;
}

Named named(const std::string& place, const MovingArguments& arguments, const JournalReading& config) {
    if (place.empty()) return {config.url.empty() ? config.path : config.url, config.password_file};
    if (place == config.url && arguments.password_file.empty()) return {place, config.password_file};
    return {place, arguments.password_file};
}

Explained<std::unique_ptr<Place>> open_place(const Named& named, Program& program) {
    if (!is_url(named.place)) return moving::open_file(named.place, boot_of_this_machine());
    auto database = database_of(named.place, named.password_file, *program.log);
    if (database.has_error()) return database.error();
    return moving::open_database({.io = program.io,
                                  .clock = program.clock,
                                  .client = *database->client,
                                  .connection = std::move(database->session.connection),
                                  .url = named.place});
}

bool are_one_file(const std::string& one, const std::string& other) {
    std::error_code unknown;
    return !is_url(one) && !is_url(other) && std::filesystem::equivalent(one, other, unknown);
}

void say_what_to_do(std::ostream& out, const Place& from, const Place& to, Language language) {
    const bool on_postgres = is_url(to.name());
    out << told_in(language,
                   fmt::format(told("{} is now the journal, whole and compared row by row with {},\n"
                                    "which is marked as moved: no gateway starts on it any more.\n\n"
                                    "Before the gateway is started, let its configuration say so:\n"
                                    "  [journal]\n"
                                    "  {} = \"{}\"\n"
                                    "and no journal.{}. The journal.key_file stays as it is.\n"
                                    "docs/moving.md, beside the README or under /usr/share/doc/sales-gateway, says "
                                    "more, and how to go back."),
                               to.name(), from.name(), on_postgres ? "url" : "path", to.name(),
                               on_postgres ? "path" : "url"))
        << '\n';
}

constexpr auto to_go_on = told(
    "Nothing is lost: the same command goes on where it stopped. A gateway may be started on the journal "
    "meanwhile; then all of it is copied anew.");

}  // namespace

MovingEnd move_journal_of(const MovingArguments& arguments, std::ostream& out, std::ostream& err, bool on_terminal,
                          Language language) {
    const auto complain = [&](std::string_view what) {
        err << told_in(language, told("error")) << ": " << told_in(language, what) << '\n';
    };
    const auto misused = [&](std::string_view what) {
        complain(what);
        return MovingEnd::misused;
    };
    if (arguments.from.empty() && arguments.to.empty())
        return misused(told("name the other place: --to, or --from, or both"));
    const auto config = configured(arguments);
    for (auto problem : config.errors) {
        problem.message = told_in(language, problem.message);
        complain(to_string(problem, arguments.config));
    }
    if (!config.errors.empty()) return MovingEnd::misused;

    const auto source = named(arguments.from, arguments, config);
    const auto target = named(arguments.to, arguments, config);
    if (are_one_file(source.place, target.place))
        return misused(fmt::format(told("{} is both where from and where to"), source.place));

    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        std::signal(signal, want_stop);
    Program program;
    const auto failed = [&](const std::string& why) {
        complain(why);
        return MovingEnd::failed;
    };
    const auto from = open_place(source, program);
    if (from.has_error()) return failed(from.error());
    const auto to = open_place(target, program);
    if (to.has_error()) return failed(to.error());
    moving::ProgressLines progress(err, on_terminal, program.clock);
    const auto moved = moving::move_journal({.from = **from,
                                             .to = **to,
                                             .clock = program.clock,
                                             .random = program.random,
                                             .progress = progress,
                                             .stop_wanted = [] { return stop_wanted != 0; }});
    if (moved.has_error()) return failed(moved.error());
    if (*moved == moving::Moved::stopped) {
        err << '\n' << told_in(language, to_go_on) << '\n';
        return MovingEnd::failed;
    }
    if (*moved == moving::Moved::earlier) out << told_in(language, told("This was done before.")) << '\n';
    say_what_to_do(out, **from, **to, language);
    return MovingEnd::done;
}

}  // namespace gateway
