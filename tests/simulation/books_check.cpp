#include "simulation/books_check.hpp"

#include "base/calendar.hpp"
#include "base/digest.hpp"
#include "simulation/text_of.hpp"
#include "simulation/world.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace gateway::simulation {
namespace {

namespace json = boost::json;

// The books are read at one in this many starts before which nobody was told of a close.
constexpr std::uint64_t looks_one_in = 8;

// Returns what a close counts of one status.
json::object counted(const std::vector<const BooksView::Sale*>& sales, std::string_view status) {
    std::int64_t count = 0;
    std::int64_t valor = 0;
    for (const auto* sale : sales) {
        if (sale->status != status) continue;
        ++count;
        valor += sale->valor;
    }
    return {{"count", count}, {"valor", valor}};
}

json::object total_of(const std::vector<const BooksView::Sale*>& sales) {
    return {{"sold", counted(sales, "EFETIVADA")},
            {"cancelled", counted(sales, "CANCELADA")},
            {"refused", counted(sales, "NEGADA")}};
}

std::vector<const BooksView::Sale*> sales_in(const BooksView& books, const BooksView::Close& close) {
    std::vector<const BooksView::Sale*> sales;
    for (const auto& [id, sale] : books.sales)
        if (sale.estabelecimento == close.estabelecimento && sale.close_day() == close.day) sales.push_back(&sale);
    return sales;
}

std::string name_of(const BooksView::Close& close) {
    return fmt::format("close {} of {} ({})", close.number, close.estabelecimento, close.day);
}

}  // namespace

void BooksCheck::fail(const std::string& what) {
    world_.promises().books_are_wrong(what);
}

void BooksCheck::becomes_final(const std::string& sale) {
    days_[sale].insert(world_.store_day(world_.gateway_wall()));
}

void BooksCheck::process_started() {
    if (!closes_.empty() || (!days_.empty() && world_.chance().one_in(looks_one_in)))
        look(read_books(world_.disk().flushed()), false);
}

void BooksCheck::told(const Close& close, const BooksView& books) {
    const auto* kept = books.close_of(close.estabelecimento, to_text(close.day));
    if (kept == nullptr || kept->number != close.number || kept->series != close.series ||
        kept->totals != close.totals.value_or("") || kept->digest != close.digest.value_or(""))
        return fail(fmt::format("a caller was told of close {}, and it is not durable", close.number));
    if (kept->digest.empty()) fail(name_of(*kept) + " was told before it was summed up");
    closes_[{kept->estabelecimento, kept->number}] = *kept;
}

void BooksCheck::look(const BooksView& books, bool at_rest) {
    if (is_put_back_) return;
    if (!books.trouble.empty()) return fail("the books cannot be read: " + books.trouble);
    try {
        each_sale_has_its_day(books);
        numbers_have_no_gap(books);
        closes_never_change(books);
        closes_come_to_what_is_in_them(books);
        findings_belong_to_statements(books);
    } catch (const std::exception& why) {  // books that make no sense break the promise, and do not end the search
        return fail(std::string("the books make no sense: ") + why.what());
    }
    if (!at_rest) return;
    for (const auto& close : books.closes)
        if (close.digest.empty()) fail(name_of(close) + " is not summed up at rest");
}

void BooksCheck::each_sale_has_its_day(const BooksView& books) {
    for (const auto& [id, sale] : books.sales) {
        if (world_.promises().may_be_lost(id)) continue;
        if (sale.final() == sale.day.empty()) {
            fail(fmt::format("sale {} is {} and its movement day is \"{}\"", id, sale.status, sale.day));
        } else if (sale.final()) {
            if (!may_be_its_day(sale)) fail(fmt::format("sale {} did not become final on {}", id, sale.day));
            const std::pair days(sale.day, sale.late_day);
            if (given_.try_emplace(id, days).first->second != days)
                fail(fmt::format("sale {} had another movement day before: {} {}", id, sale.day, sale.late_day));
            late_means_closed(books, sale);
        }
    }
}

// Where days are counted by the request, the provider's books have the moment that its answer named.
bool BooksCheck::may_be_its_day(const BooksView::Sale& sale) const {
    const auto found = days_.find(sale.id);
    if (found != days_.end() && found->second.contains(sale.day)) return true;
    if (world_.setup().rules.day == DayClock::ours) return false;
    return std::ranges::any_of(sale.attempts, [&](const BooksView::Attempt& attempt) {
        const auto* transaction = world_.provider().books().find(attempt.id_externo);
        return transaction != nullptr && world_.store_day(transaction->accepted) == sale.day;
    });
}

void BooksCheck::late_means_closed(const BooksView& books, const BooksView::Sale& sale) {
    if (sale.late_day.empty()) return;
    if (sale.late_day <= sale.day) fail("sale " + sale.id + " is late for a day that came before its own");
    for (auto day = sale.day; day < sale.late_day; day = to_text(next_day(parse_day(day).value())))
        if (books.close_of(sale.estabelecimento, day) == nullptr)
            fail(fmt::format("sale {} of {} is late, and {} is not closed", sale.id, sale.day, day));
}

void BooksCheck::numbers_have_no_gap(const BooksView& books) {
    std::map<std::string, int> last;
    std::set<std::pair<std::string, std::string>> days;
    for (const auto& close : books.closes) {
        if (close.number != ++last[close.estabelecimento]) fail(name_of(close) + " follows upon a gap, or is a twin");
        if (!days.emplace(close.estabelecimento, close.day).second) fail(close.day + " is closed twice");
    }
}

// A close never changes, except that one which was begun is summed up once.
void BooksCheck::closes_never_change(const BooksView& books) {
    for (const auto& [key, close] : closes_)
        if (books.close_of(close.estabelecimento, close.day) == nullptr) fail(name_of(close) + " is gone");
    for (const auto& close : books.closes) {
        auto& known = closes_.try_emplace({close.estabelecimento, close.number}, close).first->second;
        if (known.digest.empty()) {
            known.totals = close.totals;
            known.digest = close.digest;
        }
        if (known != close) fail(name_of(close) + " is not what it was");
    }
}

// Damaged sales are not counted, whatever is in their rows later.
void BooksCheck::closes_come_to_what_is_in_them(const BooksView& books) {
    if (!world_.setup().damages.empty()) return;
    std::map<std::string, std::string> previous;  // digest, by establishment
    for (const auto& close : books.closes) {
        sums_up(books, close, previous[close.estabelecimento]);
        previous[close.estabelecimento] = close.digest;
    }
}

void BooksCheck::sums_up(const BooksView& books, const BooksView::Close& close, const std::string& previous) {
    const auto sales = sales_in(books, close);
    const auto open = json::parse(close.open).as_array();
    for (const auto* sale : sales)
        for (const auto& one : open)
            if (sale->late_day.empty() && text_of(one.as_object(), "id") == sale->id)
                fail(name_of(close) + " counts a sale that it calls open: " + sale->id);
    if (close.digest.empty()) return;
    auto text = previous + "\n";
    for (const auto* sale : sales)
        text += fmt::format("{};{};{}\n", sale->id, sale->valor, sale->status);
    if (sha256_hex(text) != close.digest) fail(name_of(close) + " has another digest than the sales in it");
    const auto totals = json::parse(close.totals).as_object();
    const auto late = std::ranges::count_if(sales, [](const auto* sale) { return !sale->late_day.empty(); });
    if (totals.at("sales") != static_cast<std::int64_t>(sales.size()) || totals.at("late") != late ||
        totals.at("total") != total_of(sales))
        fail(name_of(close) + " does not come to the sales in it: " + close.totals);
}

// A statement is kept with all its findings or not at all, and of a day the last one counts. A statement with another
// amount than the sale's decides nothing. A sale that is missing on its day is excused only as long as another day's
// last statement has it.
void BooksCheck::findings_belong_to_statements(const BooksView& books) {
    std::map<std::string, const BooksView::Statement*> last;
    std::set<std::string> digests;
    for (const auto& statement : books.statements) {
        last[statement.day] = &statement;
        if (!digests.insert(statement.digest).second) fail("one file was kept twice, of " + statement.day);
    }
    std::map<std::int64_t, std::int64_t> said;
    std::set<std::string> subjects;
    for (const auto& finding : books.findings) {
        if (finding.closed_as != "corrected") ++said[finding.statement];
        if (!subjects.insert(finding.day + finding.kind + finding.id_externo).second)
            fail(fmt::format("finding {} ({}) is there twice", finding.number, finding.kind));
        if (finding.our_valor != finding.their_valor && (finding.pending || !finding.effect.empty()))
            fail(fmt::format("finding {} was acted on, and is of another amount", finding.number));
        const auto statement = last.find(finding.day);
        if (statement == last.end()) return fail(fmt::format("finding {} is of no statement", finding.number));
        if (finding.closed_as.empty() && finding.statement != statement->second->id)
            fail(fmt::format("finding {} is open, and the last statement does not say it", finding.number));
    }
    for (const auto& [day, statement] : last)
        if (said[statement->id] != statement->findings)
            fail(fmt::format("the statement of {} was kept without all its findings", day));
    const auto is_said = [&](const BooksView::Finding& finding) {
        return finding.statement == last.at(finding.day)->id && finding.closed_as != "corrected";
    };
    std::set<std::string> there;  // idExternos that a last statement has on another day than that of their sale
    for (const auto& finding : books.findings)
        if (is_said(finding) && finding.kind == "other_day" && !finding.their_valor.empty())
            there.insert(finding.id_externo);
    for (const auto& finding : books.findings) {
        const bool is_told_away = finding.kind == "missing_there"
                                      ? finding.closed_as == "other_day"
                                      : finding.kind == "other_day" && finding.their_valor.empty();
        if (is_said(finding) && is_told_away && !there.contains(finding.id_externo))
            fail(fmt::format("{} of {} is in no statement, and not missing", finding.id_externo, finding.day));
    }
}

}  // namespace gateway::simulation
