#include "simulation/evening.hpp"

#include "simulation/sql_reader.hpp"
#include "simulation/world.hpp"

#include <algorithm>
#include <array>

namespace gateway::simulation {
namespace {

// Of the closes that a caller was told of while everything went wrong, one in this many is checked at once.
constexpr std::uint64_t told_looks_one_in = 4;
constexpr std::array contradictions{"sold_there", "sold_twice", "reversed_there"};
constexpr std::array about_open_sales{"still_open", "settles_sold", "settles_not_sold"};
// A statement that agrees with the provider's books can never lead to these, however late it is read.
constexpr std::array never_true{"sold_there", "sold_twice", "reversed_there", "amount_differs", "unknown_here"};

Day day_after(Day day, int days) {
    return std::chrono::sys_days(day) + std::chrono::days(days);
}

std::set<Expected> found_in(const StatementReport& report) {
    std::set<Expected> found;
    for (const auto& finding : report.findings)
        found.insert({std::string(to_string(finding.kind)), finding.id_externo, std::string(to_string(finding.asks)),
                      finding.pending || !finding.effect.empty()});
    return found;
}

// Says what only the first of the two sets has.
std::string without(const std::set<Expected>& some, const std::set<Expected>& others) {
    std::string words;
    for (const auto& one : some)
        if (!others.contains(one))
            words +=
                fmt::format(" {} of {} asking {}{}", one.kind, one.id_externo, one.asks, one.told ? " (told)" : "");
    return words;
}

// A finding about an open sale is closed by itself when the sale has ended.
bool is_decided_since(const BooksView::Finding& before, const BooksView::Finding& now) {
    return std::ranges::count(about_open_sales, before.kind) > 0 && before.closed_as.empty() &&
           now.closed_as == "settled";
}

bool are_the_same(const std::vector<BooksView::Finding>& before, const std::vector<BooksView::Finding>& now) {
    return std::ranges::equal(before, now, [](BooksView::Finding was, const BooksView::Finding& is) {
        if (is_decided_since(was, is)) was.closed_as = is.closed_as;
        return was == is;
    });
}

const BooksView::Finding* finding_of(const BooksView& books, const std::string& day, const Expected& expected) {
    const auto found = std::ranges::find_if(books.findings, [&](const BooksView::Finding& finding) {
        return finding.day == day && finding.kind == expected.kind && finding.id_externo == expected.id_externo;
    });
    return found == books.findings.end() ? nullptr : &*found;
}

}  // namespace

Evening::Evening(World& world) : world_(world), chance_(world.setup().seed, 14) {}

Evening::~Evening() = default;

void Evening::fail(const std::string& what) {
    world_.promises().books_are_wrong(what);
}

void Evening::close(const Bookkeeping::Closing& closing) {
    if (world_.process() == nullptr || world_.power_is_off()) return;
    const auto today = parse_day(world_.store_day(world_.gateway_wall())).value();
    const CloseKey key{.estabelecimento = world_.setup().provider.estabelecimentos.front(),
                       .day = day_after(today, -closing.days_back)};
    world_.note("store: closes {}", to_text(key.day));
    for (int i = 0; i < closing.tills; ++i)
        world_.process()->close_day(key, [this](const Result<DayBooks::Closing>& closed) {
            if (closed.has_error()) return world_.note("store: the day is not closed: {}", closed.error().message());
            world_.statistics().count(closed->made ? Event::close : Event::close_again);
            if (chance_.one_in(told_looks_one_in))
                world_.books_check().told(closed->close, read_books(world_.disk().flushed()));
        });
}

void Evening::read_early_statement() {
    if (world_.process() == nullptr || world_.power_is_off()) return;
    amounts_changed_ = amounts_changed_ || chance_.one_in(2);
    for (const auto day : days_of(world_)) {
        const Injected injected{amounts_changed_ ? Defect::amount : Defect::none, "all", 1};
        const auto dealt = deal_statement(world_, day, 1, injected);
        world_.note("store: brings the statement of {}", to_text(day));
        StatementText text{.bytes = dealt.bytes, .source = "folder"};
        world_.process()->read_statement(std::move(text), [this](const Reconciler::Told& told) {
            world_.statistics().count(told.has_value() ? Event::statement : Event::statement_refused);
        });
    }
}

// Nothing fails any more: what is read is durable, and one connection is enough. Only the first flush may still report
// one that had failed before.
void Evening::run() {
    bool probed = false;
    world_.process()->probe_journal([&] { probed = true; });
    world_.live_until_true([&] { return probed; });
    reader_ = std::make_unique<SqlReader>(world_.disk());
    close_today();
    if (!world_.promises().broken() && world_.setup().books.statements) read_statements();
    reader_.reset();
}

void Evening::read_statements() {
    nothing_early_was_wrong();
    int days_after = 2;
    read_all_true(days_after++);
    for (int rounds = chance_.one_in(4) ? 2 : 1; rounds > 0; --rounds) {
        read_with_defect(days_after++);
        read_all_true(days_after++);
    }
    all_is_done();
}

void Evening::look() {
    books_ = read_books(*reader_);
    world_.books_check().look(books_, false);
}

void Evening::close_today() {
    std::optional<Result<DayBooks::Closing>> heard;
    const CloseKey key{.estabelecimento = world_.setup().provider.estabelecimentos.front(),
                       .day = parse_day(world_.store_day(world_.gateway_wall())).value()};
    world_.process()->close_day(key, [&](const Result<DayBooks::Closing>& closed) { heard = closed; });
    world_.live_until_true([&] { return heard.has_value(); });
    if (!heard || heard->has_error())
        return fail("a day is not closed at rest" + (heard ? ": " + heard->error().message() : std::string()));
    world_.statistics().count((*heard)->made ? Event::close : Event::close_again);
    calm_ = books_ = read_books(*reader_);
    world_.books_check().told((*heard)->close, books_);
    world_.books_check().look(books_, true);
}

void Evening::nothing_early_was_wrong() {
    for (const auto& finding : books_.findings)
        if (std::ranges::count(never_true, finding.kind) > 0 &&
            !(amounts_changed_ && finding.kind == "amount_differs") &&
            !world_.promises().may_contradict(finding.id_externo))
            fail(fmt::format("a true statement was found wrong: {} of {}", finding.kind, finding.id_externo));
}

void Evening::read_all_true(int days_after) {
    const auto days = days_of(world_);
    std::vector<Day> order(days.begin(), days.end());
    if (chance_.one_in(2)) std::ranges::reverse(order);
    std::optional<DealtStatement> last;
    for (const auto day : order)
        if (!read(last.emplace(deal_statement(world_, day, days_after)))) return;
    if (last && last->refusal.empty() && chance_.one_in(4)) read_again(*last);
}

// A row that is moved to another day shows in that day's statement, too.
void Evening::read_with_defect(int days_after) {
    auto days = days_of(world_);
    days.insert(parse_day(world_.store_day(world_.gateway_wall())).value());
    const std::vector<Day> choice(days.begin(), days.end());
    const auto day = chance_.pick(choice);
    const auto injected = inject(world_, chance_, books_, day);
    world_.note("store: {} is wrong with the statement of {}, of {}", to_string(injected.defect), to_text(day),
                injected.id_externo);
    std::vector<Day> affected{day};
    if (injected.defect == Defect::day_later) affected.push_back(day_after(day, 1));
    if (injected.defect == Defect::day_earlier) affected.push_back(day_after(day, -1));
    if (chance_.one_in(2)) std::ranges::reverse(affected);
    for (const auto each : affected) {
        const auto dealt = deal_statement(world_, each, days_after, injected);
        only_the_injected_differs(dealt, injected);
        if (!read(dealt)) return;
    }
}

void Evening::only_the_injected_differs(const DealtStatement& dealt, const Injected& injected) {
    const auto truth = expected_findings(world_, books_, deal_statement(world_, dealt.day, 1));
    const auto defective = expected_findings(world_, books_, dealt);
    const auto is_other = [&](const Expected& one) { return one.id_externo != injected.id_externo; };
    for (const auto& one : truth)
        if (is_other(one) && !defective.contains(one)) fail("a defect hides what it is not about: " + one.id_externo);
    for (const auto& one : defective)
        if (is_other(one) && !truth.contains(one)) fail("a defect shows what it is not about: " + one.id_externo);
}

// Returns false where nothing more can be asked.
bool Evening::read(const DealtStatement& dealt) {
    const auto told = told_of(dealt);
    if (!told) return false;
    const auto before = std::exchange(books_, read_books(*reader_));
    world_.books_check().look(books_, false);
    if (told->has_error())
        is_refused(before, dealt, told->error());
    else
        is_taken(before, dealt, **told);
    return !world_.promises().broken();
}

void Evening::read_again(const DealtStatement& dealt) {
    const auto told = told_of(dealt);
    if (!told) return;
    if (told->has_error() || !(*told)->already_imported) return fail("a file was not known when it came again");
    const auto now = read_books(*reader_);
    if (now.statements != books_.statements || !are_the_same(books_.findings, now.findings))
        fail("a file that was known changed something");
}

std::optional<Reconciler::Told> Evening::told_of(const DealtStatement& dealt) {
    std::optional<Reconciler::Told> told;
    if (world_.promises().broken()) return told;
    StatementText text{.bytes = dealt.bytes, .source = "file", .by = "maria"};
    if (dealt.asked != dealt.day || chance_.one_in(2)) text.day = dealt.asked;
    world_.process()->read_statement(std::move(text), [&](const Reconciler::Told& heard) { told = heard; });
    world_.live_until_true([&] { return told.has_value(); });
    if (!told) fail("a statement is not read at rest, and nothing is under way");
    return told;
}

void Evening::is_refused(const BooksView& before, const DealtStatement& dealt, const StatementRefusal& refusal) {
    world_.statistics().count(Event::statement_refused);
    if (refusal.failure || dealt.refusal != refusal.code)
        return fail(fmt::format("a statement was refused ({}, {}{}), and {}", refusal.code, refusal.detail,
                                refusal.failure ? refusal.failure.message() : "",
                                dealt.refusal.empty() ? "nothing is wrong with it" : "is " + dealt.refusal));
    if (before.statements != books_.statements || !are_the_same(before.findings, books_.findings))
        fail("a statement that was refused has left a trace: " + refusal.code);
}

void Evening::is_taken(const BooksView& before, const DealtStatement& dealt, const StatementReport& report) {
    world_.statistics().count(Event::statement);
    if (!dealt.refusal.empty()) return fail("a statement was taken that is " + dealt.refusal);
    const auto expected = expected_findings(world_, before, dealt);
    const auto found = found_in(report);
    const auto missing = without(expected, found);
    const auto more = without(found, expected);
    if (!missing.empty() || !more.empty())
        return fail(fmt::format("the statement of {} was to find{}; it found{}", to_text(dealt.day),
                                missing.empty() ? " what it did" : missing, more.empty() ? " no more" : more));
    world_.statistics().count(Event::finding, found.size());
    const auto rows = std::ranges::count_if(report.findings, [](const Finding& finding) { return finding.line > 0; });
    const auto& s = report.statement;
    if (s.rows != static_cast<std::int64_t>(dealt.rows.size()) || s.rows != s.matched + s.others + rows)
        fail(fmt::format("of {} rows {} agree, {} are others' and {} are found", s.rows, s.matched, s.others, rows));
    what_was_found_before_goes_on(before, to_text(dealt.day), expected);
    note_lies(expected);
    said_[to_text(dealt.day)] = expected;
    if (std::ranges::any_of(expected, &Expected::told)) all_is_done();
}

// The same disagreement keeps its number and its beginning. What is no longer shown is closed.
void Evening::what_was_found_before_goes_on(const BooksView& before, const std::string& day,
                                            const std::set<Expected>& expected) {
    for (const auto& finding : before.findings) {
        if (finding.day != day || !finding.closed_as.empty()) continue;
        const bool is_said = std::ranges::any_of(expected, [&](const Expected& one) {
            return one.kind == finding.kind && one.id_externo == finding.id_externo;
        });
        const auto now = std::ranges::find(books_.findings, finding.number, &BooksView::Finding::number);
        if (now == books_.findings.end() || now->kind != finding.kind || now->id_externo != finding.id_externo)
            fail(fmt::format("finding {} is gone, or is another", finding.number));
        else if (is_said && now->opened_at != finding.opened_at)
            fail(fmt::format("finding {} was opened twice, although nothing closed it", finding.number));
        else if (!is_said && now->closed_as != "corrected" && !is_decided_since(finding, *now))
            fail(fmt::format("finding {} ({}) is not said any more, and is not closed", finding.number, finding.kind));
    }
}

// Notes the contradictions: each stays with its sale until a person has looked.
void Evening::note_lies(const std::set<Expected>& expected) {
    for (const auto& one : expected) {
        const auto* sale = books_.sale_of(one.id_externo);
        if (sale != nullptr && one.told && std::ranges::count(contradictions, one.kind) > 0)
            world_.promises().lied_about(sale->id);
    }
}

// Checks that the gateway has done what it does by itself, and that nothing else has moved a sale.
void Evening::all_is_done() {
    if (world_.promises().broken()) return;
    const auto before = std::exchange(calm_, {});
    world_.come_to_rest();
    look();
    calm_ = books_;
    std::set<std::string> settled;
    for (const auto& [day, expected] : said_)
        for (const auto& one : expected) {
            const auto* finding = finding_of(books_, day, one);
            if (finding == nullptr || !one.told) continue;
            if (finding->pending || finding->effect.empty())
                fail(fmt::format("finding {} ({}) was never acted on", finding->number, finding->kind));
            if (one.asks != "settle") continue;
            settled.insert(finding->sale);
            if (finding->closed_as != "settled") fail(fmt::format("finding {} did not settle", finding->number));
        }
    // A sale whose goods are still asked for becomes EFETIVADA by itself, with them or without.
    const auto is_collected = [](const auto& attempt) { return attempt.state == "collecting"; };
    for (const auto& [id, sale] : books_.sales)
        if (const auto& was = before.sales.at(id);
            was.status != sale.status && !settled.contains(id) && std::ranges::none_of(was.attempts, is_collected))
            fail(fmt::format("sale {} was {} and is {}, and no statement was to settle it", id, was.status,
                             sale.status));
}

}  // namespace gateway::simulation
