#include "app/journal_tools.hpp"

#include "api/attention_report.hpp"
#include "api/text/table.hpp"
#include "app/journal_opening.hpp"
#include "app/journal_visit.hpp"
#include "base/system.hpp"
#include "base/told.hpp"
#include "base/wall_time.hpp"
#include "commands/commands.hpp"
#include "commands/usage.hpp"
#include "config/files.hpp"
#include "journal/chain/without_gateway.hpp"
#include "journal/marked_sales.hpp"
#include "journal/postgres/server_checks.hpp"
#include "journal/sqlite/backup.hpp"
#include "words/sentences.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

namespace gateway {
namespace {

constexpr auto after_restoring = told(
    "What happened after the copy was made is not in it. Before a gateway is started, or as soon as one runs:\n"
    "  - be sure that no other gateway owns the same sales;\n"
    "  - let every terminal drop the keys of sells that it has no outcome of, and look those up in the provider's\n"
    "    books: a key that was used after the copy would sell a second time.\n"
    "Afterwards: sales-gateway attention lists the sales that were open in the copy, and what to do about each.\n"
    "docs/backup.md, beside the README or under /usr/share/doc/sales-gateway, says more.");

// Prints a line in the language, behind so many blanks. It is marked with told(), or made of such texts.
void say(Language language, std::string_view english, int blanks = 0) {
    std::cout << std::string(blanks, ' ') << told_in(language, english) << '\n';
}

void say_sales(Language language, std::uint64_t sales, std::uint64_t open) {
    say(language, fmt::format(told("sales: {}, of which open: {}"), sales, open), 2);
}

void print(const CopyContents& contents, Language language) {
    say_sales(language, contents.sales, contents.open);
    if (contents.newest)
        say(language, fmt::format(told("last change of a sale: {}"), to_zoned_text(*contents.newest)), 2);
}

// Finds where the journal is; nothing where that cannot be told, which was said then.
std::optional<JournalReading> place_of(const std::string& config, Language language) {
    auto journal = load_journal_place(config);
    print(std::cerr, told("error"), journal.errors, config, language);
    return journal.errors.empty() ? std::optional(std::move(journal)) : std::nullopt;
}

// Finds the file of a journal that is one. `otherwise` says what to do where the journal is on PostgreSQL.
std::optional<std::string> file_of(const std::string& config, Language language, std::string_view otherwise) {
    const auto journal = place_of(config, language);
    if (!journal) return std::nullopt;
    if (!journal->url.empty()) complain(language, fmt::format(told("the journal is on PostgreSQL; {}"), otherwise));
    return journal->path.empty() ? std::nullopt : std::optional(journal->path);
}

// Finds the place of a journal that several gateways share; nothing where it is no such journal, which was said then.
std::optional<JournalReading> shared_place_of(const std::string& config, Language language) {
    auto journal = place_of(config, language);
    if (!journal || !journal->url.empty()) return journal;
    complain(language,
             fmt::format(told("the journal {} is one gateway's own, and shared with no other"), journal->path));
    return std::nullopt;
}

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
    if (!std::filesystem::exists(journal, hidden) && !hidden)
        return fmt::format(told("There is no journal {} now"), journal);
    const auto there = contents_of_journal(journal, boot_of_this_machine());
    if (there.has_error()) return fmt::format(told("What is in {} cannot be told ({})"), journal, there.error());
    if (there->sales == 0) return {};
    if (!there->newest)
        return fmt::format(told("It would replace {} (sales: {}, of which open: {})"), journal, there->sales,
                           there->open);
    return fmt::format(told("It would replace {} (sales: {}, of which open: {}; last change of a sale: {})"), journal,
                       there->sales, there->open, to_local_text(*there->newest));
}

// Tells whether the journal may be replaced, after asking a person where one has to agree.
bool may_replace(const std::string& file, const std::string& journal,
                 const std::function<bool(const std::string&)>& confirmed, Language language) {
    const auto lost = lost_to_empty_copy(file, journal);
    if (lost.empty()) return true;
    const auto danger = fmt::format(told("There is no sale in {}. {}.\nA gateway on an empty journal knows none of the "
                                         "keys that tills have sold with, and sells again what they repeat."),
                                    file, lost);
    if (confirmed)
        return confirmed(told_in(language, danger) + '\n' + told_in(language, told("Restore it all the same? [y/N] ")));
    complain(language, danger);
    std::cerr << told_in(language, told("Nothing was changed. Where it is meant so, say --yes.")) << '\n';
    return false;
}

std::vector<MarkedSale> marked_in(const JournalReading& journal, Language language) {
    if (journal.url.empty()) return value_of(read_marked_sales(journal.path, boot_of_this_machine()));
    Visit visit(journal, language);
    auto sales = value_of(visit.loop.run(postgres::read_marked_sales(*visit.session, journal.url)),
                          fmt::format(told("{} cannot be read"), journal.url));
    visit.say_what_is_unproven();
    return sales;
}

constexpr auto question_of_restored = told(
    "The open sales of the journal are taken for sales whose end it does not know: each is left to the provider's "
    "word\n"
    "and to a person. Do this only where the journal was restored, or has lost what it knew. Go on? [y/N] ");

// Says for how many sales a person is needed after restoring, and what has to be done besides.
void say_what_is_left(Language language, std::uint64_t unsure) {
    say(language, fmt::format(told("sales for a person to look at: {}"), unsure), 2);
    std::cout << '\n';
    say(language, after_restoring);
}

int mark_file_restored(const std::string& journal, const std::function<bool(const std::string&)>& confirmed,
                       Language language) {
    const auto contents = value_of(contents_of_journal(journal, boot_of_this_machine()));
    std::cout << journal << '\n';
    print(contents, language);
    std::cout << std::flush;
    if (confirmed && !confirmed(told_in(language, question_of_restored))) return exit_failure;
    const auto marked = value_of(mark_restored(journal, Loop().clock.wall(), boot_of_this_machine()));
    say(language, told("It is marked as restored."));
    say_what_is_left(language, marked.unsure);
    return exit_ok;
}

int mark_database_restored(const JournalReading& journal, const std::function<bool(const std::string&)>& confirmed,
                           Language language) {
    Visit visit(journal, language);
    const auto met = value_of(visit.run(postgres::look_at_loss(*visit.session)), visit.not_usable());
    std::cout << journal.url << '\n';
    say_sales(language, met.sales, met.open);
    say(language,
        met.lost_by.empty()
            ? std::string(told("no gateway has noticed that anything is lost"))
            : fmt::format(told("that it has lost commits was noticed by {}"), text::printable(met.lost_by)),
        2);
    std::cout << std::flush;
    if (confirmed && !confirmed(told_in(language, question_of_restored))) return exit_failure;
    const auto marked = value_of(visit.run(postgres::mark_restored(*visit.session, visit.loop.clock.wall())),
                                 told("it cannot be marked"));
    say(language, told("It is marked as restored. Gateways that run on it go on within seconds."));
    say_what_is_left(language, marked.unsure);
    return exit_ok;
}

}  // namespace

void print(std::ostream& out, std::string_view kind, const std::vector<ConfigProblem>& problems, std::string_view path,
           Language language, std::string_view before) {
    for (auto problem : problems) {
        problem.message = told_in(language, problem.message);
        out << before << told_in(language, kind) << ": " << to_string(problem, path) << '\n';
    }
}

int back_up_journal(const std::string& config, const std::string& file, Language language) {
    const auto journal =
        file_of(config, language, told("PostgreSQL's own tools take copies of it: docs/chain-databases.md"));
    if (!journal) return exit_usage;
    const auto contents = value_of(back_up(*journal, file, boot_of_this_machine()));
    say(language, fmt::format(told("{} is a verified copy of {}"), file, *journal));
    print(contents, language);
    for (const auto& warning : contents.warnings)
        std::cerr << told_in(language, told("warning")) << ": " << told_in(language, warning) << '\n';
    return exit_ok;
}

int restore_journal(const std::string& config, const std::string& file, bool wanted,
                    const std::function<bool(const std::string&)>& confirmed, Language language) {
    const auto journal = file_of(config, language,
                                 told("PostgreSQL's own tools restore it, and sales-gateway mark-restored follows: "
                                      "docs/chain-operate.md"));
    if (!journal) return exit_usage;
    if (!wanted && !may_replace(file, *journal, confirmed, language)) return exit_failure;
    const auto restored = value_of(restore(file, *journal, Loop().clock.wall()));
    say(language, fmt::format(told("{} is now the journal that {} is a copy of"), *journal, file));
    print(restored.contents, language);
    say(language,
        fmt::format(told("sales whose end the copy does not know, for a person to look at: {}"), restored.unsure), 2);
    if (!restored.set_aside.empty())
        say(language, fmt::format(told("the journal that was there: {}"), restored.set_aside), 2);
    std::cout << '\n';
    say(language, after_restoring);
    return exit_ok;
}

int mark_journal_restored(const std::string& config, const std::function<bool(const std::string&)>& confirmed,
                          Language language) {
    const auto journal = place_of(config, language);
    if (!journal) return exit_usage;
    return journal->url.empty() ? mark_file_restored(journal->path, confirmed, language)
                                : mark_database_restored(*journal, confirmed, language);
}

// The journal is only read, so a gateway may run or not. The sales are the answer; it is a good one if there are none.
int list_attention(const std::string& config, bool as_json, Language language) {
    const auto journal = place_of(config, language);
    if (!journal) return exit_usage;
    const auto sales = marked_in(*journal, language);
    if (!as_json) std::cout << attention_report(sales, page_in(language), load_provider_phone(config));
    for (const auto& sale : sales)
        if (as_json) std::cout << boost::json::serialize(attention_json(sale)) << '\n';
    return exit_ok;
}

int list_gateways(const std::string& config, bool as_json, Language language) {
    const auto journal = shared_place_of(config, language);
    if (!journal) return exit_usage;
    Visit visit(*journal, language);
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
        Visit visit({.path = {}, .url = journal.url, .password_file = journal.password_file, .errors = {}},
                    Language::english);
        const auto gateways = visit.gateways();
        const auto runs =
            std::ranges::find(gateways, postgres::KnownGateway::State::runs, &postgres::KnownGateway::state);
        return runs == gateways.end() ? std::string() : "the gateway " + text::printable(runs->name) + " runs";
    }
    return is_in_use(journal.path) ? "a gateway runs on " + journal.path : std::string();
}

// Enters as a run of that name, beside which none lives, says what the others may have sent too late, and ends.
int let_go_of_gateway(const std::string& config, const std::string& name, Language language) {
    const auto reading = load_config(config);
    print(std::cerr, told("error"), reading.errors, config, language);
    if (!reading.config) return exit_usage;
    Loop loop;
    const auto log = make_silent_log();
    SystemRandom random;
    const auto journal = shared_place_of(config, language);
    if (!journal) return exit_usage;
    const auto before = Visit(*journal, language).gateways();
    const auto known = std::ranges::find(before, name, &postgres::KnownGateway::name);
    if (known == before.end()) {
        complain(language,
                 fmt::format(told("the journal knows no gateway {}; sales-gateway gateways lists those that it knows"),
                             text::printable(name)));
        return exit_failure;
    }
    if (known->state == postgres::KnownGateway::State::runs) {
        complain(language,
                 fmt::format(told("{} runs: it can be let go of once it has stopped, or has stood still for some "
                                  "seconds"),
                             text::printable(name)));
        return exit_failure;
    }
    std::cerr << told_in(language,
                         fmt::format(told("Looking whether {} lives, for some seconds ..."), text::printable(name)))
              << '\n';
    const auto as_that_one = value_of(
        loop.run(open_journal_as(loop.context.get_executor(), *reading.config, name, loop.clock, random, *log)));
    value_of(loop.run(as_that_one->leases().let_go_of_name()), told("its sales cannot be let go of"));
    value_of(loop.run(as_that_one->give_back()), told("its run cannot be ended"));
    value_of(loop.run(postgres::forget_gateway(as_that_one->writer(), name)), told("it cannot be forgotten"));
    say(language, fmt::format(told("{} is let go of. Sales that waited for it, and go on now: {}"),
                              text::printable(name), known->waiting.size()));
    say(language, told("Its machine must not run as a gateway of this journal any more, or under another name."));
    return exit_ok;
}

}  // namespace gateway
