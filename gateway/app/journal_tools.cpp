#include "app/journal_tools.hpp"

#include "api/attention_report.hpp"
#include "api/text/table.hpp"
#include "app/journal_opening.hpp"
#include "base/system.hpp"
#include "base/wall_time.hpp"
#include "commands/commands.hpp"
#include "config/files.hpp"
#include "journal/chain/without_gateway.hpp"
#include "journal/marked_sales.hpp"
#include "journal/moving_mark.hpp"
#include "journal/postgres/server_checks.hpp"
#include "journal/sqlite/backup.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>

namespace gateway {
namespace {

constexpr auto after_restoring =
    "\nWhat happened after the copy was made is not in it. Before a gateway is started, or as soon as one runs:\n"
    "  - be sure that no other gateway owns the same sales;\n"
    "  - let every terminal drop the keys of sells that it has no outcome of, and look those up in the provider's\n"
    "    books: a key that was used after the copy would sell a second time.\n"
    "Afterwards: sales-gateway attention lists the sales that were open in the copy, and what to do about each.\n"
    "docs/backup.md, beside the README or under /usr/share/doc/sales-gateway, says more.\n";

// What waits for a lock, or counts millions of sales, may take so long.
constexpr Duration patience = std::chrono::minutes(10);

void print(const CopyContents& contents) {
    std::cout << "  sales: " << contents.sales << ", of which open: " << contents.open << '\n';
    if (contents.newest) std::cout << "  last change of a sale: " << to_zoned_text(*contents.newest) << '\n';
}

// Finds where the journal is; nothing where that cannot be told, which was said then.
std::optional<JournalReading> place_of(const std::string& config) {
    auto journal = load_journal_place(config);
    print(std::cerr, "error", journal.errors, config);
    return journal.errors.empty() ? std::optional(std::move(journal)) : std::nullopt;
}

// Finds the file of a journal that is one. `otherwise` says what to do where the journal is on PostgreSQL.
std::optional<std::string> file_of(const std::string& config, std::string_view otherwise) {
    const auto journal = place_of(config);
    if (!journal) return std::nullopt;
    if (!journal->url.empty()) std::cerr << "error: the journal is on PostgreSQL; " << otherwise << '\n';
    return journal->path.empty() ? std::nullopt : std::optional(journal->path);
}

// Finds the place of a journal that several gateways share; nothing where it is no such journal, which was said then.
std::optional<JournalReading> shared_place_of(const std::string& config) {
    auto journal = place_of(config);
    if (!journal || !journal->url.empty()) return journal;
    std::cerr << "error: the journal " << journal->path << " is one gateway's own, and shared with no other\n";
    return std::nullopt;
}

// Returns what a call gives. Its error, which is in words or has some, is thrown behind the words `before`.
template <class T, class E>
T value_of(boost::system::result<T, E> given, const std::string& before = {}) {
    if (given.has_error()) {
        if constexpr (std::is_same_v<E, std::string>)
            throw std::runtime_error(before + given.error());
        else
            throw std::runtime_error(before + given.error().message());
    }
    if constexpr (!std::is_void_v<T>) return std::move(*given);
}

// Gives a command, which works beside a gateway or without one, an event loop of its own.
class Loop {
  public:
    // Holds what a coroutine returns, once it has returned.
    template <class T>
    using Coming = std::shared_ptr<std::optional<T>>;

    // Begins the coroutine. What it throws is thrown by whichever call below runs it.
    template <class T>
    Coming<T> start(boost::asio::awaitable<T> coroutine) {
        auto result = std::make_shared<std::optional<T>>();
        boost::asio::co_spawn(context, keep(std::move(coroutine), result), [](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure);
        });
        return result;
    }
    // Runs until the result is there, or for so long. Returns whether it is there.
    template <class T>
    bool comes(const Coming<T>& result, Duration within) {
        const auto end = clock.now() + within;
        while (!*result && clock.now() < end && context.run_one_for(end - clock.now()) > 0) {
        }
        return result->has_value();
    }
    template <class T>
    T wait_for(const Coming<T>& result) {
        while (!*result && context.run_one() > 0) {
        }
        return std::move(result->value());
    }
    template <class T>
    T run(boost::asio::awaitable<T> coroutine) {
        return wait_for(start(std::move(coroutine)));
    }

    boost::asio::io_context context{1};
    SystemClock clock{context.get_executor()};

  private:
    template <class T>
    static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> coroutine, Coming<T> result) {
        result->emplace(co_await std::move(coroutine));
    }
};

// Has one connection to a journal's database, without a gateway. What waits for a standby may wait, and says so.
class Visit {
  public:
    explicit Visit(const JournalReading& journal) {
        auto database = value_of(database_of(journal.url, journal.password_file, *log_));
        client_ = database.client;
        options_ = std::move(database.session);
        options_.deadline = patience;
        session.emplace(loop.context.get_executor(), loop.clock, *client_, options_);
    }
    // Returns what the coroutine returns. A wait for a standby beyond `for_standby` ends with an error.
    template <class T>
    T run(boost::asio::awaitable<T> coroutine, Duration for_standby = patience) {
        const auto result = loop.start(std::move(coroutine));
        auto why = why_it_waits(result);
        if (!why.empty()) std::cerr << "This waits: " << postgres::words_on_waiting(why) << ".\n";
        while (!why.empty() && !loop.comes(result, for_standby))
            if (why = what_is_waited_for(); !why.empty())
                throw std::runtime_error(not_usable(why) + "; bring one back, and call the same command once more");
        return loop.wait_for(result);
    }
    std::vector<postgres::KnownGateway> gateways() {
        auto found = run(postgres::known_gateways(*session, loop.clock), patience_of_reader);
        if (found.has_error()) fail(found.error());
        return std::move(*found);
    }
    // Warns where no standby keeps commits now: what was read without waiting for one is not proven then.
    void say_what_is_unproven() {
        const auto proof = loop.start(session->prove(Engine::Access::read));
        if (const auto why = why_it_waits(proof); !why.empty()) {
            std::cerr << "warning: " << why << ". What is said here is what that server has, and a standby may lack "
                      << "it.\n";
            return;
        }
        if (const auto proven = loop.wait_for(proof); proven.has_error()) fail(proven.error());
    }
    // Warns where the journal was moved away, or is a copy that is not whole: no gateway starts on it then.
    void say_what_is_marked() {
        const auto& url = options_.connection.url;
        const auto look = [&url](Transaction& tx) { return moving_mark::why_not_to_start(tx, {url}); };
        const auto mark = run(session->perform<std::string>(Engine::Access::glance, look));
        if (mark.has_error()) fail(mark.error());
        if (!mark->empty()) std::cerr << "warning: no gateway starts on " << url << ": " << *mark << ".\n";
    }
    std::string not_usable(const std::string& why) const {
        return fmt::format("the journal {} cannot be used: {}", options_.connection.url, why);
    }
    // Throws the error of one statement; but why the whole database cannot be used says more.
    [[noreturn]] void fail(const boost::system::error_code& error) const {
        const auto why = session->hindrance();
        throw std::runtime_error(not_usable(why.value_or(error.message())));
    }

    Loop loop;
    std::optional<postgres::Session> session;

  private:
    // Runs until the result is there, or until it is known which standby is waited for: returns that in words.
    template <class T>
    std::string why_it_waits(const Loop::Coming<T>& result) {
        std::string words;
        while (words.empty() && !loop.comes(result, between_looks))
            words = what_is_waited_for();
        return *result ? std::string() : words;
    }
    std::string what_is_waited_for() {
        return loop.run(postgres::what_is_waited_for(loop.context.get_executor(), loop.clock, *client_, options_));
    }

    // A commit that takes so long is looked into.
    static constexpr Duration between_looks{1'000};
    static constexpr Duration patience_of_reader{10'000};  // a standby is started again in that time

    const std::unique_ptr<Log> log_ = make_silent_log();
    const postgres::Client* client_ = nullptr;
    postgres::SessionOptions options_;
};

std::string_view code_of(postgres::KnownGateway::State state) {
    switch (state) {
        case postgres::KnownGateway::State::runs: return "runs";
        case postgres::KnownGateway::State::stands_still: return "stands_still";
        case postgres::KnownGateway::State::stopped: return "stopped";
    }
    return "";
}

boost::json::object gateway_json(const postgres::KnownGateway& one) {
    boost::json::object json{{"name", one.name},
                             {"state", Words::in(Language::english).word("text.gateway_state", code_of(one.state))},
                             {"openSales", one.open_sales}};
    if (one.began_at) json["began"] = to_rfc3339(*one.began_at);
    json["waitingSales"] = boost::json::array(one.waiting.begin(), one.waiting.end());
    return json;
}

// Returns the page of standard output.
text::Page page_in(Language language) {
    const auto screen = screen_of_standard_output();
    return {.words = Words::in(language), .now = {}, .columns = screen.columns, .colours = screen.colours};
}

void print(const std::vector<postgres::KnownGateway>& gateways, const text::Page& page) {
    text::Column name{.head = page.say("text.gateways.name")}, state{.head = page.say("text.gateways.state")};
    text::Column began{.head = page.say("text.gateways.began")};
    text::Column open_sales{.head = page.say("text.gateways.open"), .right = true};
    for (const auto& one : gateways) {
        name.cells.push_back(text::printable(one.name));
        state.cells.push_back(page.words.word("text.gateway_state", code_of(one.state)));
        began.cells.push_back(one.began_at ? page.time(*one.began_at) : "");
        open_sales.cells.push_back(std::to_string(one.open_sales));
    }
    std::cout << text::table(page, {name, state, began, open_sales});
    for (const auto& one : gateways) {
        if (one.waiting.empty()) continue;
        std::cout << '\n' << page.say("text.gateways.waiting", {{"name", text::printable(one.name)}}) << '\n';
        for (const auto& id : one.waiting)
            std::cout << "  " << text::printable(id) << '\n';
    }
}

// Says what a copy without sales would take the place of; empty where nothing would be lost with it, and where the
// restore itself says why it cannot be done.
std::string lost_to_empty_copy(const std::string& file, const std::string& journal) {
    const auto copy = contents_of_journal(file);
    if (copy.has_error() || copy->sales > 0 || is_in_use(journal)) return {};
    std::error_code hidden;
    if (!std::filesystem::exists(journal, hidden) && !hidden) return fmt::format("There is no journal {} now", journal);
    const auto there = contents_of_journal(journal, boot_of_this_machine());
    if (there.has_error()) return fmt::format("What is in {} cannot be told ({})", journal, there.error());
    if (there->sales == 0) return {};
    const auto newest = there->newest ? "; last change of a sale: " + to_local_text(*there->newest) : std::string();
    return fmt::format("It would replace {} (sales: {}, of which open: {}{})", journal, there->sales, there->open,
                       newest);
}

// Tells whether the journal may be replaced, after asking a person where one has to agree.
bool may_replace(const std::string& file, const std::string& journal,
                 const std::function<bool(const std::string&)>& confirmed) {
    const auto lost = lost_to_empty_copy(file, journal);
    if (lost.empty()) return true;
    const auto danger = fmt::format(
        "There is no sale in {}. {}.\nA gateway on an empty journal knows none of the keys that tills have sold with, "
        "and sells again what they repeat.\n",
        file, lost);
    if (confirmed) return confirmed(danger + "Restore it all the same? [y/N] ");
    std::cerr << "error: " << danger << "Nothing was changed. Where it is meant so, say --yes.\n";
    return false;
}

std::vector<MarkedSale> marked_in(const JournalReading& journal) {
    if (journal.url.empty()) return value_of(read_marked_sales(journal.path, boot_of_this_machine()));
    Visit visit(journal);
    auto sales = value_of(visit.loop.run(postgres::read_marked_sales(*visit.session, journal.url)),
                          journal.url + " cannot be read: ");
    visit.say_what_is_unproven();
    return sales;
}

constexpr auto question_of_restored =
    "The open sales of the journal are taken for sales whose end it does not know: each is left to the provider's "
    "word\n"
    "and to a person. Do this only where the journal was restored, or has lost what it knew. Go on? [y/N] ";

int mark_file_restored(const std::string& journal, const std::function<bool(const std::string&)>& confirmed) {
    const auto contents = value_of(contents_of_journal(journal, boot_of_this_machine()));
    std::cout << journal << '\n';
    print(contents);
    std::cout << std::flush;
    if (confirmed && !confirmed(question_of_restored)) return exit_failure;
    const auto marked = value_of(mark_restored(journal, Loop().clock.wall(), boot_of_this_machine()));
    std::cout << "It is marked as restored.\n  sales for a person to look at: " << marked.unsure << '\n'
              << after_restoring;
    return exit_ok;
}

int mark_database_restored(const JournalReading& journal, const std::function<bool(const std::string&)>& confirmed) {
    Visit visit(journal);
    const auto met = value_of(visit.run(postgres::look_at_loss(*visit.session)), visit.not_usable(""));
    std::cout << journal.url << "\n  sales: " << met.sales << ", of which open: " << met.open << '\n';
    if (met.lost_by.empty())
        std::cout << "  no gateway has noticed that anything is lost\n";
    else
        std::cout << "  that it has lost commits was noticed by " << text::printable(met.lost_by) << '\n';
    std::cout << std::flush;
    if (confirmed && !confirmed(question_of_restored)) return exit_failure;
    const auto marked =
        value_of(visit.run(postgres::mark_restored(*visit.session, visit.loop.clock.wall())), "it cannot be marked: ");
    std::cout << "It is marked as restored. Gateways that run on it go on within seconds.\n"
                 "  sales for a person to look at: "
              << marked.unsure << '\n'
              << after_restoring;
    return exit_ok;
}

}  // namespace

void print(std::ostream& out, std::string_view kind, const std::vector<ConfigProblem>& problems,
           std::string_view path) {
    for (const auto& problem : problems)
        out << kind << ": " << to_string(problem, path) << '\n';
}

int back_up_journal(const std::string& config, const std::string& file) {
    const auto journal = file_of(config, "PostgreSQL's own tools take copies of it: docs/chain-databases.md");
    if (!journal) return exit_usage;
    const auto contents = value_of(back_up(*journal, file, boot_of_this_machine()));
    std::cout << file << " is a verified copy of " << *journal << '\n';
    print(contents);
    for (const auto& warning : contents.warnings)
        std::cerr << "warning: " << warning << '\n';
    return exit_ok;
}

int restore_journal(const std::string& config, const std::string& file, bool wanted,
                    const std::function<bool(const std::string&)>& confirmed) {
    const auto journal = file_of(
        config, "PostgreSQL's own tools restore it, and sales-gateway mark-restored follows: docs/chain-operate.md");
    if (!journal) return exit_usage;
    if (!wanted && !may_replace(file, *journal, confirmed)) return exit_failure;
    const auto restored = value_of(restore(file, *journal, Loop().clock.wall()));
    std::cout << *journal << " is now the journal that " << file << " is a copy of\n";
    print(restored.contents);
    std::cout << "  sales whose end the copy does not know, for a person to look at: " << restored.unsure << '\n';
    if (!restored.set_aside.empty()) std::cout << "  the journal that was there: " << restored.set_aside << '\n';
    std::cout << after_restoring;
    return exit_ok;
}

int mark_journal_restored(const std::string& config, const std::function<bool(const std::string&)>& confirmed) {
    const auto journal = place_of(config);
    if (!journal) return exit_usage;
    return journal->url.empty() ? mark_file_restored(journal->path, confirmed)
                                : mark_database_restored(*journal, confirmed);
}

// The journal is only read, so a gateway may run or not. The sales are the answer; it is a good one if there are none.
int list_attention(const std::string& config, bool as_json, Language language) {
    const auto journal = place_of(config);
    if (!journal) return exit_usage;
    const auto sales = marked_in(*journal);
    if (!as_json) std::cout << attention_report(sales, page_in(language));
    for (const auto& sale : sales)
        if (as_json) std::cout << boost::json::serialize(attention_json(sale)) << '\n';
    return exit_ok;
}

int list_gateways(const std::string& config, bool as_json, Language language) {
    const auto journal = shared_place_of(config);
    if (!journal) return exit_usage;
    Visit visit(*journal);
    const auto gateways = visit.gateways();
    const auto page = page_in(language);
    visit.say_what_is_marked();
    if (as_json) {
        for (const auto& one : gateways)
            std::cout << boost::json::serialize(gateway_json(one)) << '\n';
    } else if (gateways.empty()) {
        std::cout << page.say("text.gateways.none") << '\n';
    } else {
        print(gateways, page);
    }
    return exit_ok;
}

std::string gateway_on_journal(const JournalConfig& journal) {
    if (!journal.url.empty()) {
        Visit visit({.path = {}, .url = journal.url, .password_file = journal.password_file, .errors = {}});
        const auto gateways = visit.gateways();
        const auto runs =
            std::ranges::find(gateways, postgres::KnownGateway::State::runs, &postgres::KnownGateway::state);
        return runs == gateways.end() ? std::string() : "the gateway " + text::printable(runs->name) + " runs";
    }
    return is_in_use(journal.path) ? "a gateway runs on " + journal.path : std::string();
}

// Enters as a run of that name, beside which none lives, says what the others may have sent too late, and ends.
int let_go_of_gateway(const std::string& config, const std::string& name) {
    const auto reading = load_config(config);
    print(std::cerr, "error", reading.errors, config);
    if (!reading.config) return exit_usage;
    Loop loop;
    const auto log = make_silent_log();
    SystemRandom random;
    const auto journal = shared_place_of(config);
    if (!journal) return exit_usage;
    const auto before = Visit(*journal).gateways();
    const auto known = std::ranges::find(before, name, &postgres::KnownGateway::name);
    if (known == before.end()) {
        std::cerr << "error: the journal knows no gateway " << text::printable(name)
                  << "; sales-gateway gateways lists those that it knows\n";
        return exit_failure;
    }
    if (known->state == postgres::KnownGateway::State::runs) {
        std::cerr << "error: " << text::printable(name)
                  << " runs: it can be let go of once it has stopped, or has stood still for some seconds\n";
        return exit_failure;
    }
    std::cerr << "Looking whether " << text::printable(name) << " lives, for some seconds ...\n";
    const auto as_that_one = value_of(
        loop.run(open_journal_as(loop.context.get_executor(), *reading.config, name, loop.clock, random, *log)));
    value_of(loop.run(as_that_one->leases().let_go_of_name()), "its sales cannot be let go of: ");
    value_of(loop.run(as_that_one->give_back()), "its run cannot be ended: ");
    value_of(loop.run(postgres::forget_gateway(as_that_one->writer(), name)), "it cannot be forgotten: ");
    std::cout << text::printable(name)
              << " is let go of. Sales that waited for it, and go on now: " << known->waiting.size()
              << "\nIts machine must not run as a gateway of this journal any more, or under another name.\n";
    return exit_ok;
}

}  // namespace gateway
