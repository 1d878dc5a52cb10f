#include "books/day_books.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <utility>

namespace gateway {
namespace {

using namespace std::chrono_literals;

// This is the time between two checks whether a day is to be closed.
constexpr Duration look_every = 1min;
// The gateway is up for this long before it closes a day by itself, because a close is never undone. A box whose clock
// begins years ahead, but that reaches the provider, has then reached a time server, too.
constexpr Duration close_first = 5min;
// A day that is due is closed within this time, even after a start.
constexpr Duration closed_within = close_first + 2 * look_every;
// Days of a holiday are made up for, but not those up to a clock that is years ahead. Older days are closed by hand.
constexpr std::size_t most_made_up = 31;
// A journal that does not say whether it has a commit is asked this often, with these pauses. That is about as long as
// a caller who asks for a close waits.
constexpr int most_tries = 30;
constexpr Duration pause_in_doubt = 1s;
// What could not be finished is tried again after this time.
constexpr Duration finish_again = 10s;

std::size_t open_in(const Close& close) {
    boost::system::error_code ec;
    const auto open = boost::json::parse(close.open, ec);
    return ec || !open.is_array() ? 0 : open.get_array().size();
}

}  // namespace

std::string name_of(const Close& close, char separator) {
    auto name = std::to_string(close.number);
    if (close.series > 1) name += separator + std::to_string(close.series);
    return name;
}

DayBooks::DayBooks(DayBooksOptions options, Establishments establishments, Journal& journal, Clock& clock, Log& log)
    : options_(options),
      establishments_(std::move(establishments)),
      journal_(journal),
      clock_(clock),
      log_(log),
      turn_(1, clock) {}

void DayBooks::start(const boost::asio::any_io_executor& executor) {
    started_ = clock_.now();
    boost::asio::co_spawn(executor, keep(), boost::asio::detached);
}

boost::asio::awaitable<void> DayBooks::keep() {
    while (!co_await finish_what_was_begun())
        co_await clock_.sleep_for(finish_again);
    for (const auto& estabelecimento : establishments_()) {
        (void)co_await look_up_newest(estabelecimento);
        co_await say_what_waits(estabelecimento);
    }
    if (!options_.at && journal_.chain() == nullptr) co_return;
    co_await clock_.sleep_until(*started_ + close_first);
    stood_at_ = stands_at();
    for (bool is_said = false;;) {
        const auto set_since = clock_set_by();
        if (!std::exchange(is_said, set_since.has_value()) && set_since)
            log_.warn(
                "close.clock_set",
                "the clock was set by {durationMs} since the start, so no day is closed by itself; closed by hand "
                "they are, and by themselves after a restart with a clock that is right",
                {{"durationMs", *set_since}});
        if (journal_.chain() != nullptr)
            for (const auto& estabelecimento : establishments_())
                (void)co_await look_up_newest(estabelecimento);
        if (options_.at && !set_since && journal_.is_on_duty()) {
            if (journal_.chain() != nullptr) (void)co_await finish_what_was_begun();  // of a gateway that died
            for (const auto& estabelecimento : establishments_())
                co_await close_due(estabelecimento);
        }
        co_await clock_.sleep_for(look_every);
    }
}

// Returns whether nothing is left to finish.
boost::asio::awaitable<bool> DayBooks::finish_what_was_begun() {
    const CloseFilter unfinished{.unfinished = true};
    const auto finished = co_await closes(unfinished);
    co_return finished.has_value();
}

// Where the close of a day cannot be read, the day counts as closed. Anything else is tried again at the next check.
boost::asio::awaitable<void> DayBooks::close_due(const std::string& estabelecimento) {
    const auto days = co_await days_due(estabelecimento);
    if (days.has_error()) co_return;
    for (const auto day : *days) {
        const CloseKey key{.estabelecimento = estabelecimento, .day = day};
        const auto made = co_await close(key, "");
        if (made.has_error() && made.error() != errc::close_unreadable) co_return;
    }
}

boost::asio::awaitable<void> DayBooks::say_what_waits(const std::string& estabelecimento) {
    const auto at = makes_up_at();
    if (!at) co_return;
    const auto days = co_await days_due(estabelecimento);
    if (days.has_error() || days->empty()) co_return;
    log_.info("close.waits",
              "{day} of {estabelecimento} was missed, and is closed by itself at {nextAt}, with the days before it",
              {{"estabelecimento", estabelecimento}, {"day", to_text(days->back())}, {"nextAt", *at}});
}

std::optional<WallTime> DayBooks::makes_up_at() const {
    if (!options_.at || !started_ || !journal_.is_on_duty()) return std::nullopt;
    const auto left = *started_ + close_first - clock_.now();
    if (left <= Duration(0)) return std::nullopt;
    return clock_.wall() + std::chrono::duration_cast<Duration>(left);
}

DayBooks::Awaited<std::vector<Day>> DayBooks::days_due(const std::string& estabelecimento) {
    const CloseSchedule schedule(options_.zone, *options_.at);
    const auto now = clock_.wall();
    const auto latest = co_await latest_known();
    if (latest.has_error()) co_return latest.error();
    if (!*latest) co_return std::vector<Day>();
    const auto closed = co_await last_closed(estabelecimento, std::min(schedule.last_due(now), **latest));
    if (closed.has_error()) co_return closed.error();
    if (!*closed) co_return std::vector<Day>();
    co_return schedule.days_due(**closed, now, **latest, most_made_up);
}

// Returns the last day that may be closed by itself: the day after that of the newest sale, whatever our clock says.
// Returns nothing where there is no sale yet.
DayBooks::Awaited<std::optional<Day>> DayBooks::latest_known() {
    const SaleFilter newest;
    const auto page = co_await journal_.list(newest);
    if (page.has_error()) co_return page.error();
    if (page->sales.empty()) co_return std::optional<Day>();
    co_return std::optional(next_day(options_.zone.day_of(page->sales.front().created_at)));
}

// Returns the day after which days are closed by themselves; nothing where there is none yet. An establishment without
// a close begins with the first due day that has a sale. What was sold before is not closed.
DayBooks::Awaited<std::optional<Day>> DayBooks::last_closed(const std::string& estabelecimento, Day due) {
    if (auto looked = co_await look_up_newest(estabelecimento); looked.has_error()) co_return looked.error();
    if (const auto& newest = newest_[estabelecimento]) co_return std::optional(newest->day);
    const DayFilter filter{.from = due, .to = due, .estabelecimento = estabelecimento};
    const auto page = co_await journal_.sales_of_days(filter, "");
    if (page.has_error()) co_return page.error();
    if (page->sales.empty() && page->unreadable == 0) co_return std::optional<Day>();
    co_return std::optional(day_before(due));
}

DayBooks::Awaited<void> DayBooks::look_up_newest(const std::string& estabelecimento) {
    if (newest_.contains(estabelecimento) && journal_.chain() == nullptr) co_return Result<void>();
    const CloseFilter filter{.estabelecimento = estabelecimento, .names = true, .limit = 1};
    const auto found = co_await journal_.closes(filter);
    if (found.has_error()) co_return found.error();
    newest_.try_emplace(estabelecimento);
    if (!found->empty()) note(found->front());  // another call may have noted a newer one in the meantime
    co_return Result<void>();
}

DayBooks::Awaited<bool> DayBooks::knows(const std::string& estabelecimento) {
    if (std::ranges::count(establishments_(), estabelecimento) > 0) co_return true;
    // A plain error could also be converted to a bool.
    const auto failed = [](const boost::system::error_code& why) {
        return Result<bool>(boost::system::in_place_error, why);
    };
    const CloseFilter of_it{.estabelecimento = estabelecimento, .limit = 1};
    const auto closes = co_await journal_.closes(of_it);
    if (closes.has_error()) co_return failed(closes.error());
    if (!closes->empty()) co_return true;
    SaleFilter filter{.estabelecimento = estabelecimento, .limit = 1};
    do {
        const auto page = co_await journal_.list(filter);
        if (page.has_error()) co_return failed(page.error());
        if (!page->sales.empty() || !page->unreadable.empty()) co_return true;
        filter.after = page->next;
    } while (filter.after);
    co_return false;
}

DayBooks::Awaited<std::optional<Day>> DayBooks::first_day(const std::string& estabelecimento) {
    const DayFilter filter{
        .from = std::chrono::sys_days{}, .to = next_day(today()), .estabelecimento = estabelecimento};
    std::optional<Day> first;
    std::string after;
    do {
        const auto page = co_await journal_.sales_of_days(filter, after);
        if (page.has_error()) co_return page.error();
        if (page->unreadable > 0)
            first = filter.from;  // nobody knows which day it belongs to
        else if (!page->sales.empty())
            first = page->sales.front().day;
        after = page->next;
    } while (!first && !after.empty());
    const auto open = co_await journal_.open_sales(estabelecimento, "");
    if (open.has_error()) co_return open.error();
    for (const auto& sale : open->sales)
        first = std::min(first.value_or(today()), options_.zone.day_of(sale.created_at));
    co_return first;
}

DayBooks::Awaited<bool> DayBooks::is_closed(const CloseKey& key) {
    const CloseFilter of_day{
        .estabelecimento = key.estabelecimento, .from = key.day, .to = key.day, .names = true, .limit = 1};
    const auto found = co_await journal_.closes(of_day);
    if (found.has_error()) co_return Result<bool>(boost::system::in_place_error, found.error());
    co_return !found->empty();
}

DayBooks::Awaited<DayTotals> DayBooks::totals(const DayFilter& filter, std::vector<TotalsBy> by, BegunBefore end) {
    DayTotals made{.totals = GroupedTotals(std::move(by), options_.zone)};
    std::string after;
    do {
        auto page = co_await journal_.sales_of_days(filter, after);
        if (page.has_error()) co_return page.error();
        made.unreadable += page->unreadable;
        for (const auto& sale : page->sales) {
            if (end && sale.id.time() >= *end) continue;
            made.totals.add(counted(sale));
            if (sale.late && sale.status == Status::EFETIVADA) made.late.add(sale.valor);
        }
        after = std::move(page->next);
    } while (!after.empty());
    if (auto counted = co_await count_open(made, filter, end); counted.has_error()) co_return counted.error();
    constexpr std::size_t all = 500;
    const CloseFilter of_days{
        .estabelecimento = filter.estabelecimento, .from = filter.from, .to = filter.to, .names = true, .limit = all};
    auto found = co_await journal_.closes(of_days);
    if (found.has_error()) co_return found.error();
    made.closes = std::move(*found);
    co_return made;
}

DayBooks::Awaited<void> DayBooks::count_open(DayTotals& totals, const DayFilter& filter, BegunBefore end) {
    std::string after;
    do {
        auto page = co_await journal_.open_sales(filter.estabelecimento, after);
        if (page.has_error()) co_return page.error();
        totals.unreadable += page->unreadable;
        for (auto& sale : page->sales) {
            if (!counts_in(filter, sale) || (end && sale.created_at >= *end)) continue;
            totals.totals.add(counted(sale));
            if (totals.open.size() < DayTotals::most_open_named)
                totals.open.push_back(std::move(sale));
            else
                ++totals.left_out;
        }
        after = std::move(page->next);
    } while (!after.empty());
    co_return Result<void>();
}

bool DayBooks::counts_in(const DayFilter& filter, const Sale& sale) const {
    if (filter.among && !filter.among->has(sale)) return false;
    const auto within = [&](Day day) { return filter.from <= day && day <= filter.to; };
    return within(today()) || within(options_.zone.day_of(sale.created_at));
}

DayBooks::Awaited<DayBooks::Closing> DayBooks::close(const CloseKey& key, const std::string& by) {
    const auto turn = co_await turn_.acquire();
    if (auto done = co_await finish_unfinished(key.estabelecimento); done.has_error()) co_return done.error();
    const CloseFilter of_day{.estabelecimento = key.estabelecimento, .from = key.day, .to = key.day};
    auto known = co_await journal_.closes(of_day);
    if (known.has_error()) co_return known.error();
    if (!known->empty()) co_return Closing{.close = std::move(known->front())};
    if (auto looked = co_await look_up_newest(key.estabelecimento); looked.has_error()) co_return looked.error();
    auto begun = co_await begin(key, clock_.wall(), by);
    if (begun.has_error()) co_return begun.error();
    auto finished = co_await finish(std::move(*begun));
    if (finished.has_error()) co_return finished.error();
    co_return Closing{.close = std::move(*finished), .made = true};
}

DayBooks::Awaited<std::vector<Close>> DayBooks::closes(const CloseFilter& filter) {
    auto found = co_await journal_.closes(filter);
    const auto is_unfinished = [](const Close& close) { return !close.totals; };
    if (found.has_error() || std::ranges::none_of(*found, is_unfinished)) co_return found;
    const auto turn = co_await turn_.acquire();
    if (auto done = co_await finish_unfinished(filter.estabelecimento); done.has_error()) co_return done.error();
    co_return co_await journal_.closes(filter);
}

DayBooks::Awaited<std::vector<CloseKey>> DayBooks::forgotten(const std::vector<std::string>& establishments, Day day) {
    const Day from = std::chrono::sys_days(day) - std::chrono::days(most_made_up);
    std::vector<CloseKey> all;
    for (const auto& estabelecimento : establishments) {
        const auto days = co_await journal_.forgotten_days(estabelecimento, from, day);
        if (days.has_error()) co_return days.error();
        for (const auto one : *days)
            all.push_back({.estabelecimento = estabelecimento, .day = one});
    }
    co_return all;
}

DayBooks::Awaited<std::vector<DayBooks::Unclosed>> DayBooks::unclosed_yesterday() {
    std::vector<Unclosed> all;
    const auto yesterday = day_before(today());
    if (yesterday >= first_open_day()) co_return all;
    for (const auto& estabelecimento : establishments_()) {
        const CloseKey key{.estabelecimento = estabelecimento, .day = yesterday};
        const auto closed = co_await is_closed(key);
        if (closed.has_error()) co_return closed.error();
        if (*closed) continue;
        Unclosed one{.estabelecimento = estabelecimento, .day = yesterday};
        bool has_sales = false;
        std::string after;
        do {
            const auto page = co_await journal_.sales_of_close(key, after);
            if (page.has_error()) co_return page.error();
            has_sales = has_sales || !page->sales.empty() || page->unreadable > 0;
            for (const auto& sale : page->sales)
                if (sale.status == Status::EFETIVADA) one.sold.add(sale.valor);
            after = page->next;
        } while (!after.empty());
        if (!has_sales) continue;
        if (const auto at = makes_up_at()) {
            const auto due = co_await days_due(estabelecimento);
            if (due.has_error()) co_return due.error();
            if (std::ranges::count(*due, yesterday) > 0) one.closes_at = at;
        }
        all.push_back(std::move(one));
    }
    co_return all;
}

Day DayBooks::first_open_day() const {
    if (!options_.at) return today();
    const CloseSchedule schedule(options_.zone, *options_.at);
    return std::min(today(), next_day(schedule.last_due(clock_.wall() - closed_within)));
}

DayBooks::Awaited<std::optional<DayBooks::Due>> DayBooks::next_due(const std::vector<std::string>& establishments) {
    std::optional<Due> next;
    if (!options_.at || clock_set_by()) co_return next;
    const CloseSchedule schedule(options_.zone, *options_.at);
    const auto undue = next_day(schedule.last_due(clock_.wall()));
    for (const auto& estabelecimento : establishments) {
        if (auto looked = co_await look_up_newest(estabelecimento); looked.has_error()) co_return looked.error();
        const auto& newest = newest_[estabelecimento];
        const auto day = newest ? std::max(undue, next_day(newest->day)) : undue;
        if (!next || day < next->day) next = Due{.day = day, .at = schedule.due(day)};
    }
    co_return next;
}

// Each close needs the digest of the one before, so the oldest number comes first.
DayBooks::Awaited<void> DayBooks::finish_unfinished(std::optional<std::string> estabelecimento) {
    const CloseFilter filter{.estabelecimento = std::move(estabelecimento), .unfinished = true};
    while (true) {
        auto found = co_await journal_.closes(filter);
        if (found.has_error()) co_return found.error();
        if (found->empty()) co_return Result<void>();
        std::ranges::sort(*found, {}, &Close::number);
        for (auto& close : *found) {
            auto finished = co_await finish(std::move(close));
            if (finished.has_error()) co_return finished.error();
        }
    }
}

// Where a commit ended unknown, asking for the same again shows whether it happened.
DayBooks::Awaited<Close> DayBooks::begin(const CloseKey& key, WallTime at, const std::string& by) {
    for (int tries = 1;; ++tries) {
        auto begun = co_await journal_.begin_close(key, at, by);
        if (begun.has_value() || begun.error() != errc::commit_unknown || tries == most_tries) co_return begun;
        co_await clock_.sleep_for(pause_in_doubt);
    }
}

DayBooks::Awaited<void> DayBooks::write(const Close& close) {
    for (int tries = 1;; ++tries) {
        auto written = co_await journal_.finish_close(close);
        if (written.has_value() || written.error() != errc::commit_unknown || tries == most_tries) co_return written;
        co_await clock_.sleep_for(pause_in_doubt);
    }
}

DayBooks::Awaited<Close> DayBooks::finish(Close close) {
    auto previous = co_await digest_before(close);
    if (previous.has_error()) co_return previous.error();
    CloseSum sum(std::move(*previous));
    const CloseKey key{.estabelecimento = close.estabelecimento, .day = close.day};
    std::string after;
    do {
        auto page = co_await journal_.sales_of_close(key, after);
        if (page.has_error()) co_return page.error();
        sum.add(*page);
        after = std::move(page->next);
    } while (!after.empty());
    const auto first = co_await begun_at(sum.first());
    if (first.has_error()) co_return first.error();
    const auto last = co_await begun_at(sum.last());
    if (last.has_error()) co_return last.error();
    close.totals = sum.json({.first = *first, .last = *last});
    close.digest = sum.digest();
    if (auto written = co_await write(close); written.has_error()) co_return written.error();
    note(close);
    log_.info("close.made",
              "closed {day} of {estabelecimento}[ for {by}]: close {close}, sold for {valor}; sales: {sales}, of which "
              "late: {late}; open: {openSales}",
              {{"close", name_of(close)},
               {"estabelecimento", close.estabelecimento},
               {"day", to_text(close.day)},
               {"by", close.made_by == Close::unnamed ? std::string_view() : std::string_view(close.made_by)},
               {"valor", sum.sold()},
               {"sales", sum.sales()},
               {"late", sum.late()},
               {"openSales", open_in(close)}});
    co_return close;
}

// Where the close before was damaged, or belongs to a journal that a restore has set aside, a new chain begins.
DayBooks::Awaited<std::string> DayBooks::digest_before(const Close& close) {
    if (close.number == 1) co_return std::string();
    const CloseFilter before{.estabelecimento = close.estabelecimento, .number = close.number - 1};
    const auto found = co_await journal_.closes(before);
    if (found.has_error()) co_return found.error();
    co_return found->empty() ? std::string() : found->front().digest.value_or("");
}

DayBooks::Awaited<std::optional<WallTime>> DayBooks::begun_at(const std::optional<SaleId>& id) {
    if (!id) co_return std::optional<WallTime>();
    const auto sale = co_await journal_.find(*id);
    if (sale.has_error() && sale.error() != errc::sale_unreadable) co_return sale.error();
    if (sale.has_error() || !*sale) co_return std::optional<WallTime>();
    co_return std::optional((*sale)->created_at);
}

void DayBooks::note(const Close& close) {
    const auto known = newest_.find(close.estabelecimento);
    if (known == newest_.end()) return;  // the call that is looking it up will find this close
    auto& newest = known->second;
    if (!newest || newest->day <= close.day) newest = Newest{close.day, close.made_at};
}

std::map<std::string, WallTime> DayBooks::last_made() const {
    std::map<std::string, WallTime> made;
    for (const auto& [estabelecimento, newest] : newest_)
        if (newest) made.emplace(estabelecimento, newest->made_at);
    return made;
}

}  // namespace gateway
