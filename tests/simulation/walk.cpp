#include "simulation/walk.hpp"

#include "simulation/world.hpp"

#include <fmt/format.h>

#include <charconv>

namespace gateway::simulation {
namespace {

using Kind = Crash::Kind;
constexpr std::array<std::pair<Kind, std::string_view>, 4> crash_words{{{Kind::at_handler, "handler"},
                                                                        {Kind::at_write, "write"},
                                                                        {Kind::at_flush, "flush"},
                                                                        {Kind::at_message, "message"}}};

constexpr std::array<std::pair<Word::Kind, std::string_view>, 3> word_words{
    {{Word::Kind::truth, "truth"}, {Word::Kind::open, "open"}, {Word::Kind::lie, "lie"}}};
constexpr std::array<std::pair<Deed, std::string_view>, 8> deed_words{{{Deed::edit, "edit"},
                                                                       {Deed::vacuum, "vacuum"},
                                                                       {Deed::reindex, "reindex"},
                                                                       {Deed::move_log, "move_log"},
                                                                       {Deed::leave_wal, "leave_wal"},
                                                                       {Deed::read, "read"},
                                                                       {Deed::back_up, "back_up"},
                                                                       {Deed::start_gateway, "start_gateway"}}};
// In the place of a deed and its trouble, one of these stands before the message after which the journal is copied.
constexpr std::array<std::pair<PutBack, std::string_view>, 3> put_back_words{
    {{PutBack::cp, "cp"}, {PutBack::cp_beside_log, "cp_beside_log"}, {PutBack::restore, "restore"}}};
static_assert(deed_words.size() == all_deeds.size());
// This long before the faults and the crashes end, a statement is read: most of what was sold by then is at rest.
constexpr std::chrono::seconds last_word{20};
constexpr std::uint64_t always = 1'000;  // per mille
// No run of the walk has this many messages.
constexpr std::uint64_t at_rest = 1'000'000;

// Returns how many variants of a fault lead to something different: silence or a broken connection, which field, which
// status.
constexpr std::uint64_t variants(Fault fault) {
    switch (fault) {
        case Fault::field_missing: return 4;
        case Fault::not_now:
        case Fault::not_now_after:
        case Fault::other_status: return 3;
        case Fault::late:
        case Fault::late_silent:
        case Fault::doubled:
        case Fault::request_lost:
        case Fault::answer_lost:
        case Fault::cut_short:
        case Fault::other_id:
        case Fault::other_amount: return 2;
        case Fault::none:
        case Fault::oddly_written:
        case Fault::slow:
        case Fault::unreachable:
        case Fault::rejected:
        case Fault::revoked:
        case Fault::throttled:
        case Fault::forbidden:
        case Fault::refused:
        case Fault::refused_after:
        case Fault::error:
        case Fault::error_after:
        case Fault::redirected:
        case Fault::redirected_after:
        case Fault::html:
        case Fault::html_after:
        case Fault::empty:
        case Fault::goods_missing: return 1;
    }
    return 1;
}

}  // namespace

std::string to_string(const Step& step) {
    std::string_view crash = "none";
    for (const auto& [kind, text] : crash_words)
        if (step.crash == kind) crash = text;
    std::string_view word = "none";
    for (const auto& [kind, text] : word_words)
        if (step.word == kind) word = text;
    std::string visit;
    for (const auto& [deed, text] : deed_words)
        if (step.deed == deed) visit = fmt::format(":{}:{}", text, step.full ? "full" : "error");
    for (const auto& [how, text] : put_back_words)
        if (step.put_back == how) visit = fmt::format(":{}:{}", text, step.copied_after);
    return fmt::format("{}:{}:{}:{}:{}:{}:{}:{}:{}{}", step.scenario, static_cast<int>(step.fault.fault), step.fault.at,
                       step.fault.roll, crash, step.nth, step.killed ? 2 : step.tear, word, step.word_nth, visit);
}

std::optional<Step> parse_step(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const auto end = std::min(text.find(':', from), text.size());
        parts.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    if (parts.size() != 9 && parts.size() != 11) return std::nullopt;
    parts.resize(11);
    const auto number = [&](std::size_t i) {
        std::uint64_t value = 0;
        std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), value);
        return value;
    };
    Step step{.scenario = number(0)};
    if (step.scenario >= scenarios().size() || number(1) >= fault_count) return std::nullopt;
    step.fault = {.fault = static_cast<Fault>(number(1)), .at = number(2), .roll = number(3)};
    for (const auto& [kind, word] : crash_words)
        if (parts[4] == word) step.crash = kind;
    step.nth = number(5);
    step.tear = number(6) == 1;
    step.killed = number(6) == 2;
    for (const auto& [kind, word] : word_words)
        if (parts[7] == word) step.word = kind;
    step.word_nth = number(8);
    for (const auto& [deed, word] : deed_words)
        if (parts[9] == word) step.deed = deed;
    step.full = parts[10] == "full";
    for (const auto& [how, word] : put_back_words)
        if (parts[9] == word) step.put_back = how;
    if (step.put_back) step.copied_after = number(10);
    return step;
}

Walked walk(const Step& step, Statistics& statistics, const Trace& trace) {
    auto setup = walk_setup(scenarios().at(step.scenario));
    if (step.crash)
        setup.crashes.push_back({.kind = *step.crash,
                                 .at = Time(0),
                                 .nth = step.nth,
                                 .fates = step.tear ? Fates::by_chance : Fates::all_old,
                                 .killed = step.killed,
                                 .puts_back = step.put_back});
    setup.copied_after = step.copied_after;
    // The next process has only what was left on the disk.
    if (step.killed || step.deed)
        setup.crashes.push_back({.kind = Kind::now, .at = setup.faults_end - last_word, .fates = Fates::by_chance});
    if (step.word) {
        const auto at = step.word_nth == 0 ? setup.faults_end - last_word : Time(0);
        setup.words.push_back({.kind = *step.word, .at = at, .nth = step.word_nth});
    }
    if (step.deed) {
        setup.fails_first = step.nth;
        setup.fails_as_full = step.full;
        setup.visits = {.deeds = {*step.deed}, .afterwards = always};
    }
    std::vector<PlannedFault> planned;
    if (step.fault.fault != Fault::none) planned.push_back(step.fault);
    PlannedDealer dealer(planned, scenarios().at(step.scenario).silent);
    const auto crashes = [&] { return statistics.of(Event::crash_at_handler) + statistics.of(Event::crash_at_write); };
    const auto before = crashes();
    const auto failures = statistics.of(Event::disk_fault);
    World world(std::move(setup), dealer, statistics, trace);
    Walked walked{.broken = world.run()};
    walked.met_fault = dealer.met();
    walked.met_crash = crashes() > before;
    walked.met_word = world.said_all_before_rest();
    walked.met_deed = statistics.of(Event::disk_fault) > failures;
    return walked;
}

std::vector<Step> first_steps() {
    std::vector<Step> steps;
    for (std::size_t scenario = 0; scenario < scenarios().size(); ++scenario)
        for (std::size_t fault = 0; fault < fault_count; ++fault)
            for (std::uint64_t roll = 0; roll < variants(static_cast<Fault>(fault)); ++roll)
                if (fault == 0 || (!scenarios()[scenario].silent && !scenarios()[scenario].books))
                    steps.push_back({.scenario = scenario, .fault = {static_cast<Fault>(fault), 0, roll}});
    return steps;
}

bool has_visits(const Step& step) {
    const auto& scenario = scenarios().at(step.scenario);
    return step.fault.fault == Fault::none && scenario.family == Family::tv && !scenario.empty_disk;
}

// The day's books are not told of there (see add_copies()).
bool has_copies(const Step& step) {
    return step.fault.fault == Fault::none && !scenarios().at(step.scenario).books;
}

std::vector<Kind> crashes_beside(const PlannedFault& planned) {
    if (planned.roll > 0) return {};
    if (planned.fault == Fault::none) return {Kind::at_handler, Kind::at_write, Kind::at_flush, Kind::at_message};
    return {Kind::at_flush, Kind::at_message};
}

std::vector<WordsFrom> words_beside(const PlannedFault& planned) {
    if (planned.roll > 0) return {};
    if (planned.fault == Fault::none) return {{Word::Kind::truth, 0}, {Word::Kind::open, 0}, {Word::Kind::lie, 0}};
    return {{Word::Kind::truth, 1}, {Word::Kind::open, at_rest}, {Word::Kind::lie, at_rest}};
}

}  // namespace gateway::simulation
